"""Signs of repeated and automatic interviews: marks to look at, which leave nobody out."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from django.db import transaction

from interviews.models import Session, SessionSummary, Utterance
from interviews.turns.flags import Flag

PASTED_SHARE: Final = 0.5
FAST_SECONDS: Final = 0.25
"""Per word, in the middle: 240 words a minute, more than anybody writes or dictates."""
FEWEST_WORDS: Final = 5
FEWEST_ANSWERS: Final = 3
AT_ONCE: Final = 50

MARKS: Final = (Flag.SAME_BROWSER, Flag.PASTED, Flag.FAST)
WORDS: Final = {
    Flag.SAME_BROWSER: "this browser has held an interview of the study before",
    Flag.PASTED: "half of what was answered, or more, was pasted",
    Flag.FAST: "answers came faster than anybody writes",
}


def pasted_share(pasted: int, answered: int) -> float:
    """Characters that were pasted ÷ characters answered, in [0, 1]; 0 where nothing was."""
    return min(pasted / answered, 1.0) if answered else 0.0


def seconds_a_word(said: Iterable[tuple[str, str, datetime]]) -> float | None:
    """The median over answers of seconds since what was said before ÷ words.

    Answers of FEWEST_WORDS or more are counted; `said` is (speaker, text, when) in order. None with
    fewer than FEWEST_ANSWERS such answers.
    """
    found: list[float] = []
    before: datetime | None = None
    for speaker, text, when in said:
        words = len(text.split())
        if speaker == Utterance.Speaker.RESPONDENT and before and words >= FEWEST_WORDS:
            found.append((when - before).total_seconds() / words)
        before = when
    return statistics.median(found) if len(found) >= FEWEST_ANSWERS else None


def marks_of(session: Session) -> list[Flag]:
    """The marks of an interview that is over."""
    said = list(
        session.utterances.filter(aside=False)
        .order_by("sequence")
        .values_list("speaker", "text", "created_at")
    )
    answered = sum(len(text) for who, text, _ in said if who == Utterance.Speaker.RESPONDENT)
    pace = seconds_a_word(said)
    signs = (
        (Flag.SAME_BROWSER, _again(session)),
        (Flag.PASTED, pasted_share(session.pasted, answered) >= PASTED_SHARE),
        (Flag.FAST, pace is not None and pace < FAST_SECONDS),
    )
    return [flag for flag, is_so in signs if is_so]


def _again(session: Session) -> bool:
    if not session.browser:
        return False
    earlier = Session.objects.filter(
        study=session.study_id, browser=session.browser, started_at__lt=session.started_at
    )
    return earlier.exclude(pk=session.pk).exists()


def mark_ended() -> int:
    """Mark what ended since it was last asked, AT_ONCE at most; return how many were looked at."""
    waiting = Session.objects.filter(marked=False, ended_at__isnull=False, simulated=False)
    found = list(waiting[:AT_ONCE])
    for session in found:
        marks = marks_of(session)
        with transaction.atomic():
            if marks:
                summary, _ = SessionSummary.objects.select_for_update().get_or_create(
                    session=session
                )
                summary.flags = sorted({*summary.flags, *(flag.value for flag in marks)})
                summary.save(update_fields=["flags"])
            Session.objects.filter(pk=session.pk).update(marked=True)
    return len(found)
