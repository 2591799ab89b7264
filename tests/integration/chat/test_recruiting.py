"""Whom a study takes in: parameters of links, screener, quotas by segment, marks."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from interviews import marks, services
from interviews.invitations import invite, token_for
from interviews.models import Session, SessionSummary, Study
from interviews.study_files import file_of
from methodologies.yaml_loader import load_study
from tests.factories import StudyFactory, UtteranceFactory, researcher

pytestmark = pytest.mark.django_db(transaction=True)

RULES: dict[str, Any] = {
    "parameters": ["pid"],
    "screener": [
        {"key": "age", "text": "How <old>?", "type": "number", "at_least": 18},
        {"key": "owns", "text": "A car?", "options": ["yes", "no"], "accept": ["yes"]},
    ],
    "segments": {"key": "owns", "most": {"yes": 1}},
    "redirects": {
        "screened_out": "https://panel.example/out",
        "quota_full": "https://panel.example/full",
    },
}


def live(**fields: Any) -> Study:
    return StudyFactory.create(status="live", recruiting=RULES, **fields)


def passed(client: Client, address: str, **answers: str) -> str:
    """The page after the screener."""
    given = {"screen": "1", "age": "30", "owns": "yes", **answers}
    return client.post(address, given).content.decode()


def agree(client: Client, address: str, page: str) -> Any:
    found = re.search(r'name="screened" value="([^"]+)"', page)
    assert found
    return client.post(address, {"screened": found[1]})


def test_screener_then_consent_then_an_interview_that_knows_where_it_came_from() -> None:
    client, study = Client(), live(redirect_url="https://panel.example/done")
    address = reverse("chat:study", args=[study.slug]) + "?pid=P-7&other=x"
    first = client.get(address).content.decode()
    assert "How &lt;old&gt;?" in first
    assert "What you agree to" not in first
    consent = passed(client, address)
    assert "What you agree to" in consent
    assert not Session.objects.exists()
    assert agree(client, address, consent).status_code == 302
    session = Session.objects.get()
    assert session.segments == {"pid": "P-7", "age": "30", "owns": "yes"}
    services.end_session(session.pk)
    token = token_for(session.invitation)
    done = client.get(reverse("chat:interview", args=[token])).content.decode()
    assert f"https://panel.example/done?pid=P-7&amp;session={session.pk}" in done
    reader = Client()
    reader.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    html = reader.get(reverse("analytics:session", args=[session.pk])).content.decode()
    assert "age: 30 · owns: yes · pid: P-7" in html


def test_who_is_screened_out_goes_on_and_nothing_is_stored() -> None:
    client, study = Client(), live()
    address = reverse("chat:study", args=[study.slug]) + "?pid=P-7"
    page = passed(client, address, owns="no")
    assert "looking for other people" in page
    assert 'href="https://panel.example/out?pid=P-7"' in page
    again = passed(client, address, age="many")
    assert "Write a number" in again
    assert 'value="many"' in again
    assert client.post(address).status_code == 200  # consent without the screener is none
    assert client.post(address, {"screened": "forged"}).status_code == 200
    assert not Session.objects.exists()


def test_a_segment_that_is_full_takes_nobody_more_and_a_personal_link_neither() -> None:
    study = live()
    for owns, status in (("yes", "completed"), ("no", "completed"), ("yes", "active")):
        session = services.start_session(study, segments={"owns": owns})
        ended = timezone.now() if status == "completed" else None
        Session.objects.filter(pk=session.pk).update(status=status, ended_at=ended)
    address = reverse("chat:consent", args=[token_for(invite(study))])
    page = passed(Client(), address)
    assert "This study is complete" in page
    assert "https://panel.example/full" in page
    assert Session.objects.count() == 3
    study.recruiting = {**RULES, "segments": {"key": "owns", "most": {"yes": 2}}}
    study.save()
    client = Client()
    assert agree(client, address, passed(client, address)).status_code == 302
    assert client.post(address).status_code == 302  # sent again, it is the same interview
    assert Session.objects.count() == 4


def test_the_same_browser_and_pasted_and_hurried_answers_are_marked_and_count() -> None:
    client, study = Client(), StudyFactory.create(status="live")
    address = reverse("chat:study", args=[study.slug])
    for _ in range(2):
        client.post(address, {"anew": "1"})
    first, second = Session.objects.order_by("started_at")
    assert first.browser == second.browser != ""
    for turn in range(1, 4):
        for number, who in enumerate(("interviewer", "respondent")):
            UtteranceFactory.create(
                session=second,
                turn_number=turn,
                sequence=2 * turn + number,
                speaker=who,
                text="one two three four five",
            )
    Session.objects.filter(pk=second.pk).update(pasted=60)
    for session in (first, second):
        services.end_session(session.pk)
    assert marks.mark_ended() == 2
    assert marks.mark_ended() == 0
    assert not SessionSummary.objects.filter(session=first, flags__len__gt=0).exists()
    assert SessionSummary.objects.get(session=second).flags == [
        "fast_answers",
        "pasted",
        "same_browser",
    ]
    reader = Client()
    reader.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    html = reader.get(reverse("analytics:session", args=[second.pk])).content.decode()
    assert "this browser has held an interview of the study before" in html


def test_pasted_characters_are_counted_no_further_than_the_answer_goes() -> None:
    study = StudyFactory.create(status="live")
    session = services.start_session(study)
    session.turns.update(status="done")
    services.accept_answer(session.pk, "ten chars.", pasted=400, seconds=1)
    session.refresh_from_db()
    assert session.pasted == 10


def test_the_console_tells_whom_a_study_takes_in_and_files_carry_it() -> None:
    study = live()
    reader = Client()
    reader.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    html = reader.get(reverse("admin:recruiting", args=[study.slug])).content.decode()
    assert "?pid={pid}" in html
    assert "0 of 1" in html
    assert load_study(file_of(study), "x.yaml").schema.recruiting == RULES
