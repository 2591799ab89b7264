"""What the gateway asks of a provider and what it gets back, whatever the protocol between."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, Protocol

from interviews.llm.tasks.base import In, Out, Task, fill


class Stop(StrEnum):
    """Why a model stopped writing; only a complete answer may be parsed."""

    COMPLETE = "complete"
    TRUNCATED = "truncated"
    REFUSED = "refused"


class Structure(StrEnum):
    """How a model is held to a schema.

    SCHEMA: the provider constrains the answer itself. TOOL: the model must call a tool whose
    arguments have the schema. JSON: any JSON object; the schema is part of the system prompt.
    """

    SCHEMA = "schema"
    TOOL = "tool"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one or several requests.

    `tokens_in` counts the whole prompt, with what was read from (`tokens_cached`) and written to
    (`tokens_written`) the provider's prompt cache.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    tokens_written: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            tokens_cached=self.tokens_cached + other.tokens_cached,
            tokens_written=self.tokens_written + other.tokens_written,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """What a model answered and what was wrong with it."""

    answer: str
    complaint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One request to a model. The system text is the stable part that may be cached.

    `name` names the schema (letters, digits, underscores). `temperature` and `effort` are None
    where the model does not take them. `timeout` in seconds covers the whole exchange.
    """

    name: str
    model: str
    system: str
    user: str
    schema: dict[str, Any]
    structure: Structure
    max_tokens: int
    timeout: float
    temperature: float | None = None
    effort: str | None = None
    thinking: str | None = None
    repair: Repair | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """A model's answer as JSON text, not validated yet."""

    text: str
    stop: Stop
    usage: Usage


class ChatProvider(Protocol):
    """Speaks one provider's protocol. Safe to share between threads."""

    def send(self, request: ChatRequest) -> ChatReply:
        """Send one request, once; raises LLMError where no answer came."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


class RuleProvider(Protocol):
    """Answers tasks by rules, without a prompt and without a network."""

    def complete(self, task: Task[In, Out], inputs: In) -> Out:
        """Return the output that the rules give for these inputs."""
        ...

    def stand_in(self, task: Task[In, Out], inputs: In) -> Out | None:
        """Return what the rules answer in a model's place, None where it would do harm."""
        ...


def system_text(request: ChatRequest) -> str:
    """The system prompt; it carries the schema where nothing else holds the model to it."""
    if request.structure is not Structure.JSON:
        return request.system
    schema = json.dumps(request.schema, ensure_ascii=False, sort_keys=True)
    return f"{request.system}\n\n{fill('_answer_schema.md', schema=schema)}"


def tool_description() -> str:
    """What the tool is for through which a model gives its answer."""
    return fill("_answer_tool.md")


def conversation(request: ChatRequest) -> list[tuple[Literal["user", "assistant"], str]]:
    """The messages after the system prompt: the prompt, and for a repair what came of it."""
    if request.repair is None:
        return [("user", request.user)]
    return [
        ("user", request.user),
        ("assistant", request.repair.answer or "{}"),
        ("user", fill("_answer_repair.md", complaint=request.repair.complaint)),
    ]
