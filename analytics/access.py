"""Who may read finished work: staff, and members of the group `analyst`."""

from __future__ import annotations

from typing import Any, TypeVar
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.mixins import AccessMixin
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.views import View

from interviews.models import Session, Study

ANALYST_GROUP = "analyst"

Row = TypeVar("Row", Session, Study)


def is_analyst(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether `user` may open the dashboards; an inactive account never may."""
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.is_staff or user.groups.filter(name=ANALYST_GROUP).exists()


NOT_SHOWN = (
    *("llm_choice", "data_fields"),
    *("concept_version__text", "concept_version__parsed"),
    *("methodology_version__text", "methodology_version__parsed"),
)
"""What is large of a study and its versions, and on none of its pages."""


class AnalystRequiredMixin(AccessMixin, View):
    """Sends the anonymous to the login page and refuses everyone who is not an analyst (403)."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Check before any handler runs."""
        if not request.user.is_authenticated:
            return self.handle_no_permission()
        if not is_analyst(request.user):
            raise PermissionDenied
        # These pages are written in English; their numbers and dates are to match.
        with translation.override("en"):
            return super().dispatch(request, *args, **kwargs)


def session_for(user: AbstractBaseUser | AnonymousUser, pk: UUID) -> Session:
    """The session with its study and pinned versions, if `user` may see it.

    Raises PermissionDenied for whom the dashboards are closed and Http404 where there is none.
    """
    if not is_analyst(user):
        raise PermissionDenied
    found = Session.objects.select_related(
        "study", "summary", "concept_version__document", "methodology_version__document"
    ).filter(pk=pk)
    return _one(found.first(), "session")


def study_for(user: AbstractBaseUser | AnonymousUser, slug: str) -> Study:
    """The study with its versions, if `user` may see it.

    Raises PermissionDenied for whom the dashboards are closed and Http404 where there is none.
    """
    if not is_analyst(user):
        raise PermissionDenied
    found = (
        Study.objects.select_related("concept_version__document", "methodology_version__document")
        .defer(*NOT_SHOWN)
        .filter(slug=slug)
    )
    return _one(found.first(), "study")


def _one(found: Row | None, what: str) -> Row:
    if found is None:
        raise Http404(f"There is no such {what}.")
    return found
