"""Turns that an older release stored, in a database that is brought up to date."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interviews.explain.interpreter import decision_of
from interviews.models import Turn
from interviews.record import result_of
from tests.factories import SessionFactory, TurnFactory, UtteranceFactory
from tests.integration.pipeline.migrating import migrated

pytestmark = pytest.mark.django_db(transaction=True)

STORED = Path(__file__).parents[2] / "data" / "turns" / "v3.json"
COLUMNS = ("signals", "node_signals", "decomposition", "saturation", "result")
BEFORE = [("interviews", "0007_speak_known_languages")]


def test_turns_in_five_columns_become_one_record(up_to_date: list[tuple[str, str]]) -> None:
    stored: dict[str, Any] = json.loads(STORED.read_text())["turns"][1]
    session = SessionFactory.create()
    answer = UtteranceFactory.create(session=session, turn_number=4, speaker="respondent")
    pk = TurnFactory.create(session=session, number=4, answer=answer).pk
    old = migrated(BEFORE).get_model("interviews", "Turn")
    old.objects.filter(pk=pk).update(**{name: stored[name] for name in COLUMNS})
    migrated(up_to_date)
    turn = Turn.objects.get(pk=pk)
    result = result_of(turn)
    scores = decision_of(turn, result).rationale.scores
    assert scores is not None
    assert [found.candidate.rank for found in scores.best] == [1, 2, 3]
    assert result.saturation is not None
    assert result.saturation.model_dump() == stored["saturation"]
    back = migrated(BEFORE).get_model("interviews", "Turn").objects.get(pk=pk)
    assert {name: getattr(back, name) for name in COLUMNS} == {
        name: stored[name] for name in COLUMNS
    }
