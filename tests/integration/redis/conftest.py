"""A real Redis and real worker processes; this process plays the web server beside them."""

from __future__ import annotations

import os
import runpy
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from celery import Celery
from celery._state import get_current_app
from channels.layers import channel_layers
from django.db import connection
from pytest_django import DjangoDbBlocker, Settings
from redis import Redis
from redis.exceptions import RedisError

from interviews import services
from interviews.models import Session, Study, Turn
from methodologies.registry import CONCEPT, LIBRARY, METHODOLOGY, publish

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 60.0
ANSWER = "Well, the straps are soft, so I can walk further, and that makes me feel free."

T = TypeVar("T")


def eventually(condition: Callable[[], T]) -> T:
    """The first true value of `condition`; a failure if there is none for a long time."""
    deadline = time.monotonic() + PATIENCE
    while not (value := condition()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)
    return value


class RedisServer:
    """A redis-server of the tests' own; it keeps its port while it is stopped and started."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.unix_socket = folder / "socket"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = int(probe.getsockname()[1])
        self.start()

    def url(self, database: int = 0) -> str:
        return f"redis://127.0.0.1:{self._port}/{database}"

    def start(self) -> None:
        options = {
            "port": self._port,
            "bind": "127.0.0.1",
            "unixsocket": self.unix_socket,
            "save": "",
            "appendonly": "no",
        }
        self._process = subprocess.Popen(
            [
                "redis-server",
                *(word for name, value in options.items() for word in (f"--{name}", str(value))),
            ],
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
        )
        eventually(self._answers)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    @contextmanager
    def down(self) -> Iterator[None]:
        self.stop()
        yield
        self.start()

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Connections are taken by the system, and nobody says anything on them."""
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    @contextmanager
    def full(self) -> Iterator[None]:
        with Redis.from_url(self.url()) as client:
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("maxmemory", "1")
            yield
            client.config_set("maxmemory", "0")

    def flush(self) -> None:
        with Redis.from_url(self.url()) as client:
            client.flushall()

    def waiting(self, database: int) -> int:
        """How many messages no worker has taken."""
        with Redis.from_url(self.url(database)) as client:
            return int(client.llen("celery"))

    def _answers(self) -> bool:
        assert self._process.poll() is None
        try:
            with Redis.from_url(self.url()) as client:
                return bool(client.ping())
        except RedisError:
            return False


class Worker:
    """`manage.py worker`, as people run it, on the tests' database."""

    def __init__(self, log: Path, redis_url: str, **environment: str) -> None:
        host = connection.get_connection_params()["host"]
        name = connection.settings_dict["NAME"]
        self._log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, str(ROOT / "manage.py"), "worker", "--concurrency", "4"],
                env=os.environ
                | {
                    "DJANGO_SETTINGS_MODULE": "interview_project.settings",
                    "REDIS_URL": redis_url,
                    "DATABASE_URL": f"postgresql://postgres@/{name}?host={host}",
                    "DB_POOL_SIZE": "8",
                    "LOG_LEVEL": "INFO",
                }
                | environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        eventually(self._ready)

    def _ready(self) -> bool:
        assert self.process.poll() is None, self.said
        return " ready." in self.said

    @property
    def said(self) -> str:
        return self._log.read_text(errors="replace")

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


@contextmanager
def sending_to(redis_url: str) -> Iterator[dict[str, Any]]:
    """Let this process send turns to that Redis, with what the settings say for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REDIS_URL", redis_url)
        values = runpy.run_path(str(ROOT / "interview_project" / "settings.py"))
    web = Celery("web", set_as_current=False)
    web.conf.update(
        {
            key.removeprefix("CELERY_").lower(): value
            for key, value in values.items()
            if key.startswith("CELERY_")
        }
    )
    before = get_current_app()
    web.set_current()
    web.set_default()
    try:
        yield values
    finally:
        before.set_current()
        before.set_default()
        web.close()


@pytest.fixture(scope="session")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def shared_worker(
    redis: RedisServer,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Worker]:
    """One healthy worker for all tests: it has to live through everything they do to Redis."""
    with django_db_blocker.unblock():
        worker = Worker(tmp_path_factory.mktemp("worker") / "log", redis.url())
    yield worker
    worker.stop()


@pytest.fixture
def web(redis: RedisServer, settings: Settings) -> Iterator[None]:
    """This process sends turns and events to the tests' Redis."""
    with sending_to(redis.url()) as values:
        settings.CHANNEL_LAYERS = values["CHANNEL_LAYERS"]
        yield
    channel_layers.backends = {}


@pytest.fixture
def worker(shared_worker: Worker, web: None) -> Worker:
    assert shared_worker.process.poll() is None, shared_worker.said
    return shared_worker


@pytest.fixture
def study(transactional_db: None) -> Study:
    methodology = (LIBRARY / "methodologies/means_end_chain.yaml").read_text(encoding="utf-8")
    concept = (LIBRARY / "concepts/hiking_backpacks.yaml").read_text(encoding="utf-8")
    return Study.objects.create(
        slug="packs",
        name="Packs",
        methodology_version=publish(METHODOLOGY, methodology),
        concept_version=publish(CONCEPT, concept),
        status=Study.Status.LIVE,
    )


@pytest.fixture
def session(study: Study, worker: Worker) -> Session:
    """An interview whose opening question the worker has asked."""
    session = services.start_session(study, seed=1)
    answered(session, 0)
    return session


def answered(session: Session, number: int) -> Turn:
    """The turn, once a worker has done it."""
    turns = Turn.objects.filter(session=session, number=number, status=Turn.Status.DONE)
    found = eventually(turns.first)
    assert found is not None
    return found
