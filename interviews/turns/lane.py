"""The lane in which turns use the processor, and which they leave while they wait for a model.

Hundreds of turns may be under way in a process, each on a thread of its own; only as many as there
are cores compute at a time. Threads that all computed at once would take the interpreter's lock
from one another, and everything else in the process, accepting answers first of all, would wait
behind them.

Whoever wants to compute is let in by the order in which the turns came: a turn that comes back
from its model goes before turns that began later, so that turns end instead of all going on at
once. Around the turn stands :meth:`Lane.turn`; what it calls says only :func:`waiting` or
:func:`computing`, and both do nothing outside a turn.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

Clock = Callable[[], float]


def cores() -> int:
    """How many cores this process may use: those it is held to, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Lane:
    """Lets `width` turns compute at a time.

    `on_leave` is called by a turn's thread before it leaves the lane to wait: what is scarce is
    given back there. `clock` is monotonic seconds.
    """

    def __init__(
        self,
        width: int,
        *,
        on_leave: Callable[[], None] = lambda: None,
        clock: Clock = time.monotonic,
    ) -> None:
        if width < 1:
            raise ValueError(f"a lane {width} wide lets nobody through")
        self.width = width
        self.on_leave = on_leave
        self.clock = clock
        self._free = width
        self._queue: list[tuple[int, int, threading.Event]] = []
        self._arrivals = count()
        self._turns: dict[str, Place] = {}
        self._lock = threading.Lock()

    @contextmanager
    def turn(self, name: str) -> Iterator[Place | None]:
        """Wait for the lane and hold it until the block is left.

        Gives None at once, and holds nothing, where a turn of this name is under way here.
        """
        with self._lock:
            place = None
            if name not in self._turns:
                place = self._turns[name] = Place(lane=self, number=next(self._arrivals))
        if place is None:
            yield None
            return
        token = _place.set(place)
        try:
            with computing():
                yield place
        finally:
            _place.reset(token)
            with self._lock:
                del self._turns[name]

    def under_way(self) -> frozenset[str]:
        """The turns that are computing, or waiting for the lane or for a model."""
        with self._lock:
            return frozenset(self._turns)

    def computing(self) -> int:
        """How many threads hold the lane."""
        with self._lock:
            return self.width - self._free

    def take(self, number: int) -> None:
        """Wait until the lane is free for the turn of this number."""
        with self._lock:
            if self._free:
                self._free -= 1
                return
            mine = threading.Event()
            heappush(self._queue, (number, next(self._arrivals), mine))
        mine.wait()

    def leave(self) -> None:
        """Let the earliest turn in that waits."""
        with self._lock:
            if self._queue:
                heappop(self._queue)[-1].set()
            else:
                self._free += 1


@dataclass(slots=True, kw_only=True)
class Place:
    """A turn's place in a lane: its number by arrival, and the seconds it had to queue again."""

    lane: Lane
    number: int
    queued: float = 0.0

    def clock(self) -> float:
        """Monotonic seconds that stand still while the turn queues: others' time is not its own."""
        return self.lane.clock() - self.queued


_place: ContextVar[Place | None] = ContextVar("place", default=None)
_thread = threading.local()


def _holds() -> bool:
    return getattr(_thread, "holds", False)


@contextmanager
def computing() -> Iterator[None]:
    """Hold the turn's lane for something that needs the processor.

    For threads that work for a turn besides its own; where the lane is held already, or there is
    no turn, the block just runs.
    """
    place = _place.get()
    if place is None or _holds():
        yield
        return
    place.lane.take(place.number)
    _thread.holds = True
    try:
        yield
    finally:
        _thread.holds = False
        place.lane.leave()


@contextmanager
def waiting() -> Iterator[None]:
    """Leave the lane for as long as the block waits for somebody else, if it is held."""
    place = _place.get()
    if place is None or not _holds():
        yield
        return
    place.lane.on_leave()
    _thread.holds = False
    place.lane.leave()
    try:
        yield
    finally:
        came_back = place.lane.clock()
        place.lane.take(place.number)
        _thread.holds = True
        place.queued += place.lane.clock() - came_back
