"""Who works on a file or a brief: claimed by a lease in its row, guarded by a fence."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar
from uuid import UUID

from django.db.models import F, Q
from django.utils import timezone

from interviews.models.handover import Work

LEASE = timedelta(seconds=180)
"""Longer than reading a file and than one call may take; every commit prolongs it."""
STALE = timedelta(seconds=30)
MAX_CLAIMS = 5

Row = TypeVar("Row", bound=Work)


class Superseded(Exception):
    """Somebody else has claimed the work meanwhile, or it is gone: nothing more is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to write, as long as the row's fence is this one."""

    model: type[Work]
    pk: UUID | str
    fence: int

    def advance(self, **values: object) -> None:
        """Write to the row within a transaction of the caller's, and prolong the lease.

        Raises Superseded.
        """
        values = {"lease_until": timezone.now() + LEASE, **values}
        rows = self.model._default_manager.filter(pk=self.pk, fence=self.fence)
        if not rows.filter(status=Work.Status.WORKING).update(**values):
            raise Superseded


def claim(model: type[Row], pk: UUID | str) -> Claim | None:
    """Claim work that waits, or whose former worker's lease ran out; None where there is none."""
    now = timezone.now()
    free = Q(status=Work.Status.QUEUED) | Q(status=Work.Status.WORKING, lease_until__lt=now)
    rows = model._default_manager.filter(free, pk=pk)
    claimed = rows.update(
        status=Work.Status.WORKING,
        lease_until=now + LEASE,
        fence=F("fence") + 1,
        attempt=F("attempt") + 1,
    )
    if not claimed:
        return None
    fence = model._default_manager.values_list("fence", flat=True).get(pk=pk)
    return Claim(model=model, pk=pk, fence=fence)


def give_up(model: type[Row]) -> int:
    """Fail what was claimed too often; return how many rows that were."""
    lost = Q(status=Work.Status.WORKING, lease_until__lt=timezone.now(), attempt__gte=MAX_CLAIMS)
    return model._default_manager.filter(lost).update(
        status=Work.Status.FAILED,
        lease_until=None,
        reason="Its worker died again and again. Repeat it, or leave the file out.",
    )


def unattended(model: type[Row]) -> list[object]:
    """Keys of the work that nobody is at: waiting for long, or with a lease that ran out."""
    now = timezone.now()
    waits = Q(status=Work.Status.QUEUED, queued_at__lt=now - STALE)
    lost = Q(status=Work.Status.WORKING, lease_until__lt=now)
    return list(model._default_manager.filter(waits | lost).values_list("pk", flat=True)[:200])
