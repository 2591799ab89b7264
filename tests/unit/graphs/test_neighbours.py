"""The nearest stored nodes and slots, and what is read to find them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pytest

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
