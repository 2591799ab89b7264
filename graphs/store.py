"""The door between the graph tables and :class:`graphs.domain.SessionGraph`: their only writer."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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

Parts = Mapping[str, Mapping[str, Sequence[Any] | None]]
"""The parts of a graph by name, each as its columns by field, None where it has no rows."""


def load_session_graph(session_id: str | UUID) -> SessionGraph:
    """Load one session's graph in one query, whatever its size; vectors stay in the database."""
    with connection.cursor() as cursor:
        cursor.execute(sql.LOAD, {"session": str(session_id)})
        (parts,) = cursor.fetchone()
    return graph_of(parts)


def graph_of(parts: Parts) -> SessionGraph:
    """Make the graph that `sql.LOAD` or `sql.LOAD_FOR_TURN` gave.

    As a turn wants it, it has no mentions, but `said_before` and `aliases`.
    """
    surface_edges: dict[str, list[str]] = defaultdict(list)
    support = _columns(parts, "support")
    pairs = zip(support["canonical_edge_id"], support["surface_edge_id"], strict=True)
    for canonical_edge_id, surface_edge_id in pairs:
        surface_edges[canonical_edge_id].append(surface_edge_id)
    said, aliases = _columns(parts, "said_before"), _columns(parts, "aliases")
    return SessionGraph(
        nodes=_build(Node, parts, "nodes"),
        edges=_build(Edge, parts, "edges"),
        mentions=_build(Mention, parts, "mentions"),
        slots=_build(Slot, parts, "slots"),
        mappings=_build(SlotMapping, parts, "mappings"),
        canonical_edges=[
            CanonicalEdge(**edge, surface_edge_ids=frozenset(surface_edges[edge["id"]]))
            for edge in _rows(_columns(parts, "canonical_edges"))
        ],
        said_before={
            row["node_id"]: Said(row["quote"], row["mentions"], tuple(sorted(set(row["turns"]))))
            for row in _rows(said)
        },
        aliases=zip(aliases["node_id"], aliases["label"], strict=True),
    )


def _columns(parts: Parts, name: str) -> dict[str, Sequence[Any]]:
    """A part's columns by field, empty where it has no rows or was not loaded."""
    found = parts.get(name, {})
    return {field: found.get(field) or () for field in sql.FIELDS[name].split()}


def _rows(columns: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """The rows of columns, their values by field."""
    return (
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    )


def _build(kind: type[Any], parts: Parts, name: str) -> list[Any]:
    """Make a part's rows, written straight into their slots, one field after the other.

    A turn loads thousands of rows, and the constructor of a frozen dataclass, which sets its fields
    one by one through a guard, costs several times as much. The part has every field of `kind`.
    """
    columns = _columns(parts, name)
    rows = [object.__new__(kind) for _ in columns["id" if "id" in columns else "node_id"]]
    for field, values in columns.items():
        put = getattr(kind, field).__set__
        deque(map(put, rows, values), maxlen=0)
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
