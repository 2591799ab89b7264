"""Claim, think, commit: how one turn is processed, whoever delivers it and however often."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache, partial

import structlog
from django.conf import settings
from django.db import connection

from interviews import dispatch, events
from interviews.errors import (
    AnswerGoesOn,
    DeadlineExceeded,
    GraphChanged,
    LeaseLost,
    PermanentPipelineError,
    StageFailed,
)
from interviews.llm.call_store import save_calls
from interviews.llm.errors import PermanentLLMError
from interviews.pipeline import joining, store
from interviews.pipeline.engine import Engine
from interviews.pipeline.failures import places, told
from interviews.pipeline.lease import keeper
from interviews.turns.context import TurnContext, TurnJob
from interviews.turns.deadline import Deadline
from interviews.turns.lane import Lane, cores

logger = structlog.get_logger(__name__)

TURN_SECONDS = 45.0
MAX_ATTEMPTS = 2


class Outcome(StrEnum):
    """What became of a delivered turn."""

    DONE = "done"
    NOT_CLAIMED = "not_claimed"
    LEASE_LOST = "lease_lost"
    RETRIED = "retried"
    FAILED = "failed"


def process_turn(turn_id: object, *, engine: Engine | None = None) -> Outcome:
    """Process a turn if it is free and its turn has come; safe to call any number of times."""
    with lane.turn(str(turn_id)) as place:
        job = store.claim(str(turn_id)) if place else None
        if place is None or job is None:
            return Outcome.NOT_CLAIMED
        with keeper.holding(job):
            ended = _think_and_commit(job, engine or shared_engine(), place.clock)
    # Whoever hears of it may be slow to answer: nobody waits for the lane meanwhile.
    ended.tell()
    return ended.outcome


@lru_cache(maxsize=1)
def shared_engine() -> Engine:
    """One engine a process: its stages hold no state of a turn.

    Imported here, so that a web process without a worker never loads language tools.
    """
    from interviews.pipeline.assembly import build_engine

    return build_engine(_observe)


def _give_back_connection() -> None:
    """A turn that waits for a model needs no connection; one inside a transaction keeps it."""
    if not connection.in_atomic_block:
        connection.close()


lane = Lane(cores(), on_leave=_give_back_connection)
"""What the turns of this process compute in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended:
    """What became of a turn, and how those who wait for it are told."""

    outcome: Outcome
    tell: Callable[[], None] = lambda: None


def _think_and_commit(job: TurnJob, engine: Engine, clock: Callable[[], float]) -> _Ended:
    started = time.monotonic()
    context: TurnContext | None = None
    try:
        fail_at("claim")
        deadline = Deadline(TURN_SECONDS, clock)
        context = TurnContext(job, store.load(job), deadline)
        engine.run(context)
        latency = round((time.monotonic() - started) * 1000)
        committed = store.commit(context, latency_ms=latency)
        fail_at("commit")
    except LeaseLost:
        # It may have been given up for the respondent to go on, and have been let go meanwhile.
        logger.warning("turn_lease_lost", session=job.session_id, turn=job.number)
        return _Ended(outcome=Outcome.LEASE_LOST, tell=partial(dispatch.enqueue, job.turn_id))
    except GraphChanged:
        logger.info("turn_thought_again", session=job.session_id, turn=job.number)
        store.requeue(job)
        return _Ended(outcome=Outcome.RETRIED, tell=partial(dispatch.enqueue, job.turn_id))
    except AnswerGoesOn:
        logger.info("turn_thought_again", session=job.session_id, turn=job.number)
        return _take_up(job)
    except Exception as error:
        return _give_back(job, error)
    finally:
        if context is not None:
            save_calls(
                context.calls.drain(),
                study_id=context.session.study_id,
                session_id=job.session_id,
                turn_id=job.turn_id,
                degraded=bool(context.calls.degraded),
            )
    logger.info("turn_done", session=job.session_id, turn=job.number, ms=latency)
    return _Ended(outcome=Outcome.DONE, tell=partial(_announce, context, committed))


def _take_up(job: TurnJob) -> _Ended:
    fail_at("joining")
    if not joining.take_up(job):
        return _Ended(outcome=Outcome.LEASE_LOST)
    return _Ended(outcome=Outcome.RETRIED, tell=partial(dispatch.enqueue, job.turn_id))


def _give_back(job: TurnJob, error: Exception) -> _Ended:
    cause = error.__cause__ or error
    final = job.attempt >= MAX_ATTEMPTS or isinstance(
        cause, (PermanentLLMError, PermanentPipelineError)
    )
    stage = error.stage if isinstance(error, StageFailed) else "claim or commit"
    logger.error(
        "turn_failed",
        session=job.session_id,
        turn=job.number,
        stage=stage,
        final=final,
        error=told(cause),
        places=places(cause),
    )
    store.release(job, error=f"{stage}: {told(cause)}"[:2000], final=final)
    if final:
        failed = events.TurnFailed(turn=job.number)
        return _Ended(outcome=Outcome.FAILED, tell=partial(events.publish, job.session_id, failed))
    return _Ended(outcome=Outcome.RETRIED, tell=partial(dispatch.enqueue, job.turn_id))


def _announce(context: TurnContext, committed: store.Committed) -> None:
    job = context.job
    if committed.sequence is not None:
        question = events.TurnQuestion(seq=committed.sequence, turn=job.number)
        events.publish(job.session_id, question)
    if committed.over:
        events.publish(job.session_id, events.SessionEnded(reason=context.continuation.reason))
    elif committed.waiting is not None:
        dispatch.enqueue(committed.waiting)


def _observe(context: TurnContext, stage: str) -> None:
    """After each stage: stop a turn that is out of time, say where it is, fail where told to."""
    if context.deadline.left() <= 0:
        raise DeadlineExceeded(f"turn {context.job.turn_id} took longer than {TURN_SECONDS:.0f} s")
    fail_at(stage)


def fail_at(point: str, exit_process: Callable[[int], None] = os._exit) -> None:
    """Kill the process at a named point, for tests of recovery (FAILPOINT in the environment)."""
    if point == settings.FAILPOINT:
        exit_process(137)
