"""The backlog: ids, duplicates, and which question comes first."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphs.language.vectors import Vector
from interviews.modes.handover.material import SessionQuestion
from interviews.modes.handover.questions import Draft, merged, question_id
from interviews.modes.handover.rounds import fallback


def embed(texts: Sequence[str]) -> list[Vector]:
    """Texts of the same first word mean the same."""
    vectors = []
    for text in texts:
        vector = np.zeros(64, dtype=np.float32)
        vector[sum(map(ord, (text.split() or [""])[0])) % 64] = 1
        vectors.append(vector)
    return vectors


def draft(ident: str, key: str, *, kind: str = "threshold", priority: str = "P0") -> Draft:
    return Draft(
        id=ident,
        text=f"{key}?",
        about=key,
        key=key,
        kind=kind,
        priority="P0" if priority == "P0" else "P1",
        origin="FILE",
        reference=({"file": ident, "place": "line 1", "quote": key},),
    )


def test_an_id_is_a_prefix_and_eight_hex_digits_and_the_same_for_the_same() -> None:
    assert re.fullmatch(r"followup-[0-9a-f]{8}", question_id("followup", "why"))
    assert question_id("file", "a") == question_id("file", "a") != question_id("file", "b")


def test_duplicates_keep_the_higher_priority_and_both_places() -> None:
    kept = merged([draft("a", "cap rule", priority="P1"), draft("b", "cap rule")], embed=embed)
    assert [one.id for one in kept] == ["b"]
    assert [place["file"] for place in kept[0].reference] == ["b", "a"]


def test_two_numbers_are_two_questions_however_alike_they_read() -> None:
    kept = merged([draft("a", "cap 0.3"), draft("b", "cap 0.4")], embed=embed)
    assert [one.id for one in kept] == ["a", "b"]


def test_contradictions_and_gaps_come_first() -> None:
    kept = merged(
        [
            draft("t", "alpha"),
            draft("p", "person", kind="person", priority="P1"),
            draft("g", "gap", kind="gap"),
            draft("c", "conflict", kind="contradiction"),
        ],
        embed=embed,
    )
    assert [one.id for one in kept] == ["c", "g", "t", "p"]


def asked(ident: str, priority: str, position: int) -> SessionQuestion:
    return SessionQuestion(
        question_id=ident,
        text=ident,
        priority="P0" if priority == "P0" else "P1",
        position=position,
    )


def test_follow_ups_come_first_then_p0_then_the_nearest_then_the_oldest() -> None:
    questions = [
        asked("file-1", "P1", 0),
        asked("file-2", "P0", 1),
        asked("global-3", "P0", 2),
        asked("followup-4", "P0", 3),
    ]
    assert fallback(questions, "", embed).question_id == "followup-4"
    assert fallback(questions[:3], "", embed).question_id == "file-2"
    assert fallback(questions[:3], "global-3 was said", embed).question_id == "global-3"
    assert fallback(questions[:1], "", embed).question_id == "file-1"


@given(
    st.lists(
        st.tuples(st.sampled_from(["file", "followup"]), st.sampled_from(["P0", "P1"])),
        min_size=1,
        max_size=12,
    ),
    st.text(max_size=20),
)
def test_what_is_chosen_is_open_and_nothing_is_more_urgent(
    kinds: list[tuple[str, str]], said: str
) -> None:
    questions = [asked(f"{kind}-{n}", priority, n) for n, (kind, priority) in enumerate(kinds)]
    chosen = fallback(questions, said, embed)

    def urgency(question: SessionQuestion) -> tuple[bool, str]:
        return not question.question_id.startswith("followup-"), question.priority

    assert chosen in questions
    assert urgency(chosen) == min(map(urgency, questions))
