"""What travels over a chat's socket, version 1: one JSON object a frame, strictly validated.

The browser says what it wants; the server answers with what the database holds. Sequence numbers
are those of the utterances: a browser that says the last one it has seen gets exactly the rest.
Nothing here knows the database, so that both directions can be tested as plain data.
"""

from __future__ import annotations

from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Annotated, Final, Literal, TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

VERSION: Final = 1
MAX_FRAME_BYTES: Final = 16_384
"""A larger frame closes the socket (in bytes of UTF-8, as it travels)."""

UNDER_WAY: Final = frozenset({"queued", "running", "held"})
"""States of a turn whose question is still to come."""

MAX_SEQUENCE: Final = 2_147_483_647


class CloseCode(IntEnum):
    """Numbers the server gives with a close frame; 44xx are final, the page does not reconnect."""

    TOO_LARGE = 1009
    SERVER_TROUBLE = 1011
    LINK_NO_LONGER_VALID = 4410
    TOO_MANY_TABS = 4429


class ProtocolCode(StrEnum):
    """Errors of the conversation itself; those of the interview keep the service's own codes."""

    BAD_FRAME = "bad_frame"
    FRAME_TOO_LARGE = "frame_too_large"
    TOO_MANY_TABS = "too_many_tabs"
    TOO_FAST = "too_fast"
    TRY_AGAIN = "try_again"


class Frame(BaseModel):
    """Common to every frame of both directions."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    v: Literal[1] = VERSION


class ClientFrame(Frame):
    """From the browser: the version must be said, it is never assumed."""

    v: Literal[1]


# --- from the browser ---------------------------------------------------------------------------
class Hello(ClientFrame):
    """First frame, and again whenever the page wants to be sure that it missed nothing."""

    type: Literal["hello"]
    last_seq: Annotated[int, Field(ge=0, le=MAX_SEQUENCE)]


class Answer(ClientFrame):
    """An answer under an id that the browser made: sent again, it is still one answer.

    `replaces` is the id of an earlier one that is taken back with it, `pasted` how many of its
    characters were pasted.

    Length and emptiness are the service's to judge, so that the words of the refusal are the same
    through every door.
    """

    type: Literal["answer"]
    client_message_id: Annotated[UUID, Field(strict=False)]
    text: str
    replaces: Annotated[UUID, Field(strict=False)] | None = None
    pasted: Annotated[int, Field(ge=0, le=100_000)] = 0


class Withdraw(ClientFrame):
    """Take back the answer that was sent under this id; sent again, nothing more happens."""

    type: Literal["withdraw"]
    client_message_id: Annotated[UUID, Field(strict=False)]


class Choose(ClientFrame):
    """One of the options that the newest question offers, as its answer, under an id like one."""

    type: Literal["choose"]
    client_message_id: Annotated[UUID, Field(strict=False)]
    option: str


class Fields(ClientFrame):
    """The form that is open, filled in: values by the keys of its fields, under an id like one."""

    type: Literal["fields"]
    client_message_id: Annotated[UUID, Field(strict=False)]
    values: dict[str, str]


class End(ClientFrame):
    """The respondent stops for good."""

    type: Literal["end"]


class Pause(ClientFrame):
    """The respondent stops for now."""

    type: Literal["pause"]


class Resume(ClientFrame):
    """The respondent is back."""

    type: Literal["resume"]


class Hold(ClientFrame):
    """The respondent is not finished: the next question is to wait for what follows."""

    type: Literal["hold"]


class Release(ClientFrame):
    """That was all: the question that waits may come."""

    type: Literal["release"]


class Retry(ClientFrame):
    """Make the question again that could not be made."""

    type: Literal["retry"]


AnyClientFrame: TypeAlias = (
    Hello | Answer | Choose | Fields | Withdraw | End | Pause | Resume | Hold | Release | Retry
)
Taken: TypeAlias = Answer | Choose | Fields
"""What becomes an utterance of the respondent's, exactly once."""

_CLIENT: Final[TypeAdapter[AnyClientFrame]] = TypeAdapter(
    Annotated[AnyClientFrame, Field(discriminator="type")]
)


# --- from the server ----------------------------------------------------------------------------
class Said(BaseModel):
    """One utterance as the page shows it."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    seq: Annotated[int, Field(ge=1)]
    speaker: Literal["interviewer", "respondent"]
    text: str
    turn: Annotated[int, Field(ge=0)]
    client_message_id: UUID | None = None
    at: datetime
    block: dict[str, JsonValue] | None = None


class Standing(BaseModel):
    """Where the interview stands. `progress` is a share of 1 and never goes backwards.

    `questions_left` are at most still asked; `minutes_left` learns from the respondent's own pace.

    What bears one of the `withdrawn` sequence numbers does not stand any more.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    status: Literal["active", "paused", "completed", "abandoned"]
    pending: Literal["queued", "running", "failed", "held"] | None
    progress: Annotated[float, Field(ge=0.0, le=1.0)]
    turn_count: Annotated[int, Field(ge=0)]
    max_turns: Annotated[int, Field(ge=1)]
    last_seq: Annotated[int, Field(ge=0)]
    withdrawn: tuple[int, ...] = ()
    questions_left: Annotated[int, Field(ge=0)] = 0
    minutes_left: Annotated[int, Field(ge=0)] = 0


class Snapshot(Frame):
    """The answer to hello: everything after the number that was said, and the standing."""

    type: Literal["snapshot"] = "snapshot"
    utterances: tuple[Said, ...]
    state: Standing


class UtteranceFrame(Said, Frame):
    """One new utterance, in order and without gaps."""

    type: Literal["utterance"] = "utterance"


class Accepted(Frame):
    """The database has this answer. `duplicate`: it had it before."""

    type: Literal["accepted"] = "accepted"
    client_message_id: UUID
    seq: Annotated[int, Field(ge=1)]
    turn: Annotated[int, Field(ge=0)]
    duplicate: bool


class State(Standing, Frame):
    """The standing changed."""

    type: Literal["state"] = "state"


class Error(Frame):
    """Something was refused; `message` is for the respondent to read, `fields` by key of a form."""

    type: Literal["error"] = "error"
    code: str
    message: str
    client_message_id: UUID | None = None
    fields: dict[str, str] | None = None


AnyServerFrame: TypeAlias = Snapshot | UtteranceFrame | Accepted | State | Error


class BadFrameError(ValueError):
    """A frame that is not one of ours. The text says which field is wrong, never what was in it."""


class FrameTooLargeError(BadFrameError):
    """A frame over `MAX_FRAME_BYTES`."""


def parse(frame: str) -> AnyClientFrame:
    """Read one frame from the browser.

    Raises FrameTooLargeError over `MAX_FRAME_BYTES` bytes of UTF-8, BadFrameError for anything
    else that is not exactly one known message of this version.
    """
    if len(frame) > MAX_FRAME_BYTES or len(frame.encode(errors="replace")) > MAX_FRAME_BYTES:
        raise FrameTooLargeError(f"a frame holds at most {MAX_FRAME_BYTES} bytes")
    try:
        return _CLIENT.validate_json(frame)
    except ValidationError as error:
        raise BadFrameError(_where(error)) from None


def dump(frame: AnyServerFrame) -> str:
    """One frame for the browser, as JSON."""
    return frame.model_dump_json()


def _where(error: ValidationError) -> str:
    problems = (
        f"{'.'.join(str(part) for part in item['loc']) or 'frame'}: {item['type']}"
        for item in error.errors(include_input=False, include_url=False, include_context=False)
    )
    return "; ".join(problems)
