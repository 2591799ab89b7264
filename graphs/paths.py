"""Longest paths over a session graph's chain edges, cycles included.

A longest path is only well defined without cycles, so each strongly connected component counts as
one step of a path (the graph is condensed first). Where the ontology declares levels, the length
of a path is the number of distinct levels met on it, otherwise its number of steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Successors = Mapping[str, Sequence[str]]


def components(nodes: Iterable[str], successors: Successors) -> list[list[str]]:
    """Strongly connected components, every component before those that lead to it.

    O(nodes + edges). A graph without cycles, which most are, is merely put in order; for the
    others Tarjan's algorithm, without recursion. Successors outside `nodes` must not occur.
    """
    nodes = list(nodes)
    order = _acyclic_order(nodes, successors)
    if order is not None:
        return [[node] for node in reversed(order)]
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []
    for root in nodes:
        if root in index:
            continue
        work: list[tuple[str, Iterator[str]]] = []
        _enter(root, index, low, stack, on_stack, work, successors)
        while work:
            node, remaining = work[-1]
            child = next(remaining, None)
            if child is None:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    found.append(_pop_component(node, stack, on_stack))
            elif child not in index:
                _enter(child, index, low, stack, on_stack, work, successors)
            elif child in on_stack:
                low[node] = min(low[node], index[child])
    return found


def _acyclic_order(nodes: Sequence[str], successors: Successors) -> list[str] | None:
    """Every node before those that it leads to, by Kahn's algorithm; None where a cycle is."""
    waiting_for = Counter(target for targets in successors.values() for target in targets)
    order = [node for node in nodes if node not in waiting_for]
    for node in order:  # grows while it is walked
        for target in successors.get(node, ()):
            waiting_for[target] -= 1
            if not waiting_for[target]:
                order.append(target)
    return order if len(order) == len(nodes) else None


def _enter(
    node: str,
    index: dict[str, int],
    low: dict[str, int],
    stack: list[str],
    on_stack: set[str],
    work: list[tuple[str, Iterator[str]]],
    successors: Successors,
) -> None:
    index[node] = low[node] = len(index)
    stack.append(node)
    on_stack.add(node)
    work.append((node, iter(successors.get(node, ()))))


def _pop_component(root: str, stack: list[str], on_stack: set[str]) -> list[str]:
    component: list[str] = []
    while True:
        node = stack.pop()
        on_stack.discard(node)
        component.append(node)
        if node == root:
            return component


@dataclass(slots=True)
class _Step:
    """The best path found that ends in one component with one set of levels met."""

    node: str
    mask: int
    steps: int
    previous: _Step | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LongestPaths:
    """What a longest-path pass found.

    `length` is the longest path's length, `ending_at` the same per node over paths that end there;
    both count distinct levels where levels were given, else steps. `path` is the longest path, from
    its start; a cycle on it is shown by one of its nodes.
    """

    length: int
    path: tuple[str, ...]
    ending_at: Mapping[str, int]


def longest_paths(
    nodes: Sequence[str],
    successors: Successors,
    bit_of: Callable[[str], int] | None = None,
) -> LongestPaths:
    """Find the longest path of the condensed graph.

    `bit_of` gives a node's level as a one-bit mask (0 for none); without it, steps are counted.
    Ties go to the path with more steps, then to the one whose end was given first in `nodes`.
    For each component only paths are kept that no other beats in both levels met and steps, so
    the work is linear in edges for ladders, where few sets of levels are met.
    """
    order = {node: position for position, node in enumerate(nodes)}
    ordered = components(nodes, successors)
    component_of = {node: i for i, members in enumerate(ordered) for node in members}
    arriving: list[list[_Step]] = [[] for _ in ordered]
    ending_at: dict[str, int] = {}
    best: tuple[int, int, int] | None = None
    best_step: _Step | None = None
    by_level = bit_of is not None
    for number in range(len(ordered) - 1, -1, -1):
        members = ordered[number]
        if len(members) > 1:
            members.sort(key=order.__getitem__)
        steps = _extend(arriving[number], members, bit_of)
        arriving[number] = []
        top = steps[0] if len(steps) == 1 else max(steps, key=lambda step: _rank(step, by_level))
        rank = _rank(top, by_level)
        for node in members:
            ending_at[node] = rank[0]
        if best is None or (*rank, -order[members[0]]) > best:
            best, best_step = (*rank, -order[members[0]]), top
        for target in {component_of[t] for node in members for t in successors.get(node, ())}:
            if target != number:
                arriving[target].extend(steps)
    return LongestPaths(length=best[0] if best else 0, path=_unwind(best_step), ending_at=ending_at)


def _rank(step: _Step, by_level: bool) -> tuple[int, int]:
    return (step.mask.bit_count(), step.steps) if by_level else (step.steps, step.steps)


def _extend(
    arriving: list[_Step], members: Sequence[str], bit_of: Callable[[str], int] | None
) -> list[_Step]:
    """Add one step for a component to each path that arrives at it.

    A component of several levels adds the level of one of its nodes only: each is tried.
    """
    if not arriving and len(members) == 1:
        return [_Step(members[0], bit_of(members[0]) if bit_of else 0, 1, None)]
    node_by_bit: dict[int, str] = {}
    for node in members:
        node_by_bit.setdefault(bit_of(node) if bit_of else 0, node)
    best: dict[int, _Step] = {}
    for bit, node in node_by_bit.items():
        for previous in arriving or (None,):
            mask = bit | (previous.mask if previous else 0)
            steps = 1 + (previous.steps if previous else 0)
            known = best.get(mask)
            if known is None or steps > known.steps:
                best[mask] = _Step(node, mask, steps, previous)
    found = list(best.values())
    if len(found) == 1:
        return found
    return [step for step in found if not any(_beats(other, step) for other in found)]


def _beats(one: _Step, other: _Step) -> bool:
    return (
        one is not other
        and one.mask != other.mask
        and one.mask | other.mask == one.mask
        and one.steps >= other.steps
    )


def _unwind(step: _Step | None) -> tuple[str, ...]:
    path: list[str] = []
    while step is not None:
        path.append(step.node)
        step = step.previous
    return tuple(reversed(path))


def reaching(targets: Iterable[str], predecessors: Successors) -> set[str]:
    """Nodes from which one of `targets` is reachable over one or more edges."""
    found: set[str] = set()
    pending = list(targets)
    while pending:
        for source in predecessors.get(pending.pop(), ()):
            if source not in found:
                found.add(source)
                pending.append(source)
    return found
