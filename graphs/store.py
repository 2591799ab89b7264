"""The door between the graph tables and :class:`graphs.domain.SessionGraph`: their only writer."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any
from uuid import UUID

from django.db import connection
from psycopg.types.json import Jsonb

from graphs import sql
from graphs.domain import CanonicalEdge, Edge, Mention, Node, Said, SessionGraph, Slot, SlotMapping
from graphs.driver import Flat, received
from graphs.language.vectors import Vector
from graphs.models import DIMENSIONS
from graphs.neighbours import Kind, StoredVectors


def load_session_graph(session_id: str | UUID) -> SessionGraph:
    """Load one session's graph in one query, whatever its size; vectors stay in the database."""
    with connection.cursor() as cursor:
        cursor.execute(sql.LOAD, {"session": str(session_id)})
        (parts,) = cursor.fetchone()
    return graph_of(parts)


def graph_of(parts: Mapping[str, Sequence[Any]]) -> SessionGraph:
    """Make the graph that `sql.LOAD` or `sql.LOAD_FOR_TURN` gave.

    As a turn wants it, it has no mentions, but `said_before` and `aliases`.
    """
    support: dict[str, list[str]] = defaultdict(list)
    for canonical_edge_id, surface_edge_id in _rows(parts, "support"):
        support[canonical_edge_id].append(surface_edge_id)
    return SessionGraph(
        nodes=_build(Node, parts, "nodes"),
        edges=_build(Edge, parts, "edges"),
        mentions=_build(Mention, parts, "mentions"),
        slots=_build(Slot, parts, "slots"),
        mappings=_build(SlotMapping, parts, "mappings"),
        canonical_edges=[
            CanonicalEdge(
                id=id_,
                source_slot_id=source,
                target_slot_id=target,
                edge_type=edge_type,
                surface_edge_ids=frozenset(support[id_]),
            )
            for id_, source, target, edge_type in _rows(parts, "canonical_edges")
        ],
        said_before={node_id: Said(*said) for node_id, *said in _rows(parts, "said_before")},
        aliases=_rows(parts, "aliases"),
    )


def _rows(parts: Mapping[str, Sequence[Any]], name: str) -> Iterable[tuple[Any, ...]]:
    """The rows of a part, which comes as one array a field."""
    fields = parts.get(name, [None])
    return () if fields[0] is None else zip(*fields, strict=True)


def _build(kind: type[Any], parts: Mapping[str, Sequence[Any]], name: str) -> list[Any]:
    """Make a part's rows, written straight into their slots, one field after the other.

    A turn loads thousands of rows, and the constructor of a frozen dataclass, which sets its fields
    one by one through a guard, costs five times as much. The part has every field of `kind`.
    """
    columns = parts.get(name, [None])
    rows = [object.__new__(kind) for _ in columns[0] or ()]
    if rows:
        for field, column in zip(sql.FIELDS[name].split(), columns, strict=True):
            deque(map(getattr(kind, field).__set__, rows, column), maxlen=0)
    return rows


def save(session_id: str | UUID, graph: SessionGraph) -> None:
    """Write the graph's change set in one statement, meant to run inside the turn's transaction.

    Rows are written by their ids, so saving the same change set again changes nothing. Raises
    ValueError for a vector that is not of DIMENSIONS.
    """
    changes = graph.changes
    if not changes:
        return
    positions = {node_id: index for index, node_id in enumerate(graph.nodes)}
    rows = {
        "nodes": [
            row | {"position": positions[row["id"]]}
            for row in _records("nodes", changes.nodes.values())
        ],
        "node_vectors": _owners(changes.node_vectors, graph.nodes),
        "edges": _records("edges", changes.edges.values()),
        "mentions": _records("mentions", changes.mentions.values()),
        "slots": _records("slots", changes.slots.values()),
        "slot_vectors": _owners(changes.slot_vectors, graph.slots),
        "mappings": _records("mappings", changes.mappings.values()),
        "canonical_edges": _records("canonical_edges", changes.canonical_edges.values()),
        "support": [
            {"canonical_edge_id": edge.id, "surface_edge_id": surface_edge_id}
            for edge in changes.canonical_edges.values()
            for surface_edge_id in sorted(edge.surface_edge_ids)
        ],
    }
    with connection.cursor() as cursor:
        parameters: dict[str, Any] = {name: Jsonb(part) for name, part in rows.items()}
        parameters["session"] = str(session_id)
        parameters["node_embeddings"] = _flat(changes.node_vectors.values())
        parameters["slot_embeddings"] = _flat(changes.slot_vectors.values())
        cursor.execute(sql.SAVE, parameters)


def _records(name: str, items: Iterable[Any]) -> list[dict[str, Any]]:
    """The fields of a part's rows, by name."""
    fields = sql.FIELDS[name].split()
    return [dict(zip(fields, values, strict=True)) for values in map(attrgetter(*fields), items)]


def _owners(vectors: Iterable[str], owners: Mapping[str, Any]) -> list[dict[str, str]]:
    return [{"id": id_, "node_type": owners[id_].node_type} for id_ in vectors]


def _flat(vectors: Iterable[Vector]) -> Flat:
    """Vectors end to end: one of another length would be cut in the wrong places."""
    found = list(vectors)
    for vector in found:
        if len(vector) != DIMENSIONS:
            raise ValueError(f"a vector has {len(vector)} numbers, not {DIMENSIONS}")
    return Flat(found)


def read_vectors(
    session_id: str | UUID, node_types: Collection[str]
) -> dict[tuple[Kind, str], StoredVectors]:
    """Read the vectors of a session's nodes and slots of these types, in one query."""
    with connection.cursor() as cursor:
        cursor.execute(sql.VECTORS, {"session": str(session_id), "types": list(node_types)})
        return {
            (kind, node_type): StoredVectors(ids=ids, rows=received(vectors))
            for kind, node_type, ids, vectors in cursor.fetchall()
        }
