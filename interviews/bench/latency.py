"""How long a respondent waits where every call of a model takes a given time.

The turn, the gateway and its threads are the product's own; only the provider at the end of the
line is not: it waits and answers with what fits the schema. So the figure shows which calls run
side by side and which wait for each other.
"""

from __future__ import annotations

import json
import random
import re
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count, groupby, pairwise
from threading import Lock
from typing import Any

import numpy as np
from django.conf import settings

from graphs.language.embeddings import shared_embedder
from interviews.bench.errors import BenchImpossible
from interviews.bench.turn import prepared_turn, rolled_back, study_for_bench
from interviews.llm import setup
from interviews.llm.budget import Unlimited
from interviews.llm.config import ROLES, Catalogue, Choice, LLMConfig, ProviderEntry, RoleChoice
from interviews.llm.gateway import Gateway
from interviews.llm.providers.base import ChatProvider, ChatReply, ChatRequest, Stop, Usage
from interviews.llm.tasks.extraction import EXTRACTION
from interviews.llm.tasks.match_adjudication import MATCH_ADJUDICATION
from interviews.llm.tasks.response_rating import RESPONSE_RATING, RUBRICS
from interviews.llm.tasks.slot_proposal import SLOT_PROPOSAL
from interviews.pipeline import runner
from interviews.pipeline.assembly import build_engine

LATENCY = 1.0
"""Seconds that every call takes."""
ALLOWED_CALLS = 3
ALLOWED_OWN = 0.3
"""The target: three calls one after the other, and so many seconds of the product's own."""
LONGEST = 10.0
"""Three calls in a row must fit into the turn's deadline of 45 s, whatever else happens."""
NODES = 25
SAMPLES, WARM_UP = 7, 1
PROVIDER = "bench"
CONCEPTS = (
    ("padding at the shoulder {n}", "attribute", "the shoulder straps are soft"),
    ("walk further {n}", "functional_consequence", "I can walk further"),
    ("feel free {n}", "psychosocial_consequence", "I feel free"),
)
"""Concepts of three types with their quotes in the bench's answer: three slot calls a turn."""
_NUMBER = re.compile(r'^(\d+)\. "', re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of the provider; times are seconds of a monotonic clock."""

    task: str
    started: float
    ended: float


@dataclass(slots=True)
class SlowProvider:
    """Answers every task as its schema wants, after `pause` has been called with the task's name.

    Safe to share between threads, as the gateway's providers are.
    """

    pause: Callable[[str], None]
    clock: Callable[[], float]
    calls: list[Call] = field(default_factory=list)
    _numbers: count[int] = field(default_factory=lambda: count(1))
    _lock: Lock = field(default_factory=Lock)

    def send(self, request: ChatRequest) -> ChatReply:
        started = self.clock()
        self.pause(request.name)
        with self._lock:
            number = next(self._numbers)
            self.calls.append(Call(task=request.name, started=started, ended=self.clock()))
        text = json.dumps(model_answer(request.name, request.user, number))
        return ChatReply(text=text, stop=Stop.COMPLETE, usage=Usage(tokens_in=1, tokens_out=1))

    def close(self) -> None:
        """There is no connection."""

    def drain(self) -> list[Call]:
        """Return the calls since the last time, in the order in which they ended."""
        with self._lock:
            calls, self.calls = self.calls, []
        return calls


def bench_latency(latency: float = LATENCY, samples: int = SAMPLES) -> dict[str, Any]:
    """Return p50 and p95 of an exploratory turn in seconds, and its calls on the critical path.

    `latency` is in seconds. Database and embeddings are real, slots and SRL are on; everything is
    rolled back. Raises BenchImpossible for a latency that no turn could bear.
    """
    if not 0 <= latency <= LONGEST:
        raise BenchImpossible(f"a latency of {latency} s: give between 0 and {LONGEST:.0f} s")
    provider = SlowProvider(lambda task: time.sleep(latency), time.monotonic)
    gateway = gateway_to(provider)
    embedder = shared_embedder(settings.EMBEDDING_MODEL)
    engine = build_engine(lambda context, stage: None, gateway=gateway, embedder=embedder)
    seconds: list[float] = []
    turns: list[list[Call]] = []
    try:
        with rolled_back():
            study = study_for_bench()
            for sample in range(samples + WARM_UP):
                turn = prepared_turn(study, NODES, sample)
                provider.drain()
                started = time.perf_counter()
                outcome = runner.process_turn(turn.pk, engine=engine)
                elapsed = time.perf_counter() - started
                if outcome is not runner.Outcome.DONE:
                    turn.refresh_from_db()
                    raise RuntimeError(f"the measured turn did not finish: {turn.error}")
                if sample >= WARM_UP:
                    seconds.append(elapsed)
                    turns.append(provider.drain())
    finally:
        gateway.close()
    return _report(seconds, turns, latency)


def gateway_to(provider: ChatProvider) -> Gateway:
    """The product's gateway with `provider` at the end of every role's line, and no budget."""
    name = ProviderEntry(
        protocol="openai",
        base_url="http://localhost",
        models=dict.fromkeys(ROLES, PROVIDER),
    )
    config = LLMConfig(
        roles=dict.fromkeys(ROLES, RoleChoice(provider=PROVIDER)),
        catalogue=Catalogue(providers={PROVIDER: name}),
        keys={},
        base_urls={},
    )

    def connect(_: Choice) -> ChatProvider:
        return provider

    return Gateway(
        config=lambda: config,
        rules=setup.offline_rules,
        connect=connect,
        budget=Unlimited(),
        clock=time.monotonic,
        sleep=time.sleep,
        random=random.random,
    )


def rounds(calls: Iterable[Call]) -> list[list[str]]:
    """The calls of a turn in rounds: tasks that ran side by side, round after round.

    A call belongs to the round after the last one that had ended when it started. The number of
    rounds is the number of calls on the critical path.
    """
    placed: list[tuple[int, Call]] = []
    for call in sorted(calls, key=lambda c: c.started):
        before = [place for place, other in placed if other.ended <= call.started]
        placed.append((max(before, default=-1) + 1, call))
    placed.sort(key=lambda item: (item[0], item[1].task))
    return [
        [call.task for _, call in group] for _, group in groupby(placed, key=lambda item: item[0])
    ]


def _report(seconds: list[float], turns: list[list[Call]], latency: float) -> dict[str, Any]:
    by_turn = [rounds(calls) for calls in turns]
    path = max(len(found) for found in by_turn)
    target = ALLOWED_CALLS * latency + ALLOWED_OWN
    return {
        "p50_s": round(statistics.median(seconds), 3),
        "p95_s": round(float(np.percentile(seconds, 95)), 3),
        "own_p50_s": round(statistics.median(seconds) - path * latency, 3),
        "calls_on_the_critical_path": path,
        "calls_a_turn": max(len(calls) for calls in turns),
        "rounds": by_turn[-1],
        "target_s": round(target, 3),
        "target_met": float(np.percentile(seconds, 95)) <= target,
        "conditions": {
            "llm_seconds_a_call": latency,
            "samples": len(seconds),
            "nodes": NODES,
            "new_concepts_a_turn": len(CONCEPTS),
            "srl": True,
            "canonical_slots": True,
            "embedding_model": settings.EMBEDDING_MODEL or "all-MiniLM-L6-v2",
        },
    }


def model_answer(task: str, prompt: str, number: int) -> dict[str, Any]:
    """What a model would answer to a task; `number` keeps labels, slots and questions apart."""
    if task == EXTRACTION.name:
        return _extraction(number)
    if task == RESPONSE_RATING.name:
        return {rubric: {"score": 3, "rationale": "middling"} for rubric in RUBRICS}
    if task == SLOT_PROPOSAL.name:
        return {
            "proposals": [
                {
                    "number": int(number_in_batch),
                    "slot_name": f"slot_{number}_{place}",
                    "description": f"Part {place} of what is meant in call {number}",
                }
                for place, number_in_batch in enumerate(_NUMBER.findall(prompt))
            ]
        }
    if task == MATCH_ADJUDICATION.name:
        return {"verdicts": []}
    return {"question": _question(number)}


_ASKED = (
    "When did you last think about {} on the way?",
    "What would change for you without {}?",
    "Who else in your family cares about {}?",
    "How did {} come into it that day?",
    "Which part does {} play when you decide?",
)
_ABOUT = (
    "rain", "money", "sleep", "the neighbours", "your knees", "the smell of pines", "maps",
    "a broken zip", "silence", "the first aid kit", "your brother", "breakfast", "the summit cross",
    "thunder", "blisters", "the bus timetable", "photographs", "fear of heights", "old boots",
    "the hut keeper", "water", "a good book", "the office", "your birthday", "sunburn", "songs",
    "the dog", "cable cars", "a promise", "snow in May", "the tent pegs", "doctors", "chocolate",
    "strangers", "the last metre", "a torch", "wasps", "the colour red", "school trips", "home",
)  # fmt: skip


def _question(number: int) -> str:
    """A question that means something else than its neighbours, as the guards want it."""
    return _ASKED[number % len(_ASKED)].format(_ABOUT[number * 7 % len(_ABOUT)])


def _extraction(number: int) -> dict[str, Any]:
    concepts = [
        {
            "label": label.format(n=number),
            "node_type": node_type,
            "quote": quote,
            "confidence": 0.9,
            "stance": 0,
        }
        for label, node_type, quote in CONCEPTS
    ]
    relationships = [
        {
            "source": source["label"],
            "source_type": source["node_type"],
            "target": target["label"],
            "target_type": target["node_type"],
            "edge_type": "leads_to",
            "quote": target["quote"],
            "confidence": 0.9,
        }
        for source, target in pairwise(concepts)
    ]
    return {
        "extractable": True,
        "reason": "",
        "concepts": concepts,
        "relationships": relationships,
    }
