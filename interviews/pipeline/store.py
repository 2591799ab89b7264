"""A turn's rows: claiming it, loading what it needs, committing it whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

import structlog
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import QuerySet
from django.utils import timezone
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from graphs import store as graph_store
from graphs.figures import graph_figures
from graphs.neighbours import Neighbours
from graphs.ontology import Ontology
from graphs.resident import Resident, resident_graphs
from graphs.tracker import NodeStateTracker, TrackerStateInvalid
from interviews.epilogue.flow import Plan
from interviews.epilogue.state import EpilogueState
from interviews.errors import AnswerGoesOn, GraphChanged, LeaseLost
from interviews.models import Turn, Utterance
from interviews.modes.registry import mode_named, store_of
from interviews.pipeline import sql
from interviews.pipeline.failures import told
from interviews.pipeline.joining import fits
from interviews.pipeline.recovery import turn_records
from interviews.turns.context import (
    LoadedTurn,
    SessionSnapshot,
    Thresholds,
    TurnContext,
    TurnJob,
    UtteranceSnapshot,
)
from interviews.turns.contracts import Verdict
from interviews.turns.flags import Flag
from interviews.turns.state import SessionState
from interviews.webhooks import outbox
from methodologies.registry import pinned_concept, pinned_guide, pinned_methodology

logger = structlog.get_logger(__name__)

LEASE = timedelta(seconds=20)
TAKE_BACK = timedelta(seconds=30)
"""For how long an answer can be taken back after the one to the next question, too."""
Row = TypeVar("Row")


def claim(turn_id: str | UUID) -> TurnJob | None:
    """Claim a turn for this worker, or return None where there is nothing to do.

    One conditional UPDATE decides: the turn waits, or its former worker's lease ran out; every
    earlier turn of the session is done; the session is not over. The unique running turn of a
    session is settled by a constraint. Each claim raises the fence.
    """
    now = timezone.now()
    try:
        return _row(TurnJob, sql.CLAIM, {"turn": str(turn_id), "now": now, "until": now + LEASE})
    except IntegrityError:  # another turn of this session was claimed at the same moment
        return None


def renew(jobs: Sequence[TurnJob]) -> int:
    """Prolong the leases in one statement; return how many are still held by these claims."""
    with connection.cursor() as cursor:
        cursor.execute(
            sql.RENEW,
            {
                "turns": [job.turn_id for job in jobs],
                "fences": [job.fence for job in jobs],
                "until": timezone.now() + LEASE,
            },
        )
        return int(cursor.rowcount)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    """The row of `sql.LOAD`, by the names of its columns."""

    mode: str
    study_name: str
    study_text: str
    time_budget_minutes: int | None
    data_fields: list[Any]
    data_collection: str
    extension_minutes: int | None
    epilogue: dict[str, Any]
    llm_choice: dict[str, Any]
    enable_srl: bool | None
    enable_canonical_slots: bool | None
    enable_question_self_selection: bool | None
    surface_similarity_threshold: float
    canonical_similarity_threshold: float
    canonical_min_support_nodes: int
    study_id: str
    max_turns: int
    turn_count: int
    language: str
    seed: int
    started_at: datetime
    methodology_version_id: int | None
    concept_version_id: int | None
    guide_version_id: int | None
    state: dict[str, Any]
    graph_version: int
    active_seconds: float
    utterances: list[dict[str, Any]] | None
    stored: dict[str, Any] | None


def load(job: TurnJob) -> LoadedTurn:
    """Load everything the turn needs, in a number of queries that does not grow with the graph.

    A tracker that cannot be read is told anew from the turns before, and the turn flagged. Raises
    LeaseLost where the session was erased since the turn was claimed.
    """
    resident = resident_graphs.take(job.session_id)
    held = resident.version if resident else None
    row = _row(_Loaded, sql.LOAD, {"session": job.session_id, "number": job.number, "held": held})
    if row is None:
        raise LeaseLost(f"the session of turn {job.turn_id} is gone")
    session = _snapshot(job.session_id, row)
    own = store_of(row.mode)
    utterances = tuple(UtteranceSnapshot(**said) for said in row.utterances or ())
    flags: set[Flag] = set()
    if resident is None or row.stored is not None:
        resident = _read(job.session_id, row.stored or {}, session.ontology, flags)
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
        graph_version=row.graph_version,
        flags=frozenset(flags),
        material=own.load(session, job.number) if own else None,
    )


def _read(
    session_id: str, stored: Mapping[str, Any], ontology: Ontology, flags: set[Flag]
) -> Resident:
    """What a turn changes of a session, from `stored` of `sql.LOAD`."""
    graph = graph_store.graph_of(stored["graph"])
    try:
        known = stored["tracker"]
        tracker = NodeStateTracker.from_dict(known) if known else NodeStateTracker()
    except TrackerStateInvalid as error:
        logger.warning("tracker_rebuilt", session=session_id, error=told(error))
        tracker = NodeStateTracker.rebuild(graph, ontology, turn_records(session_id, graph))
        flags.add(Flag.TRACKER_REBUILT)
    tracker.complete(graph, ontology)
    neighbours = Neighbours(partial(graph_store.read_vectors, session_id))
    return Resident(graph=graph, neighbours=neighbours, tracker=tracker)


def _snapshot(session_id: str, row: _Loaded) -> SessionSnapshot:
    """The session as the pipeline knows it."""
    defaults = mode_named(row.mode).defaults
    methodology, methodology_version, concept = None, "", None
    if row.methodology_version_id is not None:
        methodology, methodology_version = pinned_methodology(row.methodology_version_id)
    if row.concept_version_id is not None:
        concept, _ = pinned_concept(row.concept_version_id)
    epilogue = EpilogueState.model_validate(row.epilogue)
    minutes = row.extension_minutes
    plan = Plan.read(
        language=row.language,
        data_fields=row.data_fields,
        data_collection=row.data_collection,
        minutes=defaults.extension_minutes if minutes is None else minutes,
    )
    return SessionSnapshot(
        id=session_id,
        study_id=row.study_id,
        mode=row.mode,
        study_name=row.study_name,
        study_text=row.study_text,
        active_seconds=row.active_seconds,
        max_turns=row.max_turns,
        turn_count=row.turn_count,
        language=row.language,
        seed=row.seed,
        started_at=row.started_at,
        time_budget_minutes=_with_more(row.time_budget_minutes, epilogue),
        may_extend=defaults.offers_time and plan.minutes > 0 and not epilogue.offer,
        plan=plan,
        epilogue=epilogue,
        enable_srl=_chosen(row.enable_srl, settings.ENABLE_SRL),
        enable_canonical_slots=_chosen(
            row.enable_canonical_slots, settings.ENABLE_CANONICAL_SLOTS and defaults.slots
        ),
        selects_question=_chosen(
            row.enable_question_self_selection, settings.ENABLE_QUESTION_SELF_SELECTION
        ),
        thresholds=Thresholds(
            surface_similarity=row.surface_similarity_threshold,
            slot_similarity=row.canonical_similarity_threshold,
            slot_support=row.canonical_min_support_nodes,
        ),
        rates=defaults.rating,
        llm_choice=row.llm_choice,
        methodology=methodology,
        methodology_version=methodology_version,
        concept=concept,
        guide=pinned_guide(row.guide_version_id) if row.guide_version_id is not None else None,
        state=SessionState.model_validate(row.state) if row.state else SessionState(),
    )


def _with_more(budget: int | None, epilogue: EpilogueState) -> int | None:
    """The minutes that the interview may take, with those that the respondent agreed to add."""
    accepted = epilogue.minutes if epilogue.offer == "accepted" else 0
    return None if budget is None else budget + accepted


def _chosen(choice: bool | None, default: bool) -> bool:
    return default if choice is None else choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """What a commit tells: the number of the question in the session, None where none was asked,
    the turn after this one where its answer waits already, and whether the interview is over.
    """

    sequence: int | None
    waiting: str | None
    over: bool


def commit(context: TurnContext, *, latency_ms: int) -> Committed:
    """Write the whole turn in one transaction.

    Having written nothing, raises LeaseLost where another worker has claimed the turn since or the
    session is over, GraphChanged where somebody has edited its graph since it was loaded, and
    AnswerGoesOn where another message waits that belongs to the same answer.
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
                # Fence and version decide, whatever the graph of a lost turn collided with.
                sequence = _sequence_saved(saved, context)
            next_turn = waiting.fetchone()
            if next_turn and context.answer and fits(len(context.answer.text), next_turn[1]):
                raise AnswerGoesOn(f"more was said while turn {job.turn_id} was thought of")
        if own := store_of(context.session.mode):
            own.save(context)
        if _ends(context):
            Turn.objects.filter(session_id=job.session_id, status=Turn.Status.QUEUED).update(
                status=Turn.Status.FAILED, error="the interview had ended"
            )
        if _is_over(context):
            outbox.completed(job.session_id)
    return Committed(
        sequence=sequence if asked else None,
        waiting=str(next_turn[0]) if next_turn and not _asks_aside(context) else None,
        over=_is_over(context),
    )


def _sequence_saved(saved: CursorWrapper, context: TurnContext) -> int:
    """The number of the session's newest utterance, where the turn could still be saved."""
    if saved.rowcount == 0:
        raise LeaseLost(f"turn {context.job.turn_id} was claimed by another worker or is over")
    if saved.rowcount < 0:  # not even sent: what went wrong is being raised
        return 0
    sequence, graph_version = saved.fetchone()
    if graph_version != context.graph_version + 1:
        raise GraphChanged(f"the graph was edited while turn {context.job.turn_id} was thought of")
    return int(sequence)


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
        version=context.graph_version + 1,
    )
    resident_graphs.keep(context.job.session_id, resident)


def _row(kind: type[Row], statement: str, parameters: dict[str, Any]) -> Row | None:
    """The statement's one row, its columns by name, or None."""
    with connection.cursor() as cursor:
        cursor.cursor.row_factory = class_row(kind)
        cursor.execute(statement, parameters)
        row: Row | None = cursor.fetchone()
        return row


def _held(job: TurnJob) -> QuerySet[Turn]:
    return Turn.objects.filter(pk=job.turn_id, fence=job.fence, status=Turn.Status.RUNNING)


def _ends(context: TurnContext) -> bool:
    return not context.is_opening and context.continuation.verdict is Verdict.END


def _asks_aside(context: TurnContext) -> bool:
    """Whether no answer to the mode is taken for now, or any more."""
    return _ends(context) or context.response.aside


def _is_over(context: TurnContext) -> bool:
    """Whether nothing is asked any more: the mode is done, and there is no epilogue."""
    return _ends(context) and not context.response.aside


def _decided(context: TurnContext, *, now: datetime, latency_ms: int) -> dict[str, Any]:
    """What `sql.SAVE` writes of a turn that was thought through."""
    job, trace, ends = context.job, context.persistence, _ends(context)
    block, epilogue, over = context.response.block, context.response.epilogue, _is_over(context)
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
        "ended_at": now if over else None,
        "termination_reason": decided["reason"] if over else "",
        "epilogue": Jsonb(epilogue.model_dump(mode="json")) if epilogue else None,
        "aside": context.response.aside,
        "turn": job.turn_id,
        "fence": job.fence,
        "now": now,
        "latency_ms": latency_ms,
        "question": context.response.utterance_id,
        "text": context.response.text,
        "block": Jsonb(block.model_dump(mode="json")) if block else None,
        "focus_node_id": focus.node_id if focus else None,
        "focus_label": focus.label if focus else "",
        "result": Jsonb(trace.result),
        "stage_ms": Jsonb(context.stage_ms),
        "changed": [
            n.id for n in context.graph.changes.nodes.values() if n.first_turn < job.number
        ],
        "settled": now - TAKE_BACK,
        **decided,
        **_summarised(context),
    }


def _summarised(context: TurnContext) -> dict[str, Any]:
    """What `sql.SAVE` writes of the session's summary."""
    trace = context.persistence
    saturation = trace.result.saturation
    return {
        **asdict(graph_figures(context.graph, context.ontology)),
        "conversation_saturation": saturation.conversation if saturation else None,
        "strategy_counts": Jsonb(trace.state.strategy_uses),
        "flags": sorted(flag.value for flag in context.flags),
    }


def release(job: TurnJob, *, error: str, final: bool) -> None:
    """Give a turn back after an error: queued again, or failed for good."""
    with transaction.atomic():
        released = _held(job).update(
            status=Turn.Status.FAILED if final else Turn.Status.QUEUED,
            lease_until=None,
            error=error,
        )
        if final and released:
            outbox.failed(job.session_id, turn=job.number, fence=job.fence)


def requeue(job: TurnJob) -> None:
    """Queue a turn again as if it had not been tried: nothing went wrong with it."""
    _held(job).update(status=Turn.Status.QUEUED, lease_until=None, attempt=job.attempt - 1)
