"""The Celery worker: inside the serving process without Redis, a process of its own with it."""

from __future__ import annotations

import threading
import time
from typing import Any

import structlog
from celery.worker import state
from django.conf import settings

from interview_project.celery import app

log = structlog.get_logger(__name__)

_current: EmbeddedWorker | None = None


@app.task(name="interview_project.wake", ignore_result=True)
def wake() -> None:
    """Do nothing; its message makes a waiting worker look up."""


def current_worker() -> EmbeddedWorker | None:
    """The worker that runs inside this process, if one does."""
    return _current


class EmbeddedWorker:
    """A Celery worker on threads of this process, fed by the broker in its memory."""

    def __init__(self, threads: int | None = None) -> None:
        """Nothing runs before `start()`."""
        self._threads = threads or settings.TURNS_AT_ONCE
        self._controller: Any = None
        self._thread: threading.Thread | None = None

    def alive(self) -> bool:
        """Does it take tasks?"""
        return self._thread is not None and self._thread.is_alive()

    def start(self, timeout: float = 10.0) -> None:
        """Start, and return when tasks are taken.

        Raises RuntimeError when that takes longer than `timeout` seconds.
        """
        global _current  # noqa: PLW0603 - the process has one, and the status page asks for it
        state.should_stop = state.should_terminate = None
        self._controller = app.WorkController(
            pool_cls="threads",
            concurrency=self._threads,
            without_heartbeat=True,
            without_mingle=True,
            without_gossip=True,
            loglevel=settings.ENVIRONMENT.log_level,
        )
        self._thread = threading.Thread(
            target=self._controller.start, name="celery-worker", daemon=True
        )
        self._thread.start()
        deadline = time.monotonic() + timeout
        while not self._consuming():
            if time.monotonic() > deadline or not self._thread.is_alive():
                raise RuntimeError("the embedded worker did not start")
            time.sleep(0.01)
        _current = self
        log.info("worker_started", threads=self._threads)

    def stop(self, timeout: float = 10.0) -> bool:
        """Take no more tasks and wait for the running ones. False if some outlast `timeout`."""
        global _current  # noqa: PLW0603 - see start()
        if self._thread is None:
            return True
        state.should_stop = 0  # type: ignore[assignment]  # an exit code, says celery.worker.state
        for _ in range(2):
            # The worker looks up when a message comes or two seconds pass, and then once more.
            wake.delay()
        self._thread.join(timeout)
        stopped = not self._thread.is_alive()
        if stopped:
            state.should_stop = None
            self._thread = None
            _current = None
        log.info("worker_stopped", clean=stopped)
        return stopped

    def _consuming(self) -> bool:
        consumer = getattr(self._controller, "consumer", None)
        return getattr(consumer, "task_consumer", None) is not None
