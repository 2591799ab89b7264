"""The lane: how many compute, who goes first, and what a turn gives up while it waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import copy_context

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interviews.turns.lane import Lane, computing, cores, waiting

PATIENCE = 30.0


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(160) as pool:
        yield pool


def test_64_turns_wait_for_a_model_at_once_while_others_compute(
    threads: ThreadPoolExecutor,
) -> None:
    lane, model = Lane(2), threading.Event()
    asked = threading.Barrier(65)

    def turn(name: str) -> str:
        with lane.turn(name), waiting():
            asked.wait(PATIENCE)
            assert model.wait(PATIENCE)
        return name

    names = [f"turn {number}" for number in range(64)]
    turns = [threads.submit(turn, name) for name in names]
    asked.wait(PATIENCE)
    assert lane.under_way() == frozenset(names)
    assert lane.computing() == 0
    with lane.turn("one that only computes") as place:
        assert place is not None
        assert lane.computing() == 1
    model.set()
    assert [turn.result(PATIENCE) for turn in turns] == names
    assert lane.under_way() == frozenset()


@settings(max_examples=25)
@given(width=st.integers(1, 4), waits=st.lists(st.integers(0, 3), min_size=1, max_size=12))
def test_never_more_than_its_width_compute_whoever_comes_and_goes(
    width: int, waits: list[int]
) -> None:
    lane, most, now, lock = Lane(width), 0, 0, threading.Lock()

    def compute() -> None:
        nonlocal most, now
        with lock:
            now += 1
            most = max(most, now)
        with lock:
            now -= 1

    def turn(name: str, times: int) -> None:
        with lane.turn(name):
            for _ in range(times):
                compute()
                with waiting():
                    pass
            compute()

    with ThreadPoolExecutor(len(waits)) as pool:
        for done in [pool.submit(turn, str(n), times) for n, times in enumerate(waits)]:
            done.result(PATIENCE)
    assert 1 <= most <= width
    assert lane.computing() == 0


def test_a_turn_that_comes_back_from_its_model_goes_before_those_that_began_later(
    threads: ThreadPoolExecutor,
) -> None:
    lane, order = Lane(1), []
    asked, model, back = threading.Event(), threading.Event(), threading.Event()

    def early() -> None:
        with lane.turn("early"):
            with waiting():
                asked.set()
                model.wait(PATIENCE)
                back.set()
            order.append("early")

    def late(name: str) -> None:
        with lane.turn(name):
            order.append(name)

    first = threads.submit(early)
    assert asked.wait(PATIENCE)
    with lane.turn("computing"):
        later = [threads.submit(late, "second")]
        _until(lambda: _queued(lane) == 1)
        later.append(threads.submit(late, "third"))
        _until(lambda: _queued(lane) == 2)
        model.set()
        assert back.wait(PATIENCE)
        _until(lambda: _queued(lane) == 3)
    for turn in (first, *later):
        turn.result(PATIENCE)
    assert order == ["early", "second", "third"]


def test_a_turn_that_is_under_way_is_not_begun_a_second_time() -> None:
    lane = Lane(2)
    with lane.turn("turn") as first, lane.turn("turn") as second:
        assert first is not None
        assert second is None
    with lane.turn("turn") as again:
        assert again is not None


def test_what_is_scarce_is_given_back_by_who_leaves_to_wait_and_by_nobody_else(
    threads: ThreadPoolExecutor,
) -> None:
    given_back: list[int] = []
    lane = Lane(1, on_leave=lambda: given_back.append(threading.get_ident()))
    with lane.turn("turn"), ExitStack() as away:
        context = copy_context()
        assert given_back == []
        away.enter_context(waiting())
        assert given_back == [threading.get_ident()]

        def help_out() -> int:
            with computing(), computing():
                return lane.computing()

        assert threads.submit(context.run, help_out).result(PATIENCE) == 1
    assert given_back == [threading.get_ident()]


def test_outside_a_turn_there_is_no_lane_to_hold_or_leave() -> None:
    with computing(), waiting(), computing():
        pass


def test_the_clock_of_a_turn_stands_still_while_it_queues_for_the_processor() -> None:
    now = 0.0
    lane = Lane(1, clock=lambda: now)
    with lane.turn("turn") as place:
        assert place is not None
        with waiting():
            now += 3.0  # the model's time is the turn's own
            other = threading.Thread(target=lambda: None)
            lane.take(0)

            def free_the_lane() -> None:
                nonlocal now
                _until(lambda: _queued(lane) == 1)
                now += 40.0
                lane.leave()

            other = threading.Thread(target=free_the_lane)
            other.start()
        other.join(PATIENCE)
        assert place.clock() == 3.0
        assert place.queued == 40.0


def test_a_turn_that_fails_leaves_its_place_to_the_next() -> None:
    lane = Lane(1)
    with pytest.raises(RuntimeError), lane.turn("turn"), waiting():
        raise RuntimeError
    with pytest.raises(RuntimeError), lane.turn("turn"):
        raise RuntimeError
    assert (lane.computing(), lane.under_way()) == (0, frozenset())


def test_a_lane_is_at_least_one_wide_and_by_default_as_wide_as_the_processor() -> None:
    with pytest.raises(ValueError, match="lets nobody through"):
        Lane(0)
    assert cores() >= 1


def _queued(lane: Lane) -> int:
    return len(lane._queue)


def _until(condition: Callable[[], bool]) -> None:
    """Wait for other threads to get somewhere."""
    tick = threading.Event()
    for _ in range(3000):
        if condition():
            return
        tick.wait(0.01)
    raise AssertionError("it did not happen")
