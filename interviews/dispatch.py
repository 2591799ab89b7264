"""Hands queued turns to whoever processes them; the turn's row is the queue, this only rings."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock, Thread
from typing import Any

from celery import current_app
from django.db import connection, transaction

logger = logging.getLogger(__name__)

PROCESS_TURN = "interviews.process_turn"
MAKE_PLAN = "interviews.make_plan"
PLAY_TRIAL = "interviews.play_trial"
READ_FILE = "interviews.read_file"
RECONCILE = "interviews.reconcile_files"
SUMMARISE = "interviews.summarise_handover"
INDEX = "interviews.index_session"
SUM_UP = "interviews.sum_up_session"
SEND_MAIL = "interviews.send_mail"
THEMES = "interviews.renew_themes"
Taker = Callable[[str], None]
_held_back: ContextVar[list[str] | None] = ContextVar("held_back", default=None)


class _Here:
    """Who takes turns in this process, where there is no broker between."""

    taker: Taker | None = None


_here = _Here()
_turnstiles: dict[str, Lock] = {}


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
    enqueue_task(MAKE_PLAN, study_id)


def enqueue_task(name: str, pk: object) -> None:
    """Have a task that is no turn done for a row, once the surrounding transaction is committed.

    A message that cannot be sent is logged; whoever looks after the row asks again.
    """
    transaction.on_commit(lambda: _send_task(name, str(pk)))


def _send_task(name: str, pk: str) -> None:
    if _held_back.get() is not None:
        return  # whoever holds interviews by itself does this itself
    if _through_broker():
        try:
            current_app.send_task(name, args=[pk], ignore_result=True, retry=False)
        except Exception:
            logger.warning("task_not_published task=%s row=%s", name, pk, exc_info=True)
    elif _here.taker is not None:
        _beside(name, pk)


def _beside(name: str, pk: str) -> None:
    """Do a task on a thread of this process that ends with it; one of a name at a time."""

    def work() -> None:
        try:
            with _turnstiles.setdefault(name, Lock()):
                current_app.loader.import_default_modules()  # here no worker has done it
                current_app.tasks[name](pk)
        finally:
            connection.close()

    Thread(target=work, daemon=True, name=name).start()


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
