"""The tables of a spreadsheet, as CSV files and workbooks both have them: first rows, then rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from analytics.coverage.documents import TABLES as COVERAGE
from analytics.coverage.reading import CoverageReading, read_if_tested
from analytics.exports.about import about
from analytics.exports.source import ExportOptions, ExportSource
from analytics.exports.tables import (
    ABOUT,
    CODEBOOK,
    columns_of,
    explained,
    study_tables,
    tables,
)
from analytics.exports.tables.base import Cell, Column, Shape
from analytics.study.reading import read_study
from interviews.themes import renewal

Row = tuple[str, Iterable[Cell]]
"""A table's name and a row of it."""


@dataclass(frozen=True, kw_only=True)
class Sheets:
    """The tables of one export.

    A whole study has its themes and matrix among them, and a concept test what was made of each
    element; not where words are blanked, for both are told in respondents' words.
    """

    source: ExportSource
    options: ExportOptions
    shape: Shape

    @cached_property
    def columns(self) -> Mapping[str, Iterable[Column]]:
        """Each table's columns, in the order of files and sheets."""
        found: dict[str, Iterable[Column]] = {
            name: columns_of(table, self.shape) for name, table in tables().items()
        }
        if self._whole:
            found |= {name: table.columns for name, table in study_tables().items()}
        if self._coverage is not None:
            found |= {table.name: table.columns for table in COVERAGE}
        return found | {"codebook": CODEBOOK, "about": ABOUT}

    def first_rows(self) -> Iterator[Row]:
        """Each table with the names of its columns."""
        for name, columns in self.columns.items():
            yield name, (column.name for column in columns)

    def rows(self) -> Iterator[Row]:
        """All rows of all tables, an interview after the other."""
        yield from self._beside()
        for record in self.source.records(self.options):
            session = str(record.session.pk)
            for name, table in tables().items():
                found = table.rows(record, self.shape)
                yield from ((name, (session, *values)) for values in found)
        yield from self._of_study()
        for name, columns in self.columns.items():
            yield from (("codebook", values) for values in explained(name, columns))
        told = about(self.source, self.options)
        yield from (("about", values) for values in told.items())

    def _beside(self) -> Iterator[Row]:
        """What is of the study itself in the tables of interviews."""
        if self._whole:
            renewal.ensure(self.source.of_study.pk)  # before interviews tell what is in a theme
            for name, table in tables().items():
                found = table.beside(self.source.of_study)
                yield from ((name, (None, *values)) for values in found)

    def _of_study(self) -> Iterator[Row]:
        if self._whole:
            reading = read_study(self.source.of_study, self.source.inclusion)
            for name, table in study_tables().items():
                yield from ((name, values) for values in table.rows(reading))
        if self._coverage is not None:
            for tested in COVERAGE:
                yield from ((tested.name, values) for values in tested.rows(self._coverage))

    @property
    def _whole(self) -> bool:
        return self.source.study is not None and not self.options.pseudonymise

    @cached_property
    def _coverage(self) -> CoverageReading | None:
        if not self._whole:
            return None
        return read_if_tested(self.source.of_study, self.source.inclusion)
