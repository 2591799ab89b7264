"""A ZIP that is sent while it is written."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from typing import IO

CHUNK_BYTES = 1 << 16


class Pipe(io.RawIOBase):
    """A file that cannot be sought, from which what was written can be taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: bytes | bytearray | memoryview, /) -> int:  # type: ignore[override]
        """Keep a copy of the data."""
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        """What was written since the last time."""
        taken, self._parts = b"".join(self._parts), []
        return taken


def zipped(files: Iterable[tuple[str, IO[bytes]]]) -> Iterator[bytes]:
    """The bytes of a ZIP of these files, by name, each read from its beginning."""
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        for name, file in files:
            file.seek(0)
            with archive.open(name, "w", force_zip64=True) as entry:
                while chunk := file.read(CHUNK_BYTES):
                    entry.write(chunk)
                    yield pipe.take()
            yield pipe.take()
    yield pipe.take()
