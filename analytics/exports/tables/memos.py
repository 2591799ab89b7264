"""One row a memo: what analysts wrote on a study, a theme, an interview or something in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analytics.exports.loaded import WholeRecord
from analytics.exports.spans import texts_of
from analytics.exports.tables.base import Cell, Column, Shape, Table
from analytics.notes.shown import MemoRow, names_in, rows_of_memos, study_memos
from interviews.models import Memo, Study

ABOUT = {str(value): f"on a {label.lower()}" for value, label in Memo.About.choices}


def rows(record: WholeRecord, shape: Shape) -> Iterator[Iterable[Cell]]:
    """The memos on the interview and on what is in it, the newest first."""
    texts = texts_of(record, raw=shape.raw)
    for row in rows_of_memos(record.memos, names_in(record)):
        memo = row.memo
        if memo.utterance_id is None or memo.start is None or memo.end is None:
            yield _told(row)
            continue
        text = texts[memo.utterance_id]
        start, end = text.span(memo.start, memo.end)
        yield _told(row, memo.utterance_id, start, end, text.text[start:end])


def beside(study: Study) -> Iterator[Iterable[Cell]]:
    """The memos on the study and its themes."""
    for row in study_memos(study, sessions=()):
        yield _told(row)


def _told(row: MemoRow, *place: Cell) -> tuple[Cell, ...]:
    memo = row.memo
    return (
        memo.pk,
        memo.about,
        memo.target,
        row.on,
        *(place or (None, None, None, None)),
        memo.text,
        memo.written_by,
        memo.written_at,
        memo.changed_by or None,
        memo.changed_at,
    )


TABLE = Table(
    name="memos",
    meaning="One row a memo; those on the study and its themes belong to no interview.",
    columns=(
        Column("memo id", "id", "The row's own id."),
        Column("about", "text", "What it is on.", "", ABOUT),
        Column("target id", "id", "The id of what it is on; of a quote that of the utterance."),
        Column("on", "text", "What it is on, in words."),
        Column("utterance id", "id", "Of a quote: where it was said."),
        Column("start", "number", "Of a quote: its first character there, from 0.", "characters"),
        Column("end", "number", "Of a quote: after its last character there.", "characters"),
        Column("quote", "text", "Of a quote: the words."),
        Column("text", "text", "The memo."),
        Column("written by", "text", "Who wrote it."),
        Column("written at", "time", "When."),
        Column("changed by", "text", "Who changed it last."),
        Column("changed at", "time", "When."),
    ),
    rows=rows,
    beside=beside,
)
