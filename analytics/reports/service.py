"""Editing a report, and links that show it to readers without an account."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.core import signing
from django.db import transaction
from django.utils import timezone

from analytics.inclusion import Inclusion, parse
from analytics.reports.content import TITLES
from interviews import audit
from interviews.errors import FormRefused
from interviews.models import ReportLink, ReportOpening, Study, StudyReport

SALT: Final = "analytics.report"
MOST_DAYS, MOST_TEXT = 365, 4_000


def edit(study: Study, key: str, text: str, *, version: int, by: str) -> StudyReport:
    """Write a section anew; an empty text gives it back to the figures.

    Raises FormRefused for an unknown section, a text that is too long, and where somebody else was
    faster: nothing is stored then.
    """
    if key not in TITLES:
        told = f"one of {', '.join(TITLES)}"
        raise FormRefused(f"section: {key!r} is not {told}.", fields={"section": told})
    text = text.strip()
    if len(text) > MOST_TEXT:
        told = f"at most {MOST_TEXT} characters"
        raise FormRefused(f"text: {told}.", fields={"text": told})
    with transaction.atomic():
        report, _ = StudyReport.objects.select_for_update().get_or_create(study=study)
        if report.version != version:
            told = f"meanwhile {report.edited_by} changed the report; yours was: “{text}”"
            raise FormRefused(f"version: {told}.", fields={"version": told})
        edits = {name: said for name, said in report.edits.items() if name != key}
        report.edits = edits | ({key: text} if text else {})
        report.version, report.edited_by, report.edited_at = version + 1, by, timezone.now()
        report.save()
        audit.record(audit.Action.CHANGED, study, by=by, fields=["report", key])
    return report


def share(study: Study, inclusion: Inclusion, cutoff: int, *, days: int, by: str) -> ReportLink:
    """Make a link that shows the report for so many days. Raises FormRefused."""
    if not 1 <= days <= MOST_DAYS:
        told = f"a whole number from 1 to {MOST_DAYS}"
        raise FormRefused(f"days: {told}.", fields={"days": told})
    with transaction.atomic():
        link = ReportLink.objects.create(
            study=study,
            criteria=inclusion.query(),
            cutoff=cutoff,
            expires_at=timezone.now() + timedelta(days=days),
            made_by=by,
        )
        audit.record(audit.Action.CREATED, link, by=by)
    return link


def revoke(link: ReportLink, *, by: str) -> None:
    """End a link at once; twice changes nothing."""
    with transaction.atomic():
        if ReportLink.objects.filter(pk=link.pk, revoked_at__isnull=True).update(
            revoked_at=timezone.now()
        ):
            audit.record(audit.Action.CHANGED, link, by=by, fields=["revoked"])


def token_of(link: ReportLink) -> str:
    """The last part of the link's address: signed, and of the link's id alone."""
    return signing.Signer(salt=SALT).sign(str(link.pk))


def opened(token: str, form: str) -> tuple[ReportLink, Inclusion] | None:
    """The link of a token, which is noted as opened; None where it does not count any more."""
    try:
        pk = signing.Signer(salt=SALT).unsign(token)
    except signing.BadSignature:
        return None
    live = ReportLink.objects.filter(revoked_at__isnull=True, expires_at__gt=timezone.now())
    link = live.select_related("study").filter(pk=pk).first()
    if link is None:
        return None
    ReportOpening.objects.create(link=link, form=form)
    return link, parse(link.criteria)
