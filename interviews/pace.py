"""How far an interview is, and how long it still takes for this respondent: pure."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

SECONDS_AN_ANSWER = 48.0
"""What an answer takes before anything is known of the respondent's own pace."""
KNOWN_AFTER = 2
"""For as many answers the first guess counts beside the respondent's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """`progress` in [0, 1]; questions and minutes that are still to come, at least 0."""

    progress: float
    questions_left: int
    minutes_left: int


def pace_of(
    *, answered: int, left: int, active_seconds: float, budget_minutes: int | None = None
) -> Pace:
    """Where an interview stands after `answered` answers, which took `active_seconds`, no pauses.

    `left` is how many answers the mode still takes. A time budget ends it earlier.
    """
    own = (KNOWN_AFTER * SECONDS_AN_ANSWER + active_seconds) / (KNOWN_AFTER + answered)
    seconds = left * own
    if budget_minutes is not None:
        seconds = min(seconds, max(budget_minutes * 60 - active_seconds, own if left else 0.0))
    return Pace(
        progress=answered / (answered + left) if answered + left else 0.0,
        questions_left=left,
        minutes_left=ceil(seconds / 60),
    )
