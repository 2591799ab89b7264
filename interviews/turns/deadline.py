"""How much wall-clock time a turn has left."""

from __future__ import annotations

from collections.abc import Callable


class Deadline:
    """Counts down from `seconds` by a monotonic clock given from outside."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ends = clock() + seconds

    def left(self) -> float:
        """Seconds left, never below 0."""
        return max(self._ends - self._clock(), 0.0)
