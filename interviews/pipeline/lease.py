"""Keeps the leases of turns that this process is thinking about."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import connection

from interviews.pipeline import store
from interviews.turns.context import TurnJob

logger = logging.getLogger(__name__)

RENEW_EVERY = 5.0
"""Seconds; a quarter of the lease, so that three renewals may fail before it runs out."""


class LeaseKeeper:
    """Renews every held lease from one thread, which lives while there is something to renew."""

    def __init__(self, every: float = RENEW_EVERY) -> None:
        self._every = every
        self._jobs: dict[str, TurnJob] = {}
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def holding(self, job: TurnJob) -> Iterator[None]:
        """Keep the job's lease until the block is left."""
        with self._lock:
            self._jobs[job.turn_id] = job
            if self._thread is None or not self._thread.is_alive():
                self._wake.clear()
                self._thread = threading.Thread(target=self._run, name="lease-keeper", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._jobs.pop(job.turn_id, None)

    def stop(self) -> None:
        """End the thread; leases that are still held run out by themselves."""
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        idle = 0
        while not self._wake.wait(self._every):
            with self._lock:
                jobs = list(self._jobs.values())
                if not jobs:
                    idle += 1
                    if idle > 1:
                        self._thread = None
                        return
                    continue
            idle = 0
            self.renew(jobs)
            connection.close()

    @staticmethod
    def renew(jobs: Sequence[TurnJob]) -> None:
        """Prolong the leases of `jobs` together, or say that it could not be done."""
        try:
            store.renew(jobs)
        except Exception:  # the database is away; the next round tries again
            logger.warning("leases_not_renewed turns=%d", len(jobs), exc_info=True)


keeper = LeaseKeeper()
