"""Checks a request the way a provider does: against the SDK's own types, then the API's rules.

The types come from the SDKs and the rules from the APIs' documentation, not from our adapters: a
server that took whatever we send would agree with our mistakes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from anthropic.types.message_create_params import (
    MessageCreateParamsStreaming as StreamingMessageParams,
)
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)
from pydantic import BaseModel, ConfigDict, ValidationError

NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
API_VERSIONS = ("2023-06-01", "2026-10-21")
"""Sampling parameters went with the second."""

WITHOUT_SAMPLING = re.compile(r"^claude-(sonnet|opus|haiku|fable|mythos)-(5|4-[78])")
"""Models that answer 400 to sampling parameters."""

WITHOUT_FORCED_TOOLS = ("claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5")
WITHOUT_THINKING_DISABLED = ("claude-sonnet-5-5", "claude-opus-5-5")
THINKING_SWITCHED_BY_FIELD = re.compile(r"^(kimi-k2\.|deepseek-)")
"""Models of chat completions with a field for thinking that the SDK's types do not know."""

FIXED_TEMPERATURE = re.compile(r"^kimi-k2\.")
REASONS_BY_DEFAULT = re.compile(r"^gpt-6")
"""Models that take a temperature only where reasoning is switched off."""

CLOSED_SCHEMA_KEYWORDS = {
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "enum",
    "const",
    "description",
    "$ref",
    "$defs",
}


class _Forbidding(BaseModel):
    """Extra keys are errors, in the typed dicts inside too."""

    model_config = ConfigDict(extra="forbid")


class _Message(_Forbidding):
    body: MessageCreateParamsNonStreaming


class _StreamingMessage(_Forbidding):
    body: StreamingMessageParams


class _Completion(_Forbidding):
    body: CompletionCreateParamsNonStreaming


class _StreamingCompletion(_Forbidding):
    body: CompletionCreateParamsStreaming


def _complaints_of_types(validate: Callable[[], BaseModel]) -> list[str]:
    """What the SDK's types say; iterables validate lazily, so everything is walked through."""
    try:
        _walk(validate())
    except ValidationError as error:
        return [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
    return []


def _walk(value: object) -> None:
    if isinstance(value, BaseModel):
        _walk(dict(value))
    elif isinstance(value, Mapping):
        for inner in value.values():
            _walk(inner)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for inner in value:
            _walk(inner)


def anthropic_complaints(body: dict[str, Any], headers: Mapping[str, str]) -> list[str]:
    """What is wrong with a request to /v1/messages; empty where nothing is."""
    rest = {key: value for key, value in body.items() if key != "temperature"}
    model = _StreamingMessage if body.get("stream") else _Message
    found = _complaints_of_types(lambda: model.model_validate({"body": rest}))
    if found:
        return found
    name = body["model"]
    choice = body.get("tool_choice", {})
    thinking = body.get("thinking", {}).get("type")
    temperature = body.get("temperature")
    rules = [
        (headers.get("anthropic-version") in API_VERSIONS, "anthropic-version: required"),
        (
            temperature is None or headers.get("anthropic-version") == API_VERSIONS[0],
            f"temperature: not in version {API_VERSIONS[1]}",
        ),
        (body["max_tokens"] >= 1, "max_tokens: at least 1"),
        (
            temperature is None or not WITHOUT_SAMPLING.match(name),
            f"temperature: not supported by {name}",
        ),
        (temperature is None or 0 <= temperature <= 1, "temperature: range 0..1"),
        (
            choice.get("type") not in {"tool", "any"} or name not in WITHOUT_FORCED_TOOLS,
            f"tool_choice: forced tool use is not supported by {name}",
        ),
        (
            choice.get("type") != "tool"
            or choice["name"] in {tool["name"] for tool in body.get("tools", [])},
            "tool_choice: no such tool",
        ),
        (
            thinking != "disabled" or name not in WITHOUT_THINKING_DISABLED,
            f"thinking: cannot be disabled on {name}",
        ),
        (all(NAME.match(tool["name"]) for tool in body.get("tools", [])), "tools: bad name"),
        (_alternates(body["messages"]), "messages: must alternate and end with user"),
    ]
    found = [complaint for holds, complaint in rules if not holds]
    output = body.get("output_config", {}).get("format")
    return found + (closed_schema_complaints(output["schema"], strict=False) if output else [])


def openai_complaints(body: dict[str, Any], headers: Mapping[str, str]) -> list[str]:
    """What is wrong with a request to /chat/completions; empty where nothing is."""
    model = _StreamingCompletion if body.get("stream") else _Completion
    name = body.get("model", "")
    own = {"thinking"} if THINKING_SWITCHED_BY_FIELD.match(name) else set()
    rest = {key: value for key, value in body.items() if key not in own}
    found = _complaints_of_types(lambda: model.model_validate({"body": rest}))
    if found:
        return found
    wanted = body.get("response_format", {})
    schema = wanted.get("json_schema", {})
    said = " ".join(str(message["content"]) for message in body["messages"])
    limits = {"max_tokens", "max_completion_tokens"} & body.keys()
    rules = [
        (headers.get("content-type") == "application/json", "content-type: required"),
        (len(limits) == 1, "max_tokens: exactly one limit"),
        (0 <= body.get("temperature", 1) <= 2, "temperature: range 0..2"),
        (
            "temperature" not in body or not FIXED_TEMPERATURE.match(name),
            f"temperature: fixed by {name}",
        ),
        (
            "temperature" not in body
            or not REASONS_BY_DEFAULT.match(name)
            or body.get("reasoning_effort") == "none",
            f"temperature: {name} takes one only with reasoning_effort none",
        ),
        (
            body.get("thinking", {"type": "disabled"})
            in ({"type": "disabled"}, {"type": "enabled"}),
            "thinking: enabled or disabled",
        ),
        (
            wanted.get("type") != "json_object" or "json" in said.lower(),
            "messages: must contain the word json",
        ),
        (not schema or NAME.match(schema["name"]) is not None, "json_schema.name: pattern"),
        (body["messages"][0]["role"] == "system", "messages: system first"),
        (_alternates(body["messages"][1:]), "messages: must alternate and end with user"),
    ]
    found = [complaint for holds, complaint in rules if not holds]
    if schema.get("strict"):
        found += closed_schema_complaints(schema["schema"], strict=True)
    return found


def _alternates(messages: list[dict[str, Any]]) -> bool:
    roles = [message["role"] for message in messages]
    return roles == (["user", "assistant"] * len(roles))[: len(roles)] and len(roles) % 2 == 1


def closed_schema_complaints(schema: object, *, strict: bool, where: str = "schema") -> list[str]:
    """What constrained decoding cannot do with this JSON schema.

    Objects must be closed; `strict` also wants every property required.
    """
    if not isinstance(schema, dict):
        return [f"{where}: not an object"]
    found = [f"{where}: {key} is not supported" for key in schema.keys() - CLOSED_SCHEMA_KEYWORDS]
    if not schema.keys() & {"type", "anyOf", "enum", "const", "$ref"}:
        found.append(f"{where}: no type")
    if "$ref" in schema and len(schema) > 1:
        found.append(f"{where}: keywords beside $ref")
    if schema.get("type") == "object":
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False:
            found.append(f"{where}: additionalProperties must be false")
        if strict and set(schema.get("required", [])) != set(properties):
            found.append(f"{where}: every property must be required")
    if schema.get("type") == "array" and "items" not in schema:
        found.append(f"{where}: no items")
    parts = [(key, part) for key, part in schema.get("properties", {}).items()]
    parts += [(f"$defs.{key}", part) for key, part in schema.get("$defs", {}).items()]
    parts += [(f"anyOf.{place}", part) for place, part in enumerate(schema.get("anyOf", []))]
    parts += [("items", schema["items"])] if "items" in schema else []
    for name, part in parts:
        found += closed_schema_complaints(part, strict=strict, where=f"{where}.{name}")
    return found
