"""New ids for what an import brings, wherever the old ones are named."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import connection

from analytics.interchange import Interview
from graphs.models import CanonicalEdgeSupport

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_SUPPORT: Final = CanonicalEdgeSupport._meta.db_table


def renamed(value: Any, ids: Mapping[UUID, UUID]) -> Any:
    """Stored JSON with these ids in place of those; others stay."""
    if isinstance(value, str):
        return _UUID.sub(lambda found: str(ids.get(UUID(found[0])) or found[0]), value)
    if isinstance(value, dict):
        return {renamed(key, ids): renamed(one, ids) for key, one in value.items()}
    return [renamed(one, ids) for one in value] if isinstance(value, list) else value


class Renewal:
    """New ids for an interview's rows, wherever they are named."""

    def __init__(self, one: Interview, study: UUID, new_study: UUID) -> None:
        lists: tuple[Sequence[Any], ...] = (
            *(one.utterances, one.turns, one.nodes, one.edges, one.mentions, one.slots),
            *(one.canonical_edges, one.llm_calls, one.corrections),
            one.notes.memos if one.notes else (),
        )
        self.ids = {row.id: uuid.uuid4() for rows in lists for row in rows}
        # What corrections took out has ids as well, by which an undo puts it back.
        for correction in one.corrections:
            for rows in correction.changes.values():
                for key in rows if isinstance(rows, dict) else ():
                    if _UUID.fullmatch(key):
                        self.ids.setdefault(UUID(key), uuid.uuid4())
        self.ids |= {one.session.id: uuid.uuid4(), study: new_study}
        self.support = _support_ids(one)

    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row's fields with new ids."""
        return {name: self._value(name, value) for name, value in row.items()}

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, UUID):
            return self.ids.get(value, value)
        if name == "changes":
            return self.json(self._renumbered(value))
        return self.json(value) if isinstance(value, dict | list) else value

    def json(self, value: Any) -> Any:
        """Stored JSON with new ids."""
        return renamed(value, self.ids)

    def _renumbered(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Changes in which support of canonical links, which has numbers, has new ones."""
        rows = changes.get(_SUPPORT)
        if not isinstance(rows, dict):
            return dict(changes)
        return {
            **changes,
            _SUPPORT: {
                str(self.support[int(key)]): [
                    {**side, "id": self.support[int(key)]} if side and "id" in side else side
                    for side in sides
                ]
                for key, sides in rows.items()
            },
        }


def _support_ids(one: Interview) -> dict[int, int]:
    """New numbers for each piece of support, also for what corrections took out."""
    old = {pk for edge in one.canonical_edges for pk in edge.support_ids}
    for correction in one.corrections:
        rows = correction.changes.get(_SUPPORT)
        old |= {int(key) for key in rows} if isinstance(rows, dict) else set()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
            [_SUPPORT, len(old)],
        )
        return dict(zip(sorted(old), (number for (number,) in cursor.fetchall()), strict=True))
