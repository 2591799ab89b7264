"""One row a theme of the study: what slots of several interviews share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analytics.exports.tables.base import Cell, Column, StudyTable
from analytics.study.reading import StudyReading


def rows(reading: StudyReading) -> Iterator[Iterable[Cell]]:
    """The themes, the best supported first, and what counts as its own, as the matrix has it."""
    for one in reading.themes.values():
        counts = one.respondents, one.mentions, one.slots
        yield one.name, one.node_type, one.level, *counts, one.own, one.id


TABLE = StudyTable(
    name="themes",
    meaning="One row a theme: slots of the study's interviews that mean the same. A concept that "
    "is in no theme counts as its own.",
    columns=(
        Column("theme", "text", "Its name."),
        Column("node type", "text", "The type of its concepts."),
        Column("level", "number", "How abstract most of its concepts are, from 1."),
        Column("respondents", "number", "Interviews that have one of its concepts.", "interviews"),
        Column("mentions", "number", "Passages that say one of its concepts.", "mentions"),
        Column("slots", "number", "Canonical slots in it, of these interviews.", "slots"),
        Column("in no theme", "yes/no", "Whether it is one concept, which is in no theme."),
        Column("theme id", "id", "The row's own id; node: and the concept's id in no theme."),
    ),
    rows=rows,
)
