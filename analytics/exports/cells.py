"""Cells of a spreadsheet that no program takes for a formula."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

# A spreadsheet reads a formula where a cell, or a line of one that was torn apart, begins with one
# of these, spaces and invisible characters before it notwithstanding. The wide forms count in East
# Asian locales.
_BREAKS = "\r\n\v\f\x85\u2028\u2029"
_TRIGGER = re.compile(
    rf"(^|[{_BREAKS}])(?=(?:(?![{_BREAKS}\t])\s|[\ufeff\u200b\u2060])*[=+\-@\t＝＋－＠])"
)
_LEADING_BREAK = re.compile(rf"^(?=[{_BREAKS}])")

Value = str | int | float | bool | None | UUID | datetime


def safe_text(text: str) -> str:
    """`text` with an apostrophe before whatever a spreadsheet would take for a formula.

    Every line is looked at, for some programs tear a cell apart at its line breaks. NUL, which
    ends a text for some readers, is left out.
    """
    text = text.replace("\0", "")
    return _LEADING_BREAK.sub("'", _TRIGGER.sub(r"\1'", text))


def guarded_places(text: str) -> list[int]:
    """Before which characters of `text`, which has no NUL, :func:`safe_text` puts an apostrophe."""
    found = {match.end() for match in _TRIGGER.finditer(text)}
    return sorted(found | ({0} if _LEADING_BREAK.match(text) else set()))


def cell(value: Value) -> str:
    """A value as a cell: numbers plain, yes and no in words, times in ISO 8601, texts made safe."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return safe_text(f"{value:g}" if isinstance(value, float) else str(value))
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return safe_text(str(value))


def row(values: Iterable[Value]) -> list[str]:
    """A row of cells."""
    return [cell(value) for value in values]
