"""Guided interviews held by the rules: calls and prompt tokens a turn, bonus turns, topics reached.

Answers are scripted by how much they give, so that the shares say what the budgets do with them.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Any

from graphs.language.minilm import bundled_tokenizer
from interviews import dispatch, plans, services
from interviews.bench.turn import rolled_back
from interviews.llm.budget import Unlimited
from interviews.llm.config import ROLES, LLMConfig, RoleChoice, read_catalogue
from interviews.llm.gateway import Gateway
from interviews.llm.providers.base import RuleProvider
from interviews.llm.setup import connect, offline_rules
from interviews.llm.tasks.base import In, Out, Role, Task, render
from interviews.models import Session, Study, Turn
from interviews.modes.guided.evidence import GuidedEvidence
from interviews.pipeline import runner
from interviews.pipeline.assembly import build_engine
from interviews.pipeline.engine import Engine
from interviews.record import result_of
from methodologies.registry import GUIDE, METHODOLOGY, load_library, newest

SEEDS = tuple(range(8))
SECONDS_A_TURN = 30.0
QUESTION_TASKS = "guided_question"
LATE = 20
RICH = (
    "I was really frustrated, because in March 2024 the approval for our customer in Milan "
    "took three weeks, nobody told us anything, and I had to explain the problem to them "
    "alone, which was when I understood that my work did not matter to anybody there."
)
RICHER = (
    "What hurt was that my manager, Anna, promised 2 times that the role would change, and "
    "then she gave the project to somebody else without a word, so I was angry for months, "
    "and the important things that I had built were a challenge to hand over."
)
ANSWERS = (
    ("Not really.", "No, nothing.", "It was fine I suppose."),
    (
        "The work in my team was mostly about contracts, and planning took a lot of my week then.",
        "When I asked, my manager helped, but we spoke about the decision only once or twice.",
        "In spring I began to think about it, after a talk with Sara, who works elsewhere now.",
    ),
    (RICH, RICHER),
)
"""By what they give: little, something, much."""
SHARES = ((0.25, 0.4, 0.35), (0.0, 0.5, 0.5))
"""Of the three kinds of answers: of every other respondent the first, of the others the second."""


@dataclass(slots=True)
class Recorder:
    """The offline rules, with a note of what each call would have sent to a model."""

    rules: RuleProvider
    tokens: list[int] = field(default_factory=list)
    readings: int = 0

    def complete(self, task: Task[In, Out], inputs: In) -> Out:
        """Answer by rules, and count."""
        if task.name.startswith(QUESTION_TASKS):
            prompt = render(task, inputs)
            self.tokens.append(tokens_of(prompt.system) + tokens_of(prompt.user))
        elif task.role != "generation":
            self.readings += 1
        return self.rules.complete(task, inputs)

    def stand_in(self, task: Task[In, Out], inputs: In) -> Out | None:
        """Answer in a model's place."""
        return self.rules.stand_in(task, inputs)

    def taken(self) -> tuple[list[int], int]:
        """Tokens of the questions and number of readings since the last time."""
        found = self.tokens, self.readings
        self.tokens, self.readings = [], 0
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One turn: tokens of each question asked for, readings, and what it was decided by."""

    number: int
    tokens: list[int]
    readings: int
    evidence: GuidedEvidence


def bench_guided() -> dict[str, Any]:
    """Hold the interviews and return the figures; nothing is kept."""
    recorder = Recorder(offline_rules())
    roles: Mapping[Role, RoleChoice] = {role: RoleChoice() for role in ROLES}
    config = LLMConfig(roles=roles, catalogue=read_catalogue(), keys={}, base_urls={})
    gateway = Gateway(
        config=lambda: config,
        rules=lambda: recorder,
        connect=connect,
        budget=Unlimited(),
        clock=time.monotonic,
        sleep=lambda seconds: None,
        random=lambda: 0.0,
    )
    engine = build_engine(lambda context, stage: None, gateway=gateway)
    with rolled_back():
        list(load_library())
        study = _study()
        topics = [str(t["topic_id"]) for t in plans.make(study).data["explore"]["topics"]]
        held = [list(_held(study, engine, recorder, seed)) for seed in SEEDS]
    turns = [turn for interview in held for turn in interview]
    asked = [turn for turn in turns if turn.tokens]
    return {
        "generation_calls_mean": round(mean(len(turn.tokens) for turn in asked), 3),
        "generation_calls_max": max(len(turn.tokens) for turn in asked),
        "critical_path_calls": sorted(t.readings + len(t.tokens) for t in asked)[
            int(0.95 * (len(asked) - 1))
        ],
        "prompt_tokens_p50": median(turn.tokens[0] for turn in asked),
        "prompt_tokens_turn_20": max(
            (turn.tokens[0] for turn in asked if turn.number == LATE), default=None
        ),
        "bonus_share_high": _bonus_share(turns, "HIGH"),
        "bonus_share_low": _bonus_share(turns, "LOW"),
        "topics_reached_share": mean(_reached(topics, interview) for interview in held),
        "conditions": {
            "interviews": len(held),
            "turns": len(turns),
            "guide": "exit_interview",
            "shares_low_medium_high": SHARES,
            "seconds_a_turn": SECONDS_A_TURN,
            "llm": "offline",
            "tokenizer": "all-MiniLM-L6-v2",
        },
    }


def _study() -> Study:
    return Study.objects.create(
        slug="bench-guided",
        name="Bench",
        mode="guided",
        methodology_version=newest(METHODOLOGY, "topic_guide"),
        guide_version=newest(GUIDE, "exit_interview"),
        max_turns=60,
    )


def _held(study: Study, engine: Engine, recorder: Recorder, seed: int) -> Iterator[Measured]:
    """Hold an interview whose answers are drawn by chance, and accept an offer to go on."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    with dispatch.held_back():
        session = services.start_session(study, seed=seed, simulated=True)
        number = 0
        while True:
            turn = Turn.objects.get(session=session, number=number)
            runner.process_turn(turn.pk, engine=engine)
            turn.refresh_from_db()
            tokens, readings = recorder.taken()
            evidence = result_of(turn).evidence
            if isinstance(evidence, GuidedEvidence):
                yield Measured(number=number, tokens=tokens, readings=readings, evidence=evidence)
            if Session.objects.get(pk=session.pk).is_over:
                return
            offered = isinstance(evidence, GuidedEvidence) and evidence.aim == "offer"
            answer = _answer(chance, SHARES[seed % len(SHARES)])
            said = "Yes, let's go on" if offered else answer
            services.accept_answer(session.pk, said, seconds=SECONDS_A_TURN)
            number += 1


def _answer(chance: random.Random, shares: Sequence[float]) -> str:
    (kind,) = chance.choices(ANSWERS, weights=shares)
    return chance.choice(kind)


def _bonus_share(turns: Sequence[Measured], band: str) -> float | None:
    """The share of a band's answers while exploring that led to a bonus turn."""
    found = [t.evidence for t in turns if t.evidence.band == band]
    exploring = [evidence for evidence in found if evidence.heard_in == "EXPLORE"]
    if not exploring:
        return None
    return round(mean(evidence.bonus for evidence in exploring), 3)


def _reached(topics: Sequence[str], interview: Sequence[Measured]) -> float:
    asked = {turn.evidence.topic for turn in interview} | {topics[0]}
    return len(asked) / len(topics)


def tokens_of(text: str) -> int:
    """Tokens by the tokenizer of the bundled embedding model."""
    return len(bundled_tokenizer().encode(text, add_special_tokens=False).ids)
