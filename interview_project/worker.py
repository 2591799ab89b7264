"""What works the turns inside the serving process, where there is no Redis to send them through."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

import structlog
from django.conf import settings
from django.db import close_old_connections

from interviews import dispatch

log = structlog.get_logger(__name__)

_current: EmbeddedWorker | None = None


def current_worker() -> EmbeddedWorker | None:
    """The worker that runs inside this process, if one does."""
    return _current


def _process_turn(turn_id: str) -> None:
    importlib.import_module("interviews.services").process_turn(turn_id)


class EmbeddedWorker:
    """Works turns on threads of this process. A turn that waits here is taken once."""

    def __init__(
        self, threads: int | None = None, work: Callable[[str], object] = _process_turn
    ) -> None:
        """`threads` is how many turns may be under way (TURNS_AT_ONCE)."""
        self._threads = threads or settings.TURNS_AT_ONCE
        self._work = work
        self._pool: ThreadPoolExecutor | None = None
        self._waiting: set[str] = set()
        self._futures: set[Future[None]] = set()
        self._lock = threading.Lock()

    def alive(self) -> bool:
        """Does it take turns?"""
        return self._pool is not None

    def start(self) -> None:
        """Take turns from now on."""
        global _current  # noqa: PLW0603 - the process has one, and the status page asks for it
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="turn")
        dispatch.deliver_to(self.take)
        _current = self
        log.info("worker_started", threads=self._threads)

    def stop(self, timeout: float = 10.0) -> bool:
        """Take no more turns and wait for the running ones. False if some outlast `timeout`."""
        global _current  # noqa: PLW0603 - see start()
        dispatch.deliver_to(None)
        _current = None
        with self._lock:
            pool, self._pool = self._pool, None
            taken = list(self._futures)
        if pool is None:
            return True
        pool.shutdown(wait=False)
        # Turns that have not begun stay queued in the database.
        stopped = not wait([turn for turn in taken if not turn.cancel()], timeout).not_done
        log.info("worker_stopped", clean=stopped)
        return stopped

    def take(self, turn_id: str) -> None:
        """Work the turn as soon as a thread is free, unless it waits for that already."""
        with self._lock:
            if self._pool is None or turn_id in self._waiting:
                return
            self._waiting.add(turn_id)
            future = self._pool.submit(self._begin, turn_id)
            self._futures.add(future)
        future.add_done_callback(self._forget)

    def _forget(self, future: Future[None]) -> None:
        with self._lock:
            self._futures.discard(future)

    def _begin(self, turn_id: str) -> None:
        with self._lock:
            self._waiting.discard(turn_id)
        try:
            self._work(turn_id)
        except Exception:  # the sweeper comes back to the turn
            log.exception("turn_not_processed", turn=turn_id)
        finally:
            close_old_connections()
