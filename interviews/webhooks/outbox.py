"""What happened, written for the webhooks that want to hear it, in the transaction of its cause.

So it is told if and only if it happened. Where no webhook listens, it costs one query. Simulated
interviews and trials are told to nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID, uuid4

from django.db import connection
from django.utils import timezone

from interviews import dispatch
from interviews.models import Delivery, Session, Study, Webhook

DELIVER: Final = "interviews.deliver_webhook"
Event = Webhook.Event


def completed(session_id: UUID | str) -> None:
    """Tell that an interview is completed, and its study's quota reached where it is."""
    wanted = [Event.COMPLETED, Event.QUOTA]
    listening = _listening(session_id, wanted)
    if not listening:
        return
    session = Session.objects.select_related("study").get(pk=session_id)
    _write(listening, Event.COMPLETED, f"{Event.COMPLETED}:{session_id}", told_of(session))
    if session.study.quota is not None and any(Event.QUOTA in hook.events for hook in listening):
        _quota(session.study, listening)


def failed(session_id: UUID | str, *, turn: int, fence: int) -> None:
    """Tell that a turn failed for good; each try of it once."""
    listening = _listening(session_id, [Event.FAILED])
    if listening:
        session = Session.objects.select_related("study").get(pk=session_id)
        subject = f"{Event.FAILED}:{session_id}:{turn}:{fence}"
        _write(listening, Event.FAILED, subject, told_of(session) | {"turn": turn})


def told_of(session: Session) -> dict[str, Any]:
    """What is told of an interview: where it stands, and nothing of what was said in it."""
    return {
        "study": session.study.slug,
        "session": {
            "id": str(session.pk),
            "status": session.status,
            "termination_reason": session.termination_reason,
            "turn_count": session.turn_count,
            "started_at": session.started_at.isoformat(),
            "ended_at": session.ended_at.isoformat() if session.ended_at else None,
        },
    }


def _listening(session_id: UUID | str, events: Sequence[str]) -> list[Webhook]:
    return list(
        Webhook.objects.filter(
            active=True,
            events__overlap=list(events),
            study__sessions__pk=session_id,
            study__sessions__simulated=False,
        )
    )


def _quota(study: Study, listening: Sequence[Webhook]) -> None:
    with connection.cursor() as cursor:
        # Of two interviews that end at once, the later one has to see both.
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [str(study.pk)])
    done = Session.objects.filter(study=study, status=Session.Status.COMPLETED, simulated=False)
    count = done.count()
    if study.quota is None or count < study.quota:
        return
    told = {"study": study.slug, "quota": study.quota, "completed": count}
    _write(listening, Event.QUOTA, f"{Event.QUOTA}:{study.pk}:{study.quota}", told)


def _write(
    listening: Sequence[Webhook], event: Webhook.Event, subject: str, told: dict[str, Any]
) -> None:
    at = timezone.now().isoformat()
    rows = [
        Delivery(id=pk, webhook=hook, event=event, subject=subject, payload=payload)
        for hook in listening
        if event in hook.events
        for pk in [uuid4()]
        for payload in [{"id": str(pk), "event": event.value, "at": at, **told}]
    ]
    Delivery.objects.bulk_create(rows, ignore_conflicts=True)
    for row in rows:
        dispatch.enqueue_task(DELIVER, row.pk)
