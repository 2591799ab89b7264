"""What goes out over the channel layer: small, typed, versioned, and never the truth itself.

An event says that something with a sequence number is ready; whoever hears it reads the database.
A lost event therefore delays a page, and loses nothing.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from asgiref.sync import async_to_sync
from channels.layers import InMemoryChannelLayer, get_channel_layer

logger = logging.getLogger(__name__)

VERSION = 1
SEND_SECONDS = 2.0
"""How long an answer or a turn waits for a channel layer that does not answer."""


class _Server:
    """The event loop of this process's sockets, once one has connected."""

    loop: asyncio.AbstractEventLoop | None = None


_server = _Server()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Base of all events; `type` is what clients switch on."""

    type: ClassVar[str]

    def payload(self) -> dict[str, Any]:
        return {"v": VERSION, "type": self.type, **asdict(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAccepted(Event):
    """The answer with this sequence number is in the database."""

    type: ClassVar[str] = "turn.accepted"
    seq: int
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnQuestion(Event):
    """The question with this sequence number is in the database."""

    type: ClassVar[str] = "turn.question"
    seq: int
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFailed(Event):
    """The turn failed for good; its answer is safe and it can be retried."""

    type: ClassVar[str] = "turn.failed"
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWithdrawn(Event):
    """An answer was taken back, with whatever followed from it."""

    type: ClassVar[str] = "answer.withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnHeld(Event):
    """The next question waits for the rest of the answer, or does so no longer."""

    type: ClassVar[str] = "turn.held"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChanged(Event):
    """The session was paused or resumed."""

    type: ClassVar[str] = "session.changed"
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded(Event):
    """The interview is over."""

    type: ClassVar[str] = "session.ended"
    reason: str


def group_of(session_id: object) -> str:
    """The channel-layer group of one session."""
    return f"session.{session_id}"


def bind_server_loop() -> None:
    """Remember the running loop as the one whose sockets listen.

    The in-memory layer's queues belong to one event loop; a worker thread must hand its events
    over to it. Consumers call this when they connect.
    """
    _server.loop = asyncio.get_running_loop()


def publish(session_id: object, event: Event) -> None:
    """Send `event` to everyone who watches the session; failure to do so is logged, not raised."""
    layer = get_channel_layer()
    if layer is None:
        return
    message = {"type": "session.event", "event": event.payload()}
    try:
        if not isinstance(layer, InMemoryChannelLayer):
            async_to_sync(_send)(layer, group_of(session_id), message)
        elif _server.loop is not None and _server.loop.is_running():
            asyncio.run_coroutine_threadsafe(
                layer.group_send(group_of(session_id), message), _server.loop
            )
    except Exception:  # the page catches up from the database; the turn must not fail for it
        logger.warning("event_not_sent session=%s type=%s", session_id, event.type, exc_info=True)


async def _send(layer: Any, group: str, message: dict[str, Any]) -> None:
    async with asyncio.timeout(SEND_SECONDS):
        await layer.group_send(group, message)
