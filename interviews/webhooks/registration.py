"""Webhooks made, changed and taken away."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from django.db import transaction

from interviews import audit
from interviews.errors import ErrorCode, FormRefused
from interviews.models import Study, Webhook
from interviews.sealed import NoKeyOpens, seal, seal_again
from interviews.webhooks.targets import TargetRefused, TargetUnknown, target_of

MOST_CHARS = 500
MOST_OF_A_STUDY = 20
SECRET_PREFIX = "whsec_"  # noqa: S105


def make(study: Study, url: str, events: Sequence[str], *, by: str) -> tuple[Webhook, str]:
    """Store a webhook; return it with the secret that it signs by, which nobody sees again.

    Raises FormRefused that names each wrong field; nothing is stored then.
    """
    _check(url, events)
    if Webhook.objects.filter(study=study).count() >= MOST_OF_A_STUDY:
        raise _refused({"study": f"A study has at most {MOST_OF_A_STUDY} webhooks; delete one."})
    secret = SECRET_PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        hook = Webhook.objects.create(
            study=study, url=url, events=_in_order(events), secret=seal(secret), made_by=by
        )
        audit.record(audit.Action.CREATED, hook, by=by, fields=["url", "events"])
    return hook, secret


def change(
    hook: Webhook,
    *,
    by: str,
    url: str | None = None,
    events: Sequence[str] | None = None,
    active: bool | None = None,
) -> Webhook:
    """Change what is said, and leave the rest. Raises FormRefused."""
    given = {"url": url, "events": events, "active": active}
    _check(hook.url if url is None else url, hook.events if events is None else events)
    hook.url = hook.url if url is None else url
    hook.events = hook.events if events is None else _in_order(events)
    hook.active = hook.active if active is None else active
    fields = [name for name, value in given.items() if value is not None]
    with transaction.atomic():
        hook.save(update_fields=fields)
        audit.record(audit.Action.CHANGED, hook, by=by, fields=fields)
    return hook


def delete(hook: Webhook, *, by: str) -> None:
    """Take a webhook away, with its deliveries."""
    with transaction.atomic():
        audit.record(audit.Action.DELETED, hook, by=by)
        hook.delete()


def rotate() -> int:
    """Seal every secret with the first of the keys; return how many no key opens."""
    lost = 0
    for hook in Webhook.objects.all():
        try:
            Webhook.objects.filter(pk=hook.pk).update(secret=seal_again(hook.secret))
        except NoKeyOpens:
            lost += 1
    return lost


def _check(url: str, events: Sequence[str]) -> None:
    faults = {}
    known = Webhook.Event.values
    if not events or not set(events) <= set(known):
        faults["events"] = f"Choose one or more of {', '.join(known)}."
    try:
        if len(url) > MOST_CHARS:
            raise TargetRefused(f"An address has at most {MOST_CHARS} characters.")
        target_of(url)
    except TargetUnknown:
        pass  # it may be there by the time that there is something to tell
    except TargetRefused as refused:
        faults["url"] = str(refused)
    if faults:
        raise _refused(faults)


def _refused(fields: dict[str, str]) -> FormRefused:
    code = ErrorCode.WEBHOOK_REFUSED
    return FormRefused("This webhook cannot be kept.", fields=fields, code=code)


def _in_order(events: Sequence[str]) -> list[str]:
    return [event for event in Webhook.Event.values if event in events]
