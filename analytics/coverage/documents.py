"""The coverage of a concept as plain data: what the command prints and files hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from analytics.coverage.figures import REACTIONS, Cell, Chain, Row
from analytics.coverage.reading import CoverageReading
from analytics.exports.cells import Value
from analytics.exports.tables.base import Column


def coverage_document(reading: CoverageReading) -> dict[str, Any]:
    """The study's elements, each with what all its interviews made of it."""
    return {
        "study": reading.study.slug,
        "interviews": len(reading.sessions),
        "elements": [_element(row) for row in reading.rows],
    }


def _element(row: Row) -> dict[str, Any]:
    return {
        "id": row.element.id,
        "label": row.element.label,
        "mentioned": row.mentioned,
        "reactions": {
            kind: {
                "n": share.n,
                "share": _rounded(share.share),
                "low": _rounded(share.low),
                "high": _rounded(share.high),
            }
            for kind, share in row.reactions.items()
        },
        "understood": row.understood,
        "depth_mean": _rounded(row.depth_mean),
        "chains_to_terminal": len(row.chains),
        "not_understood_by": list(row.not_understood_by),
        "quotes": [
            {"session": cell.session, "turn": said.turn, "quote": said.quote}
            for cell in row.cells
            for said in cell.quotes
        ],
    }


def exported_coverage(reading: CoverageReading) -> dict[str, Any]:
    """The coverage as files of a whole study hold it: with the matrix's cells and the chains."""
    found = coverage_document(reading)
    del found["study"]
    elements = zip(found["elements"], reading.rows, strict=True)
    return found | {"elements": [told | _beside(row) for told, row in elements]}


def _beside(row: Row) -> dict[str, Any]:
    return {
        "dropped": row.element.dropped,
        "never_understood": row.never_understood,
        "cells": [_cell(cell) for cell in row.cells],
        "chains": [_chain(chain) for chain in row.chains],
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "session": cell.session,
        "shown": cell.shown,
        "mentioned": cell.mentioned,
        "understood": cell.understood,
        "reaction": cell.reaction,
        "depth": cell.depth,
    }


def _chain(chain: Chain) -> dict[str, Any]:
    steps = [{"label": step.label, "quote": step.quote} for step in chain.steps]
    return {"session": chain.session, "steps": steps}


# -- tables ----------------------------------------------------------------------------------------
Rows = Iterator[list[Value]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageTable:
    """A table of a study: its columns with their meaning, and its rows without the head."""

    name: str
    columns: tuple[Column, ...]
    rows: Callable[[CoverageReading], Rows]


def coverage_rows(reading: CoverageReading) -> Rows:
    """The matrix: an element in an interview a row."""
    for row in reading.rows:
        for cell in row.cells:
            said = " | ".join(f"{one.turn}: {one.quote}" for one in cell.quotes)
            yield [row.element.id, row.element.label, cell.session, cell.shown, cell.mentioned,
                   cell.understood, cell.reaction or "", cell.depth, said]  # fmt: skip


def reaction_rows(reading: CoverageReading) -> Rows:
    """How an element was taken: a reaction a row, with its share and interval."""
    for row in reading.rows:
        for kind, share in row.reactions.items():
            numbers = [_rounded(one) for one in (share.share, share.low, share.high)]
            yield [row.element.id, row.element.label, kind, share.n, *numbers]


def chain_rows(reading: CoverageReading) -> Rows:
    """The chains from an element to a terminal concept, a step a row."""
    for row in reading.rows:
        for number, chain in enumerate(row.chains, start=1):
            for place, step in enumerate(chain.steps):
                yield [row.element.id, row.element.label, chain.session, number, place, step.label,
                       step.quote]  # fmt: skip


_ELEMENT = (
    Column("element", "text", "The element's id in the concept."),
    Column("label", "text", "What the concept calls it."),
)
_SESSION = Column("session", "id", "The interview.")
_KINDS = {kind: kind for kind in REACTIONS}
TABLES = (
    CoverageTable(
        name="coverage",
        columns=(
            *_ELEMENT,
            _SESSION,
            Column("shown", "yes/no", "Whether the interview's version of the concept had it."),
            Column("mentioned", "yes/no", "Whether a thought of the respondent was about it."),
            Column("understood", "yes/no", "Whether they had two thoughts of it, or a linked one."),
            Column("reaction", "text", "How they took it, the last time.", values=_KINDS),
            Column("depth", "number", "The longest way upwards from it.", "steps of a chain"),
            Column("quotes", "text", "What was said of it, each after the number of its turn."),
        ),
        rows=coverage_rows,
    ),
    CoverageTable(
        name="coverage_reactions",
        columns=(
            *_ELEMENT,
            Column("reaction", "text", "How it was taken, the last time.", values=_KINDS),
            Column("n", "number", "Who took it so.", "interviews"),
            Column("share", "number", "Of those who reacted to it.", "0 to 1"),
            Column("low", "number", "Lower end of the share's Wilson interval at 95 %.", "0 to 1"),
            Column("high", "number", "Upper end of the share's Wilson interval at 95 %.", "0 to 1"),
        ),
        rows=reaction_rows,
    ),
    CoverageTable(
        name="coverage_chains",
        columns=(
            *_ELEMENT,
            _SESSION,
            Column("chain", "number", "The chain, counted from 1 for each element."),
            Column("step", "number", "The place in it; 0 is the thought of the element itself."),
            Column("concept", "text", "What stands there, up to what matters in the end."),
            Column("quote", "text", "The respondent's words for it."),
        ),
        rows=chain_rows,
    ),
)
"""What a concept test adds to the tables of its study."""


def table_rows(table: CoverageTable, reading: CoverageReading) -> Rows:
    """A table with its head."""
    yield [column.name for column in table.columns]
    yield from table.rows(reading)


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 6)
