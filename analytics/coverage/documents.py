"""The coverage of a concept as plain data: what the command prints and files hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analytics.coverage.figures import Row
from analytics.coverage.reading import CoverageReading
from analytics.exports.cells import Value


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


def coverage_rows(reading: CoverageReading) -> Iterator[list[Value]]:
    """The matrix as a table, head first: an element in an interview a row."""
    yield ["element", "label", "session", "shown", "mentioned", "understood", "reaction", "depth",
           "quotes"]  # fmt: skip
    for row in reading.rows:
        for cell in row.cells:
            said = " | ".join(f"{one.turn}: {one.quote}" for one in cell.quotes)
            yield [row.element.id, row.element.label, cell.session, cell.shown, cell.mentioned,
                   cell.understood, cell.reaction or "", cell.depth, said]  # fmt: skip


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 6)
