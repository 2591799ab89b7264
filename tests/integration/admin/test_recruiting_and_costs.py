"""Recruiting by lists and links, and what language models cost."""

from __future__ import annotations

import json
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from interviews.models import AuditEntry, Invitation, Study, StudySpend
from tests.factories import LLMCallFactory, StudyFactory, researcher, small_interview

pytestmark = pytest.mark.django_db


@pytest.fixture
def console(client: Client) -> Client:
    client.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def study() -> Study:
    return StudyFactory.create(slug="rain", status="live")


def invited(*words: str) -> tuple[int, Any]:
    out, code = StringIO(), 0
    try:
        call_command("invite", *words, "--json", stdout=out)
    except SystemExit as left:
        code = int(str(left.code))
    return code, json.loads(out.getvalue())


def test_a_list_makes_its_links_or_none(study: Study, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("note;expires_at\nAna;2999-01-01\nBen;soon\n", "utf-8")
    code, told = invited("rain", "--csv", str(file))
    assert (code, told["made"]) == (1, 0)
    assert [(fault["row"], fault["column"]) for fault in told["faults"]] == [(2, "expires_at")]
    assert not Invitation.objects.exists()
    file.write_text("note\nAna\nBen\n", "utf-8")
    assert invited("rain", "--csv", str(file)) == (0, {"made": 2, "faults": []})
    assert set(Invitation.objects.values_list("note", flat=True)) == {"Ana", "Ben"}
    assert AuditEntry.objects.get(action="invited").fields == ["2 links"]


def test_the_recruiting_page_shows_the_open_link_as_a_code_and_takes_lists(
    console: Client, study: Study
) -> None:
    page = reverse("admin:recruiting", args=["rain"])
    html = console.get(page).content.decode()
    assert "<svg" in html
    assert "/s/rain/" in html
    wrong = console.post(page, {"list": "note,expires_at\nAna <b>,soon"})
    assert wrong.status_code == 422
    said = wrong.content.decode()
    assert "Row 1, expires_at" in said
    assert "Ana &lt;b&gt;,soon" in said
    assert not Invitation.objects.exists()
    assert console.post(page, {"list": "note\nAna"}).status_code == 302
    sent = SimpleUploadedFile("list.csv", b"note\nBen\n=SUM(A1)\n")
    assert console.post(page, {"file": sent}).status_code == 302
    out = console.get(reverse("admin:recruiting_file", args=["rain"])).content.decode()
    assert out.splitlines()[0] == "note,link,state,expires_at"
    assert out.count("/i/") == 3
    assert "'=SUM(A1)" in out


def test_costs_are_grouped_with_failures_and_latencies(console: Client) -> None:
    session = small_interview()
    session.study.llm_choice = {"budget_usd": 5}
    session.study.save()
    StudySpend.objects.create(study=session.study, cost_usd=Decimal(3))
    for latency in (100, 200, 900):
        LLMCallFactory.create(
            session=session,
            provider="anthropic",
            model="m-1",
            cost_usd=Decimal(1),
            latency_ms=latency,
            tokens_in=10,
            outcome="ok" if latency < 900 else "timeout",
        )
    html = console.get(reverse("admin:costs"), {"by": "model"}).content.decode()
    row = html[html.index(">m-1<") :]
    cells = [part.split("<")[0] for part in row.split('class="num">')[1:9]]
    assert cells == ["3", "1", "0", "30", "0", "$3.0000", "200", "830"]
    assert "$2.00 left" in html
    for by in ("study", "role", "provider", "task", "day", "nonsense"):
        with CaptureQueriesContext(connection) as captured:
            assert console.get(reverse("admin:costs"), {"by": by}).status_code == 200
        assert len(captured) <= 10


def test_home_names_what_needs_somebody_in_few_queries(console: Client) -> None:
    first = console.get("/admin/").content.decode()
    assert "Nothing is running yet" in first
    session = small_interview(status="active", ended_at=None)
    study = session.study
    study.status, study.quota = "live", 1
    study.save()
    StudyFactory.create(name="A draft of rain")
    session.summary.flags = ["degraded"]
    session.summary.save()
    session.turns.filter(number=2).update(status="failed")
    small_interview(study=study)
    with CaptureQueriesContext(connection) as captured:
        html = console.get("/admin/").content.decode()
    assert len(captured) <= 10 + 4  # four of them sign somebody in and say who they are
    for said in ("A question is missing", "Nearly used up", "1 of 1", "Degraded", "Running · 1"):
        assert said in html
    assert "A draft of rain" in html
