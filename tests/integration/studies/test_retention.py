"""Interviews that were kept long enough are listed first, and erased when that is asked for."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from interviews.models import Erasure, Session
from tests.factories import SessionFactory, StudyFactory, small_interview

pytestmark = pytest.mark.django_db


def said(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command("retention", *arguments, "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_a_dry_run_lists_what_would_go_and_erasing_leaves_its_register() -> None:
    study, now = StudyFactory.create(slug="kept"), timezone.now()
    small_interview()  # of another study, and older than any
    old = small_interview(study=study, ended_at=now - timedelta(days=31))
    small_interview(study=study, ended_at=now - timedelta(days=29))
    begun = SessionFactory.create(study=study, started_at=now - timedelta(days=40))
    SessionFactory.create(study=study, started_at=now - timedelta(days=2))
    dry = said("kept", "--days", "30")
    assert [row["session"] for row in dry["due"]] == [str(begun.pk), str(old.pk)]
    assert dry["erased"] == 0
    assert Session.objects.count() == 5
    assert said("kept", "--days", "30", "--erase")["erased"] == 2
    assert Session.objects.count() == 3
    assert set(Erasure.objects.values_list("session_id", flat=True)) == {begun.pk, old.pk}
    assert said("kept", "--days", "30")["due"] == []


@pytest.mark.parametrize("arguments", [("none", "--days", "30"), ("kept", "--days", "0")])
def test_what_cannot_be_is_refused(arguments: tuple[str, ...]) -> None:
    StudyFactory.create(slug="kept")
    with pytest.raises(CommandError) as caught:
        said(*arguments)
    assert caught.value.returncode == 1
