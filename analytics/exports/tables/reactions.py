"""One row a reaction: how a respondent of a concept test took one of its elements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analytics.exports.loaded import WholeRecord
from analytics.exports.tables.base import Cell, Column, Shape, Table
from interviews.modes.evaluative.evidence import EvaluativeEvidence
from interviews.record import readable_result_of

REACTIONS = {
    "positive": "for it",
    "negative": "against it",
    "neutral": "neither",
    "skeptical": "in doubt about it",
    "curious": "wants to know more",
}


def rows(record: WholeRecord, shape: Shape) -> Iterator[Iterable[Cell]]:
    """The reactions of each answer; of several to one element the last one counts."""
    for turn in record.turns:
        result = readable_result_of(turn)
        evidence = result.evidence if result else None
        if isinstance(evidence, EvaluativeEvidence):
            for one in evidence.reactions:
                yield turn.pk, turn.number, one.element, one.reaction, one.quote


TABLE = Table(
    name="reactions",
    meaning="One row for each reaction to an element of a concept.",
    columns=(
        Column("turn id", "id", "The turn whose answer gave the reaction."),
        Column("turn", "number", "Its number."),
        Column("element", "text", "The element's id in the concept."),
        Column("reaction", "text", "How it was taken.", values=REACTIONS),
        Column("quote", "text", "The respondent's words."),
    ),
    rows=rows,
)
