"""The worker inside the serving process: what it takes, how often, and what stopping leaves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from interview_project.worker import EmbeddedWorker

PATIENCE = 30.0


@pytest.fixture
def working() -> Iterator[Callable[..., EmbeddedWorker]]:
    workers: list[EmbeddedWorker] = []

    def make(work: Callable[[str], object], threads: int) -> EmbeddedWorker:
        worker = EmbeddedWorker(threads=threads, work=work)
        worker.start()
        workers.append(worker)
        return worker

    yield make
    for worker in workers:
        worker.stop()


def test_a_turn_that_waits_for_a_thread_is_taken_once_however_often_it_is_delivered(
    working: Callable[..., EmbeddedWorker],
) -> None:
    gate, done, worked = threading.Event(), threading.Event(), []

    def work(turn_id: str) -> None:
        gate.wait(PATIENCE)
        worked.append(turn_id)
        if turn_id == "last":
            done.set()

    worker = working(work, 1)
    for turn_id in ("first", "second", "second", "second"):
        worker.take(turn_id)
    worker.take("last")
    gate.set()
    assert done.wait(PATIENCE)
    assert worked == ["first", "second", "last"]


def test_a_turn_that_fails_in_an_unforeseen_way_takes_no_thread_with_it(
    working: Callable[..., EmbeddedWorker],
) -> None:
    worked: list[str] = []
    done = threading.Event()

    def work(turn_id: str) -> None:
        if turn_id == "broken":
            raise RuntimeError(turn_id)
        worked.append(turn_id)
        done.set()

    worker = working(work, 1)
    worker.take("broken")
    worker.take("whole")
    assert done.wait(PATIENCE)
    assert worked == ["whole"]


def test_stopping_waits_for_what_runs_and_leaves_the_rest_to_the_next_start(
    working: Callable[..., EmbeddedWorker],
) -> None:
    begun, gate, worked = threading.Event(), threading.Event(), []

    def work(turn_id: str) -> None:
        begun.set()
        gate.wait(PATIENCE)
        worked.append(turn_id)

    worker = working(work, 1)
    worker.take("running")
    worker.take("waiting")
    assert begun.wait(PATIENCE)
    assert not worker.stop(timeout=0)
    assert not worker.alive()
    gate.set()
    worker.take("after the end")
    again = working(worked.append, 1)
    assert again.stop()
    assert "waiting" not in worked
    assert "after the end" not in worked
