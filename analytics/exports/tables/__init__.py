"""Tables of interviews: one module a table, each column with its meaning, loaded once.

A module has a `TABLE`; every table begins with the column `session`, which the registry adds. All
spreadsheets, and the codebook, are made from these.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from analytics.exports.tables.base import Cell, Column, Shape, StudyTable, Table

ORDER = ("sessions", "utterances", "turns", "nodes", "edges", "mentions")
"""The tables that come first; the others follow by their names."""
SESSION = Column("session", "id", "The interview that the row belongs to.")


class DuplicateTable(RuntimeError):
    """Two modules claim one name."""


def tables() -> Mapping[str, Table]:
    """The tables of interviews by name, in the order of files and sheets."""
    return {name: one for name, one in _all().items() if isinstance(one, Table)}


def study_tables() -> Mapping[str, StudyTable]:
    """The tables of a whole study by name, which come after those of interviews."""
    return {name: one for name, one in _all().items() if isinstance(one, StudyTable)}


@cache
def _all() -> Mapping[str, Table | StudyTable]:
    """All tables by name. Raises DuplicateTable where two modules have one name."""
    found: dict[str, Table | StudyTable] = {}
    for info in pkgutil.iter_modules(__path__):
        if info.name == "base":
            continue
        table: Table | StudyTable = importlib.import_module(f"{__name__}.{info.name}").TABLE
        if table.name in found:
            raise DuplicateTable(f"two tables are called {table.name!r}")
        found[table.name] = table
    places = {name: place for place, name in enumerate(ORDER)}
    return dict(sorted(found.items(), key=lambda pair: (places.get(pair[0], len(places)), pair[0])))


def columns_of(table: Table, shape: Shape) -> tuple[Column, ...]:
    """All columns of a table, those included that depend on the study."""
    return (SESSION, *table.columns, *table.of_study(shape))


def explained(table: str, columns: Iterable[Column]) -> Iterator[tuple[Cell, ...]]:
    """A row of the codebook for each column of a table, :data:`CODEBOOK` being its columns."""
    for column in columns:
        codes = "; ".join(f"{code} = {label}" for code, label in column.values.items())
        yield table, column.name, column.kind, column.meaning, column.unit, codes


CODEBOOK = (
    Column("table", "text", "The table that has the column."),
    Column("column", "text", "Its name in the table's first row."),
    Column("kind", "text", "text, number, yes/no, time or id."),
    Column("meaning", "text", "What stands in it; empty where there is nothing to say."),
    Column("unit", "text", "What a number counts or is measured in."),
    Column("values", "text", "The values that it may have, and what they mean."),
)
ABOUT = (
    Column("name", "text", "What is told of the file."),
    Column("text", "text", "What there is to tell."),
)
"""The columns of the table that tells what the file holds."""
