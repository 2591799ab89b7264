"""Pages and downloads for analysts: parse, authorise, delegate."""

from __future__ import annotations

from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from analytics import access
from analytics.access import AnalystRequiredMixin, session_for, study_for
from analytics.exports import formats
from analytics.notes.shown import notes_of
from analytics.over_turns import SATURATION_MEANS
from analytics.records import load_record
from analytics.rights import Right
from analytics.session_list import PAGE_SIZE, rows_of, sessions_of, studies_shown
from analytics.session_page import build_page
from interviews.models import Session


class SessionListView(AnalystRequiredMixin):
    """Studies and their sessions; with a slug, one study's."""

    def get(self, request: HttpRequest, slug: str | None = None) -> HttpResponse:
        """The page that `?page=` asks for, of sessions in the status that `?status=` asks for."""
        study = study_for(request.user, slug) if slug else None
        status = request.GET.get("status", "")
        seen = access.sessions_of(request.user)
        page = Paginator(sessions_of(seen, study, status), PAGE_SIZE).get_page(
            request.GET.get("page")
        )
        return render(
            request,
            "analytics/sessions.html",
            {
                "study": study,
                "studies": [] if study else list(studies_shown(access.studies_of(request.user))),
                "rows": rows_of(list(page.object_list)),
                "page": page,
                "status": status if status in Session.Status.values else "",
                "statuses": Session.Status.choices,
                "formats": _formats_for(request),
                "may_publish": access.may(request.user, Right.STUDIES),
            },
        )


class SessionView(AnalystRequiredMixin):
    """One session: transcript, graph, and why each question was asked."""

    def get(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """The page, at the turn that `?turn=` names."""
        record = load_record(session_for(request.user, pk))
        page = build_page(record, _whole_number(request.GET.get("turn")))
        return render(
            request,
            "analytics/session.html",
            {
                "page": page,
                "formats": _formats_for(request),
                "may_correct": access.may(request.user, Right.CORRECT),
                "notes": notes_of(record),
                "saturation_means": SATURATION_MEANS,
            },
        )


def _formats_for(request: HttpRequest) -> list[str]:
    return sorted(formats()) if access.may(request.user, Right.EXPORT) else []


def _whole_number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 7 else None
