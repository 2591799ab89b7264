"""Longest paths over a session graph's chain edges, cycles included.

A longest path is only well defined without cycles, so each strongly connected component counts as
one step of a path (the graph is condensed first). Where the ontology declares levels, the length
of a path is the number of distinct levels met on it, otherwise its number of steps.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

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
    waiting_for = Counter(chain.from_iterable(successors.values()))
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


_Step = tuple[str, int, int, Any]
"""The best path that ends in one component with one set of levels met.

A node of the component, the levels met as a mask, the steps, and the path before or None.
"""
_START: _Step = ("", 0, 0, None)


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


def longest_steps(nodes: Sequence[str], successors: Successors) -> int:
    """Number of steps of the condensed graph's longest path; 0 without nodes."""
    ordered = components(nodes, successors)
    head_of = {node: members[0] for members in ordered if len(members) > 1 for node in members}
    steps = dict.fromkeys(nodes, 1)
    for members in reversed(ordered):
        head, beyond = members[0], steps[members[0]] + 1
        for node in members:
            for target in successors.get(node, ()):
                target_head = head_of.get(target, target)
                if target_head != head and steps[target_head] < beyond:
                    steps[target_head] = beyond
    return max(steps.values(), default=0)


def longest_paths(
    nodes: Sequence[str],
    successors: Successors,
    level_bits: Mapping[str, int] | None = None,
) -> LongestPaths:
    """Find the longest path of the condensed graph.

    `level_bits` has each node's level as a one-bit mask (0 for none); without it, steps are
    counted. Ties go to the path with more steps, then to the one whose end was given first in
    `nodes`. For each component only paths are kept that no other beats in both levels met and
    steps, so the work is linear in edges for ladders, where few sets of levels are met.
    """
    order = {node: position for position, node in enumerate(nodes)}
    bits = level_bits if level_bits is not None else dict.fromkeys(nodes, 0)
    by_level = level_bits is not None
    ordered = components(nodes, successors)
    head_of = {node: members[0] for members in ordered if len(members) > 1 for node in members}
    arriving: dict[str, list[_Step]] = defaultdict(list)
    ending_at: dict[str, int] = {}
    best, longest = (0, 0, 0), None
    for members in reversed(ordered):
        head = members[0]
        before = arriving.pop(head, ())
        if len(members) == 1 and len(before) < 2:  # most are
            _, mask, count, _ = before[0] if before else _START
            top = (head, bits[head] | mask, count + 1, before[0] if before else None)
            steps = [top]
        else:
            members.sort(key=order.__getitem__)
            steps = _extend(before, members, bits)
            top = max(steps, key=_by_level if by_level else _by_steps)
        length = top[1].bit_count() if by_level else top[2]
        if length >= best[0]:
            rank = (length, top[2], -order[members[0]])
            if longest is None or rank > best:
                best, longest = rank, top
        for node in members:
            ending_at[node] = length
            for target in successors.get(node, ()):
                target_head = head_of.get(target, target)
                if target_head != head:
                    arriving[target_head] += steps
    return LongestPaths(length=best[0], path=_unwind(longest), ending_at=ending_at)


def _by_level(step: _Step) -> tuple[int, int]:
    return step[1].bit_count(), step[2]


def _by_steps(step: _Step) -> int:
    return step[2]


def _extend(
    arriving: Sequence[_Step], members: Sequence[str], bits: Mapping[str, int]
) -> list[_Step]:
    """Add one step for a component to each path that arrives at it.

    A component of several levels adds the level of one of its nodes only: each is tried.
    """
    node_by_bit: dict[int, str] = {}
    for node in members:
        node_by_bit.setdefault(bits[node], node)
    best: dict[int, _Step] = {}
    for bit, node in node_by_bit.items():
        for previous in arriving or ((node, 0, 0, None),):
            mask, steps = bit | previous[1], 1 + previous[2]
            if mask not in best or steps > best[mask][2]:
                best[mask] = (node, mask, steps, previous if arriving else None)
    found = list(best.values())
    return [step for step in found if not any(_beats(other, step) for other in found)]


def _beats(one: _Step, other: _Step) -> bool:
    """Whether one path met all levels of the other and more, in as many steps."""
    return one[1] != other[1] and one[1] | other[1] == one[1] and one[2] >= other[2]


def _unwind(step: _Step | None) -> tuple[str, ...]:
    path: list[str] = []
    while step is not None:
        node, _, _, step = step
        path.append(node)
    return tuple(reversed(path))


def reaching(targets: Iterable[str], predecessors: Successors) -> set[str]:
    """Nodes from which one of `targets` is reachable over one or more edges.

    With successors in the place of predecessors: nodes that are reachable from one of `targets`.
    """
    found: set[str] = set()
    pending = list(targets)
    while pending:
        for source in predecessors.get(pending.pop(), ()):
            if source not in found:
                found.add(source)
                pending.append(source)
    return found
