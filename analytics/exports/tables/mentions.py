"""One row a mention: a concept or a link in an utterance, with its quote and span."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analytics.exports.loaded import WholeRecord
from analytics.exports.spans import texts_of
from analytics.exports.tables.base import PROVENANCE, Cell, Column, Shape, Table
from analytics.exports.tables.nodes import quote_of


def rows(record: WholeRecord, shape: Shape) -> Iterator[Iterable[Cell]]:
    """The mentions, in the order of the interview."""
    texts = texts_of(record, raw=shape.raw)
    labels = {n.pk: n.label for n in record.nodes}
    ends = {e.pk: (e.source_id, e.edge_type, e.target_id) for e in record.edges}
    for m in record.mentions:
        of = labels.get(m.node_id, "") if m.node_id else ""
        if m.edge_id in ends:
            source, kind, target = ends[m.edge_id]
            of = f"{labels.get(source, '')} {kind} {labels.get(target, '')}"
        text = texts.get(m.utterance_id)
        start, end = text.span(m.start, m.end) if text else (m.start, m.end)
        yield (
            m.pk,
            "edge" if m.edge_id else "node",
            m.node_id or m.edge_id,
            of,
            m.turn,
            quote_of(m, texts),
            m.label,
            m.tier,
            m.similarity,
            m.doubtful,
            m.utterance_id,
            start,
            end,
            m.provenance,
            m.probe_id,
        )


TABLE = Table(
    name="mentions",
    meaning="One row for each time that a concept or a link was said.",
    columns=(
        Column("mention id", "id", "The row's own id."),
        Column("of a", "text", "What was said.", "", {"node": "a concept", "edge": "a link"}),
        Column("of id", "id", "Its id in the table nodes or edges."),
        Column("of", "text", "Its label, or both ends and the type."),
        Column("turn", "number", "The turn in which it was said."),
        Column("quote", "text", "The words: the utterance's text from start to end."),
        Column("in these words", "text", "How its reader put it this time."),
        Column("matched by", "text", "How it was known to be a concept that is there."),
        Column("similarity", "number", "How alike both labels are.", "cosine, -1 to 1"),
        Column("doubtful", "yes/no", "Whether it was put together on weak grounds."),
        Column("utterance id", "id", "Where it was said."),
        Column(
            "start",
            "number",
            "Place of its first character in the text as utterances has it, from 0.",
            "characters",
        ),
        Column("end", "number", "Place after its last character there.", "characters"),
        Column("provenance", "text", "Of a link: this mention's evidence.", "", PROVENANCE),
        Column("question id", "id", "The question that named one end, where the answer did not."),
    ),
    rows=rows,
)
