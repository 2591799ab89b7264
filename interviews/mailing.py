"""Invitations by mail, and one reminder: asked for, sent by a worker, none of them twice.

An address is kept sealed with its invitation and goes with the interview that it led to. It is
read in this module alone, and stands in no page, log, audit entry or error.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from smtplib import SMTPException, SMTPResponseException
from typing import Final
from uuid import UUID

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from interviews import audit, dispatch
from interviews.dispatch import SEND_MAIL
from interviews.errors import ErrorCode, InterviewError
from interviews.invitations import token_for
from interviews.models import Invitation, InvitationMail, Study
from interviews.sealed import NoKeyOpens, seal_again, unseal

logger = structlog.get_logger(__name__)

Kind = InvitationMail.Kind
Status = InvitationMail.Status
BACKOFF: Final = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1))
"""How long after a try that failed the next one comes; after the last of them it is given up."""
AT_ONCE: Final = 200
"""Mails that one task sends over one connection; the sweeper has the next ones sent."""


def to_send(study: Study, kind: Kind) -> QuerySet[Invitation]:
    """Invitations of a study that a mail of this kind would go to, had somebody asked for it.

    They have an address, still count, led to no interview yet and had no such mail; a reminder
    goes only to those whose invitation was sent.
    """
    standing = Invitation.objects.standing(timezone.now()).filter(study=study, session=None)
    found = standing.exclude(sealed_address="").exclude(mails__kind=kind)
    if kind == Kind.REMINDER:
        sent = InvitationMail.objects.filter(kind=Kind.INVITATION, status=Status.SENT)
        return found.filter(pk__in=sent.values("invitation"))
    return found


def ask(study: Study, kind: Kind, *, by: str) -> int:
    """Have the mails of a kind sent that are still to be sent; return how many.

    Raises InterviewError where no mail goes out from here, or the links would not open yet.
    """
    if not settings.MAIL_CONFIGURED:
        raise InterviewError(
            ErrorCode.STUDY_INVALID, "No mail goes out from here: set EMAIL_URL and start again."
        )
    if study.status != Study.Status.LIVE:
        raise InterviewError(
            ErrorCode.STUDY_INVALID,
            f"The study is {study.status}, so the links would not open. Let it go live first.",
        )
    with transaction.atomic():
        wanted = to_send(study, kind).select_for_update(of=("self",)).order_by("pk")
        made = InvitationMail.objects.bulk_create(
            [InvitationMail(invitation=one, kind=kind) for one in wanted], ignore_conflicts=True
        )
        if made:
            audit.record(audit.Action.MAILED, study, by=by, fields=[f"{len(made)} {kind}s"])
            dispatch.enqueue_task(SEND_MAIL, study.pk)
    return len(made)


def figures(study: Study) -> dict[str, int]:
    """How many of a study's mails are where: by kind and state, as `invitation_sent`; one query."""
    counts = {
        f"{kind}_{status}": Count("pk", filter=Q(kind=kind, status=status))
        for kind in Kind
        for status in Status
    }
    return InvitationMail.objects.filter(invitation__study=study).aggregate(**counts)


def send(study_id: str) -> int:
    """Send the mails of a study that are due; return how many went out. Safe to call any time."""
    due = InvitationMail.objects.filter(
        invitation__study=UUID(study_id), status=Status.WAITING, next_at__lte=timezone.now()
    )
    ids = list(due.values_list("pk", flat=True)[:AT_ONCE])
    if not ids:
        return 0
    connection = get_connection()
    try:
        return sum(_send_one(pk, connection) for pk in ids)
    finally:
        connection.close()


def sweep() -> None:
    """Ask for the mails that are due, a task a study."""
    due = InvitationMail.objects.filter(status=Status.WAITING, next_at__lte=timezone.now())
    found = due.order_by().values_list("invitation__study", flat=True).distinct()
    for study_id in found:
        dispatch.enqueue_task(SEND_MAIL, study_id)


def rotate() -> int:
    """Seal every address with the first of the keys; return how many no key opens."""
    lost = 0
    for pk in Invitation.objects.exclude(sealed_address="").values_list("pk", flat=True):
        with transaction.atomic():
            one = Invitation.objects.select_for_update().filter(pk=pk).first()
            if one is None or not one.sealed_address:
                continue
            try:
                one.sealed_address = seal_again(one.sealed_address)
            except NoKeyOpens:
                lost += 1
                continue
            one.save(update_fields=["sealed_address"])
    return lost


def _send_one(pk: int, connection: BaseEmailBackend) -> bool:
    """Claim one mail, send it, write down what became of it."""
    now = timezone.now()
    claimed = InvitationMail.objects.filter(
        pk=pk, status=Status.WAITING, next_at__lte=now
    ).update(status=Status.SENDING, attempts=F("attempts") + 1)  # fmt: skip
    if not claimed:
        return False
    mail = InvitationMail.objects.select_related("invitation__study").get(pk=pk)
    if not _is_needed(mail, now):
        InvitationMail.objects.filter(pk=pk).update(status=Status.SPARED)
        return False
    try:
        message = message_of(mail)
        message.connection = connection
        message.send()
    except NoKeyOpens:
        _note_failure(mail, "No present key opens the address.", for_good=True)
        return False
    except (SMTPException, OSError, ValueError) as error:
        _note_failure(mail, _told(error), for_good=_is_final(error))
        return False
    InvitationMail.objects.filter(pk=pk).update(
        status=Status.SENT, sent_at=timezone.now(), error=""
    )
    return True


def _is_needed(mail: InvitationMail, now: datetime) -> bool:
    """Whether the link still opens and led to no interview."""
    invitation = mail.invitation
    return (
        bool(invitation.sealed_address)
        and invitation.session_id is None
        and invitation.revoked_at is None
        and (invitation.expires_at is None or invitation.expires_at > now)
        and invitation.study.status == Study.Status.LIVE
    )


def message_of(mail: InvitationMail) -> EmailMessage:
    """The mail as it goes out, in the study's language. Raises NoKeyOpens."""
    invitation = mail.invitation
    study = invitation.study
    with translation.override(study.language):
        name = " ".join(study.name.split())
        if mail.kind == Kind.REMINDER:
            subject = _("Reminder: %(study)s") % {"study": name}
            first = _("You were invited to an interview and have not begun it yet: %(study)s")
        else:
            subject = _("Invitation: %(study)s") % {"study": name}
            first = _("You are invited to an interview: %(study)s")
        link = settings.PUBLIC_URL + reverse("chat:interview", args=[token_for(invitation)])
        parts = [
            first % {"study": name},
            study.greeting.strip(),
            _("This link is for you alone; it also leads back to an interview that you paused:"),
            link,
        ]
        if invitation.expires_at is not None:
            day = date_format(timezone.localtime(invitation.expires_at), "DATE_FORMAT")
            parts.append(_("It can be used until %(day)s.") % {"day": day})
        parts.append("\n".join(filter(None, [study.researcher.strip(), study.contact.strip()])))
        parts.append(
            _("Your address is used for this invitation and one reminder, and for nothing else.")
        )
    text = "\n\n".join(filter(None, parts))
    return EmailMessage(subject=subject, body=text + "\n", to=[unseal(invitation.sealed_address)])


def _note_failure(mail: InvitationMail, told: str, *, for_good: bool) -> None:
    given_up = for_good or mail.attempts > len(BACKOFF)
    wait = timedelta() if given_up else BACKOFF[mail.attempts - 1]
    InvitationMail.objects.filter(pk=mail.pk).update(
        status=Status.FAILED if given_up else Status.WAITING,
        next_at=timezone.now() + wait,
        error=told,
    )
    logger.warning("mail_not_sent", mail=mail.pk, attempt=mail.attempts, given_up=given_up)


def _is_final(error: Exception) -> bool:
    """Whether trying again cannot help: a refusal for good, or a mail that cannot be written."""
    if isinstance(error, SMTPResponseException):
        return error.smtp_code >= 500
    refused = getattr(error, "recipients", None)
    if isinstance(refused, dict) and refused:
        return all(code >= 500 for code, _told_by_server in refused.values())
    return isinstance(error, ValueError)


def _told(error: Exception) -> str:
    """What went wrong, without the words of the server: they repeat the address."""
    if isinstance(error, SMTPResponseException):
        return f"The mail server answered {error.smtp_code}."
    refused = getattr(error, "recipients", None)
    if isinstance(refused, dict) and refused:
        return f"The mail server refused the address ({next(iter(refused.values()))[0]})."
    return f"The mail server could not be used ({type(error).__name__})."
