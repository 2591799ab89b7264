"""The respondent's socket: parses, authorises, delegates. The database is the truth.

Two things run beside the frames that come in: a listener that hears the session's events, and one
task, the only one that sends utterances, which sends whatever follows the last number it sent. A
lost event delays that by one look at the database at most, a reconnection repeats nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, ClassVar, Final, ParamSpec, TypeVar
from uuid import UUID

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import Error as DatabaseTrouble

from interviews import events, services
from interviews.chat import protocol, words
from interviews.chat.limits import AnswerRate, OpenSockets
from interviews.chat.listening import Listener
from interviews.chat.protocol import CloseCode, ProtocolCode
from interviews.chat.reading import News, read, session_of
from interviews.errors import ErrorCode, FormRefused, InterviewError
from interviews.pipeline.failures import places, told

logger = logging.getLogger(__name__)

LOOK_EVERY: Final = 4.0
"""Seconds to the first look at the database while something is pending or nothing can be heard."""

LONGEST_LOOK: Final = 32.0
"""Seconds between looks at most: each in vain doubles them, for those who wait longest are many
where a site has too much to do."""

TOGETHER: Final = 0.03
"""Seconds in which bells are one: an answer is heard of from its sender and by its event."""

LINK_CODES: Final = frozenset(
    {ErrorCode.LINK_INVALID, ErrorCode.LINK_EXPIRED, ErrorCode.LINK_REVOKED}
)

_P = ParamSpec("_P")
_T = TypeVar("_T")

rate = AnswerRate()
sockets = OpenSockets()


class InterviewConsumer(AsyncWebsocketConsumer):
    """One page of one interview."""

    channel_layer_alias = None  # see listening.py

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Run one socket, and leave nothing behind however it ends."""
        self._token: str = scope["url_route"]["kwargs"]["token"]
        self._session_id: UUID | None = None
        self._counted = False
        self._tasks: list[asyncio.Task[None]] = []
        self._bell = asyncio.Event()
        self._listener: Listener | None = None
        self._asked: int | None = None
        self._sent = 0
        self._greeted = False
        self._standing: protocol.Standing | None = None  # as the page was last told
        self._troubled = False
        self._look_after = LOOK_EVERY
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._leave()

    # --- coming and going ---------------------------------------------------------------------
    async def connect(self) -> None:
        """Let in who holds a link that counts; a refused handshake tells a forger nothing."""
        events.bind_server_loop()
        try:
            session_id = await _in_thread(session_of, self._token)
        except InterviewError:
            await self.close()
            return
        self._session_id = session_id
        self._counted = sockets.enter(session_id)
        await self.accept()
        if not self._counted:
            await self._refuse(ProtocolCode.TOO_MANY_TABS, words.too_many_tabs())
            await self.close(CloseCode.TOO_MANY_TABS)
            return
        self._listener = Listener(session_id, self._bell.set)
        self._tasks = [
            asyncio.create_task(self._listener.run(), name="chat-listener"),
            asyncio.create_task(self._keep_up_or_close(), name="chat-keeper"),
        ]

    async def _leave(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._counted and self._session_id is not None:
            self._counted = False
            sockets.leave(self._session_id)

    # --- from the browser ---------------------------------------------------------------------
    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Read one frame and do what it asks."""
        if not self._counted or self._session_id is None:
            return
        try:
            frame = protocol.parse(text_data if text_data is not None else "")
        except protocol.FrameTooLargeError:
            await self._refuse(ProtocolCode.FRAME_TOO_LARGE, words.frame_too_large())
            await self.close(CloseCode.TOO_LARGE)
            return
        except protocol.BadFrameError as error:
            logger.info("frame_refused session=%s problem=%s", self._session_id, error)
            await self._refuse(ProtocolCode.BAD_FRAME, words.bad_frame())
            return
        if isinstance(frame, protocol.Hello):
            self._asked = frame.last_seq
            self._bell.set()
            return
        message_id = getattr(frame, "client_message_id", None)
        if not rate.allow(self._session_id):
            await self._refuse(ProtocolCode.TOO_FAST, words.too_fast(), message_id)
            return
        await self._obey(frame, message_id)

    async def _obey(self, frame: protocol.AnyClientFrame, message_id: UUID | None) -> None:
        try:
            if isinstance(frame, protocol.Taken):
                await self._take(frame)
            elif isinstance(frame, protocol.Withdraw):
                await _in_thread(_take_back, self._token, frame.client_message_id)
            else:
                await _in_thread(_do, self._token, self.VERBS[type(frame)])
        except InterviewError as error:
            wrong = dict(error.fields) if isinstance(error, FormRefused) else None
            await self._refuse(error.code, error.message, message_id, wrong)
            if error.code in LINK_CODES:
                await self.close(CloseCode.LINK_NO_LONGER_VALID)
        except DatabaseTrouble as error:
            logger.warning("not_saved session=%s error=%s", self._session_id, type(error).__name__)
            await self._refuse(ProtocolCode.TRY_AGAIN, words.try_again(), message_id)
        self._bell.set()

    VERBS: ClassVar[dict[type[protocol.AnyClientFrame], Callable[[UUID], None]]] = {
        protocol.End: services.end_session,
        protocol.Pause: services.pause_session,
        protocol.Resume: services.resume_session,
        protocol.Hold: services.hold_question,
        protocol.Release: services.let_question_come,
        protocol.Retry: services.retry_turn,
    }

    async def _take(self, frame: protocol.Taken) -> None:
        accepted = await _in_thread(_accept, self._token, frame)
        await self._say(
            protocol.Accepted(
                client_message_id=frame.client_message_id,
                seq=accepted.sequence,
                turn=accepted.turn_number,
                duplicate=accepted.duplicate,
            )
        )

    # --- to the browser -----------------------------------------------------------------------
    async def _keep_up_or_close(self) -> None:
        try:
            await self._keep_up()
        except InterviewError as error:
            await self._refuse(error.code, error.message)
            await self.close(CloseCode.LINK_NO_LONGER_VALID)
        except Exception as error:  # silent is worse than closed: the page comes back
            logger.error(  # noqa: TRY400 - an error may cite a respondent
                "socket_failed session=%s error=%s", self._session_id, [told(error), *places(error)]
            )
            await self.close(CloseCode.SERVER_TROUBLE)

    async def _keep_up(self) -> None:
        while True:
            await self._bell_or_time()
            if self._asked is None:
                await asyncio.sleep(TOGETHER)
            self._bell.clear()
            if self._asked is None and not self._greeted:
                continue
            asked, self._asked = self._asked, None
            if asked is not None:
                self._sent, self._greeted = asked, True
            try:
                reading = await _in_thread(read, self._token, self._sent)
            except DatabaseTrouble as error:
                logger.warning(
                    "not_read session=%s error=%s", self._session_id, type(error).__name__
                )
                self._troubled = True
                self._ask_again(asked)
                continue
            self._troubled = False
            await self._tell(reading, snapshot=asked is not None)

    def _ask_again(self, asked: int | None) -> None:
        if self._asked is None:  # unless the page has asked anew meanwhile
            self._asked = asked

    async def _tell(self, reading: News, *, snapshot: bool) -> None:
        if snapshot:
            await self._say(protocol.Snapshot(utterances=reading.said, state=reading.standing))
        else:
            for said in reading.said:
                await self._say(protocol.UtteranceFrame(**said.model_dump()))
            if reading.standing != self._standing:
                await self._say(protocol.State(**reading.standing.model_dump()))
        if reading.said:
            self._sent = reading.said[-1].seq
        self._standing = reading.standing

    async def _bell_or_time(self) -> None:
        try:
            async with asyncio.timeout(self._look_after if self._must_look else None):
                await self._bell.wait()
        except TimeoutError:
            self._look_after = min(self._look_after * 2, LONGEST_LOOK)
        else:
            self._look_after = LOOK_EVERY

    @property
    def _must_look(self) -> bool:
        """Is anything expected that an event might fail to announce?"""
        deaf = self._listener is None or self._listener.deaf
        pending = self._standing is not None and self._standing.pending in protocol.UNDER_WAY
        return deaf or pending or self._troubled

    async def _refuse(
        self,
        code: str,
        message: str,
        message_id: UUID | None = None,
        fields: dict[str, str] | None = None,
    ) -> None:
        await self._say(
            protocol.Error(
                code=str(code), message=message, client_message_id=message_id, fields=fields
            )
        )

    async def _say(self, frame: protocol.AnyServerFrame) -> None:
        await self.send(text_data=protocol.dump(frame))


async def _in_thread(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call `function` on any thread: sockets do not wait for one another's database."""
    result: _T = await database_sync_to_async(function, thread_sensitive=False)(*args, **kwargs)
    return result


def _accept(token: str, frame: protocol.Taken) -> services.Accepted:
    session_id, message_id = session_of(token), frame.client_message_id
    if isinstance(frame, protocol.Choose):
        return services.accept_choice(session_id, frame.option, client_message_id=message_id)
    if isinstance(frame, protocol.Fields):
        return services.accept_fields(session_id, frame.values, client_message_id=message_id)
    return services.accept_answer(
        session_id,
        frame.text,
        client_message_id=message_id,
        replaces=frame.replaces,
        pasted=frame.pasted,
    )


def _take_back(token: str, message_id: UUID) -> None:
    services.withdraw_answer(session_of(token), message_id)


def _do(token: str, verb: Callable[[UUID], None]) -> None:
    verb(session_of(token))
