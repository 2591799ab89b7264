"""JSON text of what exports hold: ids, times and money included, and nothing that is no JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID


def dumps(value: object) -> str:
    """One line of JSON. Raises ValueError for what is not a number, TypeError for other types."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)


def members(document: Mapping[str, Any]) -> Iterator[bytes]:
    """The members of an object, one at a time, so that a long interview is never one string."""
    for index, (key, value) in enumerate(document.items()):
        yield ("," if index else "").encode() + dumps(key).encode() + b":"
        if isinstance(value, list):
            yield from _array(value)
        else:
            yield dumps(value).encode()


def _array(values: Sequence[Any]) -> Iterator[bytes]:
    yield b"["
    for index, value in enumerate(values):
        yield (",\n" if index else "").encode() + dumps(value).encode()
    yield b"]"


def _plain(value: object) -> object:
    """Ids as text, times in ISO 8601, money as a number.

    Raises TypeError for anything else.
    """
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{type(value).__name__} has no JSON form here")
