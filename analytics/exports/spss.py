"""SPSS: the table of interviews, a case each, with labels of variables and values."""

from __future__ import annotations

import re
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from analytics.exports.about import about
from analytics.exports.source import ExportOptions, ExportSource, shape_of
from analytics.exports.tables import columns_of, tables
from analytics.exports.tables.base import Cell, Column
from analytics.exports.zipped import CHUNK_BYTES

NAME = "sav"
CONTENT_TYPE = "application/x-spss-sav"
EXTENSION = "sav"

LONGEST_LABEL = 60
"""Bytes of a file's label; one of a variable may have 255, of a value 120."""
NOTE_LINE = 80


def write(source: ExportSource, options: ExportOptions) -> Iterator[bytes]:
    """Gather the cases, a few hundred bytes each, and have pyreadstat write them."""
    import pandas as pd  # loaded by this format alone: it takes half a second and much memory
    import pyreadstat

    table, shape = tables()["sessions"], shape_of(source.of_study, options)
    columns = columns_of(table, shape)
    cases: list[list[Cell]] = []
    for record in source.records(options):
        cases += [[str(record.session.pk), *values] for values in table.rows(record, shape)]
    names = variable_names(columns)
    frame = pd.DataFrame(
        {
            name: pd.Series([_value(column, case[place]) for case in cases], dtype=_dtype(column))
            for place, (name, column) in enumerate(zip(names, columns, strict=True))
        }
    )
    told = about(source, options)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cases.sav"
        pyreadstat.write_sav(
            frame,
            str(path),
            file_label=_cut(told["study"], LONGEST_LABEL),
            column_labels=[_cut(column.meaning, 255) for column in columns],
            variable_value_labels={
                name: labels
                for name, column in zip(names, columns, strict=True)
                if (labels := value_labels(column))
            },
            variable_measure={
                name: "scale" if column.kind == "number" else "nominal"
                for name, column in zip(names, columns, strict=True)
            },
            note=[line for name, text in told.items() for line in _lines(f"{name}: {text}")],
        )
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk


def variable_names(columns: Sequence[Column]) -> list[str]:
    """The columns' names as SPSS takes them: letters, digits and underscores, at most 64."""
    return [re.sub(r"\W+", "_", column.name)[:64] for column in columns]


def value_labels(column: Column) -> dict[int | float, str]:
    """Labels by number; what has a closed set of values is coded, from 1, yes and no by 1 and 0."""
    if column.kind == "yes/no":
        return {0: "no", 1: "yes"}
    return {place: _cut(value, 120) for place, value in enumerate(column.values, start=1)}


def _value(column: Column, value: Cell) -> object:
    if value is None:
        return None
    if column.kind == "yes/no":
        return float(bool(value))
    if column.values:
        codes = {one: float(place) for place, one in enumerate(column.values, start=1)}
        return codes.get(str(value))
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None, microsecond=0)
    return value if column.kind == "number" else str(value)


def _dtype(column: Column) -> str:
    if column.kind == "time":
        return "datetime64[s]"
    coded = column.kind in {"number", "yes/no"} or bool(column.values)
    return "float64" if coded else "str"


def _lines(text: str) -> list[str]:
    """The text in the lines of a note; in ASCII, for their length is one of bytes."""
    return textwrap.wrap(text.encode("ascii", "replace").decode(), NOTE_LINE)


def _cut(text: str, most: int) -> str:
    """The text, cut so that its bytes fit."""
    return text.encode()[:most].decode(errors="ignore")
