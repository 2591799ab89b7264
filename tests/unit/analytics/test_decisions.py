"""A turn's decision, shown in clauses, bars and numbers."""

from __future__ import annotations

from typing import Any

import pytest

from analytics.decisions import Chip, Why, why
from interviews.acts import Heard
from interviews.explain.interpreter import decision_of
from interviews.models import Turn
from interviews.turns.calls import Degraded
from interviews.turns.contracts import Verdict
from interviews.turns.evidence import Evidence
from interviews.turns.result import Extracted, TurnResult
from methodologies.scoring import Candidate
from tests.records import candidate, evidence_for, result_for

N1, N2 = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
LABELS = {N1: "label n1", N2: "label n2"}
DEEPEN = candidate(
    "deepen",
    N1,
    2.384,
    1,
    base=1.68,
    phase=(1.3, 0.2),
    parts=[
        ("graph.node.exhaustion_score.low", 1.0, 0.8),
        ("graph.chain_completion.has_complete.false", 1.0, 0.6),
        ("llm.engagement.high", 1.0, 0.4),
        ("temporal.strategy_repetition_count", 0.2, -0.6),
    ],
)
EXPLORE = candidate("explore", N2, 1.91, 2)


def shown(
    *best: Candidate,
    status: Turn.Status = Turn.Status.DONE,
    number: int = 6,
    continuation: Verdict = Verdict.CONTINUE,
    figures: dict[str, Any] | None = None,
    **more: Any,
) -> Why:
    evidence = evidence_for(
        *(best or (DEEPEN, EXPLORE)),
        figures=figures or {"llm.engagement": 0.75},
        node_figures={N1: {"graph.node.exhausted": False}},
        labels=LABELS,
        **more.pop("evidence", {}),
    )
    result = result_for(number, evidence, continuation=continuation, **more)
    turn = Turn(
        number=number, status=status, strategy="deepen", focus_node_id=N1, focus_label="stay dry"
    )
    return why(decision_of(turn, result))


def test_the_reasons_are_the_largest_contributions_in_words() -> None:
    assert shown().because == (
        "this branch still gives new concepts, no chain has reached the top level yet "
        "and the respondent was engaged"
    )


def test_what_spoke_against_it_is_told_too() -> None:
    assert shown().against == "the same strategy was used just before"


def test_the_runner_up_is_the_best_of_the_others() -> None:
    found = shown().runner_up
    assert found is not None
    assert (found.title, found.final) == ("explore → label n2", 1.91)


def test_bars_are_scaled_to_the_largest() -> None:
    found = shown()
    assert [(b.key, round(b.contribution, 4), round(b.share, 4)) for b in found.bars] == [
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
    winner = shown(candidate("deepen", N1, -0.4, 1, base=-0.5, phase=(1.25, 0.0))).winner
    assert winner is not None
    assert winner.phase_terms == "÷1.25 +0"


def test_the_winner_is_what_was_asked_even_where_it_did_not_rank_first() -> None:
    first, asked = candidate("explore", N2, 3.0, 1), candidate("deepen", N1, 1.0, 2)
    found = shown(first, asked)
    assert (found.winner, found.runner_up) == (found.options[1], found.options[0])
    assert found.winner is not None
    assert found.winner.title == "deepen → label n1"


def test_what_replaced_the_choice_is_listed_where_it_was_no_candidate() -> None:
    closing = candidate("deepen", N1, 0.2, 1)
    found = shown(EXPLORE, evidence={"closing": closing}, overridden=True)
    assert [option.title for option in found.options] == [
        "deepen → label n1",
        "explore → label n2",
    ]
    assert found.winner == found.options[0]


def test_chips_show_answer_signals_first_and_in_readable_values() -> None:
    found = shown(figures={"graph.node_count": 9, "llm.engagement": 0.75})
    assert found.chips == (
        Chip(key="llm.engagement", name="engagement", value="0.75"),
        Chip(key="graph.node_count", name="concepts", value="9"),
    )
    assert found.focus_chips == (Chip(key="graph.node.exhausted", name="exhausted", value="no"),)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"number": 0}, "opening"),
        ({"status": Turn.Status.FAILED}, "failed"),
        ({"status": Turn.Status.QUEUED}, "waiting"),
        ({"status": Turn.Status.RUNNING}, "waiting"),
        ({"continuation": Verdict.CLOSE}, "closing"),
        ({"continuation": Verdict.END}, "end"),
        ({}, "choice"),
    ],
)
def test_each_outcome_of_a_turn_is_told_apart(changes: dict[str, Any], kind: str) -> None:
    assert shown(**changes).kind == kind


def test_a_turn_without_a_readable_record_says_so() -> None:
    turn = Turn(number=3, status=Turn.Status.DONE)
    assert why(decision_of(turn, None)) == Why(kind="unreadable")


def test_a_closing_reason_is_put_in_words() -> None:
    closing = shown(continuation=Verdict.CLOSE, reason="graph_saturated")
    assert closing.reason == "answer after answer had brought nothing new"


def test_who_stood_in_for_a_model_is_shown() -> None:
    found = shown(degraded=(Degraded(task="extraction", by="offline", after="timeout"),))
    assert found.sentences == ("The language model failed; rules read the answer.",)


def test_a_mode_without_an_explanation_shows_what_was_decided() -> None:
    result = TurnResult(
        mode="elsewhere",
        turn=2,
        heard=Heard(),
        extracted=Extracted(extractable=True, concepts=0, relationships=0),
        phase="warm_up",
        continuation=Verdict.CONTINUE,
        evidence=Evidence(mode="elsewhere", phase="warm_up"),
    )
    turn = Turn(number=2, status=Turn.Status.DONE, strategy="ask_next", focus_label="topic one")
    assert why(decision_of(turn, result)) == Why(
        kind="choice", strategy="ask next", focus="topic one", phase="warm up"
    )
