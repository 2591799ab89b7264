"""Interviews that were kept long enough: which they are, and erasing them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from interviews import services
from interviews.models import Session, Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """An interview that is to go. `since` is when it ended, or began where it never did."""

    session: UUID
    since: datetime


def due(study: Study, *, days: int) -> list[Due]:
    """A study's interviews that ended more than `days` days ago, the oldest first.

    One that never ended counts from its beginning; one that is running or paused and began since
    does not go.
    """
    before = timezone.now() - timedelta(days=days)
    old = Q(ended_at__lt=before) | Q(ended_at__isnull=True, started_at__lt=before)
    found = Session.objects.filter(old, study=study).values_list("pk", "ended_at", "started_at")
    rows = [Due(session=pk, since=ended or started) for pk, ended, started in found]
    return sorted(rows, key=lambda one: (one.since, str(one.session)))


def erase_due(study: Study, *, days: int, by: str) -> int:
    """Erase them with everything in them; each leaves its line in the erasure register."""
    found = due(study, days=days)
    for one in found:
        services.erase_session(one.session, by=by)
    return len(found)
