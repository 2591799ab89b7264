"""How far an interview is, and how long it still takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.chat.words import time_left
from interviews.pace import pace_of

pytestmark = pytest.mark.unit


def test_it_begins_with_a_guess_and_learns_the_respondents_own_pace() -> None:
    assert pace_of(answered=0, left=15, active_seconds=0).minutes_left == 12
    slow = pace_of(answered=5, left=10, active_seconds=5 * 120)
    quick = pace_of(answered=5, left=10, active_seconds=5 * 15)
    assert (slow.minutes_left, quick.minutes_left) == (17, 5)
    assert slow.progress == quick.progress == pytest.approx(1 / 3)


def test_a_time_budget_ends_it_earlier() -> None:
    found = pace_of(answered=5, left=10, active_seconds=600, budget_minutes=12)
    assert found.minutes_left == 2
    assert pace_of(answered=5, left=0, active_seconds=900, budget_minutes=12).minutes_left == 0


@given(
    answered=st.integers(0, 60),
    left=st.integers(0, 60),
    seconds=st.floats(0, 20_000),
    budget=st.none() | st.integers(1, 90),
)
def test_it_is_never_out_of_range(
    answered: int, left: int, seconds: float, budget: int | None
) -> None:
    found = pace_of(answered=answered, left=left, active_seconds=seconds, budget_minutes=budget)
    assert 0 <= found.progress <= 1
    assert found.minutes_left >= (1 if left and answered == 0 else 0)
    assert (found.minutes_left == 0) is (left == 0)


@pytest.mark.parametrize(
    ("questions", "minutes", "words"),
    [
        (0, 0, "This is the last question"),
        (1, 1, "This is the last question"),
        (2, 2, "One more question after this one"),
        (3, 2, "2 more questions after this one"),
        (4, 1, "About a minute left"),
        (9, 7, "About 7 minutes left"),
    ],
)
def test_few_questions_are_counted_and_many_are_told_in_minutes(
    questions: int, minutes: int, words: str
) -> None:
    assert time_left(questions, minutes) == words
