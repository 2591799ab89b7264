"""A turn's rows: claiming it, loading what it needs, committing it whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone
from psycopg.types.json import Jsonb

from graphs import store as graph_store
from graphs.neighbours import Neighbours
from graphs.ontology import Ontology
from graphs.resident import Resident, resident_graphs
from graphs.tracker import NodeStateTracker
from interviews.errors import LeaseLost
from interviews.models import Turn, Utterance
from interviews.pipeline import sql
from interviews.turns.context import (
    LoadedTurn,
    SessionSnapshot,
    TurnContext,
    TurnJob,
    UtteranceSnapshot,
)
from interviews.turns.contracts import Verdict
from interviews.turns.state import SessionState
from methodologies.registry import pinned_concept, pinned_methodology

LEASE = timedelta(seconds=20)


def claim(turn_id: str | UUID) -> TurnJob | None:
    """Claim a turn for this worker, or return None where there is nothing to do.

    One conditional UPDATE decides: the turn waits, or its former worker's lease ran out; every
    earlier turn of the session is done; the session is not over. The unique running turn of a
    session is settled by a constraint. Each claim raises the fence.
    """
    now = timezone.now()
    try:
        row = _row(sql.CLAIM, {"turn": str(turn_id), "now": now, "until": now + LEASE})
    except IntegrityError:  # another turn of this session was claimed at the same moment
        return None
    if row is None:
        return None
    session_id, number, fence, attempt = row
    return TurnJob(
        turn_id=str(turn_id),
        session_id=str(session_id),
        number=number,
        fence=fence,
        attempt=attempt,
    )


def renew(job: TurnJob) -> bool:
    """Prolong the lease; False where another worker has claimed the turn since."""
    return bool(_held(job).update(lease_until=timezone.now() + LEASE))


def load(job: TurnJob) -> LoadedTurn:
    """Load everything the turn needs, in a number of queries that does not grow with the graph.

    Raises LeaseLost where the session was erased since the turn was claimed, TrackerStateInvalid
    where the stored tracker cannot be read.
    """
    resident = resident_graphs.take(job.session_id)
    held = resident.stamp if resident else None
    row = _row(sql.LOAD, {"session": job.session_id, "number": job.number, "held": held})
    if row is None:
        raise LeaseLost(f"the session of turn {job.turn_id} is gone")
    *of_session, said, stored = row
    session = _snapshot(job.session_id, *of_session)
    utterances = tuple(
        UtteranceSnapshot(id=id_, turn_number=turn, sequence=sequence, speaker=speaker, text=text)
        for id_, turn, sequence, speaker, text in said or ()
    )
    if resident is None or stored is not None:
        resident = _read(job.session_id, stored, session.methodology.graph_ontology)
    return LoadedTurn(
        session=session,
        graph=resident.graph,
        neighbours=resident.neighbours,
        tracker=resident.tracker,
        utterances=utterances,
        answer=next(
            (
                u
                for u in utterances
                if u.turn_number == job.number and u.speaker == Utterance.Speaker.RESPONDENT
            ),
            None,
        ),
    )


def _read(session_id: str, stored: tuple[Any, Any], ontology: Ontology) -> Resident:
    """What a turn changes of a session, from the last column of `sql.LOAD`."""
    tracker_state, parts = stored
    graph = graph_store.graph_of(parts)
    tracker = NodeStateTracker.from_dict(tracker_state) if tracker_state else NodeStateTracker()
    tracker.complete(graph, ontology)
    neighbours = Neighbours(partial(graph_store.read_vectors, session_id))
    return Resident(graph=graph, neighbours=neighbours, tracker=tracker)


def _snapshot(
    session_id: str,
    mode: str,
    time_budget_minutes: int | None,
    llm_choice: dict[str, Any],
    enable_srl: bool | None,
    enable_canonical_slots: bool | None,
    study_id: str,
    max_turns: int,
    turn_count: int,
    language: str,
    seed: int,
    started_at: datetime,
    methodology_version_id: int,
    concept_version_id: int,
    state: dict[str, Any],
) -> SessionSnapshot:
    """The columns of `sql.LOAD`, in their order, as the pipeline knows them."""
    methodology, methodology_version = pinned_methodology(methodology_version_id)
    concept, _ = pinned_concept(concept_version_id)
    return SessionSnapshot(
        id=session_id,
        study_id=study_id,
        mode=mode,
        max_turns=max_turns,
        turn_count=turn_count,
        language=language,
        seed=seed,
        started_at=started_at,
        time_budget_minutes=time_budget_minutes,
        enable_srl=_flag(enable_srl, settings.ENABLE_SRL),
        enable_canonical_slots=_flag(enable_canonical_slots, settings.ENABLE_CANONICAL_SLOTS),
        llm_choice=llm_choice,
        methodology=methodology,
        methodology_version=methodology_version,
        concept=concept,
        state=SessionState.model_validate(state) if state else SessionState(),
    )


def _flag(choice: bool | None, default: bool) -> bool:
    return default if choice is None else choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """What a commit tells: the number of the question in the session, None where none was asked,
    and the turn after this one where its answer waits already.
    """

    sequence: int | None
    waiting: str | None


def commit(context: TurnContext, *, latency_ms: int) -> Committed:
    """Write the whole turn in one transaction.

    Raises LeaseLost, having written nothing, where another worker has claimed the turn since or the
    session is over.
    """
    job, asked, now = context.job, context.response.text is not None, timezone.now()
    decided = _decided(context, now=now, latency_ms=latency_ms)
    of_next: dict[str, Any] = {"session": job.session_id, "number": job.number + 1}
    with _forgetting(job.session_id), transaction.atomic():
        with connection.cursor() as saved, connection.cursor() as waiting:
            try:
                with _sent_together():
                    saved.execute(sql.SAVE, decided)
                    graph_store.save(job.session_id, context.graph)
                    # SAVE has locked the session: an answer that is not seen now will find this
                    # turn done.
                    waiting.execute(sql.WAITING, of_next)
                    _keep(context)  # while the database works
            finally:
                # The fence decides, whatever the graph of a lost turn collided with.
                if saved.rowcount == 0:
                    raise LeaseLost(f"turn {job.turn_id} was claimed by another worker or is over")
            (sequence,), next_turn = saved.fetchone(), waiting.fetchone()
        if _ends(context):
            Turn.objects.filter(session_id=job.session_id, status=Turn.Status.QUEUED).update(
                status=Turn.Status.FAILED, error="the interview had ended"
            )
    return Committed(
        sequence=sequence if asked else None,
        waiting=str(next_turn[0]) if next_turn and not _ends(context) else None,
    )


@contextmanager
def _sent_together() -> Iterator[None]:
    """Send what the block executes in one go, and wait for all answers at its end.

    What goes wrong with a statement is raised there, and those after it are not executed.
    """
    with connection.wrap_database_errors, connection.connection.pipeline():
        yield


@contextmanager
def _forgetting(session_id: str) -> Iterator[None]:
    """Keep no graph of a session in this process where the block fails, down to its COMMIT."""
    try:
        yield
    except BaseException:
        resident_graphs.forget(session_id)
        raise


def _keep(context: TurnContext) -> None:
    """Keep the turn's graph in this process, where a next turn is to come.

    A commit that fails, as it does for an erased session, forgets it again; whoever erases the
    session later forgets it, too.
    """
    if context.response.utterance_id is None:
        return
    context.neighbours.settle(context.graph, context.graph.settle())
    resident = Resident(
        graph=context.graph,
        neighbours=context.neighbours,
        tracker=context.tracker,
        stamp=context.response.utterance_id,
    )
    resident_graphs.keep(context.job.session_id, resident)


def _row(statement: str, parameters: dict[str, Any]) -> tuple[Any, ...] | None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        row: tuple[Any, ...] | None = cursor.fetchone()
        return row


def _held(job: TurnJob) -> QuerySet[Turn]:
    return Turn.objects.filter(pk=job.turn_id, fence=job.fence, status=Turn.Status.RUNNING)


def _ends(context: TurnContext) -> bool:
    return not context.is_opening and context.continuation.verdict is Verdict.END


def _decided(context: TurnContext, *, now: datetime, latency_ms: int) -> dict[str, Any]:
    """What `sql.SAVE` writes of a turn that was thought through."""
    job, trace, ends = context.job, context.persistence, _ends(context)
    decided = {"strategy": "opening", "phase": "", "continuation": "", "reason": ""}
    focus = None
    if not context.is_opening:
        continuation = context.continuation
        focus = None if ends else continuation.focus
        decided = {
            "strategy": "" if ends else continuation.strategy,
            "phase": context.selection.evidence.phase,
            "continuation": continuation.verdict.value,
            "reason": continuation.reason,
        }
    return {
        "session": job.session_id,
        "state": Jsonb(trace.state.model_dump(mode="json")),
        "tracker": Jsonb(dict(trace.tracker_state)),
        "number": job.number,
        "ended_at": now if ends else None,
        "termination_reason": decided["reason"] if ends else "",
        "turn": job.turn_id,
        "fence": job.fence,
        "now": now,
        "latency_ms": latency_ms,
        "question": context.response.utterance_id,
        "text": context.response.text,
        "focus_node_id": focus.node_id if focus else None,
        "focus_label": focus.label if focus else "",
        "signals": Jsonb(trace.signals),
        "node_signals": Jsonb(trace.node_signals),
        "decomposition": Jsonb(list(trace.decomposition)),
        "saturation": Jsonb(trace.saturation),
        "result": Jsonb(trace.result),
        "stage_ms": Jsonb(context.stage_ms),
        **decided,
    }


def release(job: TurnJob, *, error: str, final: bool) -> None:
    """Give a turn back after an error: queued again, or failed for good."""
    _held(job).update(
        status=Turn.Status.FAILED if final else Turn.Status.QUEUED,
        lease_until=None,
        error=error,
    )
