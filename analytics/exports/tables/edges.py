"""One row a link of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analytics.exports.loaded import WholeRecord
from analytics.exports.spans import texts_of
from analytics.exports.tables.base import PROVENANCE, Cell, Column, Shape, Table
from analytics.exports.tables.nodes import first_mentions, quote_of


def rows(record: WholeRecord, shape: Shape) -> Iterator[Iterable[Cell]]:
    """The links, in the order in which they were first said."""
    labels = {n.pk: n.label for n in record.nodes}
    said = first_mentions(m for m in record.mentions if m.edge_id)
    provenance, texts = record.provenance, texts_of(record, raw=shape.raw)
    for e in record.edges:
        yield (
            e.pk,
            e.source_id,
            labels.get(e.source_id, ""),
            e.edge_type,
            e.target_id,
            labels.get(e.target_id, ""),
            e.confidence,
            e.first_turn,
            quote_of(said.get(e.pk), texts),
            provenance.get(e.pk, ""),
        )


TABLE = Table(
    name="edges",
    meaning="One row a link of the graph.",
    columns=(
        Column("edge id", "id", "The row's own id."),
        Column("source id", "id", "The concept from which it leads."),
        Column("source", "text", "That concept's label."),
        Column("edge type", "text", "Its type in the methodology."),
        Column("target id", "id", "The concept to which it leads."),
        Column("target", "text", "That concept's label."),
        Column("confidence", "number", "How sure its reader was.", "0 to 1"),
        Column("first turn", "number", "The turn in which it was first said."),
        Column("quote", "text", "The words that said it first."),
        Column("provenance", "text", "Its best evidence.", "", PROVENANCE),
    ),
    rows=rows,
)
