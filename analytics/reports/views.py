"""The report for analysts, and behind its link for whoever holds it: parse, authorise, delegate."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views import View

from analytics import access
from analytics.access import AnalystRequiredMixin, study_for
from analytics.finding.scope import criteria
from analytics.inclusion import NAMES, Inclusion, InclusionInvalid
from analytics.reports import service
from analytics.reports.content import Report, report_of
from analytics.reports.pdf import as_pdf
from analytics.rights import Right
from analytics.study.value_map import CutoffOutOfRange
from interviews import audit
from interviews.errors import FormRefused
from interviews.models import ReportLink, Study


class ReportView(AnalystRequiredMixin):
    """The report, its sections to edit, its links."""

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The page; `?cutoff=` and the inclusion filter choose what it is made of."""
        study = study_for(request.user, slug)
        told: dict[str, Any] = {"study": study, "query": request.GET.urlencode()}
        status = 200
        try:
            inclusion, cutoff = _chosen(request)
            told["report"] = _made(study, inclusion, cutoff)
        except FormRefused as refused:
            told["refused"], status = refused, 400
        may_share = access.may(request.user, Right.EXPORT)
        links = ReportLink.objects.filter(study=study).prefetch_related("openings")
        told |= {
            "may_edit": access.may(request.user, Right.CORRECT),
            "may_share": may_share,
            "links": [(link, _address(request, link)) for link in links] if may_share else [],
            "with_simulated": "simulated" in request.GET.getlist("include"),
        }
        return render(request, "analytics/reports/report.html", told, status=status)

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Keep what people wrote in a section."""
        study = study_for(request.user, slug, Right.CORRECT)
        by, said = request.user.get_username(), request.POST
        try:
            version = _number(said.get("version"))
            key, text = said.get("section", ""), said.get("text", "")
            service.edit(study, key, text, version=version, by=by)
        except FormRefused as refused:
            messages.error(request, refused.message)
        return redirect(_page(request, slug))


class ReportPdfView(AnalystRequiredMixin):
    """The report as a file."""

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The PDF."""
        study = study_for(request.user, slug, Right.EXPORT)
        try:
            report = _made(study, *_chosen(request))
        except FormRefused as refused:
            return HttpResponse(refused.message, status=400, content_type="text/plain")
        by = request.user.get_username()
        audit.record(audit.Action.EXPORTED, study, by=by, fields=["report"])
        return _file(report)


class ReportLinksView(AnalystRequiredMixin):
    """Links made and revoked."""

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Make a link for `days`, or revoke the one that `link` names."""
        study = study_for(request.user, slug, Right.EXPORT)
        by = request.user.get_username()
        try:
            if "link" in request.POST:
                rows = ReportLink.objects.filter(study=study)
                service.revoke(get_object_or_404(rows, pk=_uuid(request.POST["link"])), by=by)
            else:
                inclusion, cutoff = _chosen(request)
                shown = _made(study, inclusion, cutoff).cutoff
                days = _number(request.POST.get("days"))
                service.share(study, inclusion, shown, days=days, by=by)
        except FormRefused as refused:
            messages.error(request, refused.message)
        return redirect(_page(request, slug))


class SharedReportView(View):
    """The report behind its link, for whoever holds it; nothing else of the house."""

    def get(self, request: HttpRequest, token: str, form: str = "html") -> HttpResponse:
        """The page or the PDF; 404 where the link has expired, was revoked or never was."""
        found = service.opened(token, form)
        if found is None:
            raise Http404("This link does not show a report, or not any more.")
        link, inclusion = found
        try:
            report = _passed_on(link, inclusion)
        except FormRefused as refused:
            raise Http404("This report can no longer be made.") from refused
        if form == "pdf":
            response = _file(report)
        else:
            told = {"report": report, "link": link, "token": token}
            response = render(request, "analytics/reports/shared.html", told)
        response["X-Robots-Tag"] = "noindex"
        response["Referrer-Policy"] = "no-referrer"
        response["Cache-Control"] = "no-store"
        return response


def _chosen(request: HttpRequest) -> tuple[Inclusion, int | None]:
    """The filter and the cut-off, None where none is chosen. Raises FormRefused."""
    wanted = criteria({name: request.GET.getlist(name) for name in NAMES})
    cutoff = request.GET.get("cutoff", "")
    if not cutoff:
        return wanted, None
    if not (cutoff.isascii() and cutoff.isdigit() and len(cutoff) < 6):
        told = "a whole number from 1"
        raise FormRefused(f"cutoff: {told}.", fields={"cutoff": told})
    return wanted, int(cutoff)


def _made(study: Study, inclusion: Inclusion, cutoff: int | None) -> Report:
    try:
        return report_of(study, inclusion, cutoff)
    except InclusionInvalid as wrong:
        raise FormRefused(str(wrong), fields=wrong.fields) from wrong
    except CutoffOutOfRange as wrong:
        raise FormRefused(str(wrong), fields={"cutoff": str(wrong)}) from wrong


def _passed_on(link: ReportLink, inclusion: Inclusion) -> Report:
    """The report of a link, whose cut-off nothing may reach any more where interviews left."""
    try:
        return _made(link.study, inclusion, link.cutoff)
    except FormRefused as refused:
        if "cutoff" not in refused.fields:
            raise
        return _made(link.study, inclusion, None)


def _file(report: Report) -> HttpResponse:
    response = HttpResponse(as_pdf(report), content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="{report.study.slug}-report.pdf"'
    response["Cache-Control"] = "no-store"
    return response


def _page(request: HttpRequest, slug: str) -> str:
    query = request.GET.urlencode()
    return reverse("analytics:report", args=[slug]) + (f"?{query}" if query else "")


def _address(request: HttpRequest, link: ReportLink) -> str:
    return request.build_absolute_uri(reverse("report_shared", args=[service.token_of(link)]))


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else -1


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
