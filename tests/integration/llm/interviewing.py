"""Whole interviews whose every call goes over a socket to providers that are scripted by task."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pytest_django import Settings

from graphs.matching import PairJudge
from interview_project.env import read_environment
from interviews import services
from interviews.llm import setup
from interviews.llm.call_store import StudyBudget
from interviews.llm.config import ROLES
from interviews.llm.gateway import Gateway
from interviews.llm.tasks.base import FENCE_CLOSE, FENCE_OPEN
from interviews.models import Session, Study, Turn
from interviews.pipeline import runner
from interviews.pipeline.assembly import build_engine
from interviews.pipeline.engine import Engine
from tests.integration.pipeline.conftest import HashEmbedder
from tests.llm_protocol import kit
from tests.llm_protocol.server import ProviderServer, Received
from tests.llm_protocol.steps import Answer, Step, Tokens

QUESTIONS = (
    "When did you last wear it?",
    "What did that change about the rest of your day?",
    "Who else was there with you?",
    "How would you tell a friend about it?",
    "Which part of it would you not want to give up?",
    "Before we finish, what would you like to add?",
)


def use(settings: Settings, **environment: str) -> None:
    """Settings as they are when the process starts with these variables."""
    read = read_environment(environment)
    settings.ENVIRONMENT = read
    settings.LLM_ROLES = {
        role: {
            "provider": read.llm_provider(role),
            "model": getattr(read, f"llm_{role}_model"),
            "fallback": getattr(read, f"llm_{role}_fallback"),
        }
        for role in ROLES
    }


def answer_in(request: Received) -> str:
    """The respondent's answer, as an extraction or a rating gets it."""
    said = re.findall(
        f"{re.escape(FENCE_OPEN)}\n(.*?)\n{re.escape(FENCE_CLOSE)}",
        str(request.body["messages"][-1]["content"])
        if len(request.body["messages"]) < 3
        else str(request.body["messages"][-3]["content"]),
        flags=re.DOTALL,
    )
    return str(said[-1])


@dataclass(slots=True)
class Model:
    """A model that does as it is told, or first what is scripted for a task."""

    tokens: Tokens = field(default_factory=Tokens)
    scripted: dict[str, deque[Step]] = field(default_factory=lambda: defaultdict(deque))
    asked: int = 0

    def script(self, task: str, *steps: Step) -> None:
        self.scripted[task].extend(steps)

    def __call__(self, request: Received) -> Step:
        if self.scripted[request.task]:
            return self.scripted[request.task].popleft()
        return Answer(data=self.data(request), tokens=self.tokens)

    def data(self, request: Received) -> dict[str, Any]:
        """What fits the schema and the answer."""
        match request.task:
            case "extraction":
                return extraction(answer_in(request))
            case "response_rating":
                return kit.RATING
            case "slot_proposal":
                return {"proposals": slots(request)}
            case "match_adjudication":
                return {"verdicts": []}
        self.asked += 1
        return {"question": QUESTIONS[self.asked % len(QUESTIONS)]}


def extraction(answer: str, **changes: Any) -> dict[str, Any]:
    """One attribute, named and quoted by the answer's first four words."""
    words = answer.split()[:4]
    concept = {
        "label": " ".join(words).lower(),
        "node_type": "attribute",
        "quote": " ".join(words),
        "confidence": 0.9,
        "stance": 0,
    }
    whole = {
        "extractable": True,
        "reason": "",
        "concepts": [concept],
        "relationships": [],
    }
    return whole | changes


def slots(request: Received) -> list[dict[str, Any]]:
    """A slot of its own for each node that is asked about, named by its label."""
    found = re.findall(r'(?:^|\n)(\d+)\. "([^"]*)"', str(request.body["messages"][-1]["content"]))
    return [
        {
            "number": int(number),
            "slot_name": re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_"),
            "description": f"What {label} is.",
        }
        for number, label in found
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interview:
    """A session under way, with the process's engine behind it."""

    session: Session
    engine: Engine

    def answer(self, text: str) -> Turn:
        """Give an answer, have its turn processed, and return the turn."""
        number = services.accept_answer(self.session.pk, text).turn_number
        turn = Turn.objects.get(session=self.session, number=number)
        while turn.status == Turn.Status.QUEUED:
            runner.process_turn(turn.pk, engine=self.engine)
            turn.refresh_from_db()
        return turn


def process_gateway() -> Gateway:
    """The gateway that a process with the present settings would build; it never really waits."""
    clock = kit.SetClock()
    return Gateway(
        config=setup.llm_config,
        rules=setup.offline_rules,
        connect=setup.connect,
        budget=StudyBudget(),
        clock=clock,
        sleep=clock.sleep,
        random=lambda: 0.0,
    )


@contextmanager
def interviewing(
    study: Study, embedder: Any = None, *, reader: PairJudge | None = None
) -> Iterator[Interview]:
    """An interview of `study` whose opening question is asked; its gateway is closed in the end."""
    gateway = process_gateway()
    engine = build_engine(
        runner._observe, gateway=gateway, embedder=embedder or HashEmbedder(), reader=reader
    )
    session = services.start_session(study, seed=1)
    opening = Turn.objects.get(session=session, number=0)
    try:
        assert runner.process_turn(opening.pk, engine=engine) is runner.Outcome.DONE
        yield Interview(session=session, engine=engine)
    finally:
        gateway.close()


def anthropic_at(server: ProviderServer) -> dict[str, str]:
    """The environment of a machine whose one key is for this server."""
    return {"ANTHROPIC_API_KEY": kit.KEY, "ANTHROPIC_BASE_URL": server.origin}


def openai_at(server: ProviderServer) -> dict[str, str]:
    """The same for the other protocol."""
    return {"OPENAI_API_KEY": kit.KEY, "OPENAI_BASE_URL": f"{server.origin}/v1"}
