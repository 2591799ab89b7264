"""Deliveries under way: claimed, sent outside of any transaction, tried again, sent anew."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from uuid import UUID

import structlog
from django.db.models import F
from django.utils import timezone

from interviews import dispatch
from interviews.models import Delivery
from interviews.sealed import NoKeyOpens, unseal
from interviews.webhooks import signing
from interviews.webhooks.outbox import DELIVER
from interviews.webhooks.sending import Answer, post

logger = structlog.get_logger(__name__)

BACKOFF = (
    timedelta(seconds=30),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=8),
)
"""How long after a try that failed the next one comes; after the last of them it is given up."""
LEASE = timedelta(seconds=60)
"""How long a try may take before somebody else makes another."""
KEPT = timedelta(days=30)
AT_ONCE = 50


def deliver(delivery_id: UUID | str) -> bool:
    """Send a delivery that is due; True where the receiver took it. Safe to call any time."""
    now = timezone.now()
    claimed = Delivery.objects.filter(
        pk=delivery_id, status=Delivery.Status.WAITING, next_at__lte=now, webhook__active=True
    ).update(next_at=now + LEASE, attempts=F("attempts") + 1)
    if not claimed:
        return False
    row = Delivery.objects.select_related("webhook").get(pk=delivery_id)
    answer = _sent(row)
    _note(row, answer)
    return answer.taken


def replay(row: Delivery) -> None:
    """Send a delivery anew, whatever became of it."""
    now = timezone.now()
    Delivery.objects.filter(pk=row.pk).update(
        status=Delivery.Status.WAITING, attempts=0, next_at=now, rung_at=now
    )
    dispatch.enqueue_task(DELIVER, row.pk)


def sweep() -> int:
    """Ask for the deliveries that are due, each once a minute, and let old ones go."""
    now = timezone.now()
    due = Delivery.objects.filter(
        status=Delivery.Status.WAITING, next_at__lte=now, webhook__active=True
    ).order_by("next_at")
    rung = now - LEASE
    ids = list(due.filter(rung_at__lt=rung).values_list("pk", flat=True)[:AT_ONCE])
    if ids:
        Delivery.objects.filter(pk__in=ids).update(rung_at=now)
    for pk in ids:
        dispatch.enqueue_task(DELIVER, pk)
    Delivery.objects.filter(created_at__lt=now - KEPT).delete()
    return len(ids)


def _sent(row: Delivery) -> Answer:
    body = json.dumps(row.payload, ensure_ascii=False, separators=(",", ":")).encode()
    timestamp = int(time.time())
    try:
        secret = unseal(row.webhook.secret)
    except NoKeyOpens:
        return Answer(status=None, text="No present key opens its secret: make a new webhook.")
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "interviews-webhooks/1",
        signing.EVENT: row.event,
        signing.DELIVERY: str(row.pk),
        signing.TIMESTAMP: str(timestamp),
        signing.SIGNATURE: signing.signature(secret, timestamp, body),
    }
    return post(row.webhook.url, body, headers)


def _note(row: Delivery, answer: Answer) -> None:
    """Write down how a try went, unless another one has begun since."""
    now = timezone.now()
    status = Delivery.Status.DELIVERED if answer.taken else Delivery.Status.WAITING
    if not answer.taken and row.attempts > len(BACKOFF):
        status = Delivery.Status.FAILED
    waits = status == Delivery.Status.WAITING
    Delivery.objects.filter(pk=row.pk, attempts=row.attempts).update(
        status=status,
        next_at=now + BACKOFF[row.attempts - 1] if waits else now,
        tried_at=now,
        answered=answer.status,
        answer=answer.text,
    )
    logger.info("webhook_tried", delivery=str(row.pk), status=answer.status, attempt=row.attempts)
