from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from graphs.language.once import once

THREADS = 4


def test_threads_that_ask_at_once_wait_for_the_first() -> None:
    loads: list[object] = []
    barrier, loading = Barrier(THREADS), Event()

    @once
    def load() -> object:
        loads.append(object())
        loading.wait(timeout=0.05)  # nobody sets it: the others ask meanwhile
        return loads[-1]

    def ask(_: int) -> object:
        barrier.wait()
        return load()

    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(ask, range(THREADS)))
    assert found == loads * THREADS


def test_each_argument_is_loaded_for_itself() -> None:
    loads: list[str] = []

    @once
    def load(name: str) -> str:
        loads.append(name)
        return name.upper()

    assert [load("a"), load("b"), load("a")] == ["A", "B", "A"]
    assert loads == ["a", "b"]


def test_a_failure_is_not_remembered() -> None:
    tries: list[int] = []

    @once
    def load() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("not there yet")
        return "there"

    with pytest.raises(OSError, match="not there yet"):
        load()
    assert load() == "there"
