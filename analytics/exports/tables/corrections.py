"""One row for each correction that somebody made of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analytics.corrections_shown import Names, sentences_of
from analytics.exports.loaded import WholeRecord
from analytics.exports.tables.base import Cell, Column, Shape, Table


def rows(record: WholeRecord, shape: Shape) -> Iterator[Iterable[Cell]]:
    """The corrections, the undone ones too; of pseudonymised ones the act alone is told."""
    names = Names(
        labels={str(node.pk): node.label for node in record.nodes},
        ends={str(edge.pk): (str(edge.source_id), str(edge.target_id)) for edge in record.edges},
    )
    told = [one for one in record.corrections if one.detail]
    sentences = dict(zip((one.pk for one in told), sentences_of(told, names), strict=True))
    for one in record.corrections:
        yield (
            one.pk,
            one.number,
            one.act,
            sentences.get(one.pk, ""),
            one.made_by,
            one.made_at,
            one.undone_at is None,
            one.undone_by,
            one.undone_at,
        )


TABLE = Table(
    name="corrections",
    meaning="One row for each correction that somebody made of the graph, undone ones too.",
    columns=(
        Column("correction id", "id", "The row's own id."),
        Column("number", "number", "Its place among the interview's corrections, from 1."),
        Column("act", "text", "What was done."),
        Column("told", "text", "What was done, in words."),
        Column("by", "text", "Who did it."),
        Column("at", "time", "When."),
        Column("stands", "yes/no", "Whether it was not undone."),
        Column("undone by", "text", "Who undid it."),
        Column("undone at", "time", "When."),
    ),
    rows=rows,
)
