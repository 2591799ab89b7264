"""Workbooks: cells with their formulas and values, and long sheets summed up by column."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any

from openpyxl import load_workbook
from openpyxl.utils import get_column_letter

from interviews.ingest.archives import check_office
from interviews.ingest.limits import ROWS_KEPT, Unreadable
from interviews.ingest.passages import Section, Segment
from interviews.ingest.tables import MOST_COLUMNS, Columns

AS_ABOVE = "(as above)"
_REFERENCE = re.compile(r"(\$?[A-Z]{1,3})(\$?)(\d+)\b")


def workbook(path: Path) -> Iterator[Section]:
    """The sheets of an xlsx, read row by row: a formula stands beside the value it last gave."""
    check_office(path)
    with (
        warnings.catch_warnings(),
        path.open("rb") as formula_source,
        path.open("rb") as value_source,
    ):
        warnings.simplefilter("ignore")  # of features that the library leaves out
        try:
            formulas = load_workbook(formula_source, read_only=True, keep_links=False)
            values = load_workbook(value_source, read_only=True, data_only=True, keep_links=False)
        except Exception as error:  # whatever the library stumbles over in a damaged file
            raise Unreadable("The file is damaged: it cannot be opened as a workbook.") from error
        with closing(formulas), closing(values):
            names = _names(formulas)
            for sheet in formulas.worksheets:
                yield from _sheet(sheet, values[sheet.title], names)


def _names(book: Any) -> dict[str, str]:
    """The names of cells, by `sheet!cell`."""
    found = {}
    for name, defined in book.defined_names.items():
        for sheet, cell in _destinations(defined):
            found[f"{sheet}!{cell.replace('$', '')}"] = name
    return found


def _destinations(defined: Any) -> Iterator[tuple[str, str]]:
    try:
        yield from defined.destinations
    except Exception:  # a name for something else than cells
        return


def _sheet(sheet: Any, values: Any, names: dict[str, str]) -> Iterator[Section]:
    held: list[Segment] = []
    shapes: dict[int, str] = {}
    columns: Columns | None = None
    blank: object = None
    for side in (sheet, values):
        side.reset_dimensions()  # what the file claims may be anything
    pairs = zip_longest(
        sheet.iter_rows(max_col=MOST_COLUMNS),
        values.iter_rows(max_col=MOST_COLUMNS, values_only=True),
        fillvalue=(),
    )
    for written, given in pairs:
        if written is blank:
            continue
        if all(cell.value is None for cell in written):
            blank = written  # of a million missing rows each is this one
            continue
        if columns is None:
            columns = Columns([cell.value for cell in written])
        else:
            columns.add(given)
        if columns.rows <= ROWS_KEPT:
            held.extend(_row(sheet.title, written, given, names, shapes))
    yield Section(segments=held)
    if columns is not None and columns.rows > ROWS_KEPT:
        yield Section(segments=columns.summary(f"{sheet.title}, all rows"))


def _row(
    title: str,
    written: Any,
    given: tuple[object, ...],
    names: dict[str, str],
    shapes: dict[int, str],
) -> Iterator[Segment]:
    """The filled cells of a row; a formula that was only filled down is said to be so."""
    filled = [(at, cell) for at, cell in enumerate(written) if cell.value is not None]
    for at, cell in filled:
        ref = f"{get_column_letter(cell.column)}{cell.row}"
        place = f"{title}!{ref}"
        named = f" ({names[place]})" if place in names else ""
        said, value = _said(cell.value), given[at] if at < len(given) else None
        is_formula = said.startswith("=")
        if is_formula:
            shape = _shape(said, cell.row)
            said = AS_ABOVE if shapes.get(cell.column) == shape else said
            shapes[cell.column] = shape
        result = f" → {_said(value)}" if is_formula and value is not None else ""
        end = "\n" if at == filled[-1][0] else " | "
        yield Segment(text=f"{ref}{named}: {said}{result}{end}", mark=place)


def _shape(formula: str, row: int) -> str:
    """A formula with its rows counted from its own, so that one filled down stays the same."""

    def relative(match: re.Match[str]) -> str:
        fixed = match[2] == "$"
        return f"{match[1]}{match[3] if fixed else f'[{int(match[3]) - row}]'}"

    return _REFERENCE.sub(relative, formula)


def _said(value: object) -> str:
    if isinstance(value, datetime) and not (value.hour or value.minute or value.second):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        return f"{value:.10g}"
    text = getattr(value, "text", value)  # a formula over several cells
    return " ".join(str(text).split())
