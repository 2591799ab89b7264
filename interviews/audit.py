"""Who did what to what: one function that every face and verb calls."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db.models import Model

from interviews.models import AuditEntry, Study

COMMAND: Final = "command line"
"""Who did it where nobody is signed in."""


class Action(StrEnum):
    """What is recorded."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"
    PUBLISHED = "published"
    REVISED = "revised"
    WENT_LIVE = "went live"
    PAUSED = "paused"
    CLOSED = "closed"
    ARCHIVED = "archived"
    REOPENED = "reopened"
    COPIED = "copied"
    EXPORTED = "exported"
    IMPORTED = "imported"
    INVITED = "invited"
    MAILED = "mailed"
    VIEWED_PERSONAL = "viewed personal data"
    RETRIED = "retried"
    ENDED = "ended"
    EXTENDED = "extended"
    ERASED = "erased"
    CORRECTED = "corrected"
    UNDONE = "undid a correction"
    REDONE = "redid a correction"
    THEMED = "regrouped themes"


def record(action: Action, what: Model, *, by: str, fields: Iterable[str] = ()) -> None:
    """Add an entry. `fields` are names, never values."""
    AuditEntry.objects.create(
        by=by,
        action=action,
        kind=str(what._meta.verbose_name),
        object_id=str(what.pk),
        study_id=_study_of(what),
        fields=list(fields),
    )


def _study_of(what: Any) -> UUID | None:
    if isinstance(what, Study):
        return what.pk
    session = getattr(what, "session", None)
    found: UUID | None = getattr(what, "study_id", None) or getattr(session, "study_id", None)
    return found
