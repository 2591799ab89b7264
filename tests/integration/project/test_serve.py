"""`make run`, as a person meets it: one command, three links, one Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from interview_project.embedded import read_pid_file

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 120.0
AS_IN_A_TERMINAL = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)
"""Runs its arguments with Ctrl-C heard: a run of tests in the background was told to ignore it."""


class Run:
    """A started `manage.py serve` and what it has said so far."""

    def __init__(self, data_dir: Path, port: int, **environment: str) -> None:
        self.base = f"http://127.0.0.1:{port}"
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-c", AS_IN_A_TERMINAL, str(ROOT / "manage.py"), "serve"],
            env=os.environ
            | {"DATA_DIR": str(data_dir), "PORT": str(port), "DB_POOL_SIZE": "20"}
            | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.lines.extend(self.process.stdout)

    @property
    def said(self) -> str:
        return "".join(self.lines)

    def wait_for(self, text: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while text not in self.said:
            assert self.process.poll() is None, self.said
            assert time.monotonic() < deadline, self.said
            time.sleep(0.05)

    def stop(self, signum: int) -> int:
        self.process.send_signal(signum)
        code = self.process.wait(PATIENCE)
        self._reader.join(5)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def site(tmp_path: Path, port: int) -> Iterator[Run]:
    run = Run(tmp_path / "data", port)
    yield run
    if run.process.poll() is None:
        run.stop(signal.SIGKILL)
    left = read_pid_file(tmp_path / "data" / "pg")
    if left is not None and left.alive():
        os.kill(left.pid, signal.SIGQUIT)


def get(url: str) -> tuple[int, str]:
    with urllib.request.urlopen(url, timeout=30) as response:
        return response.status, response.read().decode()


def test_one_command_serves_three_links_and_ctrl_c_stops_everything(
    site: Run, tmp_path: Path, port: int
) -> None:
    site.wait_for("Ctrl-C stops everything.")
    links = re.findall(r"^(?:An interview|Console|Dashboards) +(\S+)$", site.said, re.MULTILINE)
    assert [link.startswith(site.base) for link in links] == [True] * 3
    assert all(get(link)[0] == 200 for link in links), links
    password = re.search(r"password (\S+)$", site.said, re.MULTILINE)
    assert password is not None

    status, body = get(f"{site.base}/healthz")
    health = json.loads(body)
    assert status == 200
    assert health["broker"]["status"] == "ok"

    second = Run(tmp_path / "data", port)
    assert second.process.wait(PATIENCE) == 2
    second._reader.join(5)
    assert second.said.startswith(f"Port {port} on 127.0.0.1 cannot be used")
    assert second.process.stdout is not None
    second.process.stdout.close()

    assert site.stop(signal.SIGINT) == 0
    assert "Traceback" not in site.said
    left = read_pid_file(tmp_path / "data" / "pg")
    assert left is None or not left.alive()

    again = Run(tmp_path / "data", port)
    try:
        again.wait_for("Ctrl-C stops everything.")
        assert "password" not in again.said
    finally:
        assert again.stop(signal.SIGTERM) == 0
    left = read_pid_file(tmp_path / "data" / "pg")
    assert left is None or not left.alive()
