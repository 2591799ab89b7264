"""Longest paths over random graphs, cycles included."""

from __future__ import annotations

from itertools import pairwise, permutations

from hypothesis import given
from hypothesis import strategies as st

from graphs.paths import components, longest_paths, longest_steps

NODES = ("a", "b", "c", "d", "e")
Edges = list[tuple[str, str]]
edges = st.lists(st.sampled_from(list(permutations(NODES, 2))), max_size=9, unique=True)


def successors_of(found: Edges) -> dict[str, list[str]]:
    return {node: [target for source, target in found if source == node] for node in NODES}


def longest_by_trying(found: Edges) -> int:
    """Components on the longest walk that enters none of them twice, by trying every order."""
    head_of = {n: group[0] for group in components(NODES, successors_of(found)) for n in group}
    joined = {(head_of[source], head_of[target]) for source, target in found}
    heads = sorted(set(head_of.values()))
    return max(
        size
        for size in range(1, len(heads) + 1)
        for order in permutations(heads, size)
        if all(step in joined for step in pairwise(order))
    )


@given(found=edges)
def test_steps_are_counted_as_by_trying_every_path(found: Edges) -> None:
    successors = successors_of(found)
    assert longest_steps(NODES, successors) == longest_by_trying(found)
    assert longest_paths(NODES, successors).length == longest_by_trying(found)


@given(found=edges)
def test_a_path_is_a_path_and_as_long_as_it_says(found: Edges) -> None:
    successors = successors_of(found)
    result = longest_paths(NODES, successors)
    assert len(result.path) == result.length == max(result.ending_at.values())
    assert result.ending_at[result.path[-1]] == result.length


def test_without_nodes_there_is_no_step() -> None:
    assert longest_steps((), {}) == longest_paths((), {}).length == 0
