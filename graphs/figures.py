"""The figures of a session's graph that lists show."""

from __future__ import annotations

from dataclasses import dataclass

from graphs.chains import complete_chains
from graphs.domain import SessionGraph
from graphs.ontology import Ontology


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFigures:
    """Live nodes and edges, active slots, and complete chains, 200 at most.

    `chains` is None where the ontology has no terminal type.
    """

    nodes: int
    edges: int
    chains: int | None
    active_slots: int


def graph_figures(graph: SessionGraph, ontology: Ontology) -> GraphFigures:
    """Count what is live in a graph; mentions and vectors need not be loaded."""
    return GraphFigures(
        nodes=sum(1 for _ in graph.live_nodes()),
        edges=len(graph.live_edge_ids()),
        chains=len(complete_chains(graph, ontology)) if ontology.terminal_types else None,
        active_slots=sum(slot.status == "active" for slot in graph.slots.values()),
    )
