"""Turns as versions 1 to 3 stored them, read as they are stored now.

`tests/data/turns/v*.json` hold turns of interviews that those versions led, with what they told of
them; of the candidates that were stored only the first are kept.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interviews.explain.interpreter import decision_of
from interviews.explain.sentences import sentences_of
from interviews.models import Turn
from interviews.modes.exploratory.evidence import ExploratoryEvidence
from interviews.record import UnreadableTurn, readable_result_of, result_of
from interviews.turns.upgrades import upgraded, version_of

STORED = Path(__file__).parents[2] / "data" / "turns"
FOLDED = ("signals", "node_signals", "decomposition", "saturation")
VERSIONS = (1, 2, 3)


def stored_turns(version: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((STORED / f"v{version}.json").read_text())["turns"]
    return found


def as_row(stored: dict[str, Any]) -> Turn:
    """The row as the migration leaves it: what had columns of its own is in `result`."""
    result = stored["result"]
    if "trace" in result:
        result = result | {name: stored[name] for name in FOLDED}
    return Turn(
        number=stored["number"],
        status=stored["status"],
        strategy=stored["strategy"],
        focus_node_id=stored["focus_node_id"],
        focus_label=stored["focus_label"],
        result=result,
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_what_was_told_of_a_turn_is_told_still(version: int) -> None:
    told = 0
    for stored in stored_turns(version):
        turn = as_row(stored)
        if turn.number:
            assert version_of(turn.result) == version
            decision = decision_of(turn, result_of(turn))
            scores = decision.rationale.scores
            assert scores is not None
            assert list(sentences_of(decision)) == stored["told"]["sentences"]
            assert scores.margin == stored["told"]["margin"]
            assert scores.considered == stored["told"]["candidates"]
            told += 1
    assert told == 4


@pytest.mark.parametrize("version", VERSIONS)
def test_an_upgraded_turn_holds_what_was_stored_and_goes_through_json(version: int) -> None:
    for stored in stored_turns(version)[1:]:
        turn = as_row(stored)
        result = result_of(turn)
        evidence, was = result.evidence, stored["result"]
        assert isinstance(evidence, ExploratoryEvidence)
        assert result.saturation is not None
        assert result.saturation.model_dump() == stored["saturation"]
        assert [node.model_dump() for node in result.nodes_added] == was["nodes_added"]
        assert dict(evidence.figures()) == stored["signals"]
        assert set(evidence.node_figures()) >= {
            found["node_id"] for found in stored["decomposition"] if found["node_id"]
        }
        assert len(evidence.first_turns) == len(evidence.node_figures())
        assert evidence.best[0].final_score == stored["decomposition"][0]["final"]
        again = Turn(number=turn.number, result=json.loads(result.model_dump_json()))
        assert result_of(again) == result


@pytest.mark.parametrize("version", VERSIONS)
def test_an_opening_of_before_is_read(version: int) -> None:
    opening = as_row(stored_turns(version)[0])
    result = result_of(opening)
    assert (result.turn, result.mode, result.repairs) == (0, "exploratory", ())
    assert decision_of(opening, result).kind == "opening"


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({}, "turn 3 holds no decision trace of a known version"),
        ({"version": 99}, "turn 3 holds no decision trace of a known version"),
        ({"trace": {"schema_version": 3}}, "the record of turn 3 is damaged"),
        (
            {"version": 4, "mode": "exploratory", "turn": 3, "reason": 7},
            "the record of turn 3 is damaged at reason",
        ),
    ],
)
def test_what_cannot_be_read_says_which_turn_and_where(
    result: dict[str, Any], message: str
) -> None:
    turn = Turn(number=3, result=result)
    with pytest.raises(UnreadableTurn) as caught:
        result_of(turn)
    assert str(caught.value) == message
    assert readable_result_of(turn) is None


@pytest.mark.parametrize(
    ("intent", "act"),
    [
        ("answer", "answer"),
        ("refusal", "refuses"),
        ("already_told", "objects"),
        ("clarify", "not_understood"),
        ("end", "wants_to_stop"),
    ],
)
def test_an_intent_of_version_4_is_an_act_now(intent: str, act: str) -> None:
    counts = {"extractable": True, "concepts": 2, "relationships": 1}
    stored = {"version": 4, "mode": "m", "turn": 3, "extracted": {"intent": intent, **counts}}
    assert upgraded(stored, 3) == {
        "version": 5,
        "mode": "m",
        "turn": 3,
        "heard": {"act": act},
        "extracted": counts,
    }
    opening = {"version": 4, "mode": "m", "turn": 0, "extracted": None}
    assert upgraded(opening, 0) == opening | {"version": 5}
