"""Chains of a session graph: paths from an entry concept up to a terminal one, and their gaps.

Only live nodes count, and only edges of the types that the ontology lets chains run over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from functools import cached_property
from typing import Literal

from graphs.domain import SessionGraph
from graphs.ontology import Ontology
from graphs.paths import Successors, reaching

ChainGap = Literal["none", "above", "below", "both"]
CHAIN_GAPS: tuple[ChainGap, ...] = ("none", "above", "below", "both")

_SEARCH_STEPS_PER_CHAIN = 500


class Chains:
    """The chains of a graph that does not change meanwhile; each part is found when asked for.

    `successors` has the ids of the nodes that a chain edge leads to, by the id of each edge's
    source.
    """

    def __init__(self, graph: SessionGraph, ontology: Ontology) -> None:
        self._graph = graph
        self._ontology = ontology
        self.successors: Successors = self._successors()

    def _successors(self) -> dict[str, list[str]]:
        successors: dict[str, list[str]] = defaultdict(list)
        chain_edge_types = self._ontology.chain_edge_types
        for edge in self._graph.live_edges():
            if edge.edge_type in chain_edge_types:
                successors[edge.source_id].append(edge.target_id)
        return successors

    @cached_property
    def able(self) -> Set[str]:
        """The nodes from which a terminal node is reached over one or more chain edges."""
        predecessors: dict[str, list[str]] = defaultdict(list)
        for source, targets in self.successors.items():
            for target in targets:
                predecessors[target].append(source)
        is_terminal = self._ontology.is_terminal
        terminals = [n.id for n in self._graph.live_nodes() if is_terminal(n.node_type)]
        return reaching(terminals, predecessors)

    @cached_property
    def entries(self) -> list[str]:
        """The nodes that a chain may begin with, oldest first."""
        entry_types = self._ontology.entry_types
        return [n.id for n in self._graph.live_nodes() if n.node_type in entry_types]

    @property
    def completion_ratio(self) -> float | None:
        """Share of entry nodes from which a terminal node is reached over one or more chain edges.

        0 without entry nodes, None where the ontology declares no terminal type.
        """
        if not self._ontology.terminal_types:
            return None
        complete = sum(map(self.able.__contains__, self.entries))
        return complete / len(self.entries) if self.entries else 0.0

    @cached_property
    def gaps(self) -> Mapping[str, ChainGap]:
        """What a chain through each live node lacks, by node id.

        "above": nothing terminal is reached from it; "below": it is not reached from an entry;
        "both", or "none". A terminal node lacks nothing above, an entry node nothing below.
        """
        able, is_terminal = self.able, self._ontology.is_terminal
        founded = reaching(self.entries, self.successors).union(self.entries)
        gaps: dict[str, ChainGap] = {}
        for node in self._graph.live_nodes():
            below = node.id not in founded
            if node.id not in able and not is_terminal(node.node_type):
                gaps[node.id] = "both" if below else "above"
            else:
                gaps[node.id] = "below" if below else "none"
        return gaps


def complete_chains(
    graph: SessionGraph, ontology: Ontology, limit: int = 200
) -> list[tuple[str, ...]]:
    """Paths of node ids from an entry node to the first terminal node met, at most `limit`.

    Entries come in the order they were said. The search visits no node twice on a path and only
    nodes that lead to a terminal; it also stops after 500 steps per chain asked for, because
    dense cycles hold more paths than anybody reads.
    """
    found = Chains(graph, ontology)
    terminals = {n.id for n in graph.live_nodes() if ontology.is_terminal(n.node_type)}
    chains: list[tuple[str, ...]] = []
    budget = limit * _SEARCH_STEPS_PER_CHAIN
    for entry in found.entries:
        if entry not in found.able:
            continue
        path = dict.fromkeys([entry])  # in order, and quick to look a node up in
        work: list[Iterator[str]] = [iter(found.successors.get(entry, ()))]
        while work:
            budget -= 1
            if len(chains) >= limit or budget < 0:
                return chains
            target = next(work[-1], None)
            if target is None:
                work.pop()
                path.popitem()
            elif target in path:
                continue
            elif target in terminals:
                chains.append((*path, target))
            elif target in found.able:
                path[target] = None
                work.append(iter(found.successors.get(target, ())))
    return chains
