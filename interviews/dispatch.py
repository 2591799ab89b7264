"""Hands queued turns to whoever processes them; the turn's row is the queue, this only rings."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Thread
from typing import Any

from celery import current_app
from django.db import connection, transaction

logger = logging.getLogger(__name__)

PROCESS_TURN = "interviews.process_turn"
MAKE_PLAN = "interviews.make_plan"
Taker = Callable[[str], None]
_held_back: ContextVar[list[str] | None] = ContextVar("held_back", default=None)


class _Here:
    """Who takes turns in this process, where there is no broker between."""

    taker: Taker | None = None


_here = _Here()


def deliver_to(taker: Taker | None) -> None:
    """Give turns to `taker` from now on instead of sending them; None for the broker again."""
    _here.taker = taker


def enqueue(turn_id: object) -> None:
    """Have the turn processed once the surrounding transaction is committed.

    A message that cannot be sent is logged and left to the sweeper: the answer is safe already.
    """
    transaction.on_commit(lambda: _send(str(turn_id)))


def _send(turn_id: str) -> None:
    held = _held_back.get()
    if held is not None:
        held.append(turn_id)
        return
    if _here.taker is not None:
        _here.taker(turn_id)
        return
    if not _through_broker():
        return  # the process that works turns finds it by its sweeper
    try:
        current_app.send_task(PROCESS_TURN, args=[turn_id], ignore_result=True, retry=False)
    except Exception:  # broker away: the sweeper publishes the turn again
        logger.warning("turn_not_published turn=%s", turn_id, exc_info=True)


def enqueue_plan(study_id: object) -> None:
    """Have a study's plan made once the surrounding transaction is committed.

    A message that cannot be sent is logged: the next interview of the study asks again.
    """
    transaction.on_commit(lambda: _send_plan(str(study_id)))


def _send_plan(study_id: str) -> None:
    if _held_back.get() is not None:
        return  # whoever holds interviews by itself makes the plan itself
    if _through_broker():
        try:
            current_app.send_task(MAKE_PLAN, args=[study_id], ignore_result=True, retry=False)
        except Exception:
            logger.warning("plan_not_published study=%s", study_id, exc_info=True)
    elif _here.taker is not None:
        Thread(target=_make_plan_here, args=[study_id], daemon=True, name="plan").start()


def _make_plan_here(study_id: str) -> None:
    try:
        current_app.tasks[MAKE_PLAN](study_id)
    finally:
        connection.close()


def _through_broker() -> bool:
    """Do turns go to other processes, or stay in the one that serves?"""
    return _here.taker is None and not str(current_app.conf.broker_url).startswith("memory:")


def messages_wait() -> bool:
    """Are there turns in the broker that nobody has taken yet? False where it does not answer."""
    if not _through_broker():
        return False
    try:
        with current_app.connection_for_write() as connection:
            name = current_app.conf.task_default_queue
            channel: Any = connection.default_channel
            return bool(channel.queue_declare(name, passive=True).message_count)
    except Exception:  # not there, or nothing was ever sent
        return False


@contextmanager
def held_back() -> Iterator[list[str]]:
    """Collect turn ids instead of sending them: the command line processes them itself."""
    collected: list[str] = []
    token = _held_back.set(collected)
    try:
        yield collected
    finally:
        _held_back.reset(token)
