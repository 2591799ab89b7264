"""A begun interview, and sockets to it through the site's own ASGI application."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio
from asgiref.testing import ApplicationCommunicator
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator

from interview_project.asgi import application
from interviews import events, services
from interviews.chat import consumers
from interviews.chat.limits import AnswerRate, OpenSockets
from interviews.invitations import invite, token_for
from interviews.models import Session, Turn, Utterance
from tests.factories import StudyFactory

BARE: Any = ApplicationCommunicator  # asgiref's own, untyped
ORIGIN = [(b"origin", b"http://localhost"), (b"host", b"localhost")]


def in_thread(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Awaitable[Any]:
    return database_sync_to_async(function, thread_sensitive=False)(*args, **kwargs)  # type: ignore[no-any-return]


class Wire(WebsocketCommunicator):
    """The communicator, but the application closes its database connections as it does in life.

    Channels' own keeps them open for tests inside one transaction; here every thread commits.
    """

    async def send_input(self, message: dict[str, Any]) -> None:
        await BARE.send_input(self, message)

    async def receive_output(self, timeout: float = 1) -> Any:
        return await BARE.receive_output(self, timeout)


class Tab:
    """One open page of the interview, as the server sees it."""

    def __init__(self, token: str, headers: list[tuple[bytes, bytes]] | None = None) -> None:
        self.wire = Wire(
            application, f"/ws/i/{token}/", headers=ORIGIN if headers is None else headers
        )

    async def open(self) -> bool:
        connected, _code = await self.wire.connect(timeout=5)
        return bool(connected)

    async def send(self, kind: str, **fields: Any) -> None:
        await self.wire.send_to(text_data=json.dumps({"v": 1, "type": kind, **fields}))

    async def frame(self, timeout: float = 5) -> dict[str, Any]:
        frame: dict[str, Any] = json.loads(await self.wire.receive_from(timeout=timeout))
        return frame

    async def hello(self, last_seq: int = 0) -> dict[str, Any]:
        """Say hello and return the snapshot."""
        await self.send("hello", last_seq=last_seq)
        return await self.until("snapshot")

    async def until(self, kind: str, timeout: float = 5, **fields: Any) -> dict[str, Any]:
        """The next frame of this type with these fields; those before it are passed over."""
        async with asyncio.timeout(timeout):
            while True:
                frame = await self.frame(timeout)
                if frame["type"] == kind and fields.items() <= frame.items():
                    return frame

    async def rest(self, seconds: float = 0.3) -> list[dict[str, Any]]:
        """Everything that comes until it is quiet for `seconds`."""
        frames = []
        while not await self.wire.receive_nothing(timeout=seconds):
            frames.append(await self.frame())
        return frames

    async def closed(self) -> int:
        """The code that the server closes with; frames before it are passed over."""
        while True:
            message = await self.wire.receive_output(timeout=5)
            if message["type"] == "websocket.close":
                return int(message["code"])

    async def leave(self) -> None:
        await self.wire.disconnect(timeout=5)


class Interview:
    """A begun interview; the test plays the worker that makes its questions."""

    def __init__(self, session: Session, token: str) -> None:
        self.id: UUID = session.pk
        self.token = token

    def question(self, text: str, *, announce: bool = True) -> int:
        """Finish the oldest unfinished turn with a question; its sequence number."""
        turn = Turn.objects.filter(session_id=self.id).exclude(status="done").earliest("number")
        session = Session.objects.get(pk=self.id)
        session.last_sequence += 1
        session.turn_count = max(session.turn_count, turn.number)
        utterance = Utterance.objects.create(
            session=session,
            turn_number=turn.number,
            sequence=session.last_sequence,
            speaker="interviewer",
            text=text,
        )
        session.save(update_fields=["last_sequence", "turn_count"])
        Turn.objects.filter(pk=turn.pk).update(status="done", question=utterance)
        if announce:
            events.publish(self.id, events.TurnQuestion(seq=utterance.sequence, turn=turn.number))
        return utterance.sequence

    def fail(self) -> None:
        turn = Turn.objects.filter(session_id=self.id).exclude(status="done").earliest("number")
        Turn.objects.filter(pk=turn.pk).update(status="failed")
        events.publish(self.id, events.TurnFailed(turn=turn.number))

    def texts(self) -> list[str]:
        return [said.text for said in services.utterances_after(self.id, 0)]


def begun(**study: Any) -> Interview:
    """An interview whose opening question has been asked."""
    invitation = invite(StudyFactory.create(status="live", **study))
    interview = Interview(services.begin(invitation), token_for(invitation))
    interview.question("What comes to mind?")
    return interview


@pytest.fixture(autouse=True)
def fresh_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "rate", AnswerRate())
    monkeypatch.setattr(consumers, "sockets", OpenSockets())


@pytest_asyncio.fixture
async def interview(transactional_db: None) -> Interview:
    made: Interview = await in_thread(begun)
    return made


OpenTab = Callable[..., Awaitable[Tab]]


@pytest_asyncio.fixture
async def open_tab(interview: Interview) -> AsyncIterator[OpenTab]:
    tabs: list[Tab] = []

    async def opener(token: str | None = None) -> Tab:
        tab = Tab(token or interview.token)
        assert await tab.open()
        tabs.append(tab)
        return tab

    yield opener
    for tab in tabs:
        await tab.leave()
