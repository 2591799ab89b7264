"""Exports over HTTP: the page of choices, downloads, and the link to what a worker writes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.handlers.asgi import ASGIRequest
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    QueryDict,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from rest_framework.request import Request

from analytics.access import (
    AnalystRequiredMixin,
    may_read_personal,
    session_for,
    studies_of,
    study_for,
)
from analytics.export_files import MOST_AT_ONCE, ask_for, content
from analytics.exports import UnknownFormat, filename, format_named, formats
from analytics.exports.source import (
    ExportOptions,
    ExportSource,
    OneSession,
    WholeStudy,
    options_named,
)
from analytics.included import open_fields
from analytics.inclusion import EXTRAS, MARKS, PROVENANCES, STATUSES, InclusionInvalid, parse
from analytics.models import ExportFile
from analytics.rights import Right
from interviews import audit
from interviews.models import Session, Study

OPTIONS = ("bom", "trace", "pseudonymise", "personal")
TOLD: Mapping[str, str] = {
    "csv": "CSV, a table a file, with a codebook",
    "xlsx": "Excel, a table a sheet, with a codebook",
    "json": "JSON, whole; can be imported again",
    "jsonl": "JSON Lines, whole; can be imported again",
    "sav": "SPSS, a case an interview, with labels",
    "graphml": "GraphML, the graph for network programs",
    "qdpx": "REFI-QDA, quotes as coded passages",
    "md": "Markdown, to read, with numbered quotes",
}


class ExportPage(AnalystRequiredMixin):
    """What to export of a study, and how."""

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The choices; what the address says already is chosen."""
        return self._page(request, study_for(request.user, slug, Right.EXPORT), request.GET)

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Send a small file, have a large one written; 400 names what is wrong by its field."""
        study = study_for(request.user, slug, Right.EXPORT)
        given = criteria_of(request.POST)
        try:
            chosen = format_named(request.POST.get("format", ""))
            options = options_of(request, request.POST)
            inclusion = parse(given)
            count = WholeStudy(study=study, inclusion=inclusion).count()
        except UnknownFormat:
            return self._page(request, study, request.POST, {"format": "choose one"})
        except InclusionInvalid as error:
            return self._page(request, study, request.POST, error.fields)
        if count > MOST_AT_ONCE and isinstance(request.user, User):
            _recorded(request, study, chosen.NAME, options)
            file = ask_for(study, chosen.NAME, inclusion, options, by=request.user)
            return redirect("analytics:export_file", file.pk)
        query = inclusion.query() | {name: ["1"] for name in options.names}
        address = reverse("analytics:study_export", args=[slug, chosen.NAME])
        return redirect(f"{address}?{urlencode(query, doseq=True)}")

    def _page(
        self,
        request: HttpRequest,
        study: Study,
        given: QueryDict,
        wrong: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        told: dict[str, Any] = {
            "study": study,
            "formats": [(name, TOLD.get(name, name)) for name in formats()],
            "format": given.get("format", "csv"),
            "statuses": [(name, name in given.getlist("status")) for name in STATUSES],
            "extras": [(name, name in given.getlist("include")) for name in EXTRAS],
            "marks": [(name, name in given.getlist("without")) for name in MARKS],
            "links": [(name, name in given.getlist("provenance")) for name in PROVENANCES],
            "fields": [(one, given.get(f"where.{one.key}", "")) for one in open_fields(study)],
            "revisions": [
                (one.number, str(one.number) in given.getlist("revision"))
                for one in study.revisions.order_by("number")
            ],
            "from": given.get("from", ""),
            "to": given.get("to", ""),
            "chosen": {name for name in OPTIONS if given.get(name)},
            "may_personal": may_read_personal(request.user, "export"),
            "most": MOST_AT_ONCE,
            "files": _kept(study),
            "wrong": dict(wrong or {}),
        }
        status = 400 if wrong else 200
        return render(request, "analytics/export.html", told, status=status)


class StudyExportView(AnalystRequiredMixin):
    """The interviews of a study that count, as a file."""

    def get(self, request: HttpRequest, slug: str, format_name: str) -> HttpResponseBase:
        """Stream it; more than can be sent at once is asked for on the page."""
        study = study_for(request.user, slug, Right.EXPORT)
        chosen = _format(format_name)
        try:
            source = WholeStudy(study=study, inclusion=parse(criteria_of(request.GET)))
            options = options_of(request, request.GET)
            large = source.count() > MOST_AT_ONCE
        except InclusionInvalid as error:
            return HttpResponse(f"{error}\n", status=400, content_type="text/plain; charset=utf-8")
        if large:
            query = request.GET.copy()
            query["format"] = chosen.NAME
            return redirect(f"{reverse('analytics:export', args=[slug])}?{query.urlencode()}")
        _recorded(request, study, chosen.NAME, options)
        return download(request, chosen.NAME, source, options)


class SessionExportView(AnalystRequiredMixin):
    """One session as a file."""

    def get(self, request: HttpRequest, pk: UUID, format_name: str) -> HttpResponseBase:
        """Stream it."""
        session = session_for(request.user, pk, Right.EXPORT)
        chosen = _format(format_name)
        try:
            options = options_of(request, request.GET)
        except InclusionInvalid as error:
            return HttpResponse(f"{error}\n", status=400, content_type="text/plain; charset=utf-8")
        _recorded(request, session, chosen.NAME, options)
        return download(request, chosen.NAME, OneSession(session=session), options)


class ExportFileView(AnalystRequiredMixin):
    """How far a large file is, and the link to it."""

    def get(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """The page; while the file is written it comes again by itself."""
        file = file_for(request, pk)
        waits = file.status in {ExportFile.Status.QUEUED, ExportFile.Status.RUNNING}
        told = {
            "file": file,
            "study": file.study,
            "waits": waits,
            "described": parse(file.query).describe(),
            "told": TOLD.get(file.format_name, file.format_name),
        }
        return render(request, "analytics/export_file.html", told)


class ExportContentView(AnalystRequiredMixin):
    """A large file that is done."""

    def get(self, request: HttpRequest, pk: UUID) -> HttpResponseBase:
        """Stream it. Raises Http404 before it is done, and when its day is over."""
        return written_file(request, file_for(request, pk))


def written_file(request: HttpRequest, file: ExportFile) -> HttpResponseBase:
    """The bytes of a large file. Raises Http404 before it is done."""
    if file.status != ExportFile.Status.DONE:
        raise Http404("This file is not written yet.")
    chosen = _format(file.format_name)
    name = f"{file.study.slug}.{chosen.EXTENSION}"
    return _streamed(request, content(file), chosen.CONTENT_TYPE, name)


def file_for(request: HttpRequest | Request, pk: UUID) -> ExportFile:
    """The file, for whoever may export its study.

    Raises Http404 for others and when its day is over, PermissionDenied without the right.
    """
    found = ExportFile.objects.select_related("study").filter(expires_at__gt=timezone.now())
    file = get_object_or_404(found, pk=pk, study__in=studies_of(request.user))
    study_for(request.user, file.study.slug, Right.EXPORT)
    if "personal" in file.options and not may_read_personal(request.user, "export"):
        raise PermissionDenied
    return file


def criteria_of(given: QueryDict) -> dict[str, Sequence[str]]:
    """The criteria of a query; a form has a field `where.KEY` for each data field."""
    found: dict[str, Sequence[str]] = {name: given.getlist(name) for name in given}
    of_fields = [
        f"{name.removeprefix('where.')}={value}"
        for name in given
        if name.startswith("where.")
        for value in given.getlist(name)
        if value.strip()
    ]
    return found | {"where": [*found.get("where", ()), *of_fields]}


def options_of(request: HttpRequest | Request, given: QueryDict) -> ExportOptions:
    """What else is chosen.

    Raises PermissionDenied for personal data without its right, InclusionInvalid where it is to be
    in a pseudonymised file.
    """
    options = options_named([name for name in OPTIONS if given.get(name) in {"1", "on"}])
    if options.personal and not may_read_personal(request.user, "export"):
        raise PermissionDenied
    if options.personal and options.pseudonymise:
        raise InclusionInvalid({"personal": "a pseudonymised file has no personal data"})
    return options


def download(
    request: HttpRequest,
    format_name: str,
    source: ExportSource,
    options: ExportOptions,
) -> StreamingHttpResponse:
    """The export as it is made, piece by piece. Raises Http404 for an unknown format."""
    chosen = _format(format_name)
    pieces = chosen.write(source, options)
    return _streamed(request, pieces, chosen.CONTENT_TYPE, filename(chosen, source))


def note_export(
    what: Session | Study, format_name: str, *, by: str, options: ExportOptions | None = None
) -> None:
    """What left the house is in the audit log."""
    fields = [format_name, *(options.names if options else ())]
    audit.record(audit.Action.EXPORTED, what, by=by, fields=fields)


def _streamed(
    request: HttpRequest, pieces: Iterator[bytes], content_type: str, name: str
) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        _in_threads(pieces) if isinstance(request, ASGIRequest) else pieces,
        content_type=content_type,
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "no-store",
        },
    )


async def _in_threads(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The pieces one by one; ASGI would otherwise gather all of them before sending the first."""

    def step() -> bytes | None:
        return next(pieces, None)

    while (piece := await sync_to_async(step)()) is not None:
        yield piece


def _format(name: str) -> Any:
    try:
        return format_named(name)
    except UnknownFormat as error:
        raise Http404(str(error)) from error


def _recorded(
    request: HttpRequest, what: Session | Study, format_name: str, options: ExportOptions
) -> None:
    note_export(what, format_name, by=request.user.get_username(), options=options)


def _kept(study: Study) -> Sequence[ExportFile]:
    now = timezone.now()
    return list(ExportFile.objects.filter(study=study, expires_at__gt=now)[:10])
