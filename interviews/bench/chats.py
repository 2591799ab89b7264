"""Respondents for measuring under load: each holds one chat over a WebSocket, as the page does.

A chat begins by a study's public link, waits for its question, thinks, answers, and begins anew by
the same link when the interview is over. Whatever a socket brings is written down, and at the end
the conversation is asked for once more as a whole and compared with what was sent.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from interviews.bench.errors import BenchImpossible

PATIENCE = 180.0
"""Seconds until a question that was never asked counts as lost."""
_CSRF = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
_OVER = ("completed", "abandoned")

Answers = Callable[[str, int], str]
"""(question, number of the answer) → the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """What must not happen: answers or questions that are missing, come twice or out of order."""

    lost: int = 0
    doubled: int = 0
    out_of_order: int = 0

    def __add__(self, other: Faults) -> Faults:
        return Faults(
            lost=self.lost + other.lost,
            doubled=self.doubled + other.doubled,
            out_of_order=self.out_of_order + other.out_of_order,
        )


@dataclass(slots=True)
class Tally:
    """What all chats saw. Times are in seconds."""

    accepts: list[float] = field(default_factory=list)
    questions: list[float] = field(default_factory=list)
    asked_at: list[float] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)
    errors: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Schedule:
    """When the chats that have begun start to answer, and until when; monotonic seconds."""

    started: asyncio.Event = field(default_factory=asyncio.Event)
    until: float = float("inf")

    def start(self, seconds: float) -> None:
        """Let everyone answer for so long."""
        self.until = time.monotonic() + seconds
        self.started.set()

    @property
    def over(self) -> bool:
        """Is nobody to answer any more?"""
        return time.monotonic() >= self.until


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where the chats are held: the public link of a study."""

    link: str

    async def begin(self) -> str:
        """Consent, and return the token of the personal link.

        Raises BenchImpossible where nobody answers, or the link is not that of an open study.
        """
        async with httpx2.AsyncClient(timeout=PATIENCE) as client:
            token = await self._ask(client)
            begun = await client.post(
                self.link,
                data={"csrfmiddlewaretoken": token},
                headers={"Referer": self.link},
            )
        return begun.headers["Location"].rstrip("/").rsplit("/", 1)[-1]

    async def check(self) -> None:
        """Look whether an interview could begin here. Raises BenchImpossible where it could not."""
        async with httpx2.AsyncClient(timeout=PATIENCE) as client:
            await self._ask(client)

    async def _ask(self, client: httpx2.AsyncClient) -> str:
        """Get the page that asks for consent, and return the token of its form."""
        try:
            page = await client.get(self.link)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise BenchImpossible(f"{self.link} does not answer ({error})") from error
        found = _CSRF.search(page.text)
        if page.status_code != 200 or found is None:
            raise BenchImpossible(
                f"{self.link} is not the public link of an open study, such as "
                f"http://127.0.0.1:8000/s/demo/ (status {page.status_code})"
            )
        return found[1]

    def socket(self, token: str) -> connect:
        """The socket of an interview, to be entered."""
        parts = urlsplit(self.link)
        scheme = "wss" if parts.scheme == "https" else "ws"
        url = urlunsplit((scheme, parts.netloc, f"/ws/i/{token}/", "", ""))
        return connect(
            url, origin=Origin(f"{parts.scheme}://{parts.netloc}"), open_timeout=PATIENCE
        )


class Interview:
    """One interview over one socket, as its respondent sees it."""

    def __init__(self, socket: ClientConnection, tally: Tally) -> None:
        self._socket = socket
        self._tally = tally
        self._heard: list[int] = []
        self._sent: dict[str, float] = {}
        self._question: tuple[str, int] | None = None
        self._pending = True
        self._over = False

    async def open(self) -> None:
        """Say hello, and wait for the first question."""
        await self._send(type="hello", last_seq=0)
        await self._asked()

    async def answer(self, text: str) -> bool:
        """Send an answer and wait for its question; False where the interview is over."""
        message = str(uuid4())
        self._question, self._pending, self._sent[message] = None, True, time.monotonic()
        await self._send(type="answer", client_message_id=message, text=text)
        return await self._asked()

    @property
    def question(self) -> tuple[str, int]:
        """The question that waits for an answer, and the number its answer will have."""
        text, turn = self._question or ("", 0)
        return text, turn + 1

    async def check(self) -> None:
        """Ask for the whole conversation and note what is wrong with it."""
        await self._send(type="hello", last_seq=0)
        while (frame := await self._frame())["type"] != "snapshot":
            self._take(frame)
        over = frame["state"]["status"] in _OVER
        said = frame["utterances"]
        self._tally.faults += faults_of(list(self._sent), said, self._heard, over=over)

    async def _asked(self) -> bool:
        """Wait until a question waits for an answer; False where the interview is over."""
        while (self._question is None or self._pending) and not self._over:
            frame = await self._frame()
            self._take(frame)
            if frame.get("pending") == "failed":
                self._tally.errors["turn failed"] += 1
                await self._send(type="retry")
        return not self._over

    def _take(self, frame: Mapping[str, Any]) -> None:
        kind = frame["type"]
        if kind == "accepted":
            sent = self._sent[frame["client_message_id"]]
            self._tally.accepts.append(time.monotonic() - sent)
        elif kind == "error":
            self._tally.errors[frame["code"]] += 1
        elif kind == "utterance":
            self._heard.append(frame["seq"])
            self._hear(frame)
            self._time(frame)
        elif kind == "snapshot":
            for said in frame["utterances"]:
                self._hear(said)
        state = frame.get("state", frame)
        self._over |= state.get("status") in _OVER
        self._pending = bool(state.get("pending", self._pending))

    def _hear(self, said: Mapping[str, Any]) -> None:
        if said["speaker"] == "interviewer":
            self._question = (said["text"], said["turn"])

    def _time(self, said: Mapping[str, Any]) -> None:
        """Note how long a question took from the answer before it: turn n is the nth answer's."""
        if said["speaker"] == "interviewer" and said["turn"]:
            now, sent = time.monotonic(), list(self._sent.values())[said["turn"] - 1]
            self._tally.questions.append(now - sent)
            self._tally.asked_at.append(now)

    async def _send(self, **frame: object) -> None:
        await self._socket.send(json.dumps({"v": 1, **frame}))

    async def _frame(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            frame: dict[str, Any] = json.loads(await self._socket.recv())
        return frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Respondent:
    """Somebody who holds interviews one after the other; thinks `think` (from, to) seconds."""

    site: Site
    answers: Callable[[], Answers]
    think: tuple[float, float]
    random: Random
    tally: Tally

    async def hold(self, schedule: Schedule, ready: Callable[[], object]) -> None:
        """Begin, call `ready`, and once the schedule has started talk until it is over."""
        token = await self.site.begin()
        first = True
        while first or not schedule.over:
            try:
                async with self.site.socket(token) as socket:
                    interview = Interview(socket, self.tally)
                    await interview.open()
                    if first:
                        ready()
                        await schedule.started.wait()
                        await asyncio.sleep(self.random.uniform(0, self.think[1]))
                        first = False
                    await self._talk(interview, schedule)
                    await interview.check()
            except (WebSocketException, OSError, TimeoutError) as error:
                self.tally.errors[type(error).__name__] += 1
                self.tally.faults += Faults(lost=isinstance(error, TimeoutError))
                if first:
                    raise
            if not schedule.over:
                token = await self.site.begin()

    async def _talk(self, interview: Interview, schedule: Schedule) -> None:
        answers = self.answers()
        while not schedule.over and await interview.answer(answers(*interview.question)):
            await asyncio.sleep(self.random.uniform(*self.think))


def faults_of(
    sent: Sequence[str], said: Sequence[Mapping[str, Any]], heard: Sequence[int], *, over: bool
) -> Faults:
    """Compare what a respondent sent with what the site holds.

    `sent` are message ids in their order, `said` the utterances of a snapshot after the end,
    `heard` the numbers of the utterances that came over the socket, in the order they came. Every
    answer must be there once and have one question after it, but for the last of an interview that
    is `over`; the numbers run without gaps, turns never go backwards, nothing was told twice.
    """
    answers = [u["client_message_id"] for u in said if u["speaker"] == "respondent"]
    held = Counter(answers)
    questions = Counter(u["turn"] for u in said if u["speaker"] == "interviewer")
    turns = [u["turn"] for u in said if u["speaker"] == "respondent"]
    owed = turns[:-1] if over else turns
    places = [(u["turn"], u["speaker"] == "interviewer") for u in said]
    return Faults(
        lost=sum(held[message] == 0 for message in sent)
        + sum(questions[turn] == 0 for turn in owed),
        doubled=sum(n - 1 for n in held.values())
        + sum(n - 1 for n in questions.values())
        + sum(n - 1 for n in Counter(heard).values()),
        out_of_order=sum(u["seq"] != number for number, u in enumerate(said, start=1))
        + sum(after < before for before, after in pairwise(places))
        + sum(after < before for before, after in pairwise(heard))
        + (list(dict.fromkeys(answers)) != [message for message in sent if held[message]]),
    )
