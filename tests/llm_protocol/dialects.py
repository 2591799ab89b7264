"""Two protocols' words for the same answers; bodies are built with the SDKs' own models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from anthropic.types import (
    Message,
    MessageDeltaUsage,
    RawContentBlockDeltaEvent,
    RawContentBlockStartEvent,
    RawContentBlockStopEvent,
    RawMessageDeltaEvent,
    RawMessageStartEvent,
    RawMessageStopEvent,
)
from anthropic.types.shared import ErrorResponse
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel

from tests.llm_protocol.steps import Answer, Failed, FailedInside, Refused, Tokens, Truncated
from tests.llm_protocol.validation import anthropic_complaints, openai_complaints

THINKS_BY_DEFAULT = re.compile(r"^claude-(sonnet|opus|haiku|fable)-5")

Finished = Answer | Truncated | Refused


class Dialect(Protocol):
    """How one protocol says it."""

    path: str

    def key(self, headers: Mapping[str, str]) -> str | None:
        """The key that the request carries."""

    def complaints(self, body: dict[str, Any], headers: Mapping[str, str]) -> list[str]:
        """What is wrong with a request."""

    def whole(self, request: dict[str, Any], step: Finished) -> str:
        """An answer in one body."""

    def events(self, request: dict[str, Any], step: Finished) -> Iterator[str]:
        """The same answer as server-sent events."""

    def error(self, step: Failed | FailedInside) -> str:
        """An error body."""

    def error_event(self, step: FailedInside) -> str:
        """The same error as a server-sent event."""


def content_of(step: Finished) -> str:
    """The model's words: JSON of the data unless the step gives the text itself."""
    if isinstance(step, Refused):
        return ""
    if isinstance(step, Truncated):
        return step.text
    return step.text if step.text is not None else json.dumps(step.data, ensure_ascii=False)


def _dump(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(mode="json", exclude_none=True, by_alias=True)


class AnthropicDialect:
    path = "/v1/messages"

    def key(self, headers: Mapping[str, str]) -> str | None:
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        return headers.get("x-api-key") or bearer or None

    def complaints(self, body: dict[str, Any], headers: Mapping[str, str]) -> list[str]:
        return anthropic_complaints(body, headers)

    def whole(self, request: dict[str, Any], step: Finished) -> str:
        return json.dumps(_dump(self._message(request, step)))

    def _message(self, request: dict[str, Any], step: Finished) -> Message:
        text = content_of(step)
        content: list[dict[str, Any]] = [{"type": "text", "text": text}]
        stop = "end_turn"
        if isinstance(step, Refused):
            content, stop = [], "refusal"
        elif isinstance(step, Truncated):
            stop = "max_tokens"
        elif request.get("tool_choice", {}).get("type") == "tool" and step.text is None:
            content = [
                {
                    "type": "tool_use",
                    "id": "toolu_1",
                    "name": request["tool_choice"]["name"],
                    "input": step.data,
                }
            ]
            stop = "tool_use"
        thinking = request.get("thinking", {}).get("type")
        if THINKS_BY_DEFAULT.match(request["model"]) and thinking is None:
            content.insert(0, {"type": "thinking", "thinking": "let me see", "signature": "s"})
        return Message.model_validate(
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": request["model"],
                "content": content,
                "stop_reason": stop,
                "usage": self._usage(step.tokens),
            }
        )

    @staticmethod
    def _usage(tokens: Tokens) -> dict[str, int]:
        return {
            "input_tokens": tokens.prompt - tokens.cached - tokens.written,
            "output_tokens": tokens.output,
            "cache_read_input_tokens": tokens.cached,
            "cache_creation_input_tokens": tokens.written,
        }

    def events(self, request: dict[str, Any], step: Finished) -> Iterator[str]:
        message = self._message(request, step)
        opened = _dump(message) | {"content": [], "stop_reason": None, "stop_sequence": None}
        opened["usage"] = opened["usage"] | {"output_tokens": 1}
        yield self._event(
            RawMessageStartEvent.model_validate({"type": "message_start", "message": opened})
        )
        for index, block in enumerate(_dump(message)["content"]):
            yield from self._block(index, block)
        yield self._event(
            RawMessageDeltaEvent.model_validate(
                {
                    "type": "message_delta",
                    "delta": {"stop_reason": message.stop_reason, "stop_sequence": None},
                    "usage": _dump(MessageDeltaUsage(output_tokens=step.tokens.output)),
                }
            )
        )
        yield self._event(RawMessageStopEvent(type="message_stop"))

    def _block(self, index: int, block: dict[str, Any]) -> Iterator[str]:
        if block["type"] == "tool_use":
            empty = block | {"input": {}}
            text = json.dumps(block["input"], ensure_ascii=False)
            deltas = [{"type": "input_json_delta", "partial_json": p} for p in _halves(text)]
        elif block["type"] == "thinking":
            empty = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": block["thinking"]}]
        else:
            empty = block | {"text": ""}
            deltas = [{"type": "text_delta", "text": p} for p in _halves(block["text"])]
        start = {"type": "content_block_start", "index": index, "content_block": empty}
        yield self._event(RawContentBlockStartEvent.model_validate(start))
        for delta in deltas:
            change = {"type": "content_block_delta", "index": index, "delta": delta}
            yield self._event(RawContentBlockDeltaEvent.model_validate(change))
        yield self._event(RawContentBlockStopEvent(type="content_block_stop", index=index))

    @staticmethod
    def _event(model: BaseModel) -> str:
        data = model.model_dump(mode="json", by_alias=True)
        return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n"

    def error(self, step: Failed | FailedInside) -> str:
        error: dict[str, Any] = {"type": step.kind, "message": getattr(step, "message", "scripted")}
        if step.code is not None:
            error["details"] = {"error_code": step.code}
        body = {"type": "error", "error": error, "request_id": "req_1"}
        ErrorResponse.model_validate(body)
        return json.dumps(body)

    def error_event(self, step: FailedInside) -> str:
        return f"event: error\ndata: {self.error(step)}\n\n"


class OpenAIDialect:
    path = "/v1/chat/completions"

    def key(self, headers: Mapping[str, str]) -> str | None:
        return headers.get("authorization", "").removeprefix("Bearer ") or None

    def complaints(self, body: dict[str, Any], headers: Mapping[str, str]) -> list[str]:
        return openai_complaints(body, headers)

    def whole(self, request: dict[str, Any], step: Finished) -> str:
        message, reason = self._message(request, step)
        completion = ChatCompletion.model_validate(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1_700_000_000,
                "model": request["model"],
                "choices": [{"index": 0, "finish_reason": reason, "message": message}],
                "usage": self._usage(step.tokens),
            }
        )
        return json.dumps(_dump(completion))

    def _message(self, request: dict[str, Any], step: Finished) -> tuple[dict[str, Any], str]:
        text = content_of(step)
        if isinstance(step, Refused):
            return {"role": "assistant", "content": None, "refusal": "I cannot do that."}, "stop"
        if isinstance(step, Truncated):
            return {"role": "assistant", "content": text}, "length"
        if request.get("tools") and step.text is None:
            name = request["tool_choice"]["function"]["name"]
            call = {
                "id": "call_1",
                "type": "function",
                "function": {"name": name, "arguments": text},
            }
            return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
        return {"role": "assistant", "content": text}, "stop"

    @staticmethod
    def _usage(tokens: Tokens) -> dict[str, Any]:
        return {
            "prompt_tokens": tokens.prompt,
            "completion_tokens": tokens.output,
            "total_tokens": tokens.prompt + tokens.output,
            "prompt_tokens_details": {
                "cached_tokens": tokens.cached,
                "cache_write_tokens": tokens.written,
            },
        }

    def events(self, request: dict[str, Any], step: Finished) -> Iterator[str]:
        message, reason = self._message(request, step)
        yield self._chunk(request, {"role": "assistant"})
        for delta in self._deltas(message):
            yield self._chunk(request, delta)
        yield self._chunk(request, {}, reason)
        if request.get("stream_options", {}).get("include_usage"):
            yield self._chunk(request, None, usage=self._usage(step.tokens))
        yield "data: [DONE]\n\n"

    @staticmethod
    def _deltas(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if message.get("refusal"):
            yield {"refusal": message["refusal"]}
        for call in message.get("tool_calls", []):
            first, rest = _halves(call["function"]["arguments"])
            function = call["function"] | {"arguments": first}
            yield {"tool_calls": [call | {"index": 0, "function": function}]}
            yield {"tool_calls": [{"index": 0, "function": {"arguments": rest}}]}
        for part in _halves(message["content"] or ""):
            if part:
                yield {"content": part}

    @staticmethod
    def _chunk(
        request: dict[str, Any],
        delta: dict[str, Any] | None,
        reason: str | None = None,
        usage: dict[str, Any] | None = None,
    ) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        chunk = ChatCompletionChunk.model_validate(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion.chunk",
                "created": 1_700_000_000,
                "model": request["model"],
                "choices": [] if delta is None else [choice],
                "usage": usage,
            }
        )
        return f"data: {json.dumps(_dump(chunk))}\n\n"

    def error(self, step: Failed | FailedInside) -> str:
        message = getattr(step, "message", "scripted")
        error = {"message": message, "type": step.kind, "param": None, "code": step.code}
        return json.dumps({"error": error})

    def error_event(self, step: FailedInside) -> str:
        return f"data: {self.error(step)}\n\n"


def _halves(text: str) -> tuple[str, str]:
    middle = len(text) // 2
    return text[:middle], text[middle:]
