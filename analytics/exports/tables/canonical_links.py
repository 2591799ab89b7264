"""One row a link between canonical slots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analytics.exports.loaded import WholeRecord
from analytics.exports.tables.base import Cell, Column, Shape, Table


def rows(record: WholeRecord, shape: Shape) -> Iterator[Iterable[Cell]]:
    """The canonical links, each with the links that support it."""
    names = {slot.pk: slot.slot_name for slot in record.slots}
    for e in record.canonical_edges:
        surface = record.support.get(e.pk, ())
        yield (
            e.pk,
            e.source_id,
            names.get(e.source_id, ""),
            e.edge_type,
            e.target_id,
            names.get(e.target_id, ""),
            len(surface),
            "; ".join(str(one) for one in surface),
        )


TABLE = Table(
    name="canonical_links",
    meaning="One row a link between canonical slots, gathered over the links of their concepts.",
    columns=(
        Column("canonical link id", "id", "The row's own id."),
        Column("source slot id", "id", "The slot from which it leads."),
        Column("source slot", "text", "That slot's name."),
        Column("edge type", "text", "Its type in the methodology."),
        Column("target slot id", "id", "The slot to which it leads."),
        Column("target slot", "text", "That slot's name."),
        Column("support", "number", "Links that it was gathered from.", "links"),
        Column("edge ids", "text", "Their ids in the table edges, with semicolons between them."),
    ),
    rows=rows,
)
