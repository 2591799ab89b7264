"""Commands on a database that nobody has prepared: a fresh clone, or a new server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from django.core.management import get_commands

from interview_project.embedded import read_pid_file, server_for
from interview_project.first_run import NEED_TABLES

ROOT = Path(__file__).resolve().parents[3]
WITHOUT_TABLES = frozenset(
    {
        "build_docs",
        "elements",
        "fit",
        "llm",
        "match",
        "screenshots",
        "signal",
        "serve",
        "translate",
        "validate",
        "worker",
    }
)
"""They need no tables, or see to them by themselves."""
NOBODY = UUID(int=1)

pytestmark = pytest.mark.xdist_group("prepared")  # they share a server

Manage = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder whose server runs already: only its tables are new in each test."""
    folder = tmp_path_factory.mktemp("fresh") / "data"
    server = server_for(folder)
    server.ensure()
    yield folder
    server.leave()
    left = read_pid_file(folder / "pg")
    if left is not None and left.alive():
        os.kill(left.pid, signal.SIGQUIT)


@pytest.fixture
def empty(data_dir: Path) -> str:
    """The address of a database without any table."""
    host = str(server_for(data_dir).ensure())
    with psycopg.connect(host=host, user="postgres", dbname="postgres", autocommit=True) as door:
        door.execute("DROP SCHEMA public CASCADE")
        door.execute("CREATE SCHEMA public")
    return f"postgresql://postgres@/postgres?host={host}"


@pytest.fixture
def manage(data_dir: Path) -> Manage:
    def run(
        *arguments: str, said: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            env=os.environ
            | {
                "DJANGO_SETTINGS_MODULE": "interview_project.settings",
                "DATA_DIR": str(data_dir),
            }
            | environment,
            input=said,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def test_every_command_of_ours_either_needs_tables_or_is_known_to_do_without() -> None:
    apps = {"interview_project", "console", "graphs", "methodologies", "interviews", "analytics"}
    ours = {name for name, app in get_commands().items() if app in apps}
    assert ours == NEED_TABLES | WITHOUT_TABLES


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["explain", str(NOBODY), "0"], f"CommandError: no session '{NOBODY}'"),
        (["interview", "--study", "nobody"], "CommandError: no study 'nobody'; there are: none"),
    ],
)
def test_on_a_fresh_clone_a_command_prepares_the_database_and_tells_its_own_error(
    manage: Manage, data_dir: Path, empty: str, arguments: list[str], told: str
) -> None:
    first = manage(*arguments)
    assert first.returncode == 1
    assert first.stdout == ""
    preparing, own = first.stderr.splitlines()[:2]
    assert preparing == f"Preparing the embedded database in {data_dir}"
    assert own.startswith(told)
    again = manage(*arguments)
    assert again.stderr.splitlines()[0] == own


def test_on_a_fresh_clone_the_demonstration_study_can_be_made_and_interviewed(
    manage: Manage, empty: str
) -> None:
    assert manage("demo_data").returncode == 0
    held = manage(
        "interview", "--study", "demo", "--answers", "-", "--json", said="The straps are soft.\n"
    )
    assert (held.returncode, held.stderr) == (0, "")
    assert "The straps are soft." in json.dumps(json.loads(held.stdout))


def test_the_library_is_loaded_by_its_own_command_which_says_so(manage: Manage, empty: str) -> None:
    loaded = manage("load_library")
    assert loaded.returncode == 0
    assert "methodology means_end_chain: stored as version 1" in loaded.stdout.splitlines()
    assert len(loaded.stderr.splitlines()) == 1


def test_help_and_wrong_arguments_prepare_nothing(manage: Manage, empty: str) -> None:
    assert manage("export", "--help").returncode == 0
    assert manage("export", "--unknown").returncode == 2
    with psycopg.connect(empty) as door:
        row = door.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    assert row == (0,)


@pytest.mark.parametrize(
    ("arguments", "redis"),
    [(["export", "nobody"], ""), (["worker"], "redis://127.0.0.1:1/0")],
    ids=["export", "worker"],
)
def test_a_server_of_ones_own_that_is_not_migrated_is_told_in_one_line(
    manage: Manage, empty: str, arguments: list[str], redis: str
) -> None:
    refused = manage(*arguments, DATABASE_URL=empty, REDIS_URL=redis)
    assert refused.returncode == 2
    assert refused.stderr == (
        "The database of DATABASE_URL is not up to date: run manage.py migrate\n"
    )
    assert refused.stdout == ""
