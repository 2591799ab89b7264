"""Which interviews are searched, and what of them search has not read yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from analytics import access
from analytics.access import Somebody
from analytics.included import included
from analytics.inclusion import Inclusion, InclusionInvalid, parse
from interviews.errors import FormRefused
from interviews.models import Session, Study
from interviews.retrieval import index


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Interviews that are searched; `unread` counts those that search has not read wholly."""

    sessions: QuerySet[Session]
    inclusion: Inclusion
    interviews: int
    unread: int

    @property
    def told(self) -> str:
        """The filter in words."""
        return self.inclusion.describe()


def criteria(given: Mapping[str, str | Sequence[str] | None]) -> Inclusion:
    """The inclusion filter as given. Raises FormRefused with the field that is wrong."""
    try:
        return parse(given)
    except InclusionInvalid as wrong:
        raise FormRefused(str(wrong), fields=wrong.fields) from wrong


def scope_of(study: Study, inclusion: Inclusion) -> Scope:
    """The interviews of a study that count. Raises FormRefused with the field that is wrong."""
    try:
        return _scope(included(study, inclusion), inclusion)
    except InclusionInvalid as wrong:
        raise FormRefused(str(wrong), fields=wrong.fields) from wrong


def scope_of_all(user: Somebody, inclusion: Inclusion) -> Scope:
    """The interviews of every study that `user` may see; of the filter, status and kinds count."""
    sessions = access.sessions_of(user)
    if not inclusion.trial:
        sessions = sessions.filter(trial__isnull=True)
    if not inclusion.simulated:
        sessions = sessions.exclude(trial__isnull=True, simulated=True)
    if inclusion.status:
        sessions = sessions.filter(status__in=inclusion.status)
    return _scope(sessions, inclusion)


def _scope(sessions: QuerySet[Session], inclusion: Inclusion) -> Scope:
    return Scope(
        sessions=sessions,
        inclusion=inclusion,
        interviews=sessions.count(),
        unread=index.due(sessions).count(),
    )
