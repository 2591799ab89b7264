"""Taking an answer back: the turn that it led to is undone as if it had never been.

Whoever calls these has locked the session, so that no turn of it commits meanwhile: a worker that
is thinking about a withdrawn turn finds it gone, and writes nothing.
"""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone

from graphs import edits
from interviews import graph_edits
from interviews.errors import ErrorCode, InterviewError
from interviews.models import (
    BeforeTurn,
    Correction,
    Memo,
    SampledAnswer,
    SearchEntry,
    Session,
    SessionSummary,
    StarredQuote,
    Turn,
    Utterance,
    WrittenSummary,
)
from interviews.modes.registry import store_of
from interviews.pipeline.store import TAKE_BACK
from interviews.turns.state import SessionState


def withdraw(session: Session, message_id: UUID) -> bool:
    """Take back the answer that came under this id, and what followed from it; whether it stood.

    The newest answer can be taken back until the next one is there; one of the last 30 s also
    afterwards, and the answers after it with it. Rows stay as withdrawn, without words. Raises
    InterviewError ANSWER_UNKNOWN or ANSWER_SETTLED, having changed nothing.
    """
    answer = Utterance.everything.filter(
        session=session, client_message_id=message_id, speaker=Utterance.Speaker.RESPONDENT
    ).first()
    if answer is None:
        raise InterviewError(
            ErrorCode.ANSWER_UNKNOWN, "There is no such answer in this interview: reload the page."
        )
    if answer.withdrawn_at is not None:
        return False
    if answer.aside:
        raise _settled()
    turns = list(
        session.turns.select_for_update(of=("self",))
        .select_related("before")
        .filter(number__gte=answer.turn_number)
        .order_by("-number")
    )
    _check_recent(answer, turns)
    _undo(session, [turn for turn in turns if turn.status == Turn.Status.DONE])
    _mark(session, answer.turn_number, turns)
    return True


def _check_recent(answer: Utterance, turns: list[Turn]) -> None:
    late = len(turns) > 1 and answer.created_at < timezone.now() - TAKE_BACK
    if late or any(t.status == Turn.Status.DONE and not hasattr(t, "before") for t in turns):
        raise _settled()


def _settled() -> InterviewError:
    return InterviewError(
        ErrorCode.ANSWER_SETTLED,
        "This answer can no longer be changed: the interview has gone on since. "
        "Say what you would like to correct in your next answer.",
    )


def _undo(session: Session, done: list[Turn]) -> None:
    """Undo finished turns, the newest first."""
    if not done:
        return
    own = store_of(session.study.mode)
    for turn in done:
        edits.take_back_turn(session.pk, turn.number, turn.before.superseded)
        if own:
            own.withdraw(str(session.pk), turn.number)
    first = done[-1]
    session.state = first.before.state
    session.node_tracker_state = first.before.node_tracker_state
    session.turn_count = first.number - 1
    session.save(update_fields=["state", "turn_count"])
    graph_edits.follow(session, graph_edits.ontology_of(session))
    state = SessionState.model_validate(session.state) if session.state else SessionState()
    SessionSummary.objects.filter(session=session).update(
        saturation=first.before.saturation,
        flags=first.before.flags,
        strategy_counts=state.strategy_uses,
    )


def _mark(session: Session, number: int, turns: list[Turn]) -> None:
    """Leave the rows of turns from `number` on as withdrawn, and none of their words."""
    BeforeTurn.objects.filter(turn__in=turns).delete()
    Correction.objects.filter(session=session, newest_turn__gte=number).delete()
    SearchEntry.objects.filter(session=session, turn__gte=number).delete()
    Memo.objects.filter(session=session, utterance__turn_number__gte=number).delete()
    StarredQuote.objects.filter(session=session, utterance__turn_number__gte=number).delete()
    WrittenSummary.objects.filter(session=session, turns__gte=number).delete()
    SampledAnswer.objects.filter(
        utterance__session=session, utterance__turn_number__gte=number
    ).delete()
    session.turns.filter(number__gte=number).update(
        status=Turn.Status.WITHDRAWN,
        lease_until=None,
        strategy="",
        focus_node_id=None,
        focus_label="",
        result={},
        error="",
    )
    session.utterances.filter(turn_number__gte=number).update(
        text="", block=None, withdrawn_at=timezone.now()
    )
