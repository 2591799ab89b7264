"""Hands queued turns to whoever processes them; the turn's row is the queue, this only rings."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from celery import current_app
from django.db import transaction

logger = logging.getLogger(__name__)

PROCESS_TURN = "interviews.process_turn"
_held_back: ContextVar[list[str] | None] = ContextVar("held_back", default=None)


def enqueue(turn_id: object) -> None:
    """Send the turn to Celery once the surrounding transaction is committed.

    A message that cannot be sent is logged and left to the sweeper: the answer is safe already.
    """
    transaction.on_commit(lambda: _send(str(turn_id)))


def _send(turn_id: str) -> None:
    held = _held_back.get()
    if held is not None:
        held.append(turn_id)
        return
    try:
        current_app.send_task(PROCESS_TURN, args=[turn_id], ignore_result=True, retry=False)
    except Exception:  # broker away: the sweeper publishes the turn again
        logger.warning("turn_not_published turn=%s", turn_id, exc_info=True)


@contextmanager
def held_back() -> Iterator[list[str]]:
    """Collect turn ids instead of sending them: the command line processes them itself."""
    collected: list[str] = []
    token = _held_back.set(collected)
    try:
        yield collected
    finally:
        _held_back.reset(token)
