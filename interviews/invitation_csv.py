"""Invitations by the list: a CSV in, all of it or none; the links as a CSV out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

MOST_ROWS: Final = 10_000
MOST_NOTE: Final = 120
COLUMNS: Final = ("note", "expires_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """An invitation to be made."""

    note: str
    expires_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is wrong with a row (1 is the first after the header, 0 the file) in a column."""

    row: int
    column: str
    message: str


def read(data: bytes, now: datetime) -> tuple[list[Wanted], list[Fault]]:
    """The invitations in a CSV with the header `note,expires_at`, and every fault in it.

    Comma or semicolon, with or without a byte order mark; empty lines count for nothing. A time is
    ISO 8601, of UTC where it names no zone, and a date means the end of its day.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return [], [Fault(row=0, column="", message="The file is not UTF-8; save it as UTF-8.")]
    lines = text.splitlines()
    separator = ";" if lines and ";" in lines[0] else ","
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        return [], [Fault(row=0, column="", message=f"The file is no CSV: {error}.")]
    header = [name.strip().lower() for name in rows[0]] if rows else []
    faults = list(_of_header(header))
    body = [
        (number, row) for number, row in enumerate(rows[1:], start=1) if any(map(str.strip, row))
    ]
    if len(body) > MOST_ROWS:
        message = f"{len(body)} rows; {MOST_ROWS} at most. Split the file."
        faults.append(Fault(row=0, column="", message=message))
    if faults:
        return [], faults
    wanted = [_row(number, header, row, now, faults) for number, row in body]
    return ([] if faults else wanted), faults


def _of_header(header: list[str]) -> Iterator[Fault]:
    if "note" not in header:
        yield Fault(
            row=0, column="note", message="The first line has to name the columns: note,expires_at."
        )
    for name in header:
        if name not in COLUMNS:
            yield Fault(row=0, column=name, message="Unknown column; known are note, expires_at.")
        elif header.count(name) > 1:
            yield Fault(row=0, column=name, message="This column is there twice.")


def _row(
    number: int, header: list[str], row: list[str], now: datetime, faults: list[Fault]
) -> Wanted:
    if len(row) > len(header):
        message = f"{len(row)} cells under {len(header)} columns."
        faults.append(Fault(row=number, column="", message=message))
    cells = dict(zip(header, map(str.strip, row), strict=False))
    note, expires = cells.get("note", ""), None
    if len(note) > MOST_NOTE:
        message = f"{len(note)} characters; {MOST_NOTE} at most."
        faults.append(Fault(row=number, column="note", message=message))
    if "\0" in note:
        faults.append(
            Fault(row=number, column="note", message="A character that cannot be stored.")
        )
    if cells.get("expires_at"):
        expires = _time(cells["expires_at"])
        if expires is None:
            message = (
                f"{cells['expires_at'][:40]!r} is no time; expected 2026-12-31 or 2026-12-31T18:00."
            )
            faults.append(Fault(row=number, column="expires_at", message=message))
        elif expires <= now:
            message = "This time has passed."
            faults.append(Fault(row=number, column="expires_at", message=message))
    return Wanted(note=note, expires_at=expires)


def _time(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    if len(text) == len("2026-12-31"):
        found = found.replace(hour=23, minute=59, second=59)
    try:
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    except (OverflowError, ValueError):
        return None
