"""What every face calls: chat, API, command line and simulation go through these verbs alone."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db import transaction
from django.db.models import Count, Exists, Min, OuterRef, Q, Subquery
from django.utils import timezone

from graphs.resident import resident_graphs
from interviews import (
    answering,
    arrivals,
    audit,
    checklist,
    dispatch,
    epilogues,
    events,
    plans,
    replies,
    revisions,
    summaries,
)
from interviews.errors import ErrorCode, InterviewError
from interviews.models import BeforeTurn, Erasure, Invitation, Session, Study, Turn, Utterance
from interviews.modes.common.endings import RESPONDENT_ENDED
from interviews.modes.registry import ModeMissing, missing_documents, unshown
from interviews.pipeline import runner
from interviews.retrieval import index
from interviews.sources import texts, work
from interviews.themes import renewal
from interviews.themes.service import forget_erased
from interviews.webhooks import delivery, outbox

MINUTES_PER_TURN = checklist.MINUTES_PER_TURN
REASON_RESPONDENT_LEFT = "respondent_left"
REASON_ERASED = "erased"
REASON_RESEARCHER = "ended_by_researcher"
MOST_TURNS = 200
HELD = "held"
STALE_QUEUE = timedelta(seconds=10)
MAX_CLAIMS = 5
SWEEP_LIMIT = 200

process_turn = runner.process_turn
accept_answer, accept_choice = answering.accept_answer, answering.accept_choice
accept_fields, withdraw_answer = answering.accept_fields, answering.withdraw_answer
hold_question, let_question_come = answering.hold_question, answering.let_question_come
Accepted = answering.Accepted
MAX_ANSWER_CHARS = answering.MAX_ANSWER_CHARS
Id = UUID | str


@dataclass(frozen=True, slots=True, kw_only=True)
class UtteranceView:
    """An utterance as faces show it."""

    sequence: int
    speaker: str
    text: str
    turn_number: int
    client_message_id: UUID | None
    created_at: datetime
    block: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """Where an interview stands. `progress` is in [0, 1] and never falls.

    `pending` is the state of the turn that is not done yet: "held" while its question waits for the
    rest of the answer. `withdrawn` are the sequence numbers of what was said and does not stand any
    more.
    """

    status: str
    study_name: str
    turn_count: int
    max_turns: int
    progress: float
    pending: str | None
    questions_left: int
    minutes_left: int
    reward: str
    termination_reason: str
    last_sequence: int
    withdrawn: tuple[int, ...] = ()


# -- beginning -----------------------------------------------------------------------------------
def open_study(slug: str) -> Study:
    """Return the live study of this name.

    Raises InterviewError STUDY_NOT_OPEN where there is none, or QUOTA_REACHED.
    """
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise InterviewError(
            ErrorCode.STUDY_NOT_OPEN,
            "There is no study at this address. Check the link, or ask the person who sent it.",
        )
    _check_open(study)
    return study


def _check_open(study: Study, segments: Mapping[str, str] | None = None) -> None:
    if study.status != Study.Status.LIVE:
        raise InterviewError(
            ErrorCode.STUDY_NOT_OPEN,
            "This study is not taking part in interviews at the moment. "
            "Ask the person who sent you the link when it will be open.",
        )
    if arrivals.is_full(study, segments):
        raise InterviewError(
            ErrorCode.QUOTA_REACHED,
            "This study has all the interviews it needs. Thank you for your interest.",
        )


def begin(
    invitation: Invitation,
    *,
    segments: Mapping[str, str] | None = None,
    browser: str = "",
    language: str = "",
) -> Session:
    """Start the interview of an invitation, consent given; the same link gives the same session.

    `segments` are answers to the study's screener and parameters of the link, `browser` a random
    token of the device, `language` one of the study's, its own where empty. Raises InterviewError
    where the study is not open.
    """
    with transaction.atomic():
        locked = (
            Invitation.objects.select_for_update(of=("self",))
            .select_related("study", "session")
            .get(pk=invitation.pk)
        )
        if locked.session is not None:
            return locked.session
        _check_open(locked.study, segments)
        locked.session = start_session(
            locked.study,
            segments=segments,
            browser=arrivals.browser_mark(locked.study.pk, browser),
            language=language,
        )
        locked.save(update_fields=["session"])
    return locked.session


def check_study(study: Study) -> None:
    """Raise InterviewError STUDY_INCOMPLETE, saying what is missing, where it cannot be led."""
    try:
        missing = missing_documents(
            study.mode,
            methodology=study.methodology_version_id is not None,
            concept=study.concept_version_id is not None,
            guide=study.guide_version_id is not None,
        )
    except ModeMissing as error:
        raise InterviewError(ErrorCode.STUDY_INCOMPLETE, f"{study.name}: {error}") from error
    lacking = list(missing.values())
    shown = checklist.shown_in(study.mode, study.concept_version)
    if shown is not None and (lacks := unshown(study.mode, shown)):
        lacking.append(lacks)
    if lacking:
        message = f"{study.name} cannot be held yet. {' '.join(lacking)}"
        raise InterviewError(ErrorCode.STUDY_INCOMPLETE, message)


def start_session(
    study: Study,
    *,
    seed: int | None = None,
    simulated: bool = False,
    max_turns: int | None = None,
    segments: Mapping[str, str] | None = None,
    browser: str = "",
    language: str = "",
) -> Session:
    """Create a session of a study with its versions pinned, and queue its opening turn.

    Raises InterviewError STUDY_INCOMPLETE where the study's mode is not there, or lacks a document.
    """
    check_study(study)
    with transaction.atomic():
        session = Session.objects.create(
            study=study,
            revision=None if simulated else revisions.current(study),
            concept_version_id=study.concept_version_id,
            methodology_version_id=study.methodology_version_id,
            guide_version_id=study.guide_version_id,
            max_turns=max_turns or study.max_turns,
            language=language if language in study.languages else study.language,
            seed=secrets.randbelow(2**31) if seed is None else seed,
            simulated=simulated,
            segments=dict(segments or {}),
            browser=browser,
            consented_at=timezone.now(),
        )
        plans.ensure(study)
        opening = Turn.objects.create(session=session, number=0)
        dispatch.enqueue(opening.pk)
    return session


# -- answering ----------------------------------------------------------------------------------
def retry_turn(session_id: Id) -> None:
    """Queue the session's failed turn again. Raises InterviewError TURN_NOT_FAILED without one."""
    with transaction.atomic():
        turn = (
            Turn.objects.select_for_update()
            .filter(session_id=session_id, status=Turn.Status.FAILED)
            .order_by("number")
            .first()
        )
        if turn is None or epilogues.state_of(turn.session).asks:
            raise InterviewError(
                ErrorCode.TURN_NOT_FAILED, "There is nothing to try again: no question is missing."
            )
        turn.status, turn.attempt, turn.error = Turn.Status.QUEUED, 0, ""
        turn.save(update_fields=["status", "attempt", "error"])
        dispatch.enqueue(turn.pk)


# -- pausing and ending --------------------------------------------------------------------------
def pause_session(session_id: Id) -> None:
    """Pause an interview; answers that were accepted are still worked on."""
    _set_status(session_id, Session.Status.ACTIVE, Session.Status.PAUSED)


def resume_session(session_id: Id) -> None:
    """Go on with a paused interview."""
    _set_status(session_id, Session.Status.PAUSED, Session.Status.ACTIVE)


def _set_status(session_id: Id, before: str, after: str) -> None:
    if Session.objects.filter(pk=session_id, status=before).update(status=after):
        events.publish(session_id, events.SessionChanged(status=after))


def end_session(session_id: Id, *, reason: str = RESPONDENT_ENDED) -> None:
    """End an interview at once; ending it twice changes nothing. Waiting turns are given up."""
    with transaction.atomic():
        session = Session.objects.select_for_update().get(pk=session_id)
        if session.is_over:
            return
        session.status = (
            Session.Status.COMPLETED if session.turn_count else Session.Status.ABANDONED
        )
        session.ended_at = timezone.now()
        epilogue = epilogues.state_of(session)
        session.termination_reason = epilogue.reason if epilogue.asks else reason
        session.save(update_fields=["status", "ended_at", "termination_reason"])
        session.turns.filter(status__in=[Turn.Status.QUEUED, Turn.Status.RUNNING]).update(
            status=Turn.Status.FAILED, lease_until=None, error="the interview had ended"
        )
        BeforeTurn.objects.filter(session=session).delete()
        if session.status == Session.Status.COMPLETED:
            outbox.completed(session.pk)
    resident_graphs.forget(str(session_id))
    events.publish(session_id, events.SessionEnded(reason=session.termination_reason))


def extend_session(session_id: Id, *, answers: int) -> None:
    """Let an interview take so many more answers, MOST_TURNS in all at most.

    Raises InterviewError SESSION_OVER where it has ended.
    """
    with transaction.atomic():
        session = Session.objects.select_for_update().get(pk=session_id)
        if session.is_over:
            raise InterviewError(
                ErrorCode.SESSION_OVER, "This interview has ended; it cannot be extended."
            )
        session.max_turns = min(session.max_turns + answers, MOST_TURNS)
        session.save(update_fields=["max_turns"])


def erase_session(session_id: Id, *, by: str) -> None:
    """Erase a session with everything that was said, understood and decided in it.

    One row without content stays: that it was there, the time of consent, who erased it and when.
    A worker that is still thinking about one of its turns finds nothing to write to. The
    invitation's link leads to a new session afterwards only if it is not revoked, so it is.
    """
    with transaction.atomic():
        session = Session.objects.select_for_update().get(pk=session_id)
        Invitation.objects.filter(session=session).update(
            revoked_at=timezone.now(), sealed_address=""
        )
        Erasure.objects.create(
            session_id=session.pk,
            study_id=session.study_id,
            consented_at=session.consented_at,
            erased_by=by,
        )
        audit.record(audit.Action.ERASED, session, by=by)
        session.delete()
        forget_erased(session.study_id)
    resident_graphs.forget(str(session_id))
    events.publish(session_id, events.SessionEnded(reason=REASON_ERASED))


# -- reading -------------------------------------------------------------------------------------
def session_view(session_id: Id) -> SessionView:
    """Return where an interview stands."""
    withdrawn = Utterance.everything.filter(session=OuterRef("pk"), withdrawn_at__isnull=False)
    active = Turn.objects.filter(session=OuterRef("pk")).order_by("-number")
    session = (
        Session.objects.select_related("study")
        .annotate(active_seconds=Subquery(active.values("active_seconds")[:1]))
        .annotate(withdrawn=ArraySubquery(withdrawn.order_by("sequence").values("sequence")))
        .get(pk=session_id)
    )
    unfinished = (
        session.turns.exclude(status=Turn.Status.DONE)
        .order_by("number")
        .values_list("status", "held_until")
        .first()
    )
    study = session.study.in_language(session.language)
    over, step = session.is_over, epilogues.state_of(session).step
    pace = answering.shown_pace(session, vars(session)["active_seconds"] or 0.0)
    return SessionView(
        status=session.status,
        study_name=study.name,
        turn_count=session.turn_count,
        max_turns=session.max_turns,
        progress=1.0 if over or step in ("consent", "fields") else pace.progress,
        pending=None if over or step or unfinished is None else _pending(*unfinished),
        questions_left=pace.questions_left,
        minutes_left=pace.minutes_left,
        reward=study.reward if over else "",
        termination_reason=session.termination_reason,
        last_sequence=session.last_sequence,
        withdrawn=tuple(vars(session)["withdrawn"]),
    )


def _pending(status: str, held_until: datetime | None) -> str:
    held = status == Turn.Status.QUEUED and held_until is not None
    return HELD if held and held_until and held_until > timezone.now() else status


def utterances_after(session_id: Id, sequence: int) -> list[UtteranceView]:
    """Return what was said after a sequence number, in order."""
    return [
        UtteranceView(
            sequence=u.sequence,
            speaker=u.speaker,
            text=u.text,
            turn_number=u.turn_number,
            client_message_id=u.client_message_id,
            created_at=u.created_at,
            block=u.block,
        )
        for u in Utterance.objects.filter(session_id=session_id, sequence__gt=sequence).order_by(
            "sequence"
        )
    ]


# -- keeping the queue moving --------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """Turns that could be worked on and that nobody has begun with; the longest wait in seconds."""

    turns: int
    seconds: float


def backlog() -> Backlog:
    """What waits for a worker. A turn behind another one of its session waits for that one."""
    earlier = Turn.objects.filter(session=OuterRef("session"), number__lt=OuterRef("number"))
    found = Turn.objects.filter(
        ~Exists(earlier.exclude(status=Turn.Status.DONE)),
        ~Q(held_until__gt=timezone.now()),
        status=Turn.Status.QUEUED,
        session__in=Session.objects.open(),
    ).aggregate(turns=Count("pk"), since=Min("created_at"))
    waited = timezone.now() - found["since"] if found["since"] else timedelta()
    return Backlog(turns=found["turns"], seconds=waited.total_seconds())


def sweep() -> int:
    """Publish again every turn, and file of a handover, that nobody is at; return how many turns.

    These are turns whose lease ran out (a worker was killed) and turns that wait longer than a
    message takes (it was lost). Where messages wait to be taken, nothing is wrong but that there
    are more than can be worked on, and publishing more would make it worse. A turn that was
    claimed too often is failed for good.
    """
    now = timezone.now()
    lost = Turn.objects.filter(status=Turn.Status.RUNNING, lease_until__lt=now)
    for turn in lost.filter(attempt__gte=MAX_CLAIMS):
        with transaction.atomic():
            given_up = Turn.objects.filter(
                pk=turn.pk, fence=turn.fence, status=Turn.Status.RUNNING
            ).update(
                status=Turn.Status.FAILED, lease_until=None, error="its worker died again and again"
            )
            if given_up:
                outbox.failed(turn.session_id, turn=turn.number, fence=turn.fence)
        events.publish(turn.session_id, events.TurnFailed(turn=turn.number))
    unattended = Q(status=Turn.Status.RUNNING, lease_until__lt=now)
    if not dispatch.messages_wait():
        unattended |= Q(status=Turn.Status.QUEUED, created_at__lt=now - STALE_QUEUE)
    waiting = (
        Turn.objects.filter(unattended, ~Q(held_until__gt=now), session__in=Session.objects.open())
        .exclude(pk__in=runner.lane.under_way())
        .order_by("session_id", "number")
    )
    first_of_session = waiting.distinct("session_id").values_list("pk", flat=True)[:SWEEP_LIMIT]
    for pk in first_of_session:
        dispatch.enqueue(pk)
    work.sweep()
    texts.sweep()
    index.sweep()
    summaries.sweep()
    renewal.sweep()
    delivery.sweep()
    replies.sweep()
    return len(first_of_session)
