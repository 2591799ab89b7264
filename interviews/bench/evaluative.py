"""Concept tests held by rules: how far they cover, how deep they go, and what each scorer decides.

Respondents (cooperative, thinking aloud, and others who say little or tire) are asked about every
shipped concept that shows something. What is said here of momentum comes from labelled answers, of
which one half was never looked at while rules were written.
"""

from __future__ import annotations

import csv
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings

from graphs import store as graph_store
from graphs.domain import Edge
from interviews import studies
from interviews.bench.errors import BenchImpossible
from interviews.bench.turn import rolled_back
from interviews.llm.providers.offline.momentum import momentum
from interviews.llm.tasks.momentum import MomentumInputs
from interviews.models import Session, Study, Turn
from interviews.modes.evaluative.closing import FATIGUED
from interviews.modes.evaluative.coverage import coverage_of
from interviews.modes.evaluative.elements import Element
from interviews.modes.evaluative.evidence import EvaluativeEvidence, ScoredEntry
from interviews.record import result_of
from interviews.simulation.driver import hold_interview
from interviews.simulation.respondent import SimulatedRespondent
from interviews.simulation.world import available_worlds, load_world
from methodologies.evaluative import CLASSES, SCORERS, StrategyClass
from methodologies.registry import (
    CONCEPT,
    LIBRARY,
    METHODOLOGY,
    DocumentNotFound,
    concept_of,
    load_library,
    methodology_of,
    newest,
    persona_named,
)

LABELLED = Path("tests/data/evaluative/momentum.tsv")
HELD_OUT = "held"
SEEDS = tuple(range(1, 5))
COOPERATIVE, THINKING_ALOUD = "cooperative", "thinking_aloud"
BESIDE = ("brief", "fatiguing", "verbose")
"""Who knows little, tires or has soon told everything: they show what scorers do that the others
never need."""
BY_TURN = 12
MAX_TURNS = 20
ELEMENTS, NODES_EACH = 20, 10
SAMPLES, WARM_UP = 201, 5
CLEARLY = 1e-9
"""By more than this a score has to lead, so that a tie is no other choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """A concept test: the name of its concept, whose methodology asks, and of the world."""

    concept: str
    world: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An interview: who answered, what every choice rested on, and what came of it."""

    persona: str
    reason: str
    terminal: bool
    evidence: tuple[EvaluativeEvidence, ...]

    def covered_at(self) -> int | None:
        """The first answer after which there was no gap left to ask about."""
        found = (n for n, told in enumerate(self.evidence, start=1) if told.coverage.complete)
        return next(found, None)

    def first_turns(self) -> dict[StrategyClass, int]:
        """After which answer each class was chosen first."""
        first: dict[StrategyClass, int] = {}
        for number, told in enumerate(self.evidence, start=1):
            first.setdefault(told.chosen.group, number)
        return first


def bench_evaluative(
    material: Sequence[Material] | None = None,
    seeds: Sequence[int] = SEEDS,
    personas: Sequence[str] = (COOPERATIVE, THINKING_ALOUD, *BESIDE),
) -> dict[str, Any]:
    """Hold the interviews and return the figures; nothing is kept.

    `personas` are first one who gives what is asked for, then one who hedges and is engaged all the
    same, then others.

    Raises BenchImpossible where no concept that shows something has a world, a persona is missing,
    or the labelled answers are.
    """
    answers = labelled_answers()
    with rolled_back():
        list(load_library())
        tests = list(material if material is not None else shipped_tests())
        if not tests:
            raise BenchImpossible("no shipped concept has a stimulus, elements and a world")
        held = [
            _hold(test, persona, seed) for test in tests for persona in personas for seed in seeds
        ]
    willing = [interview for interview in held if interview.persona == personas[0]]
    aloud = [interview for interview in held if interview.persona == personas[1]]
    choices = [told for interview in held for told in interview.evidence]
    return {
        "terminal_share": _share([interview.terminal for interview in willing]),
        "depth_share_after_coverage": _share(depth_after_coverage(held)),
        "covered_by_turn_12_share": _share(
            [(interview.covered_at() or MAX_TURNS + 1) <= BY_TURN for interview in willing]
        ),
        "false_fatigue_share": _share([i.reason == FATIGUED for i in aloud]),
        "momentum_accuracy": momentum_accuracy(answers[HELD_OUT]),
        "gap_ms_p95": gap_ms_p95(),
        "phase_order_share": phase_order_share(held),
        "dead_scorers": dead_scorers(choices),
        "conditions": {
            "interviews": len(held),
            "turns": len(choices),
            "concepts": [test.concept for test in tests],
            "personas": list(personas),
            "seeds": list(seeds),
            "max_turns": MAX_TURNS,
            "labelled_answers": {half: len(rows) for half, rows in answers.items()},
            "llm": "offline",
            "embedding_model": "all-MiniLM-L6-v2",
            "scorer_share": scorer_shares(choices),
            "gaps_measured_on": f"{ELEMENTS} elements of {NODES_EACH} nodes",
        },
    }


def shipped_tests() -> Iterator[Material]:
    """Every shipped concept that shows something and has a world, by name."""
    for path in sorted((LIBRARY / "concepts").glob("*.yaml")):
        concept = concept_of(newest(CONCEPT, path.stem))
        if not concept.unshown and path.stem in available_worlds():
            yield Material(concept=path.stem, world=path.stem)


def _hold(test: Material, persona: str, seed: int) -> Held:
    try:
        known = persona_named(persona)
    except DocumentNotFound as error:
        raise BenchImpossible(str(error)) from error
    concept = newest(CONCEPT, test.concept)
    slug = f"bench-{test.concept.replace('_', '-')}"[:50]
    study = Study.objects.filter(slug=slug).first() or studies.create_study(
        slug=slug,
        name=f"Bench: {test.concept}",
        mode="evaluative",
        methodology_version=newest(METHODOLOGY, concept_of(concept).methodology),
        concept_version=concept,
        max_turns=MAX_TURNS,
    )
    respondent = SimulatedRespondent(load_world(test.world), known, seed)
    session = hold_interview(study, respondent.answer, seed=seed)
    return _told(session, persona)


def _told(session: Session, persona: str) -> Held:
    turns = Turn.objects.filter(session=session, number__gte=1).order_by("number")
    found = [result_of(turn).evidence for turn in turns]
    graph = graph_store.load_session_graph(session.pk)
    version = session.methodology_version
    if version is None:
        raise BenchImpossible("the interview was held without a methodology")
    ontology = methodology_of(version).graph_ontology
    return Held(
        persona=persona,
        reason=session.termination_reason,
        terminal=any(ontology.is_terminal(node.node_type) for node in graph.live_nodes()),
        evidence=tuple(told for told in found if isinstance(told, EvaluativeEvidence)),
    )


# -- figures of interviews -------------------------------------------------------------------------
def depth_after_coverage(held: Sequence[Held]) -> list[bool]:
    """For each choice once a concept was covered, whether it was one of depth."""
    return [
        told.chosen.group == "depth"
        for interview in held
        if (covered := interview.covered_at()) is not None
        for told in interview.evidence[covered - 1 :]
    ]


def phase_order_share(held: Sequence[Held]) -> float | None:
    """Of neighbouring classes, the share whose median first turn does not fall; None without two.

    Classes that no interview came to are left out.
    """
    medians = [
        statistics.median(first)
        for name in CLASSES
        if (first := [f[name] for i in held if name in (f := i.first_turns())])
    ]
    return _share([before <= later for before, later in pairwise(medians)])


def dead_scorers(choices: Sequence[EvaluativeEvidence]) -> list[str]:
    """The scorers without which every choice would have been the same."""
    return [name for name in SCORERS if not any(_differs(told, name) for told in choices)]


def _differs(told: EvaluativeEvidence, scorer: str) -> bool:
    """Whether another candidate would have won without a scorer."""
    if told.all_vetoed:
        return any(entry.vetoed_by == scorer for entry in told.candidates)
    weight = told.weights[scorer]

    def without(entry: ScoredEntry) -> float:
        given = entry.multipliers[scorer]
        return entry.final / given**weight if given else 0.0

    valid = [entry for entry in told.candidates if entry.vetoed_by in ("", scorer)]
    return max(map(without, valid)) > without(told.chosen) + CLEARLY


def scorer_shares(choices: Sequence[EvaluativeEvidence]) -> dict[str, float | None]:
    """For each scorer the share of choices in which it changed the score of a candidate."""
    return {
        name: _share([any(e.multipliers[name] != 1 for e in t.candidates) for t in choices])
        for name in SCORERS
    }


def _share(found: Sequence[bool]) -> float | None:
    return round(sum(found) / len(found), 3) if found else None


# -- momentum --------------------------------------------------------------------------------------
def labelled_answers(file: Path | None = None) -> dict[str, list[dict[str, str]]]:
    """The labelled answers by half. Raises BenchImpossible where they are missing."""
    path = file or Path(settings.BASE_DIR) / LABELLED
    if not path.exists():
        raise BenchImpossible(f"the labelled answers are missing: {path}")
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    halves = sorted({row["half"] for row in rows})
    return {half: [row for row in rows if row["half"] == half] for half in halves}


def momentum_accuracy(rows: Sequence[dict[str, str]]) -> float | None:
    """The share of answers whose level the rules say as it was labelled."""
    return _share(
        [
            momentum(MomentumInputs(question=row["question"], answer=row["answer"])).level
            == row["level"]
            for row in rows
        ]
    )


# -- gaps ------------------------------------------------------------------------------------------
def gap_ms_p95(samples: int = SAMPLES) -> float:
    """The 95th percentile of computing the coverage of a large concept, in ms of processor time.

    By the thread's own clock, so that what else the machine does is not counted.
    """
    chance = random.Random(7)  # noqa: S311 - repeatable, not secret
    names = [f"e{i}" for i in range(ELEMENTS)]
    elements = [
        Element(
            id=name, label=name, place=i, connects_to=tuple(chance.sample(names[:i], min(i, 3)))
        )
        for i, name in enumerate(names)
    ]
    links = [(f"{name}-{i}", name) for name in names for i in range(NODES_EACH)]
    nodes = [node for node, _ in links]
    pairs = [chance.sample(nodes, 2) for _ in nodes * 2]
    edges = [
        Edge(id=str(i), source_id=one, target_id=other, edge_type="leads_to")
        for i, (one, other) in enumerate(pairs)
    ]
    live, reacted, times = set(nodes), set(names[::2]), []
    for sample in range(samples + WARM_UP):
        started = time.thread_time()
        coverage_of(elements, links=links, reacted=reacted, live=live, edges=edges)
        elapsed = (time.thread_time() - started) * 1000
        if sample >= WARM_UP:
            times.append(elapsed)
    return round(float(np.percentile(times, 95)), 3)
