"""How fast an interview may be written to, and how many sockets it may hold."""

from __future__ import annotations

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from interviews.chat.limits import AnswerRate, OpenSockets

ONE, OTHER = UUID(int=1), UUID(int=2)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_of_five_passes_and_the_sixth_waits_a_second() -> None:
    clock = Clock()
    rate = AnswerRate(clock=clock)
    assert [rate.allow(ONE) for _ in range(6)] == [True] * 5 + [False]
    clock.now += 0.9
    assert rate.allow(ONE) is False
    clock.now += 0.1
    assert rate.allow(ONE) is True
    assert rate.allow(ONE) is False


def test_one_interview_does_not_slow_another() -> None:
    rate = AnswerRate(clock=Clock())
    for _ in range(6):
        rate.allow(ONE)
    assert rate.allow(OTHER) is True


def test_interviews_that_rest_are_forgotten() -> None:
    clock = Clock()
    rate = AnswerRate(clock=clock)
    for number in range(50):
        rate.allow(UUID(int=number))
    assert len(rate) == 50
    clock.now += 6
    rate.allow(ONE)
    assert len(rate) == 1


@given(st.lists(st.floats(min_value=0, max_value=3), max_size=80))
def test_never_more_than_the_burst_and_one_a_second(pauses: list[float]) -> None:
    clock = Clock()
    rate = AnswerRate(clock=clock)
    allowed = 0
    for pause in pauses:
        clock.now += pause
        allowed += rate.allow(ONE)
    assert allowed <= 5 + sum(pauses) + 1e-6


def test_a_fourth_socket_is_refused_until_one_leaves() -> None:
    sockets = OpenSockets()
    assert [sockets.enter(ONE) for _ in range(4)] == [True, True, True, False]
    assert sockets.enter(OTHER) is True
    sockets.leave(ONE)
    assert sockets.enter(ONE) is True
    assert sockets.count(ONE) == 3


def test_the_count_ends_at_nothing() -> None:
    sockets = OpenSockets()
    sockets.enter(ONE)
    sockets.leave(ONE)
    sockets.leave(ONE)
    assert sockets.count(ONE) == 0
    assert sockets.enter(ONE) is True
