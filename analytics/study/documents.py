"""A study's figures as plain data: what commands print, pages draw and programs get."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analytics.exports.cells import Value
from analytics.study.matrix import Cell, Count
from analytics.study.reading import StudyReading, Theme

Document = dict[str, Any]


def theme_document(theme: Theme) -> Document:
    """One theme."""
    return {
        "id": theme.id,
        "name": theme.name,
        "node_type": theme.node_type,
        "level": theme.level,
        "respondents": theme.respondents,
        "mentions": theme.mentions,
        "slots": theme.slots,
    }


def themes_document(reading: StudyReading) -> Document:
    """The themes of the interviews that count; concepts in none are told by their share alone."""
    return {
        "themes": [theme_document(one) for one in reading.themes.values() if not one.own],
        "unthemed_share": round(reading.unthemed_share, 6),
    }


def cell_document(cell: Cell) -> Document:
    """One relation of the matrix."""
    return {
        "source": cell.source,
        "target": cell.target,
        "direct": cell.direct,
        "indirect": cell.indirect,
        "negative": cell.negative,
        "provenance": {name: round(share, 6) for name, share in cell.provenance.items()},
    }


def matrix_document(reading: StudyReading, count: Count = "respondent") -> Document:
    """The implication matrix; `themes` are those that stand in a relation, and all others."""
    matrix = reading.matrix(count)
    return {
        "respondents": matrix.respondents,
        "count": count,
        "filter": reading.inclusion.describe(),
        "themes": [theme_document(one) for one in reading.themes.values()],
        "cells": [cell_document(cell) for cell in matrix.cells.values()],
    }


def matrix_rows(reading: StudyReading, count: Count = "respondent") -> Iterator[list[Value]]:
    """The matrix as a table, head first: a relation a row, with the names of both ends."""
    yield ["source", "target", "source_type", "target_type", "direct", "indirect", "negative",
           "stated", "answer_to_probe", "inferred", "unknown"]  # fmt: skip
    for cell in reading.matrix(count).cells.values():
        source, target = reading.themes[cell.source], reading.themes[cell.target]
        shares = [
            round(cell.provenance.get(name, 0.0), 6)
            for name in ("stated", "answer_to_probe", "inferred", "unknown")
        ]
        yield [source.name, target.name, source.node_type, target.node_type,
               cell.direct, cell.indirect, cell.negative, *shares]  # fmt: skip


def map_document(reading: StudyReading, cutoff: int, count: Count = "respondent") -> Document:
    """The map at a cut-off. Raises CutoffOutOfRange."""
    found = reading.maps(count).at(cutoff)
    return {
        "cutoff": found.cutoff,
        "relations_kept": round(found.relations_kept, 6),
        "themes_kept": round(found.themes_kept, 6),
        "upward_share": None if found.upward_share is None else round(found.upward_share, 6),
        "nodes": [
            {
                "theme": place.theme,
                "level": place.level,
                "in": place.in_,
                "out": place.out,
                "abstractness": round(place.abstractness, 6),
                "centrality": round(place.centrality, 6),
                "prestige": round(place.prestige, 6),
            }
            for place in found.nodes
        ],
        "edges": [_edge(cell) for cell in found.edges],
        "cutoffs": [
            {
                "cutoff": one.cutoff,
                "relations_kept": round(one.relations_kept, 6),
                "themes_kept": round(one.themes_kept, 6),
            }
            for one in found.cutoffs
        ],
    }


def _edge(cell: Cell) -> Document:
    return {
        "source": cell.source,
        "target": cell.target,
        "direct": cell.direct,
        "indirect": cell.indirect,
    }


def saturation_document(reading: StudyReading) -> Document:
    """How much of what there is to hear was heard."""
    found = reading.saturation
    return {
        "interviews": found.interviews,
        "observed": found.observed,
        "chao2": _rounded(found.chao2),
        "low": _rounded(found.low),
        "high": _rounded(found.high),
        "coverage": _rounded(found.coverage),
        "more_interviews": found.more_interviews,
        "curve": [
            {
                "interviews": point.interviews,
                "themes": point.themes,
                "low": round(point.low, 6),
                "high": round(point.high, 6),
            }
            for point in found.curve
        ],
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 6)
