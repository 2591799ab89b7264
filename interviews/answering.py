"""Taking an answer, changing it, and taking it back: one short transaction each, exactly once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from graphs.resident import resident_graphs
from interviews import dispatch, epilogues, events, holds, withdrawals
from interviews.errors import ErrorCode, InterviewError
from interviews.llm.call_store import budget_is_spent
from interviews.models import Session, Turn, Utterance
from interviews.modes.registry import ModeMissing, mode_named
from interviews.pace import Pace, pace_of
from interviews.pipeline.joining import fits, join
from interviews.turns.blocks import chosen, options_of
from interviews.turns.state import SessionState

MAX_ANSWER_CHARS = 8000
MOST_SECONDS_AN_ANSWER = 180.0
"""A longer silence is a pause, and does not count as time of the interview."""

PACE = ("progress", "minutes_left")
"""What of a session says how far the respondent was told that it is."""

Id = UUID | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """An answer that is in the database; `duplicate` where it had been there before."""

    turn_number: int
    sequence: int
    duplicate: bool


def accept_answer(
    session_id: Id,
    text: str,
    *,
    client_message_id: UUID | None = None,
    replaces: UUID | None = None,
    seconds: float | None = None,
    pasted: int = 0,
) -> Accepted:
    """Store an answer and queue its turn, in one short transaction.

    What is sent before the question to the last answer has come joins that answer, where nobody has
    begun with its turn; else it waits. From here on it cannot be lost. The same `client_message_id`
    is taken once, however often it comes. With `replaces`, the id of an earlier answer, that one is
    taken back with it, as `withdraw_answer` does. `seconds` is how long the answer took, by default
    the time since what was said before it; 180 at most are counted, so that a pause costs nothing.
    `pasted` is how many of its characters were pasted.
    Raises InterviewError EMPTY_ANSWER, ANSWER_TOO_LONG, SESSION_OVER, SESSION_PAUSED, MODE_MISSING,
    BUDGET_SPENT, ANSWER_UNKNOWN or ANSWER_SETTLED; nothing is stored then.
    """
    text = text.replace("\x00", "")  # PostgreSQL's text holds everything else
    _check_text(text)
    message_id = client_message_id or uuid4()
    with transaction.atomic():
        session = _locked(session_id)
        known = Utterance.everything.filter(session=session, client_message_id=message_id).first()
        if known is not None:
            return Accepted(turn_number=known.turn_number, sequence=known.sequence, duplicate=True)
        _check_goes_on(session)
        if epilogues.state_of(session).asks:
            return _heard(session, epilogues.take_text(session, text, message_id))
        newest = _newest_turn(session)
        _note_pace(session, newest)
        withdrawn = False
        if replaces is not None:
            session.save(update_fields=PACE)
            if withdrawn := withdrawals.withdraw(session, replaces):
                newest = _newest_turn(session)
        accepted = _stored(session, newest, text, message_id, seconds)
        if pasted:
            Session.objects.filter(pk=session.pk).update(
                pasted=F("pasted") + min(pasted, len(text))
            )
    if withdrawn:
        resident_graphs.forget(str(session.pk))
    events.publish(
        session.pk, events.TurnAccepted(seq=accepted.sequence, turn=accepted.turn_number)
    )
    return accepted


def accept_choice(
    session_id: Id, option: str, *, client_message_id: UUID | None = None
) -> Accepted:
    """Take one of the options that the newest question offers as its answer.

    With the promises of :func:`accept_answer`, whose errors it raises, too. Raises InterviewError
    NOT_OFFERED for anything else, and ALREADY_ANSWERED where the question has its answer.
    """
    message_id = client_message_id or uuid4()
    with transaction.atomic():
        session = _locked(session_id)
        newest = session.utterances.order_by("-sequence").first()
        known = Utterance.everything.filter(session=session, client_message_id=message_id).exists()
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


def accept_fields(
    session_id: Id, values: Mapping[str, str], *, client_message_id: UUID | None = None
) -> Accepted:
    """Take the form that is open, its values by key; once, however often it comes.

    Raises FormRefused that names each wrong field, NO_FORM, SESSION_OVER or SESSION_PAUSED; no
    value is stored then.
    """
    message_id = client_message_id or uuid4()
    with transaction.atomic():
        session = _locked(session_id)
        known = Utterance.everything.filter(session=session, client_message_id=message_id).first()
        if known is not None:
            return Accepted(turn_number=known.turn_number, sequence=known.sequence, duplicate=True)
        _check_goes_on(session)
        taken = epilogues.take_values(session, values, message_id)
        if isinstance(taken, Utterance):
            return _heard(session, taken)
    raise epilogues.refusal(taken)


def _heard(session: Session, heard: Utterance) -> Accepted:
    """An answer to the epilogue, which is told of once it is committed."""
    transaction.on_commit(partial(epilogues.tell, session, heard))
    return Accepted(turn_number=heard.turn_number, sequence=heard.sequence, duplicate=False)


def withdraw_answer(session_id: Id, message_id: UUID) -> None:
    """Take back the answer that came under this id; doing it twice changes nothing.

    Its turn is undone whole: what it added to graph, slots, tracker and state goes, and the
    question that it led to. Raises InterviewError ANSWER_UNKNOWN, ANSWER_SETTLED where the
    interview has gone on since, SESSION_OVER, SESSION_PAUSED or MODE_MISSING.
    """
    with transaction.atomic():
        session = _locked(session_id)
        _check_goes_on(session)
        _answers_left(session, 0)
        _note_pace(session, _newest_turn(session))
        session.save(update_fields=PACE)
        withdrawn = withdrawals.withdraw(session, message_id)
    if withdrawn:
        resident_graphs.forget(str(session.pk))
        events.publish(session.pk, events.AnswerWithdrawn())


def hold_question(session_id: Id) -> None:
    """Have the next question wait: the respondent is not finished. Saying it again prolongs it.

    What is sent then joins the answer. Raises InterviewError NOTHING_TO_HOLD, SESSION_OVER or
    SESSION_PAUSED.
    """
    with transaction.atomic():
        session = _locked(session_id)
        _check_goes_on(session)
        holds.hold(session)
    events.publish(session_id, events.TurnHeld())


def let_question_come(session_id: Id) -> None:
    """Have a question that waits made now; where none waits, nothing changes."""
    with transaction.atomic():
        waited = holds.let_go(_locked(session_id))
    if waited:
        events.publish(session_id, events.TurnHeld())


def shown_pace(session: Session, active_seconds: float) -> Pace:
    """How far an interview is: never less far, and never longer, than the respondent was shown."""
    try:
        left = _answers_left(session, session.turn_count)
    except InterviewError:
        left = max(session.max_turns - session.turn_count, 0)
    now = pace_of(
        answered=session.turn_count,
        left=left,
        active_seconds=active_seconds,
        budget_minutes=session.study.time_budget_minutes,
    )
    shown = now.minutes_left if session.minutes_left is None else session.minutes_left
    return replace(
        now,
        progress=max(now.progress, session.progress),
        minutes_left=min(now.minutes_left, shown),
    )


def _note_pace(session: Session, newest: Turn | None) -> None:
    """Note what the respondent was shown, before it may be less; whoever calls saves it."""
    shown = shown_pace(session, newest.active_seconds if newest else 0.0)
    session.progress, session.minutes_left = shown.progress, shown.minutes_left


def _newest_turn(session: Session) -> Turn | None:
    """The newest turn, locked, of a session that is.

    The row's lock decides: either nobody has begun with the turn, or this waits until they have.
    """
    return session.turns.select_for_update().order_by("-number").first()


def _locked(session_id: Id) -> Session:
    return (
        Session.objects.select_for_update(of=("self",))
        .select_related("study", "methodology_version")
        .get(pk=session_id)
    )


def _stored(
    session: Session, newest: Turn | None, text: str, message_id: UUID, seconds: float | None
) -> Accepted:
    """Store an answer, its turn and the pace that was noted; session and newest turn are locked."""
    if newest is not None and newest.held_until is not None:
        holds.let_go(session)
    number, active = (newest.number, newest.active_seconds) if newest else (0, 0.0)
    active += _counted(_since_last_said(session) if seconds is None else seconds)
    if newest is not None and _goes_on(newest, text):
        _check_takes_answers(session, number - 1)
        dispatch.enqueue(newest.pk)
        session.save(update_fields=PACE)
        said = join(session, newest, text, message_id=message_id, active_seconds=active)
        return Accepted(turn_number=number, sequence=said.sequence, duplicate=False)
    _check_takes_answers(session, number)
    session.last_sequence += 1
    session.save(update_fields=[*PACE, "last_sequence"])
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
    return Accepted(turn_number=number + 1, sequence=utterance.sequence, duplicate=False)


def _goes_on(newest: Turn, text: str) -> bool:
    """Whether a message joins the answer of the newest turn, which nobody has begun with."""
    if newest.status != Turn.Status.QUEUED or newest.answer is None:
        return False
    return fits(len(newest.answer.text), len(text))


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


def _over() -> InterviewError:
    return InterviewError(
        ErrorCode.SESSION_OVER,
        "This interview has ended, so this answer was not added. "
        "Everything you said before is safe.",
    )


def _check_goes_on(session: Session) -> None:
    if session.is_over:
        raise _over()
    if session.status == Session.Status.PAUSED:
        raise InterviewError(
            ErrorCode.SESSION_PAUSED, "This interview is paused. Continue it to send your answer."
        )


def _check_takes_answers(session: Session, answered: int) -> None:
    if not _answers_left(session, answered):
        raise _over()
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
