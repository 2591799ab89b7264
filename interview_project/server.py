"""Daphne, and what runs beside it in the one process: worker, sweeper, warm-up."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable

import structlog
from django.conf import settings

from graphs.language.embeddings import EmbeddingModelUnavailable
from interview_project.sweeper import Sweeper
from interview_project.worker import EmbeddedWorker

log = structlog.get_logger(__name__)


class Site:
    """Everything that `make run` runs; `run()` blocks until it is told to stop."""

    def __init__(self, host: str, port: int, *, on_ready: Callable[[], None]) -> None:
        """`on_ready` is called once, when the site answers."""
        self.host = host
        self.port = port
        self._on_ready = on_ready
        self._worker = None if settings.REDIS_URL else EmbeddedWorker()
        self._sweeper = Sweeper(sweep)
        self._stopping = threading.Event()
        self._warming: threading.Thread | None = None

    def run(self) -> bool:
        """Serve until SIGINT or SIGTERM. False if something had to be left in the middle.

        That is a running turn, which the sweeper takes up, or a library that is still being loaded:
        an interpreter that took itself apart under it would crash.
        """
        from daphne.server import Server

        from interview_project.asgi import application

        if self._worker is not None:
            self._worker.start()
        self._sweeper.start()
        forwarded = settings.HTTPS
        try:
            Server(
                application,
                endpoints=[f"tcp:port={self.port}:interface={self.host}"],
                websocket_max_message_size=settings.WEBSOCKET_MAX_MESSAGE_SIZE,
                websocket_max_frame_size=settings.WEBSOCKET_MAX_MESSAGE_SIZE,
                proxy_forwarded_address_header="X-Forwarded-For" if forwarded else None,
                proxy_forwarded_port_header="X-Forwarded-Port" if forwarded else None,
                application_close_timeout=2,
                verbosity=0,
                ready_callable=self._ready,
                server_name="interviews",
            ).run()
        finally:
            self._stopping.set()
            self._sweeper.stop()
            clean = self._worker is None or self._worker.stop()
        return clean and not (self._warming and self._warming.is_alive())

    def _ready(self) -> None:
        self._warming = threading.Thread(target=self._warm_up, name="warm-up", daemon=True)
        self._warming.start()
        self._on_ready()

    def _warm_up(self) -> None:
        try:
            warm_up()
        except Exception:
            # Whoever stops at once cuts a library short that is still being loaded.
            if not self._stopping.is_set():
                raise


def warm_up() -> None:
    """Load models and lexicons now, so that the first respondent need not wait for them."""
    started = time.monotonic()
    try:
        importlib.import_module("interviews.pipeline.assembly").warm_up()
    except EmbeddingModelUnavailable as error:
        # The status page tells the same, and a turn that needs the model says so in its own error.
        log.warning("warm_up_failed", error=type(error).__name__, detail=str(error)[:200])
        return
    log.info("warm_up_done", ms=round((time.monotonic() - started) * 1000))


def sweep() -> None:
    """Take up what a killed worker or a lost message left behind, and let old trials go."""
    importlib.import_module("interviews.services").sweep()
    importlib.import_module("interviews.trials").forget_old_hourly()
    importlib.import_module("interviews.marks").mark_ended()
    importlib.import_module("interviews.mailing").sweep()
    importlib.import_module("analytics.export_files").sweep()
