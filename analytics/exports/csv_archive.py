"""CSV: a ZIP of one table a file, with the words beside every id and no cell a formula."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import IO

from analytics.exports.cells import row
from analytics.exports.sheets import Sheets
from analytics.exports.source import ExportOptions, ExportSource, shape_of
from analytics.exports.tables.base import Cell
from analytics.exports.zipped import zipped

NAME = "csv"
CONTENT_TYPE = "application/zip"
EXTENSION = "csv.zip"

SPOOL_BYTES = 1 << 18
BOM = b"\xef\xbb\xbf"


def write(source: ExportSource, options: ExportOptions) -> Iterator[bytes]:
    """Read each session once, keep the tables aside on disk, then stream them as a ZIP."""
    shape = shape_of(source.of_study, options, raw=False)
    tables = Sheets(source=source, options=options, shape=shape)
    with ExitStack() as stack:
        files: dict[str, IO[bytes]] = {}
        for name, first in tables.first_rows():
            files[name] = stack.enter_context(tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES))
            files[name].write(BOM if options.bom else b"")
            files[name].write(_line(first))
        for name, values in tables.rows():
            files[name].write(_line(values))
        yield from zipped((f"{name}.csv", file) for name, file in files.items())


def _line(values: Iterable[Cell]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(row(values))
    return buffer.getvalue().encode()
