"""A graph's rows before and after a change: what differs, and how to put either side back.

Rows go through the database's own JSON form, so that what is put back is what was there: ids,
times, vectors and all.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, models, transaction

from graphs.edits import EditRefused, tidy_slots
from graphs.models import (
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

Row = Mapping[str, Any]
Rows = dict[str, dict[str, Row]]
"""Rows by table and key."""
Changes = dict[str, dict[str, list[dict[str, Any] | None]]]
"""By table and key what was before and what is after: None for no row, else what differs of it."""

BEFORE, AFTER = 0, 1
TABLES: tuple[type[models.Model], ...] = (
    KGNode,
    NodeVector,
    KGEdge,
    Mention,
    CanonicalSlot,
    SlotVector,
    SlotMapping,
    CanonicalEdge,
    CanonicalEdgeSupport,
)
VECTORS = (NodeVector, SlotVector)
FREED: tuple[type[models.Model], ...] = (CanonicalEdgeSupport, CanonicalEdge, SlotMapping)
"""What must make room first: a slot's place is taken again by what is put back."""
COUNTED = frozenset({"support_count"})
"""What is counted anew after every change, so that no change holds it."""
GONE_ON = (
    "The interview's graph has changed since where this correction stands, so it cannot be undone "
    "or redone: correct it by hand."
)


def read_rows(session_id: UUID | str, *, vectors: bool = True) -> Rows:
    """The rows of a session's graph; without `vectors` those of embeddings are left out."""
    found: Rows = {}
    with connection.cursor() as cursor:
        for model in TABLES:
            if model in VECTORS and not vectors:
                continue
            table, key = _names(model)
            cursor.execute(
                f"SELECT t.{key}::text, to_jsonb(t) FROM {table} t "  # noqa: S608
                "WHERE t.session_id = %s",
                [str(session_id)],
            )
            found[model._meta.db_table] = {pk: _read(row) for pk, row in cursor.fetchall()}
    return found


def difference(before: Rows, after: Rows) -> Changes:
    """What differs between two readings of a graph's rows."""
    changes: Changes = {}
    for table in before:
        old, new = before[table], after[table]
        for key in sorted(old.keys() | new.keys()):
            change = _change(old.get(key), new.get(key))
            if change:
                changes.setdefault(table, {})[key] = change
    return changes


def put_back(session_id: UUID | str, changes: Changes, side: int) -> None:
    """Bring the rows of `changes` to their state of BEFORE or AFTER.

    Raises EditRefused, having changed nothing, where the graph has gone on since.
    """
    now = read_rows(session_id)
    _check(now, changes, side)
    try:
        with transaction.atomic():
            _write(session_id, changes, side)
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
                cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    except IntegrityError as error:
        raise EditRefused(GONE_ON) from error
    tidy_slots(session_id)


def taken_back(rows: Rows, changes: Changes) -> Rows:
    """These rows as they would be without the changes; what has gone on since stays."""
    found = {table: dict(by_key) for table, by_key in rows.items()}
    for table, by_key in changes.items():
        if table not in found:
            continue
        for key, (before, after) in by_key.items():
            if before is None:
                found[table].pop(key, None)
            elif after is None:
                found[table].setdefault(key, before)
            elif key in found[table]:
                found[table][key] = {**found[table][key], **before}
    return found


def restorable(session_id: UUID | str, changes: Changes) -> Changes:
    """What of these removed rows can come back beside what the graph is now.

    A link whose other end is gone stays away, and so does what is said of it; links between slots
    are left out, to be gathered anew.
    """
    now = read_rows(session_id)
    there = {model._meta.db_table: set(now[model._meta.db_table]) for model in TABLES}
    found: Changes = {}
    for model in TABLES[:-2]:
        table = model._meta.db_table
        needs = [
            (field.column, field.related_model._meta.db_table)
            for field in model._meta.concrete_fields
            if field.column and field.related_model in TABLES
        ]
        for key, (before, after) in changes.get(table, {}).items():
            if before is None or after is not None or key in there[table]:
                continue
            row = dict(before)
            if row.get("superseded_by_id") not in {None, *there[table]}:
                row["superseded_by_id"] = None
            if all(row[name] is None or row[name] in there[other] for name, other in needs):
                found.setdefault(table, {})[key] = [row, None]
                there[table].add(key)
    return found


def newest_turn(changes: Changes) -> int:
    """The newest turn in which one of the changed rows was said."""
    sides = [
        side for by_key in changes.values() for pair in by_key.values() for side in pair if side
    ]
    turns = [side.get(name) or 0 for side in sides for name in ("turn", "first_turn")]
    return max(turns, default=0)


def rows_of(rows: Rows, model: type[models.Model]) -> Collection[Row]:
    """A table's rows."""
    return rows[model._meta.db_table].values()


def _names(model: type[models.Model]) -> tuple[str, str]:
    """Table and key column, quoted: all that these statements are made of besides parameters."""
    quote = connection.ops.quote_name
    pk = model._meta.pk
    return quote(model._meta.db_table), quote((pk.column if pk else None) or "id")


def _read(row: Any) -> Row:
    parsed: dict[str, Any] = json.loads(row) if isinstance(row, str) else row
    return parsed


def _change(old: Row | None, new: Row | None) -> list[dict[str, Any] | None] | None:
    if old is None or new is None:
        return [dict(old) if old else None, dict(new) if new else None]
    differs = [name for name in old if name not in COUNTED and old[name] != new[name]]
    if not differs:
        return None
    return [{name: old[name] for name in differs}, {name: new[name] for name in differs}]


def _check(now: Rows, changes: Changes, side: int) -> None:
    """Refuse where what is to be replaced is not what the change left there."""
    for table, by_key in changes.items():
        for key, pair in by_key.items():
            wanted, left = pair[side], pair[1 - side]
            row = now[table].get(key)
            if (row is None) != (left is None):
                raise EditRefused(GONE_ON)
            whole = wanted is None or left is None
            if row is None or left is None or whole:
                continue
            if any(row[name] != value for name, value in left.items()):
                raise EditRefused(GONE_ON)
    nodes, edges = _removed(changes, KGNode, side), _removed(changes, KGEdge, side)
    mentions = _removed(changes, Mention, side)
    for row in now[Mention._meta.db_table].values():
        leans = row["node_id"] in nodes or row["edge_id"] in edges
        if leans and row["id"] not in mentions | _changed(changes, Mention):
            raise EditRefused(GONE_ON)
    for row in now[KGEdge._meta.db_table].values():
        leans = row["source_id"] in nodes or row["target_id"] in nodes
        if leans and row["id"] not in edges | _changed(changes, KGEdge):
            raise EditRefused(GONE_ON)


def _removed(changes: Changes, model: type[models.Model], side: int) -> set[str]:
    found = changes.get(model._meta.db_table, {})
    return {key for key, pair in found.items() if pair[side] is None}


def _changed(changes: Changes, model: type[models.Model]) -> set[str]:
    return set(changes.get(model._meta.db_table, {}))


def _write(session_id: UUID | str, changes: Changes, side: int) -> None:
    """Insert and change first, so that no deletion takes what moves elsewhere along with it."""
    for model in FREED:
        _delete(session_id, model, _removed(changes, model, side))
    with connection.cursor() as cursor:
        for model in TABLES:
            for key, pair in changes.get(model._meta.db_table, {}).items():
                row, other = pair[side], pair[1 - side]
                if row is not None:
                    _put(cursor, model, key, row, new=other is None)
    for model in reversed(TABLES):
        _delete(session_id, model, _removed(changes, model, side))


def _put(cursor: Any, model: type[models.Model], key: str, row: Row, *, new: bool) -> None:
    table, key_column = _names(model)
    values = json.dumps(row)
    if new:
        cursor.execute(
            f"INSERT INTO {table} "  # noqa: S608
            f"SELECT * FROM jsonb_populate_record(NULL::{table}, %s::jsonb)",
            [values],
        )
        return
    columns = ", ".join(connection.ops.quote_name(name) for name in row)
    cursor.execute(
        f"UPDATE {table} SET ({columns}) = "  # noqa: S608
        f"(SELECT {columns} FROM jsonb_populate_record(NULL::{table}, %s::jsonb)) "
        f"WHERE {key_column}::text = %s",
        [values, key],
    )


def _delete(session_id: UUID | str, model: type[models.Model], keys: set[str]) -> None:
    if keys:
        model._default_manager.filter(session_id=session_id, pk__in=keys).delete()
