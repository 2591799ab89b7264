"""Sessions and studies as lists, with their figures, at a number of queries that does not grow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Count, Q, QuerySet

from interviews.explain.sentences import reason_of
from interviews.marks import MARKS, WORDS
from interviews.models import Session, SessionSummary, Study
from interviews.turns.flags import Flag

PAGE_SIZE = 25
STUDIES_SHOWN = 12
FIGURES = ("nodes", "edges", "chains", "active_slots", "saturation", "flags")
"""What rows show of a summary; counts by strategy are for pages of a study."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A session in a list, with its figures as it was last written."""

    session: Session
    short_id: str
    summary: SessionSummary
    reason: str
    degraded: bool
    marks: tuple[str, ...]


def sessions_of(seen: QuerySet[Session], study: Study | None, status: str) -> QuerySet[Session]:
    """Those of `seen`, newest first, of one study or of all, with all that a row shows."""
    found = (
        seen.select_related("study", "summary")
        .only(
            "status",
            "turn_count",
            "max_turns",
            "simulated",
            "started_at",
            "ended_at",
            "termination_reason",
            "study__name",
            "study__slug",
            *(f"summary__{name}" for name in FIGURES),
        )
        .order_by("-started_at", "pk")
    )
    if study is not None:
        found = found.filter(study=study)
    return found.filter(status=status) if status in Session.Status.values else found


def rows_of(sessions: Sequence[Session]) -> list[SessionRow]:
    """Rows of sessions that came with their summaries; without another query."""
    return [
        SessionRow(
            session=session,
            short_id=str(session.pk)[:4],
            summary=summary,
            reason=reason_of(session.termination_reason) if session.termination_reason else "",
            degraded=Flag.DEGRADED in summary.flags,
            marks=marks_told(summary),
        )
        for session, summary in ((session, summary_of(session)) for session in sessions)
    ]


def marks_told(summary: SessionSummary) -> tuple[str, ...]:
    """The signs of repeated and automatic interviews that an interview bears, in words."""
    return tuple(WORDS[flag] for flag in MARKS if flag in summary.flags)


def summary_of(session: Session) -> SessionSummary:
    """The session's summary; that of an empty graph before its first turn."""
    try:
        return session.summary
    except ObjectDoesNotExist:
        return SessionSummary(session=session)


def studies_shown(seen: QuerySet[Study]) -> QuerySet[Study]:
    """The newest of `seen` with their counts of interviews."""
    return (
        seen.select_related("methodology_version__document")
        .only(
            "slug",
            "name",
            "mode",
            "status",
            "methodology_version__number",
            "methodology_version__document__name",
        )
        .annotate(
            held=Count("sessions"),
            completed=Count("sessions", filter=Q(sessions__status=Session.Status.COMPLETED)),
        )
        .order_by("-created_at")[:STUDIES_SHOWN]
    )
