"""What a scripted provider does with one request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What the provider bills; `prompt` counts everything, cached and written included."""

    prompt: int = 100
    output: int = 20
    cached: int = 0
    written: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A whole answer: `data` as JSON in the form that the request asks for, or `text` as it is."""

    data: Any = None
    text: str | None = None
    tokens: Tokens = field(default_factory=Tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncated:
    """Half an answer that hit the token limit."""

    text: str = '{"word": "hal'
    tokens: Tokens = field(default_factory=Tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The model declines in the protocol's own way."""

    tokens: Tokens = field(default_factory=Tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """An error body. `kind` is the protocol's type of error, `code` its code for the cause."""

    status: int
    kind: str
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "scripted failure"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedInside:
    """Status 200, then an error: inside the stream, or as the body where nothing is streamed."""

    kind: str
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stalled:
    """Not a byte, until the client has had enough or `seconds` have passed."""

    seconds: float = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trickled:
    """The body byte by byte, with `pause` seconds between them, without end."""

    pause: float = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class TrickledHead:
    """The response's head byte by byte, with `pause` seconds between them, without end."""

    pause: float = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOff:
    """The connection breaks in the middle of the body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedEarly:
    """The body ends in good order, but the answer in it has no end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a proxy in between shows: HTML with status 200."""


Step = (
    Answer
    | Truncated
    | Refused
    | Failed
    | FailedInside
    | Stalled
    | Trickled
    | TrickledHead
    | CutOff
    | EndedEarly
    | Page
)


def rate_limited(*, retry_after: str | None = None) -> Failed:
    """A 429 that passes; the kind is the same in both protocols."""
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return Failed(status=429, kind="rate_limit_error", headers=headers)
