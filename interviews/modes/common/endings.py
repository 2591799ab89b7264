"""When an interview ends or closes in every mode, and the names of the reasons."""

from __future__ import annotations

from datetime import datetime, timedelta

from interviews.modes.common.repairs import question_to_rephrase
from interviews.turns.context import TurnContext
from interviews.turns.contracts import Verdict

MAX_TURNS = "max_turns_reached"
RESPONDENT_ENDED = "respondent_ended"
TIME_USED_UP = "time_used_up"
NOT_UNDERSTOOD = "not_understood"


def ending(context: TurnContext, now: datetime) -> str:
    """Why the interview ends with this answer, "" where it goes on.

    The closing question was answered, the respondent wants to stop, the time is used up, or as many
    answers were given as there may be, in this order.
    """
    if context.loaded.state.closing_reason:
        return context.loaded.state.closing_reason
    if context.extraction.intent == "end":
        return RESPONDENT_ENDED
    if _time_is_up(context, now):
        return TIME_USED_UP
    return MAX_TURNS if context.job.number >= context.session.max_turns else ""


def last_before_limit(context: TurnContext) -> bool:
    """Whether the next question is the last one that `max_turns` leaves."""
    return context.job.number >= context.session.max_turns - 1


def turns_remaining(context: TurnContext) -> int:
    """How many answers may still come after this one, at least 0."""
    return max(context.session.max_turns - context.job.number, 0)


def rephrasing(context: TurnContext) -> tuple[Verdict, str] | None:
    """Go on with the last question in other words, where it was not understood."""
    return (Verdict.CONTINUE, NOT_UNDERSTOOD) if question_to_rephrase(context) else None


def _time_is_up(context: TurnContext, now: datetime) -> bool:
    budget = context.session.time_budget_minutes
    if budget is None:
        return False
    return now - context.session.started_at >= timedelta(minutes=budget)
