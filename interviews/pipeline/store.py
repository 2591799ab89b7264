"""A turn's rows: claiming it, loading what it needs, committing it whole or not at all."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from graphs import store as graph_store
from graphs.domain import SessionGraph
from graphs.tracker import NodeStateTracker
from interviews.errors import LeaseLost
from interviews.models import Session, Turn, Utterance
from interviews.turns.context import (
    LoadedTurn,
    SessionSnapshot,
    TurnContext,
    TurnJob,
    UtteranceSnapshot,
)
from interviews.turns.contracts import Verdict
from interviews.turns.state import SessionState
from methodologies.registry import concept_of, methodology_of

LEASE = timedelta(seconds=20)
_CLAIM = f"""
    UPDATE {Turn._meta.db_table} t
    SET status = 'running', lease_until = %(until)s, fence = t.fence + 1,
        attempt = t.attempt + 1, error = ''
    FROM {Session._meta.db_table} s
    WHERE t.id = %(turn)s AND s.id = t.session_id AND s.ended_at IS NULL
      AND (t.status = 'queued' OR (t.status = 'running' AND t.lease_until < %(now)s))
      AND NOT EXISTS (
          SELECT 1 FROM {Turn._meta.db_table} e
          WHERE e.session_id = t.session_id AND e.number < t.number AND e.status <> 'done')
    RETURNING t.session_id, t.number, t.fence, t.attempt
"""  # noqa: S608 - the names come from the models, never from input


def claim(turn_id: str | UUID) -> TurnJob | None:
    """Claim a turn for this worker, or return None where there is nothing to do.

    One conditional UPDATE decides: the turn waits, or its former worker's lease ran out; every
    earlier turn of the session is done; the session is not over. The unique running turn of a
    session is settled by a constraint. Each claim raises the fence.
    """
    now = timezone.now()
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_CLAIM, {"turn": str(turn_id), "now": now, "until": now + LEASE})
            row = cursor.fetchone()
    except IntegrityError:  # another turn of this session is running
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

    Raises TrackerStateInvalid where the stored tracker cannot be read.
    """
    session = (
        Session.objects.select_related(
            "study", "methodology_version__document", "concept_version__document"
        )
        # Documents are read from their text, once a process.
        .defer("methodology_version__parsed", "concept_version__parsed")
        .get(pk=job.session_id)
    )
    utterances = tuple(
        UtteranceSnapshot(
            id=str(u.id),
            turn_number=u.turn_number,
            sequence=u.sequence,
            speaker=u.speaker,
            text=u.text,
        )
        for u in Utterance.objects.filter(session=session, turn_number__lte=job.number)
    )
    graph = SessionGraph()
    if job.number:
        graph = graph_store.load_session_graph(session.id, newest_quotes_only=True)
    snapshot = _snapshot(session)
    tracker = NodeStateTracker()
    if session.node_tracker_state:
        tracker = NodeStateTracker.from_dict(session.node_tracker_state)
    tracker.complete(graph, snapshot.methodology.graph_ontology)
    return LoadedTurn(
        session=snapshot,
        graph=graph,
        tracker=tracker,
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


def _snapshot(session: Session) -> SessionSnapshot:
    study = session.study
    return SessionSnapshot(
        id=str(session.id),
        study_id=str(study.id),
        mode=study.mode,
        max_turns=session.max_turns,
        turn_count=session.turn_count,
        language=session.language,
        seed=session.seed,
        started_at=session.started_at,
        time_budget_minutes=study.time_budget_minutes,
        enable_srl=_flag(study.enable_srl, settings.ENABLE_SRL),
        enable_canonical_slots=_flag(study.enable_canonical_slots, settings.ENABLE_CANONICAL_SLOTS),
        llm_choice=study.llm_choice,
        methodology=methodology_of(session.methodology_version),
        methodology_version=str(session.methodology_version),
        concept=concept_of(session.concept_version),
        state=SessionState.model_validate(session.state) if session.state else SessionState(),
    )


def _flag(choice: bool | None, default: bool) -> bool:
    return default if choice is None else choice


def commit(context: TurnContext, *, latency_ms: int) -> int | None:
    """Write the whole turn in one transaction and return the question's sequence number.

    None where the interview has ended and no question was asked. Raises LeaseLost, having written
    nothing, where another worker has claimed the turn since or the session is over.
    """
    job, now = context.job, timezone.now()
    with transaction.atomic():
        session = (
            Session.objects.select_for_update(of=("self",))
            .only("id", "last_sequence")
            .filter(pk=job.session_id, ended_at=None)
            .first()
        )
        # The turn's row first: its fence decides, and holding it keeps other claims waiting.
        if session is None or not _save_turn(context, now=now, latency_ms=latency_ms):
            raise LeaseLost(f"turn {job.turn_id} was claimed by another worker or is over")
        graph_store.save(session.id, context.graph)
        sequence = _save_question(context, session)
        _save_session(context, session, sequence)
    return sequence


def _held(job: TurnJob) -> QuerySet[Turn]:
    return Turn.objects.filter(pk=job.turn_id, fence=job.fence, status=Turn.Status.RUNNING)


def _save_question(context: TurnContext, session: Session) -> int | None:
    response = context.response
    if response.utterance_id is None or response.text is None:
        return None
    sequence = session.last_sequence + 1
    Utterance.objects.create(
        id=response.utterance_id,
        session_id=session.id,
        turn_number=context.job.number,
        sequence=sequence,
        speaker=Utterance.Speaker.INTERVIEWER,
        text=response.text,
    )
    return sequence


def _save_turn(context: TurnContext, *, now: datetime, latency_ms: int) -> bool:
    """Write the decided turn; False where another worker holds it by now."""
    trace = context.persistence
    decided: dict[str, object] = {"strategy": "opening"}
    if not context.is_opening:
        continuation = context.continuation
        ended = continuation.verdict is Verdict.END
        focus = None if ended else continuation.focus
        decided = {
            "strategy": "" if ended else continuation.strategy,
            "focus_node_id": focus.node_id if focus else None,
            "focus_label": focus.label if focus else "",
            "phase": context.selection.phase,
            "continuation": continuation.verdict.value,
            "continuation_reason": continuation.reason,
        }
    return bool(
        _held(context.job).update(
            status=Turn.Status.DONE,
            question=context.response.utterance_id,
            lease_until=None,
            signals=trace.signals,
            node_signals=trace.node_signals,
            decomposition=list(trace.decomposition),
            saturation=trace.saturation,
            result=trace.result,
            stage_ms=context.stage_ms,
            latency_ms=latency_ms,
            finished_at=now,
            **decided,
        )
    )


def _save_session(context: TurnContext, session: Session, sequence: int | None) -> None:
    trace, now = context.persistence, timezone.now()
    changed: dict[str, object] = {
        "state": trace.state.model_dump(mode="json"),
        "node_tracker_state": dict(trace.tracker_state),
        "turn_count": context.job.number,
    }
    if sequence is not None:
        changed["last_sequence"] = sequence
    if not context.is_opening and context.continuation.verdict is Verdict.END:
        changed |= {
            "status": Session.Status.COMPLETED,
            "ended_at": now,
            "termination_reason": context.continuation.reason,
        }
        Turn.objects.filter(session_id=session.pk, status=Turn.Status.QUEUED).update(
            status=Turn.Status.FAILED, error="the interview had ended"
        )
    Session.objects.filter(pk=session.pk).update(**changed)


def release(job: TurnJob, *, error: str, final: bool) -> None:
    """Give a turn back after an error: queued again, or failed for good."""
    _held(job).update(
        status=Turn.Status.FAILED if final else Turn.Status.QUEUED,
        lease_until=None,
        error=error,
    )
