"""What a team lead writes into a backlog; no analysis touches it again."""

from __future__ import annotations

from django.db.models import Max, Min

from interviews.errors import ErrorCode, InterviewError
from interviews.models import BacklogQuestion, Study
from interviews.modes.handover.questions import question_id

MOST_CHARACTERS = 500


def change(question: BacklogQuestion, *, text: str, priority: str, dropped: bool) -> None:
    """Store a question as it was edited. Raises InterviewError BACKLOG_REFUSED for no question."""
    question.text, question.priority = _checked(text, priority)
    if dropped:
        question.status = BacklogQuestion.Status.DROPPED
    elif question.status == BacklogQuestion.Status.DROPPED:
        question.status = BacklogQuestion.Status.OPEN
    question.edited = True
    question.save(update_fields=["text", "priority", "status", "edited"])


def add(study: Study, *, text: str, priority: str) -> BacklogQuestion:
    """Add a question: a P0 before all others, a P1 behind them.

    Raises InterviewError BACKLOG_REFUSED for no question, or one that is there.
    """
    said, rank = _checked(text, priority)
    ident = question_id("global", said)
    if BacklogQuestion.objects.filter(study=study, question_id=ident).exists():
        raise InterviewError(ErrorCode.BACKLOG_REFUSED, "This question is in the backlog already.")
    ends = BacklogQuestion.objects.filter(study=study).aggregate(
        first=Min("position"), last=Max("position")
    )
    last = (ends["last"] or 0) + 1
    return BacklogQuestion.objects.create(
        study=study,
        question_id=ident,
        text=said,
        about=said[:300],
        priority=rank,
        origin=BacklogQuestion.Origin.GLOBAL,
        position=(ends["first"] or 0) if rank == "P0" else last,
        edited=True,
    )


def _checked(text: str, priority: str) -> tuple[str, str]:
    said = " ".join(text.split())
    if not said or len(said) > MOST_CHARACTERS:
        message = f"A question has between 1 and {MOST_CHARACTERS} characters."
        raise InterviewError(ErrorCode.BACKLOG_REFUSED, message)
    if priority not in BacklogQuestion.Priority.values:
        raise InterviewError(ErrorCode.BACKLOG_REFUSED, "Choose the priority P0 or P1.")
    return said, priority
