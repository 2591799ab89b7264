"""A turn's decision trace, told in sentences, bars and numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from analytics.decisions import Chip, TurnTrace, decision_of, listing


def part(key: str, value: Any, weight: float, contribution: float) -> dict[str, Any]:
    return {"key": key, "value": value, "weight": weight, "contribution": contribution}


def candidate(strategy: str, node: str, final: float, rank: int, **more: Any) -> dict[str, Any]:
    return {
        "strategy": strategy,
        "node_id": node,
        "label": f"label {node}" if node else "",
        "final": final,
        "base": final,
        "phase_multiplier": 1.0,
        "phase_bonus": 0.0,
        "rank": rank,
        "gates": [],
        "contributions": [],
        **more,
    }


TRACE = TurnTrace(
    number=6,
    status="done",
    strategy="deepen",
    focus_node_id="n1",
    focus_label="stay dry",
    phase="mid",
    continuation="continue",
    continuation_reason="",
    signals={"llm.engagement": 0.75, "meta.interview.phase": "mid"},
    node_signals={"n1": {"graph.node.exhausted": False}},
    decomposition=[
        candidate(
            "deepen",
            "n1",
            2.384,
            1,
            base=1.68,
            phase_multiplier=1.3,
            phase_bonus=0.2,
            contributions=[
                part("graph.node.exhaustion_score.low", True, 0.8, 0.8),
                part("graph.chain_completion.has_complete.false", True, 0.6, 0.6),
                part("llm.engagement.high", True, 0.4, 0.4),
                part("temporal.strategy_repetition_count", 0.2, -0.6, -0.12),
                part("llm.valence", 0.0, 0.3, 0.0),
            ],
        ),
        candidate("explore", "n9", 2.1, 2, gates=["max_run"]),
        candidate("explore", "n2", 1.91, 3),
    ],
)


def test_the_reasons_are_the_largest_contributions_in_words() -> None:
    assert decision_of(TRACE).because == (
        "this branch still gives new concepts, no chain has reached the top level yet "
        "and the respondent was engaged"
    )


def test_what_spoke_against_it_is_told_too() -> None:
    assert decision_of(TRACE).against == "the same strategy was used just before"


def test_the_runner_up_is_the_best_candidate_that_was_not_ruled_out() -> None:
    found = decision_of(TRACE)
    assert found.runner_up is not None
    assert (found.runner_up.title, found.runner_up.final) == ("explore → label n2", 1.91)
    assert found.ruled_out == 1


def test_bars_are_scaled_to_the_largest_and_leave_out_what_did_not_act() -> None:
    found = decision_of(TRACE)
    assert [(b.key, b.contribution, round(b.share, 4)) for b in found.bars] == [
        ("graph.node.exhaustion_score.low", 0.8, 1.0),
        ("graph.chain_completion.has_complete.false", 0.6, 0.75),
        ("llm.engagement.high", 0.4, 0.5),
        ("temporal.strategy_repetition_count", -0.12, 0.15),
    ]
    # 1.68 × 1.3 + 0.2 = 2.384, so the phase added 0.704, which is 0.88 of 0.8.
    assert found.winner is not None
    assert found.winner.phase_effect == pytest.approx(0.704)
    assert found.phase_share == pytest.approx(0.88)
    assert found.winner.phase_terms == "×1.3 +0.2"


def test_a_negative_score_that_was_divided_says_so() -> None:
    row = candidate("deepen", "n1", -0.4, 1, base=-0.5, phase_multiplier=1.25, phase_bonus=0.0)
    winner = decision_of(replace(TRACE, decomposition=[row])).winner
    assert winner is not None
    assert winner.phase_terms == "÷1.25 +0"


def test_the_winner_is_what_was_asked_even_where_it_did_not_rank_first() -> None:
    rows = [candidate("explore", "n2", 3.0, 1), candidate("deepen", "n1", 1.0, 2)]
    found = decision_of(replace(TRACE, decomposition=rows))
    assert found.winner is not None
    assert found.winner.rank == 2
    assert found.runner_up is not None
    assert found.runner_up.rank == 1


def test_chips_show_answer_signals_first_and_in_readable_values() -> None:
    found = decision_of(
        replace(TRACE, signals={"graph.node_count": 9, "llm.engagement": 0.75, "x.off": None})
    )
    assert found.chips == (
        Chip(key="llm.engagement", name="engagement", value="0.75"),
        Chip(key="graph.node_count", name="concepts", value="9"),
    )
    assert found.focus_chips == (Chip(key="graph.node.exhausted", name="exhausted", value="no"),)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"number": 0}, "opening"),
        ({"status": "failed"}, "failed"),
        ({"status": "queued"}, "waiting"),
        ({"status": "running"}, "waiting"),
        ({"continuation": "close"}, "closing"),
        ({"continuation": "end"}, "end"),
        ({}, "choice"),
    ],
)
def test_each_outcome_of_a_turn_is_told_apart(changes: dict[str, Any], kind: str) -> None:
    assert decision_of(replace(TRACE, **changes)).kind == kind


def test_a_closing_reason_is_put_in_words() -> None:
    closing = replace(TRACE, continuation="close", continuation_reason="graph_saturated")
    assert decision_of(closing).reason == "answer after answer had brought nothing new"


def test_an_empty_trace_is_read_as_far_as_it_goes() -> None:
    found = decision_of(replace(TRACE, decomposition=[], signals={}, node_signals={}))
    assert (found.winner, found.runner_up, found.bars, found.chips) == (None, None, (), ())
    assert found.because == ""


def test_lists_read_as_in_a_sentence() -> None:
    assert [listing(x) for x in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
