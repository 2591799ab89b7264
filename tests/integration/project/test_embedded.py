"""The embedded PostgreSQL: who starts, shares and stops it, and what a person is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from interview_project.embedded import UNFINISHED, read_pid_file, server_for

ROOT = Path(__file__).resolve().parents[3]
HOLD = (
    "import sys; from django.db import connection; connection.ensure_connection();"
    "print('connected', flush=True); sys.stdin.readline()"
)

Manage = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    """A folder whose server, should a test leave one, does not outlive it."""
    folder = tmp_path / "data"
    yield folder
    found = read_pid_file(folder / "pg")
    if found is not None and found.alive():
        os.kill(found.pid, signal.SIGQUIT)


@pytest.fixture
def manage(data_dir: Path) -> Iterator[Manage]:
    """Start `manage.py` on that folder."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            env=os.environ | {"DATA_DIR": str(data_dir)} | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def hold(manage: Manage) -> subprocess.Popen[str]:
    """A process that is connected and stays so until it is told to end."""
    process = manage("shell", "--no-imports", "-c", HOLD)
    assert process.stdout is not None
    assert process.stdout.readline() == "connected\n", process.communicate()[1]
    return process


def running(data_dir: Path) -> bool:
    found = read_pid_file(data_dir / "pg")
    return found is not None and found.alive()


def test_what_a_killed_first_start_left_is_made_anew(manage: Manage, data_dir: Path) -> None:
    (data_dir / "pg" / "base").mkdir(parents=True)
    (data_dir / "pg" / "PG_VERSION").write_text("16\n")
    (data_dir / UNFINISHED).touch()
    process = hold(manage)
    assert not (data_dir / UNFINISHED).exists()
    process.communicate("\n", timeout=30)
    assert process.returncode == 0


def test_a_server_that_answered_is_kept_whatever_its_first_start_left(
    manage: Manage, data_dir: Path
) -> None:
    first = hold(manage)
    (data_dir / UNFINISHED).touch()  # as a process killed right after the server was ready
    second = hold(manage)
    for process in (first, second):
        process.communicate("\n", timeout=30)
    assert (data_dir / "pg" / "PG_VERSION").exists()
    assert not (data_dir / UNFINISHED).exists()


def test_the_first_command_starts_the_server_and_the_same_command_stops_it(
    manage: Manage, data_dir: Path
) -> None:
    process = hold(manage)
    assert running(data_dir)
    process.communicate("\n", timeout=30)
    assert process.returncode == 0
    assert not running(data_dir)


def test_the_last_to_leave_stops_it_whoever_started_it(manage: Manage, data_dir: Path) -> None:
    first, second = hold(manage), hold(manage)
    first.communicate("\n", timeout=30)
    assert running(data_dir)
    second.communicate("\n", timeout=30)
    assert not running(data_dir)


def test_sigterm_stops_what_was_started(manage: Manage, data_dir: Path) -> None:
    process = hold(manage)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGTERM
    assert not running(data_dir)


def test_a_server_orphaned_by_sigkill_is_found_again_and_stopped_by_the_next(
    manage: Manage, data_dir: Path
) -> None:
    killed = hold(manage)
    killed.kill()
    killed.communicate()
    orphan = read_pid_file(data_dir / "pg")
    assert orphan is not None
    assert orphan.alive()
    heir = hold(manage)
    found = read_pid_file(data_dir / "pg")
    assert found is not None
    assert found.pid == orphan.pid
    heir.communicate("\n", timeout=30)
    assert not running(data_dir)


def test_a_foreign_client_keeps_the_server_running(manage: Manage, data_dir: Path) -> None:
    process = hold(manage)
    found = read_pid_file(data_dir / "pg")
    assert found is not None
    with psycopg.connect(host=str(found.socket_dir), user="postgres", dbname="postgres"):
        process.communicate("\n", timeout=30)
        assert running(data_dir)


def test_a_server_that_died_is_started_again_within_the_same_process(
    manage: Manage, data_dir: Path
) -> None:
    server = server_for(data_dir)
    server.ensure()
    died = read_pid_file(data_dir / "pg")
    assert died is not None
    os.kill(died.pid, signal.SIGQUIT)
    while died.alive():
        time.sleep(0.01)
    server.ensure()
    found = read_pid_file(data_dir / "pg")
    assert found is not None
    assert found.pid != died.pid
    assert server.leave()
    assert not running(data_dir)


def test_letters_beyond_ascii_fold_case(manage: Manage) -> None:
    process = manage(
        "shell",
        "--no-imports",
        "-c",
        "from django.db import connection as c; k = c.cursor();"
        "k.execute(\"SELECT lower('ÉÄÑ')\"); print(k.fetchone()[0])",
        PYTHONIOENCODING="utf-8",
    )
    out, err = process.communicate(timeout=60)
    assert out == "éäñ\n", err


@pytest.mark.parametrize("below", ["file", "file/deeper"])
def test_a_data_folder_that_cannot_be_written_is_told_in_one_message(
    manage: Manage, tmp_path: Path, below: str
) -> None:
    (tmp_path / "file").touch()
    process = manage("migrate", DATA_DIR=str(tmp_path / below), SECRET_KEY="k" * 60)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 2
    assert err.startswith(f"The data folder {tmp_path / below} cannot be written")
    assert "set DATA_DIR" in err
    assert "Traceback" not in err


def test_a_server_without_pgvector_is_told_in_one_message(manage: Manage, data_dir: Path) -> None:
    # PostgreSQL 18 looks for extensions where it is told to: nowhere, here.
    hold(manage)
    found = read_pid_file(data_dir / "pg")
    assert found is not None
    url = (
        f"postgresql://postgres@/postgres?host={found.socket_dir}"
        "&options=-c%20extension_control_path%3D/nowhere"
    )
    process = manage("migrate", DATABASE_URL=url)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.startswith("The PostgreSQL server of DATABASE_URL has no pgvector.\nInstall ")
    assert "Traceback" not in err


def test_a_server_that_does_not_answer_is_told_in_one_message(manage: Manage) -> None:
    process = manage("migrate", DATABASE_URL="postgresql://nobody@127.0.0.1:1/nothing")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.startswith("The database did not answer: ")
    assert "DATABASE_URL" in err
    assert "Traceback" not in err


def test_a_backend_without_a_server_is_no_server(tmp_path: Path) -> None:
    # What initdb leaves behind where it is killed: a process id below zero.
    lines = ["-28504", str(tmp_path), "1700000000", "5432", str(tmp_path), "", "", "ready"]
    (tmp_path / "postmaster.pid").write_text("\n".join(lines), encoding="utf-8")
    assert read_pid_file(tmp_path) is None
