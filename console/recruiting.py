"""Recruiting for a study: its open link with a QR code, personal links by the list."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

import segno
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString, mark_safe

from analytics.access import study_for
from analytics.exports.cells import row
from analytics.rights import Right
from console.invitations import state_of
from console.studies import public_address
from console.views import ConsolePage, who
from interviews import arrivals
from interviews.invitation_csv import Fault
from interviews.invitations import invite_all, token_for
from interviews.models import Invitation, Study
from interviews.recruiting import Recruiting

PAGE_SIZE = 50
MOST_BYTES = 4 * 1024 * 1024
TOO_LARGE = Fault(row=0, column="", message="The file is larger than 4 MiB. Split it.")


class RecruitingPage(ConsolePage):
    """Shows links; a POST makes invitations from a list, all of them or none."""

    template = "recruiting.html"
    reads = Right.INVITE
    writes = Right.INVITE

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The page."""
        return self._page(request, study_for(request.user, slug, Right.INVITE))

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Make what the list asks for; with faults nothing is made, and what was pasted stays."""
        study = study_for(request.user, slug, Right.INVITE)
        sent, typed = request.FILES.get("file"), request.POST.get("list", "")
        if sent is not None and (sent.size or 0) > MOST_BYTES:
            return self._page(request, study, faults=[TOO_LARGE], typed=typed, status=422)
        data = sent.read() if sent is not None else typed.encode()
        made, faults = invite_all(study, data, by=who(request))
        if faults:
            return self._page(request, study, faults=faults, typed=typed, status=422)
        messages.success(request, f"{len(made)} personal links made. Take them out as CSV.")
        return redirect("admin:recruiting", study.slug)

    def _page(
        self,
        request: HttpRequest,
        study: Study,
        *,
        faults: Sequence[Fault] = (),
        typed: str = "",
        status: int = 200,
    ) -> HttpResponse:
        address = public_address("study", study.slug)
        found = _invitations(study)
        page = Paginator(found, PAGE_SIZE).get_page(request.GET.get("page"))
        return self.shown(
            request,
            status,
            title=f"Recruiting for {study.name}",
            study=study,
            address=address,
            rules=arrivals.recruiting_of(study),
            places=arrivals.places_left(study),
            carried=with_parameters_named(address, arrivals.recruiting_of(study)),
            qr=qr_of(address),
            page=page,
            rows=[(one, state_of(one), _link(one)) for one in page.object_list],
            faults=faults,
            typed=typed,
        )


class InvitationsFileView(ConsolePage):
    """A study's personal links as a CSV."""

    reads = Right.INVITE

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Note, link, state and expiry, a row each."""
        study = study_for(request.user, slug, Right.INVITE)
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(["note", "link", "state", "expires_at"])
        for one in _invitations(study).iterator(chunk_size=1000):
            writer.writerow(row([one.note, _link(one), state_of(one), one.expires_at]))
        return HttpResponse(
            out.getvalue(),
            content_type="text/csv; charset=utf-8",
            headers={
                "Content-Disposition": f'attachment; filename="{study.slug}-invitations.csv"',
                "Cache-Control": "no-store",
            },
        )


def with_parameters_named(address: str, rules: Recruiting) -> str:
    """The address with a place for each parameter that the study keeps, "" where it keeps none."""
    named = "&".join(f"{key}={{{key}}}" for key in rules.parameters)
    return f"{address}?{named}" if named else ""


def qr_of(address: str) -> SafeString:
    """The address as a QR code, an SVG to stand in a page; segno writes numbers and paths only."""
    drawn: str = segno.make(address, error="m").svg_inline(
        scale=4, border=2, omitsize=False, svgclass="console-qr"
    )
    return mark_safe(drawn)  # noqa: S308 - no text of anybody's is in it


def _invitations(study: Study) -> Any:
    return Invitation.objects.filter(study=study).select_related("session")


def _link(invitation: Invitation) -> str:
    return public_address("interview", token_for(invitation))
