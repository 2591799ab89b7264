"""The interview page against a socket that the test itself plays: timing and faults at will."""

from __future__ import annotations

import json
import mimetypes
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation
from playwright.sync_api import Page, Route, WebSocketRoute

from interviews import services
from interviews.chat import words
from interviews.models import Study

ROOT = Path(__file__).resolve().parent.parent.parent
COLLECTED = Path(settings.STATIC_ROOT)
HOST = "http://localhost:9"
ADDRESS = f"{HOST}/i/token/"
POLICY = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:"
AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
OPENING = "Think of the last walk you took with a pack. What about it made a difference that day?"


@dataclass
class Standing:
    status: str = "active"
    pending: str | None = None
    progress: float = 0.2
    turn_count: int = 3
    max_turns: int = 15
    last_seq: int = 0
    withdrawn: list[int] = field(default_factory=list)
    questions_left: int = 12
    minutes_left: int = 9


@dataclass
class PlayedServer:
    """Answers as the real one does unless told to be silent; keeps what it was sent."""

    said: list[services.UtteranceView] = field(default_factory=list)
    standing: Standing = field(default_factory=Standing)
    received: list[dict[str, Any]] = field(default_factory=list)
    sockets: list[WebSocketRoute] = field(default_factory=list)
    answering: bool = True
    reachable: bool = True
    http_status: int = 200
    dictation: bool = False
    language: str = "en"

    def install(self, page: Page) -> None:
        page.route(f"{HOST}/**", self._http)
        page.route_web_socket(f"{HOST.replace('http', 'ws')}/**", self._socket)

    # --- what the test does ---------------------------------------------------------------------
    def say(
        self,
        speaker: str,
        text: str,
        *,
        message_id: UUID | None = None,
        block: dict[str, Any] | None = None,
    ) -> None:
        """Put an utterance into the played database, without telling anyone."""
        self.said.append(
            services.UtteranceView(
                sequence=len(self.said) + 1,
                speaker=speaker,
                text=text,
                turn_number=len(self.said) // 2,
                client_message_id=message_id,
                created_at=AT,
                block=block,
            )
        )
        self.standing.last_seq = len(self.said)

    def push(self, after: int | None = None) -> None:
        """Send the newest utterances (after `after`, or the last one) and the standing."""
        start = len(self.said) - 1 if after is None else after
        for said in self.said[start:]:
            self.send({"type": "utterance", **_frame(said)})
        self.send({"type": "state", **self.standing.__dict__})

    def send(self, message: dict[str, Any]) -> None:
        self.sockets[-1].send(json.dumps({"v": 1, **message}))

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [frame for frame in self.received if frame["type"] == kind]

    def cut(self, code: int = 1006) -> None:
        """Cut the connection, as a network does."""
        self.sockets[-1].close(code=code if code != 1006 else 3001)

    # --- the played server ----------------------------------------------------------------------
    def _socket(self, route: WebSocketRoute) -> None:
        self.sockets.append(route)
        if not self.reachable:
            route.close(code=3001)
            return
        route.on_message(lambda message: self._frame(json.loads(message)))

    def _frame(self, frame: dict[str, Any]) -> None:
        self.received.append(frame)
        if not self.answering:
            return
        if frame["type"] == "hello":
            after = [said for said in self.stands if said.sequence > frame["last_seq"]]
            self.send(
                {
                    "type": "snapshot",
                    "utterances": [_frame(said) for said in after],
                    "state": self.standing.__dict__,
                }
            )
        elif frame["type"] in ("answer", "choose", "fields"):
            self.accept(frame)
        elif frame["type"] == "withdraw":
            self.withdraw(frame["client_message_id"])
            self.send({"type": "state", **self.standing.__dict__})

    @property
    def stands(self) -> list[services.UtteranceView]:
        """What was said and not taken back."""
        return [u for u in self.said if u.sequence not in self.standing.withdrawn]

    def withdraw(self, message_id: str) -> None:
        """Take back an answer and what followed from it."""
        taken_back = next(u for u in self.said if str(u.client_message_id) == message_id)
        later = [u.sequence for u in self.stands if u.sequence >= taken_back.sequence]
        self.standing.withdrawn += later
        self.standing.pending = None

    def accept(self, frame: dict[str, Any]) -> None:
        """Store an answer once, whatever how often it comes."""
        message_id = UUID(frame["client_message_id"])
        known = [said for said in self.said if said.client_message_id == message_id]
        if not known:
            if frame.get("replaces"):
                self.withdraw(frame["replaces"])
            kept = {"answer": "text", "choose": "option"}
            said = frame[kept[frame["type"]]] if frame["type"] in kept else "[stored apart]"
            self.say("respondent", said, message_id=message_id)
        sequence = (known or self.said[-1:])[0].sequence
        self.send(
            {
                "type": "accepted",
                "client_message_id": frame["client_message_id"],
                "seq": sequence,
                "turn": 1,
                "duplicate": bool(known),
            }
        )
        self.standing.pending = "running"
        self.push(after=sequence - 1)

    def _http(self, route: Route) -> None:
        path = route.request.url.removeprefix(HOST).split("?")[0]
        if path.startswith("/static/"):
            file = COLLECTED / path.removeprefix("/static/")
            if not file.is_file():
                file = ROOT / path.lstrip("/")
            kind = mimetypes.guess_type(file.name)[0] or "text/plain"
            route.fulfill(body=file.read_bytes(), content_type=kind)
            return
        with translation.override(self.language):
            html = self.html()
        route.fulfill(
            status=self.http_status,
            body=html,
            content_type="text/html; charset=utf-8",
            headers={"content-security-policy": POLICY},
        )

    def html(self) -> str:
        """The page as the real view renders it."""
        if self.http_status != 200:
            return "<!doctype html><title>gone</title><h1>This link has been withdrawn</h1>"
        view = services.SessionView(
            status=self.standing.status,
            study_name="How people choose a hiking backpack",
            turn_count=self.standing.turn_count,
            max_turns=self.standing.max_turns,
            progress=self.standing.progress,
            pending=self.standing.pending,
            questions_left=self.standing.questions_left,
            minutes_left=self.standing.minutes_left,
            reward="A voucher over 10 euros reaches you by e-mail within a week.",
            termination_reason="",
            last_sequence=self.standing.last_seq,
        )
        context = {
            "view": view,
            "progress": f"{view.progress:.4f}",
            "time_left": words.time_left(view.questions_left, view.minutes_left),
            "utterances": self.stands,
            "session_id": UUID(int=7),
            "socket_path": "/ws/i/token/",
            "max_answer_chars": services.MAX_ANSWER_CHARS,
            "skip_text": words.skip_answer(),
            "words": words.for_page(),
            "answer_url": f"{ADDRESS}answer/",
            "choose_url": f"{ADDRESS}choose/",
            "fields_url": f"{ADDRESS}fields/",
            "message_id": UUID(int=9),
            "draft": "",
            "dictation": self.dictation,
            "problem": "",
            "answers": 3,
            "resume_url": "#",
            "study": Study(
                next_steps="We read all answers in May.",
                redirect_url="https://panel.example/back?src=chat",
            ),
            "started_at": AT,
            "onward": "https://panel.example/back?src=chat&session=7&code=ABC",
            "code": "ABC",
            "erase_url": "#",
            "transcript_url": "#",
            "link": f"{ADDRESS}a-long-token-that-is-signed",
        }
        pages = {"active": "interview", "paused": "paused"}
        return render_to_string(f"chat/{pages.get(view.status, 'done')}.html", context)


def _frame(said: services.UtteranceView) -> dict[str, Any]:
    return {
        "seq": said.sequence,
        "speaker": said.speaker,
        "text": said.text,
        "turn": said.turn_number,
        "client_message_id": str(said.client_message_id) if said.client_message_id else None,
        "at": said.created_at.isoformat(),
        "block": said.block,
    }


def new_id() -> UUID:
    return uuid4()
