"""Replies to requests that may be sent twice: the same key and body have the same answer for a day.

A row is taken before the request is acted on, in a transaction of its own, and filled with the
answer afterwards. Who dies in between leaves a row without an answer, which is free again after
`UNDER_WAY`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from interviews.errors import ErrorCode, InterviewError
from interviews.models import KeptReply
from interviews.sealed import NoKeyOpens, seal, unseal

KEPT = timedelta(hours=24)
UNDER_WAY = timedelta(seconds=60)
"""How long a request may take before another one with its key is let through."""
MOST_CHARS = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer as it was given: HTTP status, address of what was made, body as JSON."""

    status: int
    location: str
    body: str


def take(caller: str, key: str, digest: str) -> Reply | None:
    """Take a key for a request; None where it is to be acted on, else what it was answered.

    Raises InterviewError KEY_REUSED where the key came with another request, and KEY_UNDER_WAY
    where the first one is not answered yet.
    """
    now = timezone.now()
    KeptReply.objects.filter(caller=caller, key=key).filter(_over(now)).delete()
    row, new = KeptReply.objects.get_or_create(caller=caller, key=key, defaults={"digest": digest})
    if new:
        return None
    if row.digest != digest:
        raise InterviewError(
            ErrorCode.KEY_REUSED,
            "This Idempotency-Key came with another request before. Send a new one.",
        )
    if row.status is None:
        raise InterviewError(
            ErrorCode.KEY_UNDER_WAY,
            "The first request with this Idempotency-Key is still being worked on. Try again.",
        )
    try:
        return Reply(status=row.status, location=row.location, body=unseal(row.sealed))
    except NoKeyOpens:
        raise InterviewError(
            ErrorCode.KEY_REUSED,
            "What this Idempotency-Key was answered cannot be read any more. Send a new one.",
        ) from None


def keep(caller: str, key: str, reply: Reply) -> None:
    """Keep what a request was answered."""
    KeptReply.objects.filter(caller=caller, key=key).update(
        status=reply.status, location=reply.location, sealed=seal(reply.body)
    )


def give_up(caller: str, key: str) -> None:
    """Free a key whose request came to nothing, so that it may be tried again."""
    KeptReply.objects.filter(caller=caller, key=key, status=None).delete()


def sweep() -> int:
    """Delete what is older than a day; return how many."""
    return KeptReply.objects.filter(_over(timezone.now())).delete()[0]


def _over(now: object) -> Q:
    return Q(kept_at__lt=now - KEPT) | Q(status=None, kept_at__lt=now - UNDER_WAY)  # type: ignore[operator]
