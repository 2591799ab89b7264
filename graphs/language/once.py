"""What is loaded once a process, when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from threading import RLock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def once(load: Callable[P, T]) -> Callable[P, T]:
    """Remember what `load` returns for each set of (hashable) arguments.

    Threads that ask at once wait for the first, where `functools.cache` alone would load for each.
    What is raised is raised again at the next call, not remembered.
    """
    remembered = cache(load)
    lock = RLock()

    @wraps(load)
    def loaded(*given: P.args, **named: P.kwargs) -> T:
        with lock:
            return remembered(*given, **named)  # type: ignore[arg-type]

    return loaded
