"""One row for each thing that was said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analytics.exports.loaded import WholeRecord
from analytics.exports.spans import texts_of
from analytics.exports.tables.base import SPEAKERS, Cell, Column, Shape, Table


def rows(record: WholeRecord, shape: Shape) -> Iterator[Iterable[Cell]]:
    """All that was said and not taken back, in order."""
    texts = texts_of(record, raw=shape.raw)
    for u in record.utterances:
        yield (
            u.pk, u.turn_number, u.sequence, u.speaker, texts[u.pk].text, u.created_at, u.aside
        )  # fmt: skip


TABLE = Table(
    name="utterances",
    meaning="One row for each thing that was said and not taken back.",
    columns=(
        Column("utterance id", "id", "The row's own id."),
        Column("turn", "number", "Answer n and the question after it are turn n; 0 is the opening"),
        Column("sequence", "number", "Its place among all that was said, from 1."),
        Column("speaker", "text", "Who said it.", "", SPEAKERS),
        Column(
            "text",
            "text",
            "The words. In CSV files an apostrophe stands before what a spreadsheet would take for "
            "a formula; spans count it.",
        ),
        Column("said at", "time", "When it was said."),
        Column("aside", "yes/no", "Whether it was said beside the turns, as data collection is."),
    ),
    rows=rows,
)
