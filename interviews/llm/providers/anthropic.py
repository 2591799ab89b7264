"""Claude models through the Messages API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

import anthropic
import httpx2
from anthropic.types import Message

from interviews.llm.errors import LLMError, LLMTimeoutError, LLMUnavailable
from interviews.llm.network import CONNECT_SECONDS, bounded_client, wall_clock
from interviews.llm.providers.base import (
    ChatReply,
    ChatRequest,
    Stop,
    Structure,
    Usage,
    conversation,
    system_text,
    tool_description,
)
from interviews.llm.providers.failures import failure

NO_MESSAGE = (ValueError, AssertionError, AttributeError, KeyError)
"""What the SDK's parser raises where a stream is no stream of messages."""

VERSION_WITH_SAMPLING = "2023-06-01"

STOPS = {
    "end_turn": Stop.COMPLETE,
    "stop_sequence": Stop.COMPLETE,
    "tool_use": Stop.COMPLETE,
    "max_tokens": Stop.TRUNCATED,
    "model_context_window_exceeded": Stop.TRUNCATED,
    "refusal": Stop.REFUSED,
}


class AnthropicProvider:
    """Sends each request once; retries, deadlines and fallbacks are the gateway's business."""

    def __init__(self, *, name: str, api_key: str, base_url: str, stream: bool) -> None:
        self._name = name
        self._stream = stream
        self._http = bounded_client()
        self._client = anthropic.Anthropic(
            api_key=api_key, base_url=base_url, max_retries=0, http_client=self._http
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def send(self, request: ChatRequest) -> ChatReply:
        """Ask for one message.

        Raises LLMTimeoutError when it is not complete within `request.timeout`, LLMUnavailable,
        LLMRateLimitError, LLMSpendLimitReached, LLMConfigurationError or LLMRequestRejected.
        """
        who = f"{self._name} {request.model}"
        with wall_clock(request.timeout):
            outcome = self._exchange(who, request)
        if isinstance(outcome, LLMError):
            raise outcome  # outside the handler: what the SDK raised holds headers and prompts
        return _reply(who, outcome)

    def _exchange(self, who: str, request: ChatRequest) -> Message | LLMError:
        counted: list[Usage] = []
        try:
            return self._message(message_parameters(request), counted)
        except (anthropic.APIError, httpx2.HTTPError, *NO_MESSAGE) as error:
            found = _failure(who, request, error)
            found.usage = sum(counted, Usage())
            return found

    def _message(self, parameters: dict[str, Any], counted: list[Usage]) -> Message:
        """One message; what a stream counted before it broke goes onto `counted`."""
        if not self._stream:
            return cast("Message", self._client.messages.create(**parameters))
        with self._client.messages.stream(**parameters) as stream:
            try:
                return stream.get_final_message()
            except Exception:
                with suppress(AssertionError, AttributeError):  # it broke before it began
                    counted.append(_usage(stream.current_message_snapshot))
                raise


def _failure(who: str, request: ChatRequest, error: Exception) -> LLMError:
    """Our error for the SDK's; nothing of the SDK's is kept, it holds headers and prompts."""
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException):
        return LLMTimeoutError(f"{who}: no answer within {request.timeout:.1f} s")
    if isinstance(error, anthropic.APIStatusError):
        return failure(
            who,
            status=error.status_code,
            codes=(error.type, error.error_code),
            headers=error.response.headers,
        )
    if isinstance(error, NO_MESSAGE):
        return LLMUnavailable(f"{who}: the answer is not one of this protocol")
    return LLMUnavailable(f"{who}: {type(error).__name__}")


def message_parameters(request: ChatRequest) -> dict[str, Any]:
    """The request in the terms of the Messages API; the cacheable prefix comes first."""
    parameters: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "system": [
            {
                "type": "text",
                "text": system_text(request),
                "cache_control": {"type": "ephemeral"},
            }
        ],
        "messages": [{"role": role, "content": text} for role, text in conversation(request)],
        "timeout": httpx2.Timeout(request.timeout, connect=min(CONNECT_SECONDS, request.timeout)),
    }
    output: dict[str, Any] = {}
    if request.structure is Structure.SCHEMA:
        output["format"] = {"type": "json_schema", "schema": request.schema}
    if request.effort is not None:
        output["effort"] = request.effort
    if output:
        parameters["output_config"] = output
    if request.structure is Structure.TOOL:
        parameters["tools"] = [
            {
                "name": request.name,
                "description": tool_description(),
                "input_schema": request.schema,
            }
        ]
        parameters["tool_choice"] = {
            "type": "tool",
            "name": request.name,
            "disable_parallel_tool_use": True,
        }
    if request.thinking is not None:
        parameters["thinking"] = {"type": request.thinking}
    if request.temperature is not None:
        # The API's present version has no sampling parameters; the one before still takes them,
        # from models that know them.
        parameters["extra_body"] = {"temperature": min(request.temperature, 1.0)}
        parameters["extra_headers"] = {"anthropic-version": VERSION_WITH_SAMPLING}
    return parameters


def _reply(who: str, message: Message) -> ChatReply:
    # The SDK builds its models without validating: a body may lack what its type promises.
    if getattr(message, "type", None) != "message":
        raise _misplaced_error(who, message)
    stop = STOPS.get(message.stop_reason or "")
    if stop is None:
        cut_off = LLMUnavailable(f"{who}: the answer was cut off")
        cut_off.usage = _usage(message)
        raise cut_off
    return ChatReply(text=_text(message), stop=stop, usage=_usage(message))


def _misplaced_error(who: str, body: object) -> LLMError:
    """A body with status 200 that is no message: an error that came too late, or a proxy's page."""
    error = dict(getattr(body, "model_extra", None) or {}).get("error")
    if isinstance(error, Mapping):
        return failure(who, status=200, codes=(error.get("type"),), headers={})
    return LLMUnavailable(f"{who}: the answer is not one of this protocol")


def _text(message: Message) -> str:
    """The tool's arguments as JSON, else the text; thinking blocks are passed over."""
    for block in message.content:
        if block.type == "tool_use":
            return json.dumps(block.input, ensure_ascii=False)
    return "".join(block.text for block in message.content if block.type == "text")


def _usage(message: Message) -> Usage:
    usage = message.usage
    cached = usage.cache_read_input_tokens or 0
    written = usage.cache_creation_input_tokens or 0
    return Usage(
        tokens_in=usage.input_tokens + cached + written,
        tokens_out=usage.output_tokens,
        tokens_cached=cached,
        tokens_written=written,
    )
