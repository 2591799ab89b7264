"""Grouping slots into themes: by hand, by an independent computation, and around decisions."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from graphs.grouping import Group, Slot, group_slots


def slot(name: str, *numbers: float, support: int = 1, node_type: str = "a") -> Slot:
    vector = np.array(numbers, dtype=np.float32)
    vector /= np.linalg.norm(vector)
    return Slot(
        id=name, name=name, description="", node_type=node_type, support=support, vector=vector
    )


def names(groups: list[Group]) -> list[list[str]]:
    return sorted(sorted(group.members) for group in groups)


def test_the_best_supported_opens_a_theme_and_draws_what_is_near_to_it() -> None:
    # cosines: x–y 0.8, y–z 0.8, x–z 0.28
    x, y, z = slot("x", 1, 0), slot("y", 0.8, 0.6), slot("z", 0.28, 0.96)
    assert names(group_slots([x, y, z])) == [["x", "y"], ["z"]]
    assert names(group_slots([x, replace(y, support=3), z])) == [["x", "y", "z"]]
    (group,) = group_slots([x, replace(y, support=3), z])
    assert group.members["y"] is None
    assert round(group.members["x"] or 0, 6) == 0.8


def test_seventy_hundredths_are_enough_and_less_is_not() -> None:
    assert names(group_slots([slot("x", 1, 0), slot("y", 0.7001, 0.71405)])) == [["x", "y"]]
    assert names(group_slots([slot("x", 1, 0), slot("y", 0.6999, 0.71425)])) == [["x"], ["y"]]


def test_types_never_mix() -> None:
    assert names(group_slots([slot("x", 1), slot("y", 1, node_type="b")])) == [["x"], ["y"]]


def test_slots_without_a_vector_join_by_equal_words() -> None:
    bare = [replace(slot(one, 1), vector=None, name="same") for one in "pq"]
    other = replace(slot("r", 1), vector=None, name="other")
    assert names(group_slots([*bare, other])) == [["p", "q"], ["r"]]


def test_what_a_person_decided_stays_and_draws_to_the_nearest() -> None:
    x = replace(slot("x", 1, 0), theme="T", decided=True, anchor=True)
    far = replace(slot("far", 0, 1), theme="T", decided=True, anchor=True)
    apart = replace(slot("apart", 0.98, 0.199), theme="U", decided=True, anchor=True)
    new, near = slot("new", 0.1, 0.99), slot("near", 0.95, 0.3)
    groups = {
        group.theme: sorted(group.members) for group in group_slots([x, far, apart, new, near])
    }
    assert groups == {"T": ["far", "new", "x"], "U": ["apart", "near"]}


def test_groups_go_on_the_themes_that_hold_most_of_their_slots() -> None:
    x, y = replace(slot("x", 1, 0), theme="T"), replace(slot("y", 0.8, 0.6), theme="U")
    z = replace(slot("z", 0.75, 0.66), theme="U")
    assert [group.theme for group in group_slots([x, y, z])] == ["U"]
    assert {group.theme for group in group_slots([x, slot("new", 0, 1)])} == {"T", None}


def test_numpy_groups_the_same() -> None:
    for seed in range(30):
        chance = np.random.default_rng(seed)
        size = int(chance.integers(1, 25))
        vectors = chance.normal(size=(size, 4))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        support = chance.integers(1, 5, size=size)
        slots = [
            slot(f"s{n:02}", *vectors[n].tolist(), support=int(support[n])) for n in range(size)
        ]
        shuffled = list(slots)
        random.Random(seed).shuffle(shuffled)
        cosines = np.round(vectors @ vectors.T, 5)
        left = sorted(range(size), key=lambda n: (-support[n], n))
        expected = []
        while left:
            group = [n for n in left if n == left[0] or cosines[left[0], n] >= 0.7]
            expected.append(sorted(f"s{n:02}" for n in group))
            left = [n for n in left if n not in group]
        assert names(group_slots(shuffled)) == sorted(expected)
