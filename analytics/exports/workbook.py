"""XLSX: a sheet a table, the codebook and what the file holds among them; no cell is a formula."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from uuid import UUID

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

from analytics.exports.about import about
from analytics.exports.source import ExportOptions, ExportSource, shape_of
from analytics.exports.tables import CODEBOOK, codebook, columns_of, tables
from analytics.exports.tables.base import Cell
from analytics.exports.zipped import CHUNK_BYTES

NAME = "xlsx"
CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
EXTENSION = "xlsx"

MOST_CHARACTERS = 32_767
"""What a cell holds; the rest of a longer text is left out."""


def write(source: ExportSource, options: ExportOptions) -> Iterator[bytes]:
    """Write row by row; openpyxl keeps the sheets on disk until the workbook is saved."""
    shape = shape_of(source.of_study, options)
    book = Workbook(write_only=True)
    sheets: dict[str, WriteOnlyWorksheet] = {}
    for table in tables().values():
        sheets[table.name] = book.create_sheet(table.name)
        _append(sheets[table.name], (column.name for column in columns_of(table, shape)))
    for record in source.records(options):
        session = str(record.session.pk)
        for table in tables().values():
            for values in table.rows(record, shape):
                _append(sheets[table.name], (session, *values))
    _whole(book.create_sheet("codebook"), (column.name for column in CODEBOOK), codebook(shape))
    _whole(book.create_sheet("about"), ("name", "text"), about(source, options).items())
    with tempfile.TemporaryFile() as file:
        book.save(file)
        file.seek(0)
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def _whole(
    sheet: WriteOnlyWorksheet, first: Iterable[Cell], rows: Iterable[Iterable[Cell]]
) -> None:
    _append(sheet, first)
    for values in rows:
        _append(sheet, values)


def _append(sheet: WriteOnlyWorksheet, values: Iterable[Cell]) -> None:
    sheet.append([_cell(sheet, value) for value in values])


def _cell(sheet: WriteOnlyWorksheet, value: Cell) -> object:
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None)  # the format knows no time zones
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str | UUID):
        return value
    # One character for another, so that spans still fit.
    text = ILLEGAL_CHARACTERS_RE.sub("\ufffd", str(value))[:MOST_CHARACTERS]
    if not text.startswith("="):
        return text
    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    return cell
