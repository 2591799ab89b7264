"""Pages and downloads for analysts: parse, authorise, delegate."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from uuid import UUID

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render

from analytics import access
from analytics.access import AnalystRequiredMixin, session_for, study_for
from analytics.exports import UnknownFormat, filename, format_named, formats
from analytics.exports.source import ExportOptions, ExportSource, OneSession, WholeStudy
from analytics.notes.shown import notes_of
from analytics.over_turns import SATURATION_MEANS
from analytics.records import load_record
from analytics.rights import Right
from analytics.session_list import PAGE_SIZE, rows_of, sessions_of, studies_shown
from analytics.session_page import build_page
from interviews import audit
from interviews.models import Session, Study


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


class SessionExportView(AnalystRequiredMixin):
    """One session as a file."""

    def get(self, request: HttpRequest, pk: UUID, format_name: str) -> StreamingHttpResponse:
        """Stream it; `?bom=1` begins CSV files with a byte order mark."""
        session = session_for(request.user, pk, Right.EXPORT)
        note_export(session, format_name, by=request.user.get_username())
        return download(request, format_name, OneSession(session=session))


class StudyExportView(AnalystRequiredMixin):
    """All sessions of a study as a file."""

    def get(self, request: HttpRequest, slug: str, format_name: str) -> StreamingHttpResponse:
        """Stream it; `?bom=1` begins CSV files with a byte order mark."""
        study = study_for(request.user, slug, Right.EXPORT)
        note_export(study, format_name, by=request.user.get_username())
        return download(request, format_name, WholeStudy(study=study))


def note_export(what: Session | Study, format_name: str, *, by: str) -> None:
    """What left the house is in the audit log."""
    audit.record(audit.Action.EXPORTED, what, by=by, fields=[format_name])


def _formats_for(request: HttpRequest) -> list[str]:
    return sorted(formats()) if access.may(request.user, Right.EXPORT) else []


def download(request: HttpRequest, format_name: str, source: ExportSource) -> StreamingHttpResponse:
    """The export as it is made, piece by piece. Raises Http404 for an unknown format."""
    try:
        chosen = format_named(format_name)
    except UnknownFormat as error:
        raise Http404(str(error)) from error
    options = ExportOptions(bom=request.GET.get("bom") == "1")
    pieces = chosen.write(source, options)
    return StreamingHttpResponse(
        _in_threads(pieces) if isinstance(request, ASGIRequest) else pieces,
        content_type=chosen.CONTENT_TYPE,
        headers={
            "Content-Disposition": f'attachment; filename="{filename(chosen, source)}"',
            "Cache-Control": "no-store",
        },
    )


async def _in_threads(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The pieces one by one; ASGI would otherwise gather all of them before sending the first."""

    def step() -> bytes | None:
        return next(pieces, None)

    while (piece := await sync_to_async(step)()) is not None:
        yield piece


def _whole_number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 7 else None
