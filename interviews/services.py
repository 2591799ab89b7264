"""What every face calls: chat, API, command line and simulation go through these verbs alone."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Count, Exists, Min, OuterRef, Q
from django.utils import timezone

from graphs.resident import resident_graphs
from interviews import dispatch, events
from interviews.errors import ErrorCode, InterviewError
from interviews.llm.call_store import budget_is_spent
from interviews.models import Erasure, Invitation, Session, Study, Turn, Utterance
from interviews.modes.common.endings import RESPONDENT_ENDED
from interviews.modes.registry import ModeMissing, missing_documents, mode_named
from interviews.pipeline import runner
from interviews.turns.blocks import chosen, options_of
from interviews.turns.state import SessionState

MAX_ANSWER_CHARS = 8000
MINUTES_PER_TURN = 0.8
MOST_SECONDS_AN_ANSWER = 180.0
"""A longer silence is a pause, and does not count as time of the interview."""
REASON_RESPONDENT_LEFT = "respondent_left"
REASON_ERASED = "erased"
STALE_QUEUE = timedelta(seconds=10)
MAX_CLAIMS = 5
SWEEP_LIMIT = 200

process_turn = runner.process_turn
Id = UUID | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """An answer that is in the database; `duplicate` where it had been there before."""

    turn_number: int
    sequence: int
    duplicate: bool


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
    """Where an interview stands. `progress` is in [0, 1] and never falls."""

    status: str
    study_name: str
    turn_count: int
    max_turns: int
    progress: float
    pending: str | None
    minutes_estimate: int
    reward: str
    termination_reason: str
    last_sequence: int


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


def _check_open(study: Study) -> None:
    if study.status != Study.Status.LIVE:
        raise InterviewError(
            ErrorCode.STUDY_NOT_OPEN,
            "This study is not taking part in interviews at the moment. "
            "Ask the person who sent you the link when it will be open.",
        )
    completed = Session.objects.filter(
        study=study, status=Session.Status.COMPLETED, simulated=False
    )
    if study.quota is not None and completed.count() >= study.quota:
        raise InterviewError(
            ErrorCode.QUOTA_REACHED,
            "This study has all the interviews it needs. Thank you for your interest.",
        )


def begin(invitation: Invitation) -> Session:
    """Start the interview of an invitation, consent given; the same link gives the same session.

    Raises InterviewError where the study is not open.
    """
    with transaction.atomic():
        locked = (
            Invitation.objects.select_for_update(of=("self",))
            .select_related("study", "session")
            .get(pk=invitation.pk)
        )
        if locked.session is not None:
            return locked.session
        _check_open(locked.study)
        locked.session = start_session(locked.study)
        locked.save(update_fields=["session"])
    return locked.session


def check_study(study: Study) -> None:
    """Raise InterviewError STUDY_INCOMPLETE, saying what is missing, where it cannot be led."""
    try:
        missing = missing_documents(
            study.mode,
            methodology=study.methodology_version_id is not None,
            concept=study.concept_version_id is not None,
        )
    except ModeMissing as error:
        raise InterviewError(ErrorCode.STUDY_INCOMPLETE, f"{study.name}: {error}") from error
    if missing:
        message = f"{study.name} cannot be held yet. {' '.join(missing.values())}"
        raise InterviewError(ErrorCode.STUDY_INCOMPLETE, message)


def start_session(
    study: Study,
    *,
    seed: int | None = None,
    simulated: bool = False,
    max_turns: int | None = None,
) -> Session:
    """Create a session of a study with its versions pinned, and queue its opening turn.

    Raises InterviewError STUDY_INCOMPLETE where the study's mode is not there, or lacks a document.
    """
    check_study(study)
    with transaction.atomic():
        session = Session.objects.create(
            study=study,
            concept_version_id=study.concept_version_id,
            methodology_version_id=study.methodology_version_id,
            max_turns=max_turns or study.max_turns,
            language=study.language,
            seed=secrets.randbelow(2**31) if seed is None else seed,
            simulated=simulated,
            consented_at=timezone.now(),
        )
        opening = Turn.objects.create(session=session, number=0)
        dispatch.enqueue(opening.pk)
    return session


# -- answering -----------------------------------------------------------------------------------
def accept_answer(
    session_id: Id,
    text: str,
    *,
    client_message_id: UUID | None = None,
    seconds: float | None = None,
) -> Accepted:
    """Store an answer and queue its turn, in one short transaction.

    From here on the answer cannot be lost. The same `client_message_id` is taken once, however
    often it comes. `seconds` is how long the answer took, by default the time since what was said
    before it; 180 at most are counted, so that a pause costs nothing. Raises InterviewError
    EMPTY_ANSWER, ANSWER_TOO_LONG, SESSION_OVER, SESSION_PAUSED, MODE_MISSING or BUDGET_SPENT;
    nothing is stored then.
    """
    text = text.replace("\x00", "")  # PostgreSQL's text holds everything else
    _check_text(text)
    message_id = client_message_id or uuid4()
    with transaction.atomic():
        session = (
            Session.objects.select_for_update(of=("self",))
            .select_related("study")
            .get(pk=session_id)
        )
        known = Utterance.objects.filter(session=session, client_message_id=message_id).first()
        if known is not None:
            return Accepted(turn_number=known.turn_number, sequence=known.sequence, duplicate=True)
        number, active = session.turns.order_by("number").values_list(
            "number", "active_seconds"
        ).last() or (0, 0.0)
        _check_takes_answers(session, number)
        active += _counted(_since_last_said(session) if seconds is None else seconds)
        session.last_sequence += 1
        session.save(update_fields=["last_sequence"])
        utterance = Utterance.objects.create(
            session=session,
            turn_number=number + 1,
            sequence=session.last_sequence,
            speaker=Utterance.Speaker.RESPONDENT,
            text=text,
            client_message_id=message_id,
        )
        turn = Turn.objects.create(
            session=session, number=number + 1, answer=utterance, active_seconds=active
        )
        dispatch.enqueue(turn.pk)
    events.publish(
        session.pk, events.TurnAccepted(seq=utterance.sequence, turn=utterance.turn_number)
    )
    return Accepted(turn_number=utterance.turn_number, sequence=utterance.sequence, duplicate=False)


def accept_choice(
    session_id: Id, option: str, *, client_message_id: UUID | None = None
) -> Accepted:
    """Take one of the options that the newest question offers as its answer.

    With the promises of :func:`accept_answer`, whose errors it raises, too. Raises InterviewError
    NOT_OFFERED for anything else, and ALREADY_ANSWERED where the question has its answer.
    """
    message_id = client_message_id or uuid4()
    with transaction.atomic():
        session = Session.objects.select_for_update().get(pk=session_id)
        newest = session.utterances.order_by("-sequence").first()
        known = session.utterances.filter(client_message_id=message_id).exists()
        if not known and not session.is_over:
            if newest is not None and newest.speaker == Utterance.Speaker.RESPONDENT:
                raise InterviewError(
                    ErrorCode.ALREADY_ANSWERED,
                    "This question has its answer already. The next one comes in a moment.",
                )
            taken = chosen(option, options_of(newest.block)) if newest else None
            if taken is None:
                raise InterviewError(
                    ErrorCode.NOT_OFFERED,
                    "This is not among what the question offers. Choose one of its options, or "
                    "write an answer.",
                )
            option = taken
        return accept_answer(session_id, option, client_message_id=message_id)


def _since_last_said(session: Session) -> float:
    """Seconds since the newest utterance of a session."""
    said = session.utterances.order_by("-sequence").values_list("created_at", flat=True).first()
    return (timezone.now() - said).total_seconds() if said else 0.0


def _counted(seconds: float) -> float:
    """What a gap of so many seconds adds to the time that an interview takes."""
    return min(max(seconds, 0.0), MOST_SECONDS_AN_ANSWER)


def _check_text(text: str) -> None:
    if not text.strip():
        raise InterviewError(
            ErrorCode.EMPTY_ANSWER,
            "There is nothing to send yet. Write a few words, or choose not to answer.",
        )
    if len(text) > MAX_ANSWER_CHARS:
        raise InterviewError(
            ErrorCode.ANSWER_TOO_LONG,
            f"Your answer has {len(text):,} characters; {MAX_ANSWER_CHARS:,} is the limit. "
            "It is still in the box: please shorten it and send it again.",
        )


def _check_takes_answers(session: Session, answered: int) -> None:
    if session.is_over or not _answers_left(session, answered):
        raise InterviewError(
            ErrorCode.SESSION_OVER,
            "This interview has ended, so this answer was not added. "
            "Everything you said before is safe.",
        )
    if session.status == Session.Status.PAUSED:
        raise InterviewError(
            ErrorCode.SESSION_PAUSED, "This interview is paused. Continue it to send your answer."
        )
    if budget_is_spent(session.study_id, session.study.llm_choice):
        raise InterviewError(
            ErrorCode.BUDGET_SPENT,
            "This study cannot ask more questions at the moment. Everything you said is safe and "
            "your answer is still in the box: please come back by the same link later.",
        )


def _answers_left(session: Session, answered: int) -> int:
    """How many answers the mode still takes. Raises InterviewError MODE_MISSING."""
    try:
        mode = mode_named(session.study.mode)
    except ModeMissing as error:
        raise InterviewError(
            ErrorCode.MODE_MISSING,
            "This interview cannot go on at the moment. Everything you said is safe and your "
            "answer is still in the box: please come back by the same link later.",
        ) from error
    state = SessionState.model_validate(session.state) if session.state else SessionState()
    return mode.answers_left(max_turns=session.max_turns, answered=answered, state=state)


def retry_turn(session_id: Id) -> None:
    """Queue the session's failed turn again. Raises InterviewError TURN_NOT_FAILED without one."""
    with transaction.atomic():
        turn = (
            Turn.objects.select_for_update()
            .filter(session_id=session_id, status=Turn.Status.FAILED)
            .order_by("number")
            .first()
        )
        if turn is None:
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
        session.termination_reason = reason
        session.save(update_fields=["status", "ended_at", "termination_reason"])
        session.turns.filter(status__in=[Turn.Status.QUEUED, Turn.Status.RUNNING]).update(
            status=Turn.Status.FAILED, lease_until=None, error="the interview had ended"
        )
    resident_graphs.forget(str(session_id))
    events.publish(session_id, events.SessionEnded(reason=reason))


def erase_session(session_id: Id, *, by: str) -> None:
    """Erase a session with everything that was said, understood and decided in it.

    One row without content stays: that it was there, the time of consent, who erased it and when.
    A worker that is still thinking about one of its turns finds nothing to write to. The
    invitation's link leads to a new session afterwards only if it is not revoked, so it is.
    """
    with transaction.atomic():
        session = Session.objects.select_for_update().get(pk=session_id)
        Invitation.objects.filter(session=session).update(revoked_at=timezone.now())
        Erasure.objects.create(
            session_id=session.pk,
            study_id=session.study_id,
            consented_at=session.consented_at,
            erased_by=by,
        )
        session.delete()
    resident_graphs.forget(str(session_id))
    events.publish(session_id, events.SessionEnded(reason=REASON_ERASED))


# -- reading -------------------------------------------------------------------------------------
def session_view(session_id: Id) -> SessionView:
    """Return where an interview stands."""
    session = Session.objects.select_related("study").get(pk=session_id)
    unfinished = (
        session.turns.exclude(status=Turn.Status.DONE)
        .order_by("number")
        .values_list("status", flat=True)
        .first()
    )
    over = session.is_over
    return SessionView(
        status=session.status,
        study_name=session.study.name,
        turn_count=session.turn_count,
        max_turns=session.max_turns,
        progress=1.0 if over else min(session.turn_count / session.max_turns, 1.0),
        pending=None if over else unfinished,
        minutes_estimate=max(round(session.max_turns * MINUTES_PER_TURN), 1),
        reward=session.study.reward if over else "",
        termination_reason=session.termination_reason,
        last_sequence=session.last_sequence,
    )


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
        status=Turn.Status.QUEUED,
        session__in=Session.objects.open(),
    ).aggregate(turns=Count("pk"), since=Min("created_at"))
    waited = timezone.now() - found["since"] if found["since"] else timedelta()
    return Backlog(turns=found["turns"], seconds=waited.total_seconds())


def sweep() -> int:
    """Publish again every turn that nobody is working on; return how many.

    These are turns whose lease ran out (a worker was killed) and turns that wait longer than a
    message takes (it was lost). Where messages wait to be taken, nothing is wrong but that there
    are more than can be worked on, and publishing more would make it worse. A turn that was
    claimed too often is failed for good.
    """
    now = timezone.now()
    lost = Turn.objects.filter(status=Turn.Status.RUNNING, lease_until__lt=now)
    for turn in lost.filter(attempt__gte=MAX_CLAIMS):
        Turn.objects.filter(pk=turn.pk, fence=turn.fence, status=Turn.Status.RUNNING).update(
            status=Turn.Status.FAILED, lease_until=None, error="its worker died again and again"
        )
        events.publish(turn.session_id, events.TurnFailed(turn=turn.number))
    unattended = Q(status=Turn.Status.RUNNING, lease_until__lt=now)
    if not dispatch.messages_wait():
        unattended |= Q(status=Turn.Status.QUEUED, created_at__lt=now - STALE_QUEUE)
    waiting = (
        Turn.objects.filter(unattended, session__in=Session.objects.open())
        .exclude(pk__in=runner.lane.under_way())
        .order_by("session_id", "number")
    )
    first_of_session = waiting.distinct("session_id").values_list("pk", flat=True)[:SWEEP_LIMIT]
    for pk in first_of_session:
        dispatch.enqueue(pk)
    return len(first_of_session)
