"""The sweeper: every few seconds it takes up what a killed worker or a lost message left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable

import structlog
from django.conf import settings
from django.db import close_old_connections

log = structlog.get_logger(__name__)


class Sweeper:
    """Calls one function again and again on a thread of its own, whatever the function raises."""

    def __init__(self, sweep: Callable[[], object], seconds: float | None = None) -> None:
        """`sweep` is called at once and then every `seconds` (SWEEP_SECONDS)."""
        self._sweep = sweep
        self._seconds = settings.SWEEP_SECONDS if seconds is None else seconds
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin; a second call does nothing."""
        if self._thread is None:
            self._stopping.clear()
            self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)
            self._thread.start()

    def stop(self, timeout: float = 5.0) -> None:
        """End after the sweep that is running."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout)
            self._thread = None

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                close_old_connections()
                self._sweep()
            except Exception as error:
                # Whatever it was, the next sweep must come: it is the recovery path of everything.
                log.warning("sweep_failed", error=type(error).__name__, detail=str(error)[:200])
            finally:
                close_old_connections()
            self._stopping.wait(self._seconds)
