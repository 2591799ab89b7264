"""The two statements that carry a session's graph in and out of the database.

A turn crosses the border once each way, whatever the size of its graph: one SELECT that gathers
the tables as JSON, and one INSERT with a part for each table. Foreign keys are deferred to the
commit, so the parts need no order. Table names come from the models.
"""

from __future__ import annotations

from collections.abc import Mapping

from graphs.models import (
    DIMENSIONS,
    CanonicalEdge,
    CanonicalEdgeSupport,
    CanonicalSlot,
    KGEdge,
    KGNode,
    Mention,
    NodeVector,
    SlotMapping,
    SlotVector,
)

_TABLES = {
    "nodes": KGNode._meta.db_table,
    "node_vectors": NodeVector._meta.db_table,
    "edges": KGEdge._meta.db_table,
    "mentions": Mention._meta.db_table,
    "slots": CanonicalSlot._meta.db_table,
    "slot_vectors": SlotVector._meta.db_table,
    "mappings": SlotMapping._meta.db_table,
    "canonical_edges": CanonicalEdge._meta.db_table,
    "support": CanonicalEdgeSupport._meta.db_table,
}

FIELDS = {
    "nodes": "id label node_type level stance confidence first_turn superseded_by",
    "edges": "id source_id target_id edge_type confidence first_turn",
    "mentions": "id utterance_id quote start end turn node_id edge_id label tier similarity "
    "doubtful provenance probe_id",
    "slots": "id slot_name description node_type status support_count first_seen_turn "
    "promoted_turn",
    "mappings": "node_id slot_id similarity assigned_turn",
    "canonical_edges": "id source_slot_id target_slot_id edge_type",
    "support": "canonical_edge_id surface_edge_id",
    "said_before": "node_id quote mentions turns",
    "aliases": "node_id label",
}
"""What is loaded and saved of a part, by the names that the domain has for it, in their order."""

_COLUMNS = {
    "superseded_by": "superseded_by_id",
    "end": '"end"',
    "tier": "nullif(tier, '')",
    "provenance": "nullif(provenance, '')",
    "source_slot_id": "source_id",
    "target_slot_id": "target_id",
}
_IN_SESSION = "WHERE session_id = %(session)s"
_AS_SAID = 'ORDER BY turn, start, "end", label COLLATE "C", id'
_AS_FOUND = 'ORDER BY first_seen_turn, slot_name COLLATE "C", id'
_SOURCES = {
    "nodes": f"{_TABLES['nodes']} {_IN_SESSION} ORDER BY position",
    "edges": f"{_TABLES['edges']} {_IN_SESSION} ORDER BY first_turn, id",
    "mentions": f"{_TABLES['mentions']} {_IN_SESSION} {_AS_SAID}",
    "slots": f"{_TABLES['slots']} {_IN_SESSION} {_AS_FOUND}",
    "mappings": f"{_TABLES['mappings']} {_IN_SESSION} ORDER BY assigned_turn, node_id",
    "canonical_edges": f"{_TABLES['canonical_edges']} {_IN_SESSION} ORDER BY id",
    "support": f"{_TABLES['support']} {_IN_SESSION}",
}
_FOR_TURN = {name: source for name, source in _SOURCES.items() if name != "mentions"} | {
    "said_before": f"""(
        SELECT DISTINCT ON (node_id) *, count(*) OVER of_node AS mentions,
               array_agg(turn) OVER of_node AS turns
        FROM {_TABLES["mentions"]} {_IN_SESSION} AND node_id IS NOT NULL
        WINDOW of_node AS (PARTITION BY node_id)
        ORDER BY node_id, turn DESC, start DESC, "end" DESC, label COLLATE "C" DESC, id DESC
        ) AS newest {_AS_SAID}""",  # noqa: S608
    "aliases": f"""{_TABLES["mentions"]}
        {_IN_SESSION} AND node_id IS NOT NULL AND tier NOT IN ('', 'exact')""",
}


def _load(sources: Mapping[str, str]) -> str:
    """A statement that gives every part as one JSON array by field, null where it has no rows.

    By fields rather than rows: a third less to write, to send and to read.
    """
    parts = []
    for name, source in sources.items():
        columns = [_COLUMNS.get(field, field) for field in FIELDS[name].split()]
        places = [f"c{number}" for number in range(len(columns))]
        rows = ", ".join(f"{c} AS {p}" for c, p in zip(columns, places, strict=True))
        fields = zip(FIELDS[name].split(), places, strict=True)
        arrays = ", ".join(f"'{field}', json_agg({place})" for field, place in fields)
        parts.append(
            f"'{name}', (SELECT json_build_object({arrays}) FROM (SELECT {rows} FROM {source}) r)"  # noqa: S608
        )
    return f"SELECT json_build_object({', '.join(parts)})"


LOAD = _load(_SOURCES)
LOAD_FOR_TURN = _load(_FOR_TURN)
"""As LOAD; of mentions only the newest quote of a node, how many it has, and its other words."""


def _vector(parameter: str) -> str:
    """The vector at `place` of those that lie end to end in a parameter."""
    first = f"(place - 1) * {DIMENSIONS} + 1"
    return f"((%({parameter})s::real[])[{first} : place * {DIMENSIONS}])::vector"


SAVE = """
WITH nodes AS (
  INSERT INTO {nodes} (id, session_id, label, node_type, level, stance, confidence,
                       superseded_by_id, first_turn, position)
  SELECT id, %(session)s, label, node_type, level, stance, confidence,
         superseded_by, first_turn, position
  FROM jsonb_to_recordset(%(nodes)s) AS r(id uuid, label text, node_type text, level smallint,
       stance smallint, confidence float8, superseded_by uuid, first_turn int, position bigint)
  ON CONFLICT (id) DO UPDATE SET stance = excluded.stance, confidence = excluded.confidence,
       superseded_by_id = excluded.superseded_by_id
), node_vectors AS (
  INSERT INTO {node_vectors} (node_id, session_id, node_type, embedding)
  SELECT id, %(session)s, node_type, {node_embedding}
  FROM ROWS FROM (jsonb_to_recordset(%(node_vectors)s) AS (id uuid, node_type text))
       WITH ORDINALITY AS r(id, node_type, place)
  ON CONFLICT DO NOTHING
), edges AS (
  INSERT INTO {edges} (id, session_id, source_id, target_id, edge_type, confidence, first_turn)
  SELECT id, %(session)s, source_id, target_id, edge_type, confidence, first_turn
  FROM jsonb_to_recordset(%(edges)s) AS r(id uuid, source_id uuid, target_id uuid,
       edge_type text, confidence float8, first_turn int)
  ON CONFLICT DO NOTHING
), mentions AS (
  INSERT INTO {mentions} (id, session_id, node_id, edge_id, utterance_id, label, quote, start,
                          "end", turn, tier, similarity, doubtful, provenance, probe_id)
  SELECT id, %(session)s, node_id, edge_id, utterance_id, label, quote, start, "end", turn,
         coalesce(tier, ''), similarity, doubtful, coalesce(provenance, ''), probe_id
  FROM jsonb_to_recordset(%(mentions)s) AS r(id uuid, node_id uuid, edge_id uuid,
       utterance_id uuid, label text, quote text, start int, "end" int, turn int, tier text,
       similarity float8, doubtful bool, provenance text, probe_id uuid)
  ON CONFLICT DO NOTHING
), slots AS (
  INSERT INTO {slots} (id, session_id, slot_name, description, node_type, status, support_count,
                       first_seen_turn, promoted_turn)
  SELECT id, %(session)s, slot_name, description, node_type, status, support_count,
         first_seen_turn, promoted_turn
  FROM jsonb_to_recordset(%(slots)s) AS r(id uuid, slot_name text, description text,
       node_type text, status text, support_count int, first_seen_turn int, promoted_turn int)
  ON CONFLICT (id) DO UPDATE SET description = excluded.description, status = excluded.status,
       support_count = excluded.support_count, promoted_turn = excluded.promoted_turn
), slot_vectors AS (
  INSERT INTO {slot_vectors} (slot_id, session_id, node_type, embedding)
  SELECT id, %(session)s, node_type, {slot_embedding}
  FROM ROWS FROM (jsonb_to_recordset(%(slot_vectors)s) AS (id uuid, node_type text))
       WITH ORDINALITY AS r(id, node_type, place)
  ON CONFLICT DO NOTHING
), mappings AS (
  INSERT INTO {mappings} (node_id, session_id, slot_id, similarity, assigned_turn)
  SELECT node_id, %(session)s, slot_id, similarity, assigned_turn
  FROM jsonb_to_recordset(%(mappings)s) AS r(node_id uuid, slot_id uuid, similarity float8,
       assigned_turn int)
  ON CONFLICT (node_id) DO UPDATE SET slot_id = excluded.slot_id,
       similarity = excluded.similarity, assigned_turn = excluded.assigned_turn
), canonical_edges AS (
  INSERT INTO {canonical_edges} (id, session_id, source_id, target_id, edge_type)
  SELECT id, %(session)s, source_slot_id, target_slot_id, edge_type
  FROM jsonb_to_recordset(%(canonical_edges)s) AS r(id uuid, source_slot_id uuid,
       target_slot_id uuid, edge_type text)
  ON CONFLICT DO NOTHING
)
INSERT INTO {support} (session_id, canonical_edge_id, surface_edge_id)
SELECT %(session)s, canonical_edge_id, surface_edge_id
FROM jsonb_to_recordset(%(support)s) AS r(canonical_edge_id uuid, surface_edge_id uuid)
ON CONFLICT DO NOTHING
""".format(  # noqa: S608
    **_TABLES,
    node_embedding=_vector("node_embeddings"),
    slot_embedding=_vector("slot_embeddings"),
)

SUPERSEDED = f"""
SELECT jsonb_object_agg(id, superseded_by_id) FROM {_TABLES["nodes"]}
WHERE id = ANY(%(changed)s::uuid[])
"""  # noqa: S608
"""What each of the `changed` nodes is superseded by, by their ids."""

VECTORS = " UNION ALL ".join(
    f"""
SELECT '{kind}', node_type, array_agg({kind}_id::text), string_agg(vector_send(embedding), '')
FROM {_TABLES[f"{kind}_vectors"]}
WHERE session_id = %(session)s AND node_type = ANY(%(types)s) GROUP BY node_type
"""  # noqa: S608
    for kind in ("node", "slot")
)
"""By kind and type: whose vectors, and these as they are sent, end to end."""
