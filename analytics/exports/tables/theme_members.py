"""One row a slot in a theme: how the themes of a study lead back to its interviews."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analytics.exports.loaded import WholeRecord
from analytics.exports.tables.base import Cell, Column, Shape, Table


def rows(record: WholeRecord, shape: Shape) -> Iterator[Iterable[Cell]]:
    """The interview's slots that are in a theme, in the order of slots."""
    members = {one.slot_id: one for one in record.members}
    for slot in record.slots:
        one = members.get(slot.pk)
        if one is not None:
            named = slot.slot_name, one.similarity, one.decided
            yield one.theme_id, one.theme.name, one.theme.node_type, slot.pk, *named


TABLE = Table(
    name="theme_members",
    meaning="One row for each canonical slot that is in a theme of the study.",
    columns=(
        Column("theme id", "id", "The theme, as in the table themes."),
        Column("theme", "text", "Its name."),
        Column("node type", "text", "The type of its concepts."),
        Column("slot id", "id", "The slot, as in the table slots."),
        Column("slot", "text", "That slot's name."),
        Column(
            "similarity",
            "number",
            "How near it was to what opened the theme; empty where it opened it.",
            "cosine, -1 to 1",
        ),
        Column("decided", "yes/no", "Whether a person put it there."),
    ),
    rows=rows,
)
