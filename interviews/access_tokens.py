"""Tokens of people for their programs: made, shown once, opened, taken back."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from interviews import audit
from interviews.errors import ErrorCode, InterviewError
from interviews.models import AccessToken

PREFIX = "ivw_"
"""What every token begins with, so that one that leaked is found by those who look for them."""
DAYS = 90
MOST_DAYS = 365
USE_NOTED_EVERY = timedelta(minutes=1)


def make(
    person: User, name: str, scopes: Sequence[str], *, by: str, days: int = DAYS
) -> tuple[AccessToken, str]:
    """Make a token that lasts so many days; return its row and the token, which nobody sees again.

    Raises InterviewError TOKEN_REFUSED that says what is wrong with name, scopes or days.
    """
    known = AccessToken.Scope.values
    if not name.strip() or len(name) > AccessToken._meta.get_field("name").max_length:  # type: ignore[operator]
        raise _refused("name: write up to 80 characters that say what the token is for")
    if not scopes or not set(scopes) <= set(known):
        raise _refused(f"scopes: choose one or more of {', '.join(known)}")
    if not 1 <= days <= MOST_DAYS:
        raise _refused(f"days: choose from 1 to {MOST_DAYS}")
    token = PREFIX + secrets.token_urlsafe(32)
    row = AccessToken.objects.create(
        person=person,
        name=name.strip(),
        digest=digest_of(token),
        scopes=[scope for scope in known if scope in scopes],
        expires_at=timezone.now() + timedelta(days=days),
    )
    audit.record(audit.Action.CREATED, row, by=by, fields=row.scopes)
    return row, token


def open_token(token: str) -> AccessToken:
    """Return the row behind a token, with its person, and note that it was used.

    Raises InterviewError TOKEN_INVALID for one that is unknown, expired or taken back, and for one
    whose person has left.
    """
    row = AccessToken.objects.select_related("person").filter(digest=digest_of(token)).first()
    now = timezone.now()
    if row is None or row.revoked_at is not None or not row.person.is_active:
        raise InterviewError(
            ErrorCode.TOKEN_INVALID,
            "This token is not valid. Make another with manage.py api-token, or in the console "
            "under API and webhooks.",
        )
    if row.expires_at <= now:
        raise InterviewError(
            ErrorCode.TOKEN_INVALID,
            f"This token has expired on {row.expires_at:%Y-%m-%d}. Make another one.",
        )
    if row.last_used_at is None or now - row.last_used_at > USE_NOTED_EVERY:
        AccessToken.objects.filter(pk=row.pk).update(last_used_at=now)
    return row


def revoke(row: AccessToken, *, by: str) -> None:
    """Take a token back; doing it twice changes nothing."""
    if AccessToken.objects.filter(pk=row.pk, revoked_at=None).update(revoked_at=timezone.now()):
        audit.record(audit.Action.DELETED, row, by=by)


def digest_of(token: str) -> str:
    """The SHA-256 of a token. It has 256 random bits, so that a slow hash would add nothing."""
    return hashlib.sha256(token.encode()).hexdigest()


def _refused(message: str) -> InterviewError:
    return InterviewError(ErrorCode.TOKEN_REFUSED, message)
