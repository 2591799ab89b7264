"""The one door: who may see and do what, for pages, sockets, exports and the API alike.

What somebody may not see is not there for them: Http404, as for what was never there.
"""

from __future__ import annotations

from typing import Any, TypeVar
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.mixins import AccessMixin
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.views import View

from analytics.rights import RIGHTS, Right, Role
from interviews.models import Session, Study, Team

Somebody = AbstractBaseUser | AnonymousUser
Row = TypeVar("Row", bound=Model)

NOT_SHOWN = (
    *("llm_choice", "data_fields", "recruiting", "translations"),
    *("concept_version__text", "concept_version__parsed"),
    *("methodology_version__text", "methodology_version__parsed"),
)
"""What is large of a study and its versions, and on none of its pages."""


def roles_of(user: Somebody) -> frozenset[Role]:
    """The roles of `user`, asked of the database once a user object; an inactive one has none."""
    if not isinstance(user, User) or not user.is_active:
        return frozenset()
    known: frozenset[Role] | None = user.__dict__.get("_roles")
    if known is None:
        named = set(user.groups.filter(name__in=list(Role)).values_list("name", flat=True))
        known = frozenset(role for role in Role if role in named)
        if user.is_superuser:
            known |= {Role.ADMINISTRATOR}
        user.__dict__["_roles"] = known
    return known


def may(user: Somebody, right: Right) -> bool:
    """Whether one of the roles of `user` has the right; in which studies is another question."""
    return any(right in RIGHTS[role] for role in roles_of(user))


def may_read_personal(user: Somebody, action: str = "view") -> bool:
    """Whether `user` may "view" or "export" personal data, by role or by a permission of theirs."""
    if not isinstance(user, User) or not roles_of(user):
        return False
    return may(user, Right.PERSONAL) or user.has_perm(f"interviews.{action}_personalvalue")


def seen_by(user: Somebody, rows: QuerySet[Row], study: str) -> QuerySet[Row]:
    """Those of `rows` that belong to a study which `user` may see.

    `study` is the lookup from a row to its study, "" where the rows are studies.
    """
    if may(user, Right.ACCOUNTS):
        return rows
    if not roles_of(user):
        return rows.none()
    path = f"{study}__team__members" if study else "team__members"
    return rows.filter(**{path: user})


def teams_of(user: Somebody) -> QuerySet[Team]:
    """The teams whose studies `user` may see."""
    if may(user, Right.ACCOUNTS):
        return Team.objects.all()
    return Team.objects.filter(members=user) if roles_of(user) else Team.objects.none()  # type: ignore[misc]


def studies_of(user: Somebody) -> QuerySet[Study]:
    """The studies that `user` may see."""
    return seen_by(user, Study.objects.all(), "")


def sessions_of(user: Somebody) -> QuerySet[Session]:
    """The interviews that `user` may see."""
    return seen_by(user, Session.objects.all(), "study")


def study_for(user: Somebody, slug: str, right: Right = Right.READ) -> Study:
    """The study with its versions.

    Raises Http404 where there is none that `user` may see, and PermissionDenied where they may see
    it and have not the right.
    """
    found = studies_of(user).select_related(
        "concept_version__document", "methodology_version__document"
    )
    return _one(user, found.defer(*NOT_SHOWN).filter(slug=slug).first(), right)


def session_for(user: Somebody, pk: UUID, right: Right = Right.READ) -> Session:
    """The session with its study and pinned versions.

    Raises Http404 where there is none that `user` may see, and PermissionDenied where they may see
    it and have not the right.
    """
    found = sessions_of(user).select_related(
        *("study", "summary", "review", "written_summary"),
        *("concept_version__document", "methodology_version__document"),
    )
    return _one(user, found.filter(pk=pk).first(), right)


def _one(user: Somebody, found: Row | None, right: Right) -> Row:
    if found is None:
        raise Http404("There is nothing here that you may see.")
    if not may(user, right):
        raise PermissionDenied
    return found


class AnalystRequiredMixin(AccessMixin, View):
    """Sends the anonymous to the login page and refuses whoever has no role (403)."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Check before any handler runs."""
        if not request.user.is_authenticated:
            return self.handle_no_permission()
        if not may(request.user, Right.READ):
            raise PermissionDenied
        # These pages are written in English; their numbers and dates are to match.
        with translation.override("en"):
            return super().dispatch(request, *args, **kwargs)
