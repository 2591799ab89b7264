"""The implication matrix: one row a relation between two themes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from analytics.exports.tables.base import Cell, Column, StudyTable
from analytics.study.documents import matrix_rows
from analytics.study.reading import StudyReading


def rows(reading: StudyReading) -> Iterator[Iterable[Cell]]:
    """The relations, counted once a respondent, as the study's page has them."""
    yield from islice(matrix_rows(reading), 1, None)


def _share(name: str, meaning: str) -> Column:
    return Column(name, "number", f"Share of its evidence that {meaning}.", "0 to 1")


TABLE = StudyTable(
    name="matrix",
    meaning="One row for each relation of the implication matrix, counted once a respondent. A "
    "concept that is in no theme counts as its own.",
    columns=(
        Column("source", "text", "Name of the theme from which it leads."),
        Column("target", "text", "Name of the theme to which it leads."),
        Column("source type", "text", "The type of the concepts of the first."),
        Column("target type", "text", "The type of the concepts of the second."),
        Column("direct", "number", "Interviews with a link between them.", "interviews"),
        Column(
            "indirect",
            "number",
            "Interviews with a chain of links and no link between them.",
            "interviews",
        ),
        Column("negative", "number", "Interviews whose ladders speak against it.", "interviews"),
        _share("stated", "was said in so many words"),
        _share("answer to probe", "answered a question that named one end"),
        _share("inferred", "a reader proposed"),
        _share("unknown", "is older than what is told of evidence"),
    ),
    rows=rows,
)
