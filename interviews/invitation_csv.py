"""Invitations by the list: a CSV in, all of it or none; the links as a CSV out."""

from __future__ import annotations

import csv
import io
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

MOST_ROWS: Final = 10_000
MOST_NOTE: Final = 120
COLUMNS: Final = ("note", "expires_at", "email")

LONGEST_ADDRESS: Final = 254
NO_MAIL: Final = "No mail goes out from here (EMAIL_URL is not set); leave this column out."
KNOWN: Final = ", ".join(COLUMNS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """An invitation to be made."""

    note: str
    expires_at: datetime | None
    email: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is wrong with a row (1 is the first after the header, 0 the file) in a column."""

    row: int
    column: str
    message: str


def read(
    data: bytes, now: datetime, *, taken: Container[str] = (), mailed: bool = True
) -> tuple[list[Wanted], list[Fault]]:
    """The invitations in a CSV with the header `note,expires_at[,email]`, and every fault in it.

    Comma or semicolon, with or without a byte order mark; empty lines count for nothing. A time is
    ISO 8601, of UTC where it names no zone, and a date means the end of its day. An address must
    be new: not there twice, not among the `taken` ones (in lower case); without a mail server
    (`mailed`) there is nothing that it could be for.
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
    if not mailed and "email" in header:
        faults.append(Fault(row=0, column="email", message=NO_MAIL))
    if faults:
        return [], faults
    wanted = [_row(number, header, row, now, faults) for number, row in body]
    faults.extend(_of_addresses([(number, one.email) for (number, _), one in
                                 zip(body, wanted, strict=True)], taken))  # fmt: skip
    faults.sort(key=lambda fault: fault.row)
    return ([] if faults else wanted), faults


def _of_header(header: list[str]) -> Iterator[Fault]:
    if not {"note", "email"} & set(header):
        message = "The first line has to name the columns: note,expires_at, and email if wanted."
        yield Fault(row=0, column="note", message=message)
    for name in header:
        if name not in COLUMNS:
            yield Fault(row=0, column=name, message=f"Unknown column; known are {KNOWN}.")
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
    return Wanted(note=note, expires_at=expires, email=cells.get("email", ""))


def _of_addresses(found: Sequence[tuple[int, str]], taken: Container[str]) -> Iterator[Fault]:
    """What is wrong with the addresses in the list, by row."""
    seen: dict[str, int] = {}
    for number, address in found:
        message = _wrong_with(address, taken)
        first = seen.setdefault(address.casefold(), number) if address else number
        if not message and first != number:
            message = f"This address is in row {first}, too."
        if message:
            yield Fault(row=number, column="email", message=message)


def _wrong_with(address: str, taken: Container[str]) -> str:
    if not address:
        return ""
    try:
        validate_email(address)
    except ValidationError:
        return f"{address[:40]!r} is no mail address."
    if len(address) > LONGEST_ADDRESS:
        return f"{len(address)} characters; {LONGEST_ADDRESS} at most."
    if address.casefold() in taken:
        return "This address has a link that still counts; withdraw that one first."
    return ""


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
