"""What the machine read of an interview, without the corrections that people made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast
from uuid import UUID

from graphs.domain import Edge, Node, SessionGraph
from graphs.figures import GraphFigures, graph_figures
from graphs.models import KGEdge, KGNode
from graphs.ontology import Ontology
from graphs.row_changes import Rows, read_rows, rows_of, taken_back
from interviews.models import Correction


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineReading:
    """The machine's own nodes and links by id, and what they come to."""

    nodes: dict[str, Node]
    edges: dict[str, Edge]
    figures: GraphFigures


def machine_reading(session_id: UUID, ontology: Ontology) -> MachineReading | None:
    """The session's graph as it would be without corrections, None where none stands."""
    rows = machine_rows(session_id)
    if rows is None:
        return None
    graph = _graph(rows)
    return MachineReading(
        nodes=graph.nodes, edges=graph.edges, figures=graph_figures(graph, ontology)
    )


def machine_rows(session_id: UUID) -> Rows | None:
    """The rows of the session's graph as without corrections, None where none stands."""
    standing = Correction.objects.filter(session_id=session_id).standing().order_by("-number")
    changes = list(standing.values_list("changes", flat=True))
    if not changes:
        return None
    rows = read_rows(session_id, vectors=False)
    for change in changes:
        rows = taken_back(rows, change)
    return rows


def _graph(rows: Rows) -> SessionGraph:
    nodes = [
        Node(
            id=row["id"],
            label=row["label"],
            node_type=row["node_type"],
            level=row["level"],
            stance=row["stance"],
            confidence=row["confidence"],
            first_turn=row["first_turn"],
            superseded_by=cast("str | None", row["superseded_by_id"]),
        )
        for row in sorted(rows_of(rows, KGNode), key=lambda row: int(row["position"]))
    ]
    edges = [
        Edge(
            id=row["id"],
            source_id=row["source_id"],
            target_id=row["target_id"],
            edge_type=row["edge_type"],
            confidence=row["confidence"],
            first_turn=row["first_turn"],
        )
        for row in sorted(rows_of(rows, KGEdge), key=lambda row: (row["first_turn"], row["id"]))
    ]
    return SessionGraph(nodes=nodes, edges=edges)
