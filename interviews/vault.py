"""Sensitive values, encrypted at rest; every read and write of them goes through here."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django.db import transaction

from interviews.models import PersonalValue
from interviews.sealed import NoKeyOpens, seal, seal_again, unseal

UNREADABLE = "[no key opens this]"
"""Stands for a value whose key is not among the present ones."""


def keep(session_id: UUID, values: Mapping[str, str]) -> None:
    """Store values by their fields' keys; one that is there is replaced."""
    for key, value in values.items():
        PersonalValue.objects.update_or_create(
            session_id=session_id, key=key, defaults={"ciphertext": seal(value)}
        )


def values_of(session_id: UUID) -> dict[str, str]:
    """What is kept of a session, by key; for callers who have checked that its reader may."""
    stored = PersonalValue.objects.filter(session_id=session_id).order_by("pk")
    return {one.key: value_of(one) for one in stored}


def value_of(stored: PersonalValue) -> str:
    """One value in clear; `UNREADABLE` where no key opens it."""
    try:
        return unseal(stored.ciphertext)
    except NoKeyOpens:
        return UNREADABLE


def rotate() -> int:
    """Encrypt everything with the first of the keys; return how many values no key opens."""
    lost = 0
    for pk in PersonalValue.objects.values_list("pk", flat=True).iterator():
        with transaction.atomic():
            one = PersonalValue.objects.select_for_update().filter(pk=pk).first()
            if one is None:
                continue
            try:
                one.ciphertext = seal_again(one.ciphertext)
            except NoKeyOpens:
                lost += 1
                continue
            one.save(update_fields=["ciphertext"])
    return lost
