"""The shape of an interview's graph, as strategies read it. Any shape ends, cycles included."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from graphs.domain import Edge, Node

UNEXPLORED_BELOW = 2
"""A node with fewer live edges is unexplored, unless it was a focus lately."""
DOUBTFUL_BELOW = 0.5
"""A node that was read with less confidence is ambiguous."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """Ids of live nodes, oldest first; the active branch begins with the newest node.

    `degree` are live edges a node.
    """

    order: tuple[str, ...]
    degree: Mapping[str, int]
    isolated: tuple[str, ...]
    unexplored: tuple[str, ...]
    terminal: tuple[str, ...]
    ambiguous: tuple[str, ...]
    active_branch: tuple[str, ...]


def topology_of(
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    *,
    is_terminal: Callable[[str], bool],
    lately: Set[str] = frozenset(),
    flagged: Set[str] = frozenset(),
    clarified: Set[str] = frozenset(),
) -> Topology:
    """Read the shape off live `nodes`, oldest first, and live `edges`.

    `lately` were foci of the last questions, `flagged` were read as ambiguous, `clarified` were
    asked about for being so. `is_terminal` says of a node type whether chains end there.
    """
    degree: Counter[str] = Counter()
    for edge in edges:
        degree[edge.source_id] += 1
        degree[edge.target_id] += 1
    doubtful = {n.id for n in nodes if n.confidence < DOUBTFUL_BELOW} | flagged
    return Topology(
        order=tuple(node.id for node in nodes),
        degree=degree,
        isolated=tuple(node.id for node in nodes if not degree[node.id]),
        unexplored=tuple(
            n.id for n in nodes if degree[n.id] < UNEXPLORED_BELOW and n.id not in lately
        ),
        terminal=tuple(node.id for node in nodes if is_terminal(node.node_type)),
        ambiguous=tuple(n.id for n in nodes if n.id in doubtful and n.id not in clarified),
        active_branch=active_branch(nodes, edges),
    )


def active_branch(nodes: Sequence[Node], edges: Sequence[Edge]) -> tuple[str, ...]:
    """From the newest node back over incoming edges, each time to the newest source.

    A cycle is cut where it would come back to a node of the branch.
    """
    if not nodes:
        return ()
    age = {node.id: (node.first_turn, place) for place, node in enumerate(nodes)}
    sources: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        if edge.source_id in age:
            sources[edge.target_id].append(edge.source_id)
    here: str | None = max(age, key=lambda node_id: age[node_id])
    branch: dict[str, None] = {}
    while here is not None:
        branch[here] = None
        before = [source for source in sources[here] if source not in branch]
        here = max(before, key=lambda node_id: age[node_id], default=None)
    return tuple(branch)
