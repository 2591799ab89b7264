"""Who gets in: tokens, their scopes and ends, links, sessions, and how often."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from interviews import access_tokens, invitations
from interviews.models import AccessToken, AuditEntry, Invitation
from tests.factories import StudyFactory, analyst, small_interview
from tests.programs import Program, Programs, problem

pytestmark = pytest.mark.django_db


def test_a_token_is_shown_once_and_kept_as_a_hash(person: User) -> None:
    out = StringIO()
    call_command(
        "api_token", "survey", scope=["collect"], person=person.username, json=True, stdout=out
    )
    told = json.loads(out.getvalue())
    assert set(told) == {"token", "name", "person", "scopes", "expires_at"}
    row = AccessToken.objects.get()
    assert (row.name, row.person, row.scopes) == ("survey", person, ["collect"])
    assert told["token"].startswith("ivw_")
    assert told["token"] not in str(AccessToken.objects.values())
    assert row.digest == access_tokens.digest_of(told["token"])
    assert AuditEntry.objects.filter(action="created", object_id=str(row.pk)).exists()


def test_the_command_says_what_is_wrong() -> None:
    for options, said in (
        ({"person": "nobody"}, "no account"),
        ({}, "no account yet"),
    ):
        with pytest.raises(CommandError, match=said) as refused:
            call_command("api_token", "survey", **options)
        assert refused.value.returncode == 1
    User.objects.create_superuser("admin")
    with pytest.raises(CommandError, match="days"):
        call_command("api_token", "survey", days=400)
    assert not AccessToken.objects.exists()


def test_no_token_a_wrong_one_and_one_that_has_ended_are_401(
    person: User, program: Programs
) -> None:
    assert "Bearer" in problem(Program(None).get("/api/studies/"), 401, "not_authenticated")
    problem(Program("ivw_forged").get("/api/studies/"), 401, "token_invalid")
    problem(Program("forged").get("/api/studies/"), 401, "link_invalid")
    used = program("read")
    assert used.get("/api/studies/").status_code == 200
    row = AccessToken.objects.get()
    assert row.last_used_at is not None
    AccessToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "expired" in problem(used.get("/api/studies/"), 401, "token_invalid")
    AccessToken.objects.update(expires_at=timezone.now() + timedelta(days=1))
    access_tokens.revoke(row, by="test")
    answer = used.get("/api/studies/")
    problem(answer, 401, "token_invalid")
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_a_token_goes_as_far_as_its_scopes_and_its_persons_role(program: Programs) -> None:
    session = small_interview()
    one = f"/api/sessions/{session.pk}/"
    problem(program("read").post("/api/sessions/", {"study": "x"}), 403, "scope_missing")
    problem(program("collect").get("/api/studies/"), 403, "scope_missing")
    problem(program("collect").get(f"{one}graph/"), 403, "scope_missing")
    problem(program("collect").post("/api/studies/", {}), 403, "scope_missing")
    problem(program("manage", of=analyst()).post("/api/studies/", {}), 403, "forbidden")
    problem(
        program("read", of=User.objects.create(username="x")).get("/api/studies/"), 403, "no_role"
    )
    assert program("manage").get("/api/studies/").status_code == 200
    seen = program("read").get(f"{one}turns/1/").json()
    held = program("collect").get(f"{one}turns/1/").json()
    assert seen["candidates"]
    assert seen["contributions"] == seen["candidates"][0]["contributions"]
    assert seen["signals"]["llm.engagement"] == 0.75
    assert (held["question"], held["candidates"], held["signals"]) == (seen["question"], [], {})


def test_the_token_of_a_link_opens_its_own_session_alone() -> None:
    session, other = small_interview(), small_interview()
    mine = Program(
        invitations.token_for(Invitation.objects.create(study=session.study, session=session))
    )
    one = f"/api/sessions/{session.pk}/"
    told = mine.get(one).json()
    assert (told["status"], told["focus_history"], told["evidence"]) == ("completed", [], [])
    assert mine.get(f"{one}utterances/").json()["results"][0]["sequence"] == 1
    problem(mine.post(f"{one}respond/", {"text": "More."}), 409, "session_over")
    for path in ("", "turns/", "turns/1/", "utterances/"):
        problem(mine.get(f"/api/sessions/{other.pk}/{path}"), 404, "not_found")
    for path in ("graph/", "slots/", "exports/json/"):
        problem(mine.get(f"{one}{path}"), 403, "link_only")
    problem(mine.delete(one), 403, "link_only")
    problem(mine.get("/api/studies/"), 403, "link_only")


def test_who_is_signed_in_needs_no_token_but_the_csrf_token(person: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person, "django.contrib.auth.backends.ModelBackend")
    assert client.get("/api/studies/").status_code == 200
    refused = client.post("/api/studies/", {}, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (403, "permission_denied")


def test_each_scope_has_its_own_rate(program: Programs, settings: Any) -> None:
    settings.REST_FRAMEWORK = settings.REST_FRAMEWORK | {
        "DEFAULT_THROTTLE_RATES": {"read": "2/min", "collect": "1/min", "manage": "1/min"}
    }
    StudyFactory.create()
    asking = program("read", "manage")
    assert [asking.get("/api/studies/").status_code for _ in range(3)] == [200, 200, 429]
    answer = asking.get("/api/studies/")
    problem(answer, 429, "throttled")
    assert int(answer["Retry-After"]) > 0
    assert asking.post("/api/studies/", {}).status_code == 422
    assert program("read").get("/api/studies/").status_code == 200
