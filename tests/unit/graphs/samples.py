"""Small graphs and ontologies that the tests share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from graphs.domain import SessionGraph
from graphs.language.vectors import Vector
from graphs.matching import Label, Nearest
from graphs.ontology import EdgeType, NodeType, Ontology

LADDER = Ontology(
    node_types=(
        NodeType(name="attribute", level=1),
        NodeType(name="consequence", level=2),
        NodeType(name="value", level=3, terminal=True),
    ),
    edge_types=(
        EdgeType(name="leads_to"),
        EdgeType(name="mentioned_with", chain=False),
    ),
)
FLAT = Ontology(
    node_types=(NodeType(name="thing"), NodeType(name="person"), NodeType(name="place")),
    edge_types=(EdgeType(name="leads_to"),),
)


def graph_of(
    nodes: Iterable[tuple[str, str]],
    edges: Iterable[tuple[str, str]] = (),
    *,
    edge_type: str = "leads_to",
    turn: int = 1,
) -> tuple[SessionGraph, dict[str, str]]:
    """A graph from (label, type) and (source label, target label); also the ids by label."""
    graph = SessionGraph()
    ids = {
        label: graph.add_node(label=label, node_type=node_type, turn=turn).id
        for label, node_type in nodes
    }
    for source, target in edges:
        graph.add_edge(source_id=ids[source], target_id=ids[target], edge_type=edge_type, turn=turn)
    return graph, ids


class ScriptedEmbedder:
    """Gives each text the direction written down for it, else one of its own; counts batches."""

    def __init__(self, directions: dict[str, Sequence[float]] | None = None) -> None:
        self.dimensions = 64
        self.batches: list[list[str]] = []
        self._known: dict[str, Vector] = {}
        self._own = 8
        for text, direction in (directions or {}).items():
            vector = np.zeros(self.dimensions, dtype=np.float32)
            vector[: len(direction)] = direction
            self._known[text] = vector / np.linalg.norm(vector)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.batches.append(list(texts))
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        if text not in self._known:
            vector = np.zeros(self.dimensions, dtype=np.float32)
            vector[self._own] = 1.0
            self._own += 1
            self._known[text] = vector
        return self._known[text]


def cosines(graph: SessionGraph, found: dict[str, float]) -> Nearest:
    """A store that finds the same nodes, by label, for every query."""
    ids = {node.label: node.id for node in graph.nodes.values()}

    def nearest(queries: Sequence[tuple[str, Vector]], k: int) -> list[list[tuple[str, float]]]:
        return [[(ids[label], cosine) for label, cosine in found.items()][:k] for _ in queries]

    return nearest


def labels(*texts: str) -> list[Label]:
    return [Label(text=text, node_type="attribute") for text in texts]
