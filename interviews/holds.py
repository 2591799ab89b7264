"""Holding a question back: a respondent who is not finished says so, and the turn waits.

The row decides, as it does for everything of a turn: a held turn is queued and nobody may claim it
until the time is over. A worker that was thinking about it finds its fence raised, and writes
nothing. What the respondent sends meanwhile joins the answer, and lets go of the turn.
"""

from __future__ import annotations

from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from interviews import dispatch
from interviews.errors import ErrorCode, InterviewError
from interviews.models import Session, Turn

AT_MOST = timedelta(minutes=3)
"""For so long a question waits for who said so and is not heard of again; saying so renews it."""


def hold(session: Session) -> None:
    """Hold back the question to what was said last; the session is locked.

    Raises InterviewError NOTHING_TO_HOLD where that question is there already, or none is made.
    """
    under_way = (Turn.Status.QUEUED, Turn.Status.RUNNING)
    waiting = session.turns.filter(status__in=under_way, answer__isnull=False)
    turns = list(waiting.select_for_update(of=("self",)))
    if not turns:
        raise InterviewError(
            ErrorCode.NOTHING_TO_HOLD,
            "There is no question on its way that could wait. Just write what you want to add.",
        )
    for turn in turns:
        given_up = int(turn.status == Turn.Status.RUNNING)
        Turn.objects.filter(pk=turn.pk).update(
            status=Turn.Status.QUEUED,
            held_until=timezone.now() + AT_MOST,
            lease_until=None,
            fence=F("fence") + given_up,
            attempt=F("attempt") - given_up,
        )


def let_go(session: Session) -> bool:
    """Have what is held worked on now; whether anything was. The session is locked."""
    held = session.turns.filter(status=Turn.Status.QUEUED, held_until__isnull=False)
    turns = list(held.order_by("number").select_for_update(of=("self",)))
    held.update(held_until=None)
    for turn in turns:
        dispatch.enqueue(turn.pk)
    return bool(turns)
