"""What a process keeps of interviews between their turns."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from graphs.domain import SessionGraph
from graphs.neighbours import Neighbours
from graphs.resident import Resident, ResidentGraphs
from graphs.tracker import NodeStateTracker


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def kept(clock: Clock) -> ResidentGraphs:
    return ResidentGraphs(most_nodes=5, seconds=60, clock=clock)


def read_nothing(types: Collection[str]) -> dict[object, object]:
    return {}


def resident(nodes: int) -> Resident:
    graph = SessionGraph()
    for number in range(nodes):
        graph.add_node(label=str(number), node_type="a", turn=1)
    neighbours = Neighbours(read_nothing)  # type: ignore[arg-type]
    return Resident(graph=graph, neighbours=neighbours, tracker=NodeStateTracker(), version=1)


def test_a_graph_is_handed_over_once(kept: ResidentGraphs) -> None:
    mine = resident(2)
    kept.keep("one", mine)
    assert kept.take("other") is None
    assert kept.take("one") is mine
    assert kept.take("one") is None


def test_the_longest_unused_go_where_there_are_too_many_nodes(kept: ResidentGraphs) -> None:
    for session in ("one", "two", "one", "three"):
        kept.keep(session, resident(2))
    assert kept.take("two") is None
    assert kept.take("one")
    assert kept.take("three")


def test_a_graph_too_large_to_keep_is_not_kept(kept: ResidentGraphs) -> None:
    kept.keep("one", resident(1))
    kept.keep("other", resident(1))
    kept.keep("one", resident(6))
    assert kept.take("one") is None
    assert kept.take("other")


def test_who_has_not_answered_for_long_is_forgotten(kept: ResidentGraphs, clock: Clock) -> None:
    kept.keep("one", resident(1))
    clock.now = 59
    kept.keep("two", resident(1))
    clock.now = 61
    kept.keep("three", resident(1))
    assert kept.take("one") is None
    assert kept.take("two")


def test_an_erased_session_is_forgotten(kept: ResidentGraphs) -> None:
    kept.keep("one", resident(1))
    kept.forget("one")
    kept.forget("never seen")
    assert kept.take("one") is None
