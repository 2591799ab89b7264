"""CSV: a ZIP of one table a file, with the words beside every id and no cell a formula."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import IO

from analytics.exports.about import about
from analytics.exports.cells import row
from analytics.exports.source import ExportOptions, ExportSource, shape_of
from analytics.exports.tables import CODEBOOK, codebook, columns_of, tables
from analytics.exports.tables.base import Cell
from analytics.exports.zipped import zipped
from analytics.study.documents import matrix_rows
from analytics.study.reading import read_study

NAME = "csv"
CONTENT_TYPE = "application/zip"
EXTENSION = "csv.zip"

SPOOL_BYTES = 1 << 18
BOM = b"\xef\xbb\xbf"


def write(source: ExportSource, options: ExportOptions) -> Iterator[bytes]:
    """Read each session once, keep the tables aside on disk, then stream them as a ZIP.

    A whole study's implication matrix, counted once a respondent, is among them.
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
        if source.study is not None and not options.pseudonymise:
            # Not where words are blanked: themes go by what respondents called things.
            matrix = matrix_rows(read_study(source.study, source.inclusion))
            begin("matrix", next(matrix), matrix)
        begin("codebook", (column.name for column in CODEBOOK), codebook(shape))
        begin("about", ("name", "text"), about(source, options).items())
        yield from zipped(files.items())


def _line(values: Iterable[Cell]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(row(values))
    return buffer.getvalue().encode()
