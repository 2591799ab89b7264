"""Files are read by a confined process: S10, and what else a reader could do."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from interviews.ingest import sandbox
from interviews.ingest.limits import MEMORY_BYTES
from tests import ingest_files

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("what", ingest_files.BOMBS)
def test_s10_a_bomb_is_refused_in_time_and_memory_with_the_worker_alive(what: str) -> None:
    name, make = ingest_files.BOMBS[what]
    content = make()
    began = time.monotonic()
    with sandbox.read(content, name) as outcome:
        assert outcome.status == "refused", outcome.reason
        assert outcome.reason
        assert list(outcome.passages()) == []
        assert outcome.peak_mb * 1024**2 < MEMORY_BYTES
    assert time.monotonic() - began < 10  # the promise itself: a bomb is refused within 10 s


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.pdf", ingest_files.pdf_of_endless_pages()),
        ("a.zip", ingest_files.lying_archive()),
    ],
)
def test_s10_a_file_that_lies_about_itself_is_not_read(name: str, content: bytes) -> None:
    with sandbox.read(content, name) as outcome:
        assert outcome.status in ("refused", "unreadable")
        assert outcome.members == ()


def test_an_archive_gives_its_files() -> None:
    files = {"src/a.py": ingest_files.CODE, "b.docx": ingest_files.document()}
    with sandbox.read(ingest_files.archive(files), "all.zip") as outcome:
        assert outcome.status == "read"
        assert {m.name: m.path.read_bytes() for m in outcome.members} == files


def test_fifty_thousand_rows_and_two_hundred_pages_keep_memory_flat() -> None:
    small: list[float] = []
    large: list[float] = []
    for kept, rows, pages in ((small, 300, 2), (large, 50_000, 200)):
        with sandbox.read(ingest_files.workbook(rows=rows), "a.xlsx") as outcome:
            assert outcome.status == "read", outcome.reason
            kept.append(outcome.peak_mb)
        with sandbox.read(ingest_files.pdf(*["A line of text. " * 60] * pages), "a.pdf") as outcome:
            assert outcome.status == "read", outcome.reason
            kept.append(outcome.peak_mb)
    assert all(most - least < 40 for least, most in zip(small, large, strict=True))


@pytest.mark.parametrize(
    "attempt",
    [
        "import socket; socket.socket()",
        "import socket; socket.create_connection(('127.0.0.1', 80), 1)",
        "open({outside!r}, 'w')",
        "import os; os.remove({outside!r})",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.system('true')",
        "bytearray(600_000_000)",
    ],
)
def test_a_reader_can_do_nothing_else(tmp_path: Path, attempt: str) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside.txt"
    inside.mkdir()
    outside.write_text("kept", encoding="utf-8")
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\n"
        "from interviews.ingest.confinement import confine\n"
        f"confine(Path({str(inside)!r}))\n"
        "open('made.txt', 'w').write('fine')\n"
        f"try:\n    {attempt.format(outside=str(outside))}\n"
        "except (PermissionError, MemoryError): sys.exit(7)\n"
    )
    done = subprocess.run([sys.executable, "-I", "-B", "-c", script], check=False)
    assert done.returncode == 7
    assert (inside / "made.txt").read_text(encoding="utf-8") == "fine"
    assert outside.read_text(encoding="utf-8") == "kept"


def test_native_code_writes_nowhere_else_either(tmp_path: Path) -> None:
    """Where Linux offers Landlock: the C library's own calls are refused, too."""
    inside, outside = tmp_path / "inside", tmp_path / "outside.txt"
    inside.mkdir()
    script = (
        f"import sys, ctypes; sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\n"
        "from interviews.ingest import confinement\n"
        "libc = ctypes.CDLL(None)\n"
        "available = libc.syscall(444, None, 0, 1) >= 1\n"
        "libc.open.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_int]\n"
        f"confinement.confine(Path({str(inside)!r}))\n"
        f"opened = libc.open({str(outside).encode()!r}, 0o101, 0o600)\n"
        "sys.exit(7 if opened == -1 or not available else 1)\n"
    )
    done = subprocess.run([sys.executable, "-I", "-B", "-c", script], check=False)
    assert done.returncode == 7


def test_a_reader_that_hangs_is_ended_and_the_file_refused(tmp_path: Path) -> None:
    with sandbox.read(ingest_files.workbook(rows=2000), "a.xlsx", wall_seconds=0.01) as outcome:
        assert (outcome.status, outcome.reason) == ("refused", "Reading the file takes too long.")


def test_the_environment_with_its_secrets_stays_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-readers")
    found: dict[str, str] = {}
    with sandbox.read(b"hello", "a.txt") as outcome:
        found = json.loads((outcome.folder / "outcome.json").read_text(encoding="utf-8"))
    assert "sk-not-for-readers" not in json.dumps(found)
    assert outcome.status == "read"
