"""Has a file read by a process of its own that can do little else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from interviews.ingest.child import OUTCOME, PASSAGES, SOURCE, TASK
from interviews.ingest.passages import Passage

WALL_SECONDS = 75
"""More than the process may compute: what waits for longer waits for nothing."""

Status = Literal["read", "unreadable", "refused"]
_ROOT = Path(__file__).resolve().parents[2]
_START = (
    "import sys; sys.path.insert(0, {root!r}); from interviews.ingest.child import main; main()"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A file of an archive: its name in it, and where its content lies while the block is open."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a file; `reason` says why it could not be read, `count` how many passages.

    Of an archive, `members` are the files in it. `peak_mb` is what reading took at most.
    """

    status: Status
    kind: str
    reason: str
    count: int
    folder: Path
    members: tuple[Member, ...] = ()
    peak_mb: float = 0.0

    def passages(self) -> Iterator[Passage]:
        """The passages, read from the folder one by one while the block is open."""
        written = self.folder / PASSAGES
        if self.status != "read" or not written.exists():
            return
        with written.open(encoding="utf-8") as source:
            for line in source:
                yield Passage.of_json(json.loads(line))


@contextmanager
def read(content: bytes, name: str, *, wall_seconds: float = WALL_SECONDS) -> Iterator[Outcome]:
    """Read a file of this content and name; the outcome can be read until the block is left.

    Raises nothing that the file could cause: a reader that dies or hangs makes the file refused.
    """
    with tempfile.TemporaryDirectory(prefix="ingest-") as made:
        folder = Path(made).resolve()
        (folder / SOURCE).write_bytes(content)
        (folder / TASK).write_text(json.dumps({"name": name}), encoding="utf-8")
        yield _outcome(folder, _run(folder, wall_seconds))


def _run(folder: Path, wall_seconds: float) -> int | None:
    """Run the reader; its exit code, None where it had to be ended."""
    reader = subprocess.Popen(
        [sys.executable, "-I", "-B", "-c", _START.format(root=str(_ROOT)), str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={"LANG": os.environ.get("LANG", "C.UTF-8"), "TMPDIR": str(folder)},
        start_new_session=True,
    )
    try:
        return reader.wait(wall_seconds)
    except subprocess.TimeoutExpired:
        reader.kill()
        reader.wait()
        return None


def _outcome(folder: Path, code: int | None) -> Outcome:
    written = folder / OUTCOME
    if code != 0 or not written.exists():
        why = "takes too long" if code is None or code < 0 else "takes too much memory"
        return Outcome(
            status="refused",
            kind="",
            reason=f"Reading the file {why}.",
            count=0,
            folder=folder,
        )
    found = json.loads(written.read_text(encoding="utf-8"))
    members = tuple(
        Member(name=str(name), path=folder / Path(str(at)).name)
        for name, at in found.get("members", ())
    )
    return Outcome(
        status=found["status"],
        kind=str(found["kind"]),
        reason=str(found["reason"]),
        count=int(found["count"]),
        folder=folder,
        members=members,
        peak_mb=float(found["peak_mb"]),
    )
