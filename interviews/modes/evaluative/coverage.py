"""What of a concept is covered: which elements were mentioned, met with a reaction, understood.

Computed anew after each answer from the links between nodes and elements and one pass over the
edges, in O(edges + requirements) as long as a node is of few elements.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Protocol

from interviews.modes.evaluative.elements import Element
from methodologies.evaluative import GAP_KINDS, GapKind

OWN_CHECKS = 3
"""Of each element: mentioned, met with a reaction, understood."""
UNDERSTOOD_FROM = 2
"""So many nodes without an edge show comprehension; one with an edge does."""
EXHAUSTED_FROM = 3
"""So many focuses in total exhaust an element, whatever was asked between."""


class Joined(Protocol):
    """An edge, as far as coverage is concerned."""

    @property
    def source_id(self) -> str: ...
    @property
    def target_id(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """What is missing of an element; `other` is the one that it is not connected to yet."""

    element: str
    kind: GapKind
    other: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How an element stands: its live nodes, oldest first, and which of its checks are closed."""

    element: str
    nodes: tuple[str, ...]
    reacted: bool
    understood: bool

    @property
    def mentioned(self) -> bool:
        """Whether a live node is of it."""
        return bool(self.nodes)

    @property
    def closed(self) -> int:
        """Its own checks that are closed, 0–3."""
        return self.mentioned + self.reacted + self.understood


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Where a concept stands; `exhausted` elements keep their gaps, which are not asked about."""

    standings: Mapping[str, Standing]
    gaps: tuple[Gap, ...]
    exhausted: frozenset[str]
    checks: int
    closed: int

    @property
    def ratio(self) -> float:
        """Closed checks by all checks, in [0, 1]; 1 without any."""
        return self.closed / self.checks if self.checks else 1.0

    @property
    def open_gaps(self) -> tuple[Gap, ...]:
        """Gaps that can still be asked about."""
        return tuple(gap for gap in self.gaps if gap.element not in self.exhausted)

    @property
    def complete(self) -> bool:
        """Whether there is no gap but of exhausted elements."""
        return not self.open_gaps

    def gaps_of(self, element: str) -> tuple[Gap, ...]:
        """The gaps of an element."""
        return tuple(gap for gap in self.gaps if gap.element == element)


def coverage_of(
    elements: Sequence[Element],
    *,
    links: Iterable[tuple[str, str]],
    reacted: Set[str],
    live: Set[str],
    edges: Iterable[Joined],
    exhausted: Set[str] = frozenset(),
) -> Coverage:
    """Compute the coverage of `elements`.

    `links` are (node id, element id), oldest first, superseded nodes replaced by their successors;
    those of nodes that are not in `live`, or of unknown elements, count for nothing. `reacted` are
    elements with a reaction; `edges` are live ones, in any order.
    """
    known = {element.id for element in elements}
    nodes: dict[str, dict[str, None]] = {element.id: {} for element in elements}
    of_node: dict[str, set[str]] = defaultdict(set)
    for node_id, element_id in links:
        if element_id in known and node_id in live:
            nodes[element_id][node_id] = None
            of_node[node_id].add(element_id)
    joined, connected = _walk(edges, of_node)
    standings = {
        element.id: Standing(
            element=element.id,
            nodes=tuple(nodes[element.id]),
            reacted=element.id in reacted,
            understood=element.id in joined or len(nodes[element.id]) >= UNDERSTOOD_FROM,
        )
        for element in elements
    }
    wanted = [(element.id, other) for element in elements for other in element.connects_to]
    missing = [pair for pair in wanted if pair not in connected]
    return Coverage(
        standings=standings,
        gaps=_in_order(elements, standings, missing),
        exhausted=frozenset(exhausted),
        checks=OWN_CHECKS * len(standings) + len(wanted),
        closed=sum(s.closed for s in standings.values()) + len(wanted) - len(missing),
    )


def _walk(
    edges: Iterable[Joined], of_node: Mapping[str, Set[str]]
) -> tuple[Set[str], Set[tuple[str, str]]]:
    """The elements with an edge, and the pairs of elements that an edge joins, both ways."""
    joined: set[str] = set()
    connected: set[tuple[str, str]] = set()
    nothing: frozenset[str] = frozenset()
    for edge in edges:
        here, there = of_node.get(edge.source_id, nothing), of_node.get(edge.target_id, nothing)
        joined |= here
        joined |= there
        if edge.source_id != edge.target_id:
            connected |= {(a, b) for a in here for b in there}
            connected |= {(b, a) for a in here for b in there}
    return joined, connected


def _in_order(
    elements: Sequence[Element],
    standings: Mapping[str, Standing],
    missing: Sequence[tuple[str, str]],
) -> tuple[Gap, ...]:
    """The gaps in the order in which they are asked about: kind, priority, place in the file."""
    found: list[Gap] = []
    for element in elements:
        standing = standings[element.id]
        if not standing.mentioned:
            found.append(Gap(element=element.id, kind="unmentioned"))
            continue
        if not standing.reacted:
            found.append(Gap(element=element.id, kind="no_reaction"))
        if not standing.understood:
            found.append(Gap(element=element.id, kind="no_comprehension"))
    found += [
        Gap(element=one, kind="unconnected", other=other)
        for one, other in missing
        if standings[one].mentioned and other in standings and standings[other].mentioned
    ]
    by_id = {element.id: element for element in elements}
    return tuple(
        sorted(
            found,
            key=lambda gap: (
                GAP_KINDS.index(gap.kind),
                by_id[gap.element].priority,
                by_id[gap.element].place,
            ),
        )
    )
