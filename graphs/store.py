"""The door between the graph tables and :class:`graphs.domain.SessionGraph`: their only writer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, Literal
from uuid import UUID

from django.db import connection
from psycopg.types.json import Jsonb

from graphs import sql
from graphs.domain import (
    CanonicalEdge,
    Edge,
    Mention,
    Node,
    SessionGraph,
    Slot,
    SlotMapping,
    Vector,
)

Neighbour = tuple[str, float]


def load_session_graph(session_id: str | UUID) -> SessionGraph:
    """Load one session's graph in one query, whatever its size; vectors stay in the database."""
    with connection.cursor() as cursor:
        cursor.execute(sql.LOAD, {"session": str(session_id)})
        (rows,) = cursor.fetchone()
    support: dict[str, list[str]] = defaultdict(list)
    for canonical_edge_id, surface_edge_id in rows["support"]:
        support[canonical_edge_id].append(surface_edge_id)
    return SessionGraph(
        nodes=_build(
            Node,
            rows["nodes"],
            "id label node_type level stance confidence first_turn superseded_by",
        ),
        edges=_build(Edge, rows["edges"], "id source_id target_id edge_type confidence first_turn"),
        mentions=[
            Mention(**{**values, "tier": values["tier"] or None})
            for values in _named(
                rows["mentions"],
                "id utterance_id quote start end turn node_id edge_id label tier similarity",
            )
        ],
        slots=_build(
            Slot,
            rows["slots"],
            "id slot_name description node_type status support_count first_seen_turn promoted_turn",
        ),
        mappings=_build(SlotMapping, rows["mappings"], "node_id slot_id similarity assigned_turn"),
        canonical_edges=[
            CanonicalEdge(
                id=id_,
                source_slot_id=source,
                target_slot_id=target,
                edge_type=edge_type,
                surface_edge_ids=frozenset(support[id_]),
            )
            for id_, source, target, edge_type in rows["canonical_edges"]
        ],
    )


def _named(rows: Iterable[Sequence[Any]], names: str) -> Iterable[dict[str, Any]]:
    fields = names.split()
    return (dict(zip(fields, row, strict=True)) for row in rows)


def _build(kind: type[Any], rows: Iterable[Sequence[Any]], names: str) -> list[Any]:
    return [kind(**values) for values in _named(rows, names)]


def save(session_id: str | UUID, graph: SessionGraph) -> None:
    """Write the graph's change set in one statement, meant to run inside the turn's transaction.

    Rows are written by their ids, so saving the same change set again changes nothing.
    """
    changes = graph.changes
    if not changes:
        return
    positions = {node_id: index for index, node_id in enumerate(graph.nodes)}
    rows = {
        "nodes": [
            {**asdict(node), "position": positions[node.id]} for node in changes.nodes.values()
        ],
        "node_vectors": _vectors(changes.node_vectors, graph.nodes),
        "edges": [asdict(edge) for edge in changes.edges.values()],
        "mentions": [asdict(mention) for mention in changes.mentions.values()],
        "slots": [asdict(slot) for slot in changes.slots.values()],
        "slot_vectors": _vectors(changes.slot_vectors, graph.slots),
        "mappings": [asdict(mapping) for mapping in changes.mappings.values()],
        "canonical_edges": [
            {
                "id": edge.id,
                "source_slot_id": edge.source_slot_id,
                "target_slot_id": edge.target_slot_id,
                "edge_type": edge.edge_type,
            }
            for edge in changes.canonical_edges.values()
        ],
        "support": [
            {"canonical_edge_id": edge.id, "surface_edge_id": surface_edge_id}
            for edge in changes.canonical_edges.values()
            for surface_edge_id in sorted(edge.surface_edge_ids)
        ],
    }
    with connection.cursor() as cursor:
        parts: dict[str, Any] = {name: Jsonb(part) for name, part in rows.items()}
        cursor.execute(sql.SAVE, {"session": str(session_id), **parts})


def _vectors(vectors: dict[str, Vector], owners: dict[str, Any]) -> list[dict[str, str]]:
    return [
        {"id": id_, "node_type": owners[id_].node_type, "embedding": _literal(vector)}
        for id_, vector in vectors.items()
    ]


def _literal(vector: Vector) -> str:
    return "[" + ",".join(map(repr, vector.tolist())) + "]"


def nearest(
    session_id: str | UUID,
    queries: Sequence[tuple[str, Vector]],
    k: int = 5,
    *,
    of: Literal["node", "slot"] = "node",
) -> list[list[Neighbour]]:
    """Return for each (node type, unit vector) the `k` nearest nodes or slots of that type.

    One query for all; each list holds (id, cosine similarity), most similar first. Exact: inside
    one session a scan over the (session, type) index is faster than any approximate index.
    """
    found: list[list[Neighbour]] = [[] for _ in queries]
    if not queries:
        return found
    with connection.cursor() as cursor:
        cursor.execute(
            sql.NEAREST_NODES if of == "node" else sql.NEAREST_SLOTS,
            {
                "places": list(range(len(queries))),
                "types": [node_type for node_type, _ in queries],
                "vectors": [_literal(vector) for _, vector in queries],
                "session": str(session_id),
                "k": k,
            },
        )
        for place, row_id, similarity in cursor.fetchall():
            found[place].append((str(row_id), float(similarity)))
    return found
