"""The bench of concept tests: figures of an interview or two, and what its sums count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interviews.bench import evaluative as bench
from interviews.bench.errors import BenchImpossible
from interviews.models import Session
from interviews.modes.evaluative.evidence import (
    CoverageEntry,
    EvaluativeEvidence,
    MomentumEntry,
    ScoredEntry,
)
from methodologies.evaluative import SCORERS, StrategyClass, shipped_rules
from methodologies.registry import CONCEPT, load_library, named_or_file

CONCEPT_FILE = Path(__file__).parents[2] / "data" / "evaluative" / "concept.yaml"
FIGURES = {
    "terminal_share",
    "depth_share_after_coverage",
    "covered_by_turn_12_share",
    "false_fatigue_share",
    "momentum_accuracy",
    "gap_ms_p95",
    "phase_order_share",
    "dead_scorers",
    "conditions",
}
WEIGHTS = shipped_rules().weights()


@pytest.mark.django_db
def test_the_bench_holds_interviews_and_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "MAX_TURNS", 4)
    list(load_library())
    named_or_file(CONCEPT, str(CONCEPT_FILE))
    found = bench.bench_evaluative(
        [bench.Material(concept="barista_oat", world="oat_milk")],
        seeds=[1],
        personas=("cooperative", "hedging"),
    )
    assert set(found) == FIGURES
    assert found["conditions"]["interviews"] == 2
    assert found["conditions"]["turns"] == 8
    assert found["momentum_accuracy"] >= 0.8
    assert set(found["dead_scorers"]) <= set(SCORERS)
    assert not Session.objects.exists()
    with pytest.raises(BenchImpossible, match="nobody"):
        bench.bench_evaluative(
            [bench.Material(concept="barista_oat", world="oat_milk")],
            seeds=[1],
            personas=("nobody", "hedging"),
        )


def test_half_of_the_labelled_answers_was_held_out() -> None:
    answers = bench.labelled_answers()
    assert set(answers) == {"dev", "held"}
    assert sum(map(len, answers.values())) >= 80
    texts = [row["answer"] for rows in answers.values() for row in rows]
    assert len(set(texts)) == len(texts)
    with pytest.raises(BenchImpossible, match="labelled"):
        bench.labelled_answers(Path("nowhere.tsv"))


# -- sums ------------------------------------------------------------------------------------------
def entry(strategy: str, base: float, **multipliers: float) -> ScoredEntry:
    given = dict.fromkeys(SCORERS, 1.0) | multipliers
    final = base
    for name, value in given.items():
        final *= value ** WEIGHTS[name]
    values: dict[str, Any] = {"strategy": strategy, "ref": strategy}
    return ScoredEntry(
        **values,
        group=shipped_rules().strategies[values["strategy"]].group,
        tactic="x",
        base=base,
        multipliers=given,
        final=final,
    )


def told(*entries: ScoredEntry, complete: bool = False) -> EvaluativeEvidence:
    return EvaluativeEvidence(
        phase=entries[0].group,
        momentum=MomentumEntry(level="neutral", score=0.5, consecutive_low=0, fatigued=False),
        coverage=CoverageEntry(ratio=1.0 if complete else 0.5, complete=complete),
        tactic="x",
        candidates=entries,
        weights=WEIGHTS,
        rules="r",
    )


def test_a_scorer_is_alive_where_a_choice_would_have_been_another_without_it() -> None:
    damped = told(
        entry("explore_breadth", 0.6), entry("deepen_branch", 0.55, vertical_laddering=2.0,
                                             branch_health=0.15)
    )  # fmt: skip
    dead = bench.dead_scorers([damped])
    assert set(SCORERS) - set(dead) == {"branch_health"}
    tie = told(entry("explore_breadth", 0.6), entry("deepen_branch", 0.3, redundancy=0.5))
    assert bench.dead_scorers([tie]) == list(SCORERS)


def test_classes_come_in_their_order_where_the_medians_of_their_first_turns_do() -> None:
    def held(*strategies: str) -> bench.Held:
        evidence = tuple(told(entry(name, 1.0)) for name in strategies)
        return bench.Held(persona="p", reason="", terminal=True, evidence=evidence)

    def share(*interviews: bench.Held) -> float | None:
        return bench.phase_order_share(interviews)

    assert share(held("ensure_coverage", "connect_isolate", "deepen_branch")) == 1.0
    assert share(held("ensure_coverage", "deepen_branch", "connect_isolate")) == 0.5
    assert share(held("ensure_coverage")) is None


def test_depth_counts_from_where_a_concept_is_covered() -> None:
    def held(*turns: tuple[str, bool]) -> bench.Held:
        evidence = tuple(told(entry(name, 1.0), complete=done) for name, done in turns)
        return bench.Held(persona="p", reason="", terminal=True, evidence=evidence)

    interview = held(("deepen_branch", False), ("explore_breadth", True), ("deepen_branch", True))
    assert interview.covered_at() == 2
    assert bench.depth_after_coverage([interview, held(("deepen_branch", False))]) == [False, True]
    first: dict[StrategyClass, int] = interview.first_turns()
    assert first == {"depth": 1, "breadth": 2}


def test_the_gaps_of_a_large_concept_are_timed() -> None:
    assert bench.gap_ms_p95(samples=3) > 0
