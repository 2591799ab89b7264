"""SQLite databases: tables, columns, counts and first rows, never anything that is run."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from interviews.ingest.limits import Unreadable
from interviews.ingest.passages import Section, Segment

FIRST_ROWS = 20
MOST_TABLES = 200
STEPS = 20_000_000
"""Steps of the database's machine for one statement; what needs more is not answered."""
_FIELD = 200


def database(path: Path) -> Iterator[Section]:
    """Plain tables alone are counted and shown: a view could compute without an end."""
    try:
        address = f"file:{quote(str(path))}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True)) as opened:
            opened.execute("PRAGMA trusted_schema=OFF")
            opened.text_factory = lambda raw: raw.decode("utf-8", errors="replace")
            made = opened.execute(
                "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
            ).fetchmany(MOST_TABLES)
            for kind, name, sql in made:
                shown = kind == "table" and not str(sql).upper().startswith("CREATE VIRTUAL")
                yield Section(
                    segments=[
                        *_definition(kind, name, sql),
                        *(_rows(opened, name) if shown else ()),
                    ],
                    heading=f"{kind} {name}",
                )
    except sqlite3.Error as error:
        raise Unreadable("The file is damaged: it cannot be opened as a database.") from error


def _definition(kind: str, name: str, sql: str) -> Iterator[Segment]:
    yield Segment(text=f"{sql}\n", mark="definition")


def _rows(opened: sqlite3.Connection, name: str) -> Iterator[Segment]:
    table = '"' + name.replace('"', '""') + '"'
    left = [STEPS // 1000]

    def tick() -> bool:
        left[0] -= 1
        return left[0] < 0

    opened.set_progress_handler(tick, 1000)
    try:
        count = opened.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - quoted
        yield Segment(text=f"{count} rows\n", mark="count")
        rows = opened.execute(f"SELECT * FROM {table} LIMIT {FIRST_ROWS}")  # noqa: S608 - quoted
        columns = [column[0] for column in rows.description]
        for number, row in enumerate(rows, start=1):
            pairs = (f"{c}: {_said(v)}" for c, v in zip(columns, row, strict=True))
            yield Segment(text=f"{'; '.join(pairs)}\n", mark=f"row {number}")
    except sqlite3.Error:
        yield Segment(text="The rows cannot be read.\n", mark="row 1")
    finally:
        opened.set_progress_handler(None, 0)


def _said(value: object) -> str:
    return f"{len(value)} bytes" if isinstance(value, bytes) else str(value)[:_FIELD]
