"""Chains of a session graph: paths from an entry concept up to a terminal one, and their gaps.

Only live nodes count, and only edges of the types that the ontology lets chains run over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Literal

from graphs.domain import SessionGraph
from graphs.ontology import Ontology
from graphs.paths import Successors, reaching

ChainGap = Literal["none", "above", "below", "both"]
CHAIN_GAPS: tuple[ChainGap, ...] = ("none", "above", "below", "both")

_SEARCH_STEPS_PER_CHAIN = 500


def chain_completion_ratio(
    graph: SessionGraph, ontology: Ontology, successors: Successors | None = None
) -> float | None:
    """Share of entry nodes from which a terminal node is reached over one or more chain edges.

    0 without entry nodes, None where the ontology declares no terminal type. `successors` are
    those of `chain_successors`, where they are at hand.
    """
    if not ontology.terminal_types:
        return None
    entries, complete = 0, 0
    successors = chain_successors(graph, ontology) if successors is None else successors
    able = _leading_to_terminals(graph, ontology, successors)
    for node in graph.live_nodes():
        if node.node_type in ontology.entry_types:
            entries += 1
            complete += node.id in able
    return complete / entries if entries else 0.0


def chain_gaps(graph: SessionGraph, ontology: Ontology) -> dict[str, ChainGap]:
    """Say of each live node what a chain through it lacks.

    "above": nothing terminal is reached from it; "below": it is not reached from an entry; "both",
    or "none". A terminal node lacks nothing above, an entry node nothing below.
    """
    successors = chain_successors(graph, ontology)
    ends = _leading_to_terminals(graph, ontology, successors)
    entries = [n.id for n in graph.live_nodes() if n.node_type in ontology.entry_types]
    founded = reaching(entries, successors).union(entries)
    gaps: dict[str, ChainGap] = {}
    for node in graph.live_nodes():
        above = node.id not in ends and not ontology.is_terminal(node.node_type)
        below = node.id not in founded
        if above:
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
    successors = chain_successors(graph, ontology)
    able = _leading_to_terminals(graph, ontology, successors)
    terminals = {n.id for n in graph.live_nodes() if ontology.is_terminal(n.node_type)}
    chains: list[tuple[str, ...]] = []
    budget = limit * _SEARCH_STEPS_PER_CHAIN
    for entry in graph.live_nodes():
        if entry.node_type not in ontology.entry_types or entry.id not in able:
            continue
        path = [entry.id]
        work: list[Iterator[str]] = [iter(successors.get(entry.id, ()))]
        while work:
            budget -= 1
            if len(chains) >= limit or budget < 0:
                return chains
            target = next(work[-1], None)
            if target is None:
                work.pop()
                path.pop()
            elif target in path:
                continue
            elif target in terminals:
                chains.append((*path, target))
            elif target in able:
                path.append(target)
                work.append(iter(successors.get(target, ())))
    return chains


def chain_successors(graph: SessionGraph, ontology: Ontology) -> dict[str, list[str]]:
    """Return the ids of the nodes that a chain edge leads to, by the id of each edge's source."""
    successors: dict[str, list[str]] = defaultdict(list)
    chain_edge_types = ontology.chain_edge_types
    for edge in graph.live_edges():
        if edge.edge_type in chain_edge_types:
            successors[edge.source_id].append(edge.target_id)
    return successors


def _leading_to_terminals(
    graph: SessionGraph, ontology: Ontology, successors: Successors
) -> set[str]:
    predecessors: dict[str, list[str]] = defaultdict(list)
    for source, targets in successors.items():
        for target in targets:
            predecessors[target].append(source)
    terminals = [n.id for n in graph.live_nodes() if ontology.is_terminal(n.node_type)]
    return reaching(terminals, predecessors)
