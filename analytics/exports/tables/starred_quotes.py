"""One row a quote that somebody starred."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analytics.exports.loaded import WholeRecord
from analytics.exports.spans import texts_of
from analytics.exports.tables.base import Cell, Column, Shape, Table


def rows(record: WholeRecord, shape: Shape) -> Iterator[Iterable[Cell]]:
    """The stars, in the order of the interview."""
    texts = texts_of(record, raw=shape.raw)
    for one in record.starred:
        text = texts[one.utterance_id]
        start, end = text.span(one.start, one.end)
        yield (
            one.utterance_id,
            one.utterance.turn_number,
            start,
            end,
            text.text[start:end],
            one.starred_by,
            one.starred_at,
        )


TABLE = Table(
    name="starred_quotes",
    meaning="One row for each quote that somebody starred.",
    columns=(
        Column("utterance id", "id", "Where it was said."),
        Column("turn", "number", "The turn in which it was said."),
        Column(
            "start",
            "number",
            "Place of its first character in the text as utterances has it, from 0.",
            "characters",
        ),
        Column("end", "number", "Place after its last character there.", "characters"),
        Column("quote", "text", "The words."),
        Column("starred by", "text", "Who starred it."),
        Column("starred at", "time", "When."),
    ),
    rows=rows,
)
