"""What the database driver learns at the start: to send vectors as numbers, and faster JSON.

As text, each of the 384 numbers of a vector would be written, sent and read in some ten letters.
The JSON of pydantic takes a fifth of the time of Python's to write and a third to read; models'
fields keep Django's.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.types.json import set_json_dumps, set_json_loads
from pydantic_core import from_json, to_json

from graphs.language.vectors import Vector

_REAL, _REAL_ARRAY = 700, 1021
"""The types' numbers in every PostgreSQL."""
_CELL = np.dtype([("bytes", ">i4"), ("number", ">f4")])
_HEAD = np.dtype(">i2").itemsize * 2
"""Bytes before the numbers of a vector as it is sent: how many numbers, and nothing."""


@dataclass(frozen=True, slots=True)
class Flat:
    """Vectors laid end to end; a statement receives them as one `real[]`, exact to the bit."""

    vectors: Sequence[Vector]

    def numbers(self) -> NDArray[np.float32]:
        """All numbers, in order."""
        return np.concatenate(self.vectors) if self.vectors else np.empty(0, dtype=np.float32)


class _TextDumper(Dumper):
    """For connections that put parameters into the statement themselves."""

    oid = _REAL_ARRAY

    def dump(self, obj: Flat) -> bytes:
        # Nine digits give back every 32-bit float as it was.
        return b"{%s}" % b",".join(b"%.9g" % number for number in obj.numbers().tolist())


class _BinaryDumper(Dumper):
    """The array as the server keeps it: dimensions, then length and value of each number."""

    format = Format.BINARY
    oid = _REAL_ARRAY

    def dump(self, obj: Flat) -> bytes:
        numbers = obj.numbers()
        if not len(numbers):
            return struct.pack(">iiI", 0, 0, _REAL)
        cells = np.empty(len(numbers), dtype=_CELL)
        cells["bytes"], cells["number"] = _CELL["number"].itemsize, numbers
        return struct.pack(">iiIii", 1, 0, _REAL, len(numbers), 1) + cells.tobytes()


def received(sent: bytes) -> NDArray[np.float32]:
    """Return (vectors, size) from vectors of one size as `vector_send` gives them, end to end."""
    size = int(np.frombuffer(sent, dtype=">i2", count=1)[0])
    layout = np.dtype([("head", f"V{_HEAD}"), ("numbers", ">f4", (size,))])
    return np.frombuffer(sent, dtype=layout)["numbers"].astype(np.float32)


def register() -> None:
    """Teach psycopg both, for every connection made from now on."""
    psycopg.adapters.register_dumper(Flat, _TextDumper)
    psycopg.adapters.register_dumper(Flat, _BinaryDumper)
    set_json_dumps(to_json)
    set_json_loads(from_json)
