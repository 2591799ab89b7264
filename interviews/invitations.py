"""Links to interviews: signed, opaque tokens that carry an invitation's id and nothing else."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from interviews import audit
from interviews.errors import ErrorCode, InterviewError
from interviews.invitation_csv import Fault, read
from interviews.models import Invitation, Study
from interviews.sealed import NoKeyOpens, seal, unseal

SALT = "interviews.invitation"


def invite(study: Study, *, note: str = "", expires_at: datetime | None = None) -> Invitation:
    """Make a personal link to a study; it leads to one session, from any device."""
    return Invitation.objects.create(study=study, note=note, expires_at=expires_at)


def invite_all(study: Study, data: bytes, *, by: str) -> tuple[list[Invitation], list[Fault]]:
    """Make the invitations that a CSV asks for, or none where there is any fault in it."""
    now = timezone.now()
    taken = _addresses(Invitation.objects.standing(now).filter(study=study))
    wanted, faults = read(data, now, taken=taken, mailed=settings.MAIL_CONFIGURED)
    if faults:
        return [], faults
    with transaction.atomic():
        made = Invitation.objects.bulk_create(
            Invitation(
                study=study,
                note=one.note,
                expires_at=one.expires_at,
                sealed_address=seal(one.email) if one.email else "",
            )
            for one in wanted
        )
        audit.record(audit.Action.INVITED, study, by=by, fields=[f"{len(made)} links"])
    return made, []


def _addresses(invitations: QuerySet[Invitation]) -> set[str]:
    """The addresses that invitations are mailed to, in lower case; not those that no key opens."""
    found = set()
    for sealed in invitations.exclude(sealed_address="").values_list("sealed_address", flat=True):
        try:
            found.add(unseal(sealed).casefold())
        except NoKeyOpens:
            continue
    return found


def revoke(invitation: Invitation, *, by: str) -> None:
    """Take a link back; doing it twice changes nothing."""
    standing = Invitation.objects.filter(pk=invitation.pk, revoked_at=None)
    if standing.update(revoked_at=timezone.now()):
        audit.record(audit.Action.CHANGED, invitation, by=by, fields=["revoked_at"])


def token_for(invitation: Invitation) -> str:
    """Return the token of the invitation's link. Never log it: it is the key to the interview."""
    return signing.Signer(salt=SALT, sep=".").sign(invitation.id.hex)


def open_token(token: str) -> Invitation:
    """Return the invitation behind a token.

    Raises InterviewError: LINK_INVALID for a token that we did not sign or whose invitation is
    gone, LINK_REVOKED and LINK_EXPIRED for one that no longer counts.
    """
    try:
        key = UUID(hex=signing.Signer(salt=SALT, sep=".").unsign(token))
        invitation = Invitation.objects.select_related("study", "session__study").get(pk=key)
    except (signing.BadSignature, ValueError, Invitation.DoesNotExist):
        raise InterviewError(
            ErrorCode.LINK_INVALID,
            "This link does not lead to an interview. Check that you copied all of it, "
            "or ask the person who sent it for a new one.",
        ) from None
    if invitation.revoked_at is not None:
        raise InterviewError(
            ErrorCode.LINK_REVOKED,
            "This link has been withdrawn. Ask the person who sent it for a new one.",
        )
    if invitation.expires_at is not None and invitation.expires_at <= timezone.now():
        raise InterviewError(
            ErrorCode.LINK_EXPIRED,
            "This link has expired. What you said is safe. "
            "Ask the person who sent it for a new one.",
        )
    return invitation
