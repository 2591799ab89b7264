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

from analytics.exports.sheets import Sheets
from analytics.exports.source import ExportOptions, ExportSource, shape_of
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
    tables = Sheets(source=source, options=options, shape=shape)
    book = Workbook(write_only=True)
    sheets: dict[str, WriteOnlyWorksheet] = {}
    for name, first in tables.first_rows():
        sheets[name] = book.create_sheet(name)
        sheets[name].freeze_panes = "A2"
        _append(sheets[name], first)
    for name, values in tables.rows():
        _append(sheets[name], values)
    with tempfile.TemporaryFile() as file:
        book.save(file)
        file.seek(0)
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


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
