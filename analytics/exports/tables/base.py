"""What a table of an export is: its columns with their meaning, and its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from analytics.exports.loaded import WholeRecord
from analytics.study.reading import StudyReading
from interviews.epilogue.fields import DataField
from interviews.models import Study

Cell = str | int | float | bool | None | UUID | datetime
Kind = Literal["text", "number", "yes/no", "time", "id"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: `values` are its codes and their labels where it has a closed set of them."""

    name: str
    kind: Kind
    meaning: str
    unit: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What tables of a study depend on: its open fields, and the sensitive ones if asked for.

    `raw` leaves texts and spans as they are, for files in which no text can be a formula.
    """

    fields: tuple[DataField, ...] = ()
    personal: tuple[DataField, ...] = ()
    raw: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table: rows of a record, each without its session, for these columns."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    rows: Callable[[WholeRecord, Shape], Iterator[Iterable[Cell]]]
    of_study: Callable[[Shape], tuple[Column, ...]] = lambda shape: ()
    beside: Callable[[Study], Iterator[Iterable[Cell]]] = lambda study: iter(())
    """Rows of the study itself, which belong to no interview."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTable:
    """A table of what the interviews of a whole study say together."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    rows: Callable[[StudyReading], Iterable[Iterable[Cell]]]


STANCES: Mapping[int, str] = {-1: "against", 0: "neutral", 1: "for"}
SPEAKERS = {"respondent": "who is interviewed", "interviewer": "the software"}
TURN_STATUSES = {
    "queued": "waits",
    "running": "is thought about",
    "done": "thought about and answered",
    "failed": "could not be thought about",
}
STATUSES = {
    "active": "goes on",
    "paused": "paused by the respondent",
    "completed": "came to its end",
    "abandoned": "left before its end",
}
PROVENANCE = {
    "stated": "both ends are in the quote",
    "answer_to_probe": "the question named one end and the answer the other",
    "inferred": "proposed by a reader",
}
CONTINUATION = {"continue": "goes on", "close": "the last question", "end": "over"}
