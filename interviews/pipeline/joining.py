"""Messages that are one answer: sent before there was a question between them, they are one turn.

A respondent who sends another message before the next question has come goes on with the answer. A
turn that nobody has begun takes the message up at once. While a turn is under way the message waits
as a turn of its own; at the commit the worker finds it, and the turn is thought again with both. So
a question that is asked has been read before the next answer was written.
"""

from __future__ import annotations

from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone

from interviews.models import Session, Turn, Utterance
from interviews.turns.context import TurnJob

MOST_JOINED_CHARS = 24_000
"""A longer answer is not joined any more: the message stays a turn of its own."""
BETWEEN = "\n\n"


def fits(one: int, other: int) -> bool:
    """Whether two messages of so many characters may be one answer."""
    return one + len(BETWEEN) + other <= MOST_JOINED_CHARS


def join(
    session: Session, turn: Turn, text: str, *, message_id: UUID, active_seconds: float
) -> Utterance:
    """Add a message to a turn's answer, which becomes a new utterance with the words of both.

    Session and turn are locked. The row of the former answer stays, withdrawn and without words:
    its message id is known for good, and pages learn that it does not stand any more.
    """
    former = turn.answer
    if former is None:
        raise ValueError("the opening has no answer that a message could join")
    words = former.text
    withdraw(former)
    session.last_sequence += 1
    session.save(update_fields=["last_sequence"])
    turn.answer = Utterance.objects.create(
        session=session,
        turn_number=turn.number,
        sequence=session.last_sequence,
        speaker=Utterance.Speaker.RESPONDENT,
        text=f"{words}{BETWEEN}{text}",
        client_message_id=message_id,
    )
    turn.active_seconds = active_seconds
    turn.save(update_fields=["answer", "active_seconds"])
    return turn.answer


def take_up(job: TurnJob) -> bool:
    """Join the answer that waits behind a claimed turn to its own, and queue the turn again.

    As if it had not been tried. Returns False where the turn is not this worker's any more.
    """
    with transaction.atomic():
        session = Session.objects.select_for_update().get(pk=job.session_id)
        held = session.turns.select_for_update(of=("self",)).select_related("answer")
        turn = held.filter(pk=job.turn_id, fence=job.fence, status=Turn.Status.RUNNING).first()
        waiting = held.filter(number=job.number + 1, status=Turn.Status.QUEUED).first()
        if turn is None or session.is_over:
            return False
        if waiting is not None and waiting.answer is not None:
            text, seconds = waiting.answer.text, waiting.active_seconds
            withdraw(waiting.answer)
            Turn.objects.filter(pk=waiting.pk).update(status=Turn.Status.WITHDRAWN)
            join(session, turn, text, message_id=uuid4(), active_seconds=seconds)
        turn.status, turn.lease_until, turn.attempt = Turn.Status.QUEUED, None, job.attempt - 1
        turn.save(update_fields=["status", "lease_until", "attempt"])
    return True


def withdraw(utterance: Utterance) -> None:
    """Leave the row, and none of its words."""
    utterance.text, utterance.block, utterance.withdrawn_at = "", None, timezone.now()
    utterance.save(update_fields=["text", "block", "withdrawn_at"])
