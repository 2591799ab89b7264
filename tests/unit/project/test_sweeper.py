"""The sweeper goes on whatever happens."""

from __future__ import annotations

import threading

from interview_project.sweeper import Sweeper


def test_a_sweep_that_fails_does_not_end_the_sweeping() -> None:
    calls = 0
    enough = threading.Event()

    def sweep() -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            enough.set()
        raise ValueError("no database")

    sweeper = Sweeper(sweep, seconds=0.001)
    sweeper.start()
    assert enough.wait(5)
    sweeper.stop()
    assert "sweeper" not in {thread.name for thread in threading.enumerate()}


def test_a_stopped_sweeper_sweeps_no_more_and_can_start_again() -> None:
    swept = threading.Event()
    sweeper = Sweeper(swept.set, seconds=0.001)
    sweeper.stop()
    assert not swept.is_set()
    sweeper.start()
    assert swept.wait(5)
    sweeper.stop()
    swept.clear()
    sweeper.start()
    assert swept.wait(5)
    sweeper.stop()
