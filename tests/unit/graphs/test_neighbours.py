"""The nearest stored nodes and slots, and what is read to find them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pytest

from graphs.domain import SessionGraph, Slot
from graphs.neighbours import Kind, Neighbours, StoredVectors

NODES = StoredVectors(
    ids=("east", "north", "north-east"),
    rows=np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32),
)
SLOTS = StoredVectors(ids=("up",), rows=np.array([[0, 1]], dtype=np.float32))
NORTH, EAST = np.array([0, 1], dtype=np.float32), np.array([1, 0], dtype=np.float32)


class Table:
    """Vectors of type "a"; remembers which types were read."""

    def __init__(self) -> None:
        self.read: list[set[str]] = []

    def __call__(self, types: Collection[str]) -> Mapping[tuple[Kind, str], StoredVectors]:
        self.read.append(set(types))
        return {("node", "a"): NODES, ("slot", "a"): SLOTS} if "a" in types else {}


def test_the_most_similar_come_first_and_no_more_than_wanted() -> None:
    (found,) = Neighbours(Table()).nodes([("a", NORTH)], 2)
    assert [owner for owner, _ in found] == ["north", "north-east"]
    assert [cosine for _, cosine in found] == pytest.approx([1.0, 0.8])


def test_a_type_is_read_once_for_nodes_and_slots_and_all_types_asked_for_at_once() -> None:
    table = Table()
    near = Neighbours(table)
    assert near.nodes([("a", EAST), ("b", EAST)], 1) == [[("east", 1.0)], []]
    assert near.slots([("a", NORTH)], 3) == [[("up", 1.0)]]
    assert near.slots([("b", NORTH), ("c", NORTH)], 3) == [[], []]
    assert table.read == [{"a", "b"}, {"c"}]


def test_nothing_is_read_where_nothing_is_asked() -> None:
    table = Table()
    assert Neighbours(table).nodes([], 3) == []
    assert table.read == []


def test_a_cosine_is_never_above_one() -> None:
    long = np.array([1.0000001, 0], dtype=np.float32)
    stored = StoredVectors(ids=("x",), rows=long[None, :])
    assert stored.nearest(long, 1) == [("x", 1.0)]


def test_what_a_turn_stored_is_found_by_the_next_and_not_twice_where_it_is_read_later() -> None:
    table, graph = Table(), SessionGraph()
    near = Neighbours(table)
    near.nodes([("a", EAST)], 1)
    south_east = np.array([0.6, -0.8], dtype=np.float32)
    new = graph.add_node(label="south-east", node_type="a", turn=1, vector=south_east)
    graph.add_node(label="elsewhere", node_type="b", turn=1, vector=EAST)
    graph.put_slot(
        Slot(id="down", slot_name="down", description="", node_type="a"), np.negative(NORTH)
    )
    near.settle(graph, graph.settle())
    assert [owner for owner, _ in near.nodes([("a", south_east)], 2)[0]] == [new.id, "east"]
    assert [owner for owner, _ in near.slots([("a", -NORTH)], 5)[0]] == ["down", "up"]
    # Type b was not read yet: what it has, the database gives.
    assert near.nodes([("b", EAST)], 5) == [[]]
    assert table.read == [{"a"}, {"b"}]


def test_the_first_of_a_type_is_found_by_the_next_turn() -> None:
    near, graph = Neighbours(Table()), SessionGraph()
    near.nodes([("b", EAST)], 1)
    first = graph.add_node(label="first", node_type="b", turn=1, vector=EAST)
    near.settle(graph, graph.settle())
    assert near.nodes([("b", EAST)], 1) == [[(first.id, 1.0)]]
