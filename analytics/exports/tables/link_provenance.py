"""One row for each piece of evidence of a link."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analytics.exports.loaded import WholeRecord
from analytics.exports.spans import texts_of
from analytics.exports.tables.base import PROVENANCE, Cell, Column, Shape, Table
from analytics.exports.tables.nodes import quote_of


def rows(record: WholeRecord, shape: Shape) -> Iterator[Iterable[Cell]]:
    """Each mention of a link, with the question that it answered where there was one."""
    texts = texts_of(record, raw=shape.raw)
    labels = {n.pk: n.label for n in record.nodes}
    edges, best = {e.pk: e for e in record.edges}, record.provenance
    for m in record.mentions:
        edge = edges.get(m.edge_id) if m.edge_id else None
        if edge is None:
            continue
        probe = texts.get(m.probe_id) if m.probe_id else None
        yield (
            edge.pk,
            labels.get(edge.source_id, ""),
            edge.edge_type,
            labels.get(edge.target_id, ""),
            best.get(edge.pk, ""),
            m.pk,
            m.provenance,
            m.turn,
            quote_of(m, texts),
            probe.text if probe else "",
        )


TABLE = Table(
    name="link_provenance",
    meaning="One row for each piece of evidence of a link.",
    columns=(
        Column("edge id", "id", "The link, as in the table edges."),
        Column("source", "text", "Label of the concept from which it leads."),
        Column("edge type", "text", "Its type in the methodology."),
        Column("target", "text", "Label of the concept to which it leads."),
        Column("best provenance", "text", "The best evidence of the link.", "", PROVENANCE),
        Column("mention id", "id", "This piece of evidence, as in the table mentions."),
        Column("provenance", "text", "What this piece is worth.", "", PROVENANCE),
        Column("turn", "number", "The turn in which it was said."),
        Column("quote", "text", "The words of the answer."),
        Column("question", "text", "The question that named one end, where the answer did not."),
    ),
    rows=rows,
)
