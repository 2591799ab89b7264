"""One row a rating: how an answer was rated on one scale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analytics.exports.loaded import WholeRecord
from analytics.exports.tables.base import Cell, Column, Shape, Table
from interviews.record import readable_result_of


def rows(record: WholeRecord, shape: Shape) -> Iterator[Iterable[Cell]]:
    """The ratings of each answer, by the scale's name."""
    for turn in record.turns:
        result = readable_result_of(turn)
        for scale, value in sorted(result.ratings.items()) if result else ():
            yield turn.pk, turn.number, scale, value


TABLE = Table(
    name="ratings",
    meaning="One row for each rating of an answer.",
    columns=(
        Column("turn id", "id", "The turn whose answer was rated."),
        Column("turn", "number", "Its number."),
        Column("scale", "text", "What was rated."),
        Column("rating", "number", "How much of it the answer has.", "1 (least) to 5 (most)"),
    ),
    rows=rows,
)
