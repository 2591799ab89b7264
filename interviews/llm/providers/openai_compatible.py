"""Whoever speaks OpenAI's chat completions: OpenAI, Kimi, DeepSeek, or a server of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import httpx2
import openai
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionChunk

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

MaxTokensField = Literal["max_tokens", "max_completion_tokens"]

NO_KEY = "no-key-needed"
"""The SDK insists on a key; a server that needs none ignores it."""

NO_COMPLETION = (ValueError, TypeError, AttributeError, IndexError)
"""What reading a body raises that is no completion: a proxy's page, half an event."""

STOPS = {
    "stop": Stop.COMPLETE,
    "tool_calls": Stop.COMPLETE,
    "function_call": Stop.COMPLETE,
    "length": Stop.TRUNCATED,
    "content_filter": Stop.REFUSED,
}


CACHED_FIELDS = ("prompt_cache_hit_tokens", "cached_tokens")
"""Where DeepSeek and Kimi count what they read from the cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What one completion came to, streamed or not."""

    text: str
    refusal: str
    finish_reason: str | None
    usage: CompletionUsage | None


class OpenAICompatibleProvider:
    """Sends each request once; retries, deadlines and fallbacks are the gateway's business."""

    def __init__(
        self,
        *,
        name: str,
        api_key: str | None,
        base_url: str,
        stream: bool,
        max_tokens_field: MaxTokensField,
    ) -> None:
        self._name = name
        self._stream = stream
        self._max_tokens_field = max_tokens_field
        self._http = bounded_client()
        self._client = openai.OpenAI(
            api_key=api_key or NO_KEY, base_url=base_url, max_retries=0, http_client=self._http
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def send(self, request: ChatRequest) -> ChatReply:
        """Ask for one completion.

        Raises LLMTimeoutError when it is not complete within `request.timeout`, LLMUnavailable,
        LLMRateLimitError, LLMSpendLimitReached, LLMConfigurationError or LLMRequestRejected.
        """
        who = f"{self._name} {request.model}"
        with wall_clock(request.timeout):
            outcome = self._exchange(who, request)
        if isinstance(outcome, LLMError):
            raise outcome  # outside the handler: what the SDK raised holds headers and prompts
        return _reply(who, outcome)

    def _exchange(self, who: str, request: ChatRequest) -> _Answer | LLMError:
        counted: list[CompletionUsage] = []
        try:
            return self._answer(who, request, counted)
        except (openai.APIError, httpx2.HTTPError, *NO_COMPLETION) as error:
            found = _failure(who, request, error)
            found.usage = _usage(counted[-1] if counted else None)
            return found

    def _answer(
        self, who: str, request: ChatRequest, counted: list[CompletionUsage]
    ) -> _Answer | LLMError:
        """One answer; what a stream counted before it broke is on `counted`."""
        parameters = completion_parameters(request, self._max_tokens_field)
        if not self._stream:
            return _whole(who, self._client.chat.completions.create(**parameters))
        with self._client.chat.completions.create(
            **parameters, stream=True, stream_options={"include_usage": True}
        ) as chunks:
            return _joined(chunks, counted)


def _failure(who: str, request: ChatRequest, error: Exception) -> LLMError:
    """Our error for the SDK's; nothing of the SDK's is kept, it holds headers and prompts."""
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return LLMTimeoutError(f"{who}: no answer within {request.timeout:.1f} s")
    if isinstance(error, openai.APIStatusError):
        return failure(
            who,
            status=error.status_code,
            codes=(error.code, error.type),
            headers=error.response.headers,
        )
    if isinstance(error, openai.APIConnectionError | httpx2.HTTPError):
        return LLMUnavailable(f"{who}: {type(error).__name__}")
    if isinstance(error, openai.APIError):  # an error event inside a stream that started with 200
        return failure(who, status=200, codes=(error.code, error.type), headers={})
    return LLMUnavailable(f"{who}: the answer is not one of this protocol")


def completion_parameters(request: ChatRequest, max_tokens_field: MaxTokensField) -> dict[str, Any]:
    """The request in the terms of chat completions; the stable prefix comes first."""
    messages: list[dict[str, str]] = [{"role": "system", "content": system_text(request)}]
    messages += [{"role": role, "content": text} for role, text in conversation(request)]
    parameters: dict[str, Any] = {
        "model": request.model,
        "messages": messages,
        max_tokens_field: request.max_tokens,
        "timeout": httpx2.Timeout(request.timeout, connect=min(CONNECT_SECONDS, request.timeout)),
    }
    if request.structure is Structure.SCHEMA:
        parameters["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": request.name, "schema": request.schema, "strict": True},
        }
    elif request.structure is Structure.JSON:
        parameters["response_format"] = {"type": "json_object"}
    else:
        parameters["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": request.name,
                    "description": tool_description(),
                    "parameters": request.schema,
                },
            }
        ]
        parameters["tool_choice"] = {"type": "function", "function": {"name": request.name}}
    if request.temperature is not None:
        parameters["temperature"] = request.temperature
    if request.effort is not None:
        parameters["reasoning_effort"] = request.effort
    if request.thinking is not None:  # Kimi and DeepSeek have it, the SDK's types do not
        parameters["extra_body"] = {"thinking": {"type": request.thinking}}
    return parameters


def _whole(who: str, completion: ChatCompletion) -> _Answer | LLMError:
    # The SDK builds its models without validating: a body may lack what its type promises.
    error = dict(completion.model_extra or {}).get("error")
    if isinstance(error, Mapping):
        return failure(who, status=200, codes=(error.get("code"), error.get("type")), headers={})
    choice = completion.choices[0]
    calls = choice.message.tool_calls or []
    arguments = "".join(c.function.arguments for c in calls[:1] if c.type == "function")
    return _Answer(
        text=arguments or choice.message.content or "",
        refusal=choice.message.refusal or "",
        finish_reason=choice.finish_reason,
        usage=completion.usage,
    )


def _joined(chunks: Iterable[ChatCompletionChunk], counted: list[CompletionUsage]) -> _Answer:
    text, arguments, refusal = [], [], []
    finish_reason: str | None = None
    for chunk in chunks:
        if chunk.usage is not None:
            counted.append(chunk.usage)
        for choice in chunk.choices[:1]:
            text.append(choice.delta.content or "")
            refusal.append(choice.delta.refusal or "")
            arguments += [
                call.function.arguments or ""
                for call in choice.delta.tool_calls or []
                if call.index == 0 and call.function is not None
            ]
            finish_reason = choice.finish_reason or finish_reason
    return _Answer(
        text="".join(arguments) or "".join(text),
        refusal="".join(refusal),
        finish_reason=finish_reason,
        usage=counted[-1] if counted else None,  # the last one counts everything
    )


def _reply(who: str, answer: _Answer) -> ChatReply:
    stop = STOPS.get(answer.finish_reason or "")
    if stop is None:
        cut_off = LLMUnavailable(f"{who}: the answer was cut off")
        cut_off.usage = _usage(answer.usage)
        raise cut_off
    if answer.refusal:
        stop = Stop.REFUSED
    return ChatReply(text=answer.text, stop=stop, usage=_usage(answer.usage))


def _usage(usage: CompletionUsage | None) -> Usage:
    if usage is None:  # some servers count nothing
        return Usage()
    details = usage.prompt_tokens_details
    return Usage(
        tokens_in=usage.prompt_tokens,
        tokens_out=usage.completion_tokens,
        tokens_cached=(details.cached_tokens if details else None) or _cached_elsewhere(usage),
        tokens_written=(details.cache_write_tokens or 0) if details else 0,
    )


def _cached_elsewhere(usage: CompletionUsage) -> int:
    """Tokens read from the cache where a provider has a field of its own for them."""
    own = usage.model_extra or {}
    found = (own.get(field) for field in CACHED_FIELDS)
    return next((count for count in found if isinstance(count, int)), 0)
