"""Recruiting for a study: its open link with a QR code, personal links by the list."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import segno
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString, mark_safe

from analytics.access import study_for
from analytics.exports.cells import row
from analytics.rights import Right
from console.invitations import state_of
from console.studies import public_address
from console.views import ConsolePage, who
from interviews import arrivals, mailing
from interviews.errors import InterviewError
from interviews.invitation_csv import Fault
from interviews.invitations import invite_all, token_for
from interviews.mailing import Kind
from interviews.models import Invitation, InvitationMail, Study
from interviews.recruiting import Recruiting

PAGE_SIZE = 50
MOST_BYTES = 4 * 1024 * 1024
THEN = "Take them out as CSV."
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
        if "mail" in request.POST:
            return self._mail(request, study)
        sent, typed = request.FILES.get("file"), request.POST.get("list", "")
        addresses = request.POST.get("addresses", "")
        if sent is not None and (sent.size or 0) > MOST_BYTES:
            return self._page(request, study, faults=[TOO_LARGE], typed=typed, status=422)
        data = sent.read() if sent is not None else typed.encode()
        if addresses:
            data = f"email\n{addresses}".encode()
        made, faults = invite_all(study, data, by=who(request))
        if faults:
            typing = {"typed": typed, "addresses": addresses}
            return self._page(request, study, faults=faults, status=422, **typing)
        then = "Send them below." if any(one.sealed_address for one in made) else THEN
        messages.success(
            request, f"{len(made)} personal link{'' if len(made) == 1 else 's'} made. {then}"
        )
        return redirect("admin:recruiting", study.slug)

    def _mail(self, request: HttpRequest, study: Study) -> HttpResponse:
        """Have the mails sent that the pressed button names."""
        kind = next((one for one in Kind if one == request.POST["mail"]), None)
        if kind is None:
            raise Http404("There is no such mail.")
        try:
            count = mailing.ask(study, kind, by=who(request))
        except InterviewError as error:
            messages.error(request, error.message)
        else:
            plural = "" if count == 1 else "s"
            messages.success(request, f"{count} {kind}{plural} on the way. Look again in a minute.")
        return redirect("admin:recruiting", study.slug)

    def _page(
        self,
        request: HttpRequest,
        study: Study,
        *,
        faults: Sequence[Fault] = (),
        typed: str = "",
        addresses: str = "",
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
            rows=[(one, state_of(one), _mailed(one), _link(one)) for one in page.object_list],
            faults=faults,
            typed=typed,
            addresses=addresses,
            mail=_mail_of(study),
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
    found = Invitation.objects.filter(study=study)
    return found.select_related("session").prefetch_related("mails")


def _mailed(invitation: Invitation) -> str:
    """What became of an invitation's mails, in words; "" where it has no address."""
    if not invitation.sealed_address:
        return ""
    mails = invitation.mails.all()
    return ", ".join(map(_mail_said, mails)) or "not sent yet"


def _mail_said(mail: InvitationMail) -> str:
    match mail.status:
        case InvitationMail.Status.SENT:
            return f"{mail.kind} sent {mail.sent_at:%-d %b, %H:%M}"
        case InvitationMail.Status.WAITING:
            return f"{mail.kind} waits. {mail.error}".strip()
        case InvitationMail.Status.SENDING:
            return f"{mail.kind}: it is not known whether it went out"
        case InvitationMail.Status.SPARED:
            return f"{mail.kind} no longer needed"
    return f"{mail.kind} not sent. {mail.error}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MailView:
    """What the page says of a study's mails, and what the buttons would send."""

    configured: bool
    live: bool
    invitations: int
    reminders: int
    said: Sequence[str]


def _mail_of(study: Study) -> MailView:
    configured, live = settings.MAIL_CONFIGURED, study.status == Study.Status.LIVE
    counts = mailing.figures(study)
    said = [
        f"{count} {kind}{'' if count == 1 else 's'} {status.label.lower()}"
        for kind in Kind
        for status in InvitationMail.Status
        if (count := counts[f"{kind}_{status}"])
    ]
    return MailView(
        configured=configured,
        live=live,
        invitations=mailing.to_send(study, Kind.INVITATION).count() if configured else 0,
        reminders=mailing.to_send(study, Kind.REMINDER).count() if configured else 0,
        said=said,
    )


def _link(invitation: Invitation) -> str:
    return public_address("interview", token_for(invitation))
