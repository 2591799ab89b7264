"""Search and questions over the API: what the commands say."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from interviews import access_tokens
from interviews.models import Session, Study, Team
from tests.factories import analyst, somebody
from tests.integration.search.conftest import interview
from tests.programs import Program, problem

pytestmark = pytest.mark.django_db


def reading(person: Any = None) -> Program:
    return Program(access_tokens.make(person or analyst(), "test", ["read"], by="test")[1])


def printed(*command: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*command, "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_search_and_answers_are_those_of_the_commands(
    study: Study, two: tuple[Session, Session]
) -> None:
    asking = reading()
    base = f"/api/studies/{study.slug}/"
    found = asking.get(f"{base}search/?text=heavy+rain&kind=answer")
    assert found.status_code == 200, found.json()
    told = found.json()
    assert (
        told["results"]
        == printed("search", study.slug, "heavy rain", "--kind", "answer")["results"]
    )
    assert told["results"][0]["session"] == str(two[0].pk)
    assert (told["interviews"], told["unread"]) == (2, 0)
    assert "without simulated ones" in told["filter"]
    everywhere = asking.get("/api/search/?text=heavy+rain&kind=answer").json()
    assert everywhere["results"] == told["results"]
    assert asking.get(f"{base}search/?text=heavy+rain&status=active").json()["interviews"] == 0
    answer = asking.post(f"{base}ask/", {"text": "What of heavy rain?"})
    assert answer.status_code == 200, answer.json()
    wanted = printed("ask", study.slug, "What of heavy rain?")
    assert {name: answer.json()[name] for name in wanted} == wanted
    assert answer.json()["found"]
    assert not asking.post(f"{base}ask/", {"text": "Zzzz?"}).json()["found"]


def test_nobody_searches_what_they_may_not_see(study: Study, two: tuple[Session, Session]) -> None:
    stranger = reading(somebody("analyst", Team.objects.create(name="Far")))
    interview(study, "Rain again.")
    assert stranger.get("/api/search/?text=rain").json()["results"] == []
    problem(stranger.get(f"/api/studies/{study.slug}/search/?text=rain"), 404, "not_found")
    problem(stranger.post(f"/api/studies/{study.slug}/ask/", {"text": "x"}), 404, "not_found")
    asking = reading()
    problem(asking.post(f"/api/studies/{study.slug}/ask/", {"text": ""}), 422, "blank", "text")
    too_long = asking.post(f"/api/studies/{study.slug}/ask/", {"text": "x" * 401})
    problem(too_long, 422, "max_length", "text")
