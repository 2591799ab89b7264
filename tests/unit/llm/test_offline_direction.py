"""Which way the wordings lead, and what a question asks for."""

from __future__ import annotations

import pytest

from interviews.llm.providers.offline.direction import Direction, asked_kinds, direction_of
from interviews.llm.providers.offline.wording import bank


@pytest.mark.parametrize(
    ("move", "direction"),
    [
        ("consequence", Direction.UP),
        ("consequence_inner", Direction.UP),
        ("consequence_negative", Direction.UP),
        ("importance", Direction.UP),
        ("absence", Direction.UP),
        ("absence_inner", Direction.UP),
        ("concretise", Direction.DOWN),
        ("source", Direction.DOWN),
    ],
)
def test_the_wordings_lead_where_their_move_leads(move: str, direction: Direction) -> None:
    for template in bank()["moves"][move]:
        for point in ("that", "the red handle", "not having to rush"):
            question = template.format(it=point, it_bare="red handle", said="“x”", subject="tea")
            assert direction_of(question) is not _OTHER[direction], question


_OTHER = {Direction.UP: Direction.DOWN, Direction.DOWN: Direction.UP}


@pytest.mark.parametrize(
    "ask", ["What is it about {s} that brings it about?", "Which side of {s} has to do with it?"]
)
def test_a_question_for_the_ground_asks_for_features(ask: str) -> None:
    assert "feature" in asked_kinds(ask.format(s="your backpack"))
