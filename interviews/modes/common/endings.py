"""When an interview ends or closes in every mode, and the names of the reasons."""

from __future__ import annotations

from interviews.modes.common.repairs import question_to_rephrase
from interviews.turns.context import TurnView
from interviews.turns.contracts import Verdict

MAX_TURNS = "max_turns_reached"
RESPONDENT_ENDED = "respondent_ended"
TIME_USED_UP = "time_used_up"
NOT_UNDERSTOOD = "not_understood"
UNANSWERED = "unanswered"
PUT_AGAIN = frozenset([NOT_UNDERSTOOD, UNANSWERED])
"""Why the last question is put in other words."""


def ending(context: TurnView) -> str:
    """Why the interview ends with this answer, "" where it goes on.

    The closing question was answered, the respondent wants to stop, the time is used up, or as many
    answers were given as there may be, in this order. Where the respondent may be offered more
    time it goes on: the offer is made before the next question is asked, and not by the mode.
    """
    if context.loaded.state.closing_reason:
        return context.loaded.state.closing_reason
    if context.heard.act == "wants_to_stop":
        return RESPONDENT_ENDED
    if context.session.time_is_up and not context.session.may_extend:
        return TIME_USED_UP
    return MAX_TURNS if context.job.number >= context.session.max_turns else ""


def last_before_limit(context: TurnView) -> bool:
    """Whether the next question is the last one that `max_turns` leaves."""
    return context.job.number >= context.session.max_turns - 1


def turns_remaining(context: TurnView) -> int:
    """How many answers may still come after this one, at least 0."""
    return max(context.session.max_turns - context.job.number, 0)


def rephrasing(context: TurnView) -> tuple[Verdict, str] | None:
    """Go on with the last question in other words, where it was not understood or not answered."""
    if question_to_rephrase(context) is None:
        return None
    understood = context.heard.act != "not_understood"
    return Verdict.CONTINUE, UNANSWERED if understood else NOT_UNDERSTOOD
