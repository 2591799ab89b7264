"""CSV: a ZIP of one table a file, with the words beside every id and no cell a formula."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import IO

from analytics.coverage.documents import TABLES as COVERAGE_TABLES
from analytics.coverage.documents import CoverageTable, table_rows
from analytics.coverage.reading import read_if_tested
from analytics.exports.about import about
from analytics.exports.cells import Value, row
from analytics.exports.source import ExportOptions, ExportSource, shape_of
from analytics.exports.tables import CODEBOOK, codebook, columns_of, explained, tables
from analytics.exports.tables.base import Cell
from analytics.exports.zipped import zipped
from analytics.inclusion import Inclusion
from analytics.study.documents import matrix_rows, theme_rows
from analytics.study.reading import read_study
from interviews.models import Study

NAME = "csv"
CONTENT_TYPE = "application/zip"
EXTENSION = "csv.zip"

SPOOL_BYTES = 1 << 18
BOM = b"\xef\xbb\xbf"


def write(source: ExportSource, options: ExportOptions) -> Iterator[bytes]:
    """Read each session once, keep the tables aside on disk, then stream them as a ZIP.

    A whole study's themes and its implication matrix, counted once a respondent, are among them,
    and of a concept test what was made of each element.
    """
    shape = shape_of(source.of_study, options, raw=False)
    with ExitStack() as stack:
        files: dict[str, IO[bytes]] = {}

        def begin(name: str, first: Iterable[Cell], rows: Iterable[Iterable[Cell]] = ()) -> None:
            file = stack.enter_context(tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES))
            file.write(BOM if options.bom else b"")
            file.write(_line(first))
            file.writelines(_line(values) for values in rows)
            files[f"{name}.csv"] = file

        for table in tables().values():
            begin(table.name, (column.name for column in columns_of(table, shape)))
        for record in source.records(options):
            session = str(record.session.pk)
            for table in tables().values():
                lines = (_line((session, *values)) for values in table.rows(record, shape))
                files[f"{table.name}.csv"].writelines(lines)
        meanings = list(codebook(shape))
        if source.study is not None and not options.pseudonymise:
            # Not where words are blanked: themes go by what respondents called things, and what
            # was made of an element is told in their words.
            reading = read_study(source.study, source.inclusion)
            themes, matrix = theme_rows(reading), matrix_rows(reading)
            begin("themes", next(themes), themes)
            begin("matrix", next(matrix), matrix)
            for of_study, rows in _of_concept_test(source.study, source.inclusion):
                begin(of_study.name, next(rows), rows)
                meanings += explained(of_study.name, of_study.columns)
        begin("codebook", (column.name for column in CODEBOOK), meanings)
        begin("about", ("name", "text"), about(source, options).items())
        yield from zipped(files.items())


def _of_concept_test(
    study: Study, inclusion: Inclusion
) -> Iterator[tuple[CoverageTable, Iterator[list[Value]]]]:
    """What was made of each element, each table with its rows, head first."""
    reading = read_if_tested(study, inclusion)
    if reading is not None:
        yield from ((table, table_rows(table, reading)) for table in COVERAGE_TABLES)


def _line(values: Iterable[Cell]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(row(values))
    return buffer.getvalue().encode()
