"""A handover interview over HTTP, and its summary once it is over."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from interviews import services
from interviews.models import HandoverSummary, SessionQuestion, Study, Turn
from interviews.sources import files, texts, work

pytestmark = pytest.mark.django_db
FULL = "It was set in 2021 after the audit, because two brokers had sent the same file twice."


@pytest.fixture
def live(study: Study) -> Study:
    files.add(study, "load.py", b"SEAT_LIMIT = 45\nROOM_LIMIT = 7\n")
    work.prepare(study)
    Study.objects.filter(pk=study.pk).update(status="live")
    return study


def begun(client: Client, study: Study) -> tuple[str, dict[str, str]]:
    answer = client.post("/api/interview", {"study": study.slug}, content_type="application/json")
    assert answer.status_code == 201
    found = answer.json()
    return f"/api/interview/{found['session']}", {"Authorization": f"Bearer {found['token']}"}


def thought() -> None:
    for turn in Turn.objects.filter(status=Turn.Status.QUEUED).order_by("number"):
        services.process_turn(turn.pk)


def said(client: Client, base: str, headers: dict[str, str], text: str, ident: Any = None) -> Any:
    body = {"user_response": text, "client_message_id": str(ident or uuid4())}
    return client.post(f"{base}/respond", body, content_type="application/json", headers=headers)


def test_an_interview_is_begun_answered_and_over(client: Client, live: Study) -> None:
    base, headers = begun(client, live)
    assert client.get(f"{base}/state", headers=headers).json() == {
        "status": "thinking",
        "interrupt": None,
    }
    thought()
    state = client.get(f"{base}/state?wait=20", headers=headers).json()
    assert state["status"] == "waiting"
    assert set(state["interrupt"]) == {"question_id", "question_text", "round", "remaining"}
    assert state["interrupt"]["round"] == 1
    assert state["interrupt"]["remaining"] == 1
    assert "I have read" in state["interrupt"]["question_text"]
    ident = uuid4()
    assert said(client, base, headers, FULL, ident).status_code == 202
    again = said(client, base, headers, FULL, ident)
    assert (again.status_code, again.json()["duplicate"]) == (202, True)
    thought()
    second = client.get(f"{base}/state", headers=headers).json()["interrupt"]
    assert (second["round"], second["remaining"]) == (2, 0)
    assert second["question_id"] != state["interrupt"]["question_id"]
    assert said(client, base, headers, FULL).status_code == 202
    thought()
    assert client.get(f"{base}/state", headers=headers).json()["status"] == "interview_complete"
    assert said(client, base, headers, FULL).status_code == 409
    assert SessionQuestion.objects.filter(closed_turn__isnull=False).count() == 2


def test_what_cannot_be_taken_says_so(client: Client, live: Study) -> None:
    base, headers = begun(client, live)
    thought()
    assert said(client, base, headers, "  ").status_code == 422
    assert said(client, base, headers, "x" * 8_001).status_code == 422
    body = {"user_response": FULL, "client_message_id": "no id"}
    wrong = client.post(f"{base}/respond", body, content_type="application/json", headers=headers)
    assert wrong.status_code == 422
    unknown = client.post("/api/interview", {"study": "none"}, content_type="application/json")
    assert unknown.status_code == 404


def test_a_token_opens_its_own_interview_alone(client: Client, live: Study) -> None:
    base, _ = begun(client, live)
    _, other = begun(client, live)
    thought()
    for path in ("state",):
        assert client.get(f"{base}/{path}", headers=other).status_code == 404
        assert client.get(f"{base}/{path}").status_code == 401
        forged = {"Authorization": "Bearer forged"}
        assert client.get(f"{base}/{path}", headers=forged).status_code == 401
    assert said(client, base, other, FULL).status_code == 404
    assert client.post(f"{base}/end", headers=other).status_code == 404


def test_it_ends_when_the_respondent_wants_and_is_summed_up_once(
    client: Client, live: Study
) -> None:
    base, headers = begun(client, live)
    thought()
    said(client, base, headers, FULL)
    thought()
    assert texts.sweep() == 0
    ended = client.post(f"{base}/end", headers=headers)
    assert ended.json() == {"status": "interview_complete", "interrupt": None}
    assert client.post(f"{base}/end", headers=headers).status_code == 200
    texts.sweep()
    summary = HandoverSummary.objects.get()
    assert summary.status == "queued"
    texts.work_on_summary(summary.pk)
    texts.work_on_summary(summary.pk)
    summary.refresh_from_db()
    assert (summary.status, summary.fence) == ("done", 1)
    assert "two brokers had sent the same file twice" in summary.text
