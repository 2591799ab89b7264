"""What the page of a study shows, made from its reading."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from analytics.included import segment_keys
from analytics.study.bands import Band, bands_of
from analytics.study.course import Course, course_of
from analytics.study.curves import Plot, saturation_plot
from analytics.study.documents import cell_document, theme_document
from analytics.study.groups import Comparison, Division, compare, divisions
from analytics.study.matrix import Cell, Conflict, Count
from analytics.study.reading import StudyReading, Theme
from analytics.study.value_map import MapMaker, Place, redundant
from analytics.templatetags.dashboard import percent
from graphs.models import Mention
from methodologies.signals.words import human

MOST_ROWS = 300
MOST_CHAINS = 40
READABLE = 25
"""Themes on a map that one takes in at once: the cut-off that is shown first keeps no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThemeRow:
    """A theme in the page's list, with its place on the map and one quote."""

    theme: Theme
    band: Band
    place: Place
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationRow:
    """A relation in the table beside the drawings."""

    cell: Cell
    source: Theme
    target: Theme
    shares: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainRow:
    """A chain of themes and how many interviews say it."""

    names: tuple[str, ...]
    themes: str
    respondents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRow:
    """Two themes that pull against each other."""

    conflict: Conflict
    source: Theme
    target: Theme


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPage:
    """Everything the template draws; `data` goes to the page's script as JSON."""

    reading: StudyReading
    count: Count
    query: str
    bands: tuple[Band, ...]
    themes: tuple[ThemeRow, ...]
    relations: tuple[RelationRow, ...]
    relations_in_all: int
    chains: tuple[ChainRow, ...]
    conflicts: tuple[ConflictRow, ...]
    course: Course
    plot: Plot
    divisions: Sequence[Division]
    comparison: Comparison | None
    upward_share: float | None
    borne_out: bool
    cutoff: int
    highest: int
    data: Mapping[str, Any]


def build_page(
    reading: StudyReading, count: Count, cutoff: int | None, asked: Mapping[str, str]
) -> StudyPage:
    """Compose the page; `asked` may say what is to be compared.

    Raises CutoffOutOfRange, and InclusionInvalid where what is to be compared is not there.
    """
    maps, matrix = reading.maps(count), reading.matrix(count)
    shown = maps.at(first_cutoff(maps) if cutoff is None else cutoff)
    places = {place.theme: place for place in maps.places}
    bands, band_of = bands_of(reading, places)
    course = course_of(reading.held)
    ways = divisions(reading, segment_keys(reading.study))
    comparison = compare(
        reading,
        course.efforts,
        ways,
        by=asked.get("by", ""),
        first=asked.get("first", ""),
        second=asked.get("second", ""),
    )
    query = {**reading.inclusion.query(), **({} if count == "respondent" else {"count": count})}
    themes = tuple(_theme_rows(reading, bands, band_of, places))
    return StudyPage(
        reading=reading,
        count=count,
        query=urlencode(query, doseq=True),
        bands=bands,
        themes=themes,
        relations=tuple(_relations(reading, list(matrix.cells.values())[:MOST_ROWS])),
        relations_in_all=len(matrix.cells),
        chains=tuple(_chains(reading, matrix.chains)),
        conflicts=tuple(
            ConflictRow(
                conflict=one,
                source=reading.themes[one.source],
                target=reading.themes[one.target],
            )
            for one in matrix.conflicts
        ),
        course=course,
        plot=saturation_plot(reading.saturation),
        divisions=ways,
        comparison=comparison,
        upward_share=shown.upward_share,
        borne_out=shown.borne_out,
        cutoff=shown.cutoff,
        highest=maps.highest,
        data={
            "cutoff": shown.cutoff,
            "highest": maps.highest,
            "respondents": matrix.respondents,
            "bands": [{"name": band.name, "colour": band.colour} for band in bands],
            "themes": [
                {**theme_document(row.theme), "band": band_of[row.theme.id], "own": row.theme.own}
                for row in themes
            ],
            "cells": _cells(maps, matrix.cells.values()),
            "cutoffs": [[one.relations_kept, one.themes_kept] for one in maps.cutoffs],
        },
    )


def first_cutoff(maps: MapMaker) -> int:
    """The lowest cut-off at which the map holds no more themes than one takes in at once."""
    whole = len(maps.levels)
    for one in maps.cutoffs:
        if round(one.themes_kept * whole) <= READABLE:
            return one.cutoff
    return maps.highest


def _cells(maps: MapMaker, cells: Any) -> list[dict[str, Any]]:
    """The relations, each with the cut-offs at which a drawn path hides it."""
    hidden: dict[tuple[str, str], list[int]] = defaultdict(list)
    for cutoff in sorted({cell.strength for cell in maps.cells} | {1}):
        for ends in redundant([cell for cell in maps.cells if cell.strength >= cutoff]):
            hidden[ends].append(cutoff)
    return [{**cell_document(cell), "hidden": hidden[cell.source, cell.target]} for cell in cells]


def _theme_rows(
    reading: StudyReading,
    bands: Sequence[Band],
    band_of: Mapping[str, int],
    places: Mapping[str, Place],
) -> Iterator[ThemeRow]:
    first: dict[str, str] = {}
    for one in reading.interviews:
        for node, key in one.themes.items():
            first.setdefault(key, node)
    themed = [first[key] for key, theme in reading.themes.items() if not theme.own]
    quotes = dict(
        Mention.objects.filter(node__in=[UUID(one) for one in themed])
        .order_by("node_id", "-turn")
        .distinct("node_id")
        .values_list("node_id", "quote")
    )
    told = {str(pk): quote for pk, quote in quotes.items()}
    for key, theme in reading.themes.items():
        yield ThemeRow(
            theme=theme,
            band=bands[band_of[key]],
            place=places[key],
            quote=told.get(first[key], ""),
        )


def _relations(reading: StudyReading, cells: Sequence[Cell]) -> Iterator[RelationRow]:
    for cell in cells:
        yield RelationRow(
            cell=cell,
            source=reading.themes[cell.source],
            target=reading.themes[cell.target],
            shares=", ".join(
                f"{human(name)} {percent(share)}" for name, share in cell.provenance.items()
            ),
        )


def _chains(reading: StudyReading, chains: Any) -> Iterator[ChainRow]:
    for keys, who in chains[:MOST_CHAINS]:
        yield ChainRow(
            names=tuple(reading.themes[key].name for key in keys),
            themes=",".join(keys),
            respondents=len(who),
        )
