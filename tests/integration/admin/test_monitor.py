"""Watching interviews that run, and helping one along."""

from __future__ import annotations

from uuid import UUID

import pytest
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from interview_project.asgi import application
from interviews import services
from interviews.errors import InterviewError
from interviews.models import AuditEntry, Session, Team
from tests.factories import researcher, small_interview, somebody

SIGNED_IN = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def console(client: Client, db: None) -> Client:
    client.force_login(researcher(), SIGNED_IN)
    return client


def running(**fields: object) -> Session:
    return small_interview(
        **{"status": "active", "ended_at": None, "termination_reason": "", **fields}
    )


def test_the_monitor_shows_where_each_interview_is_and_what_alarms(console: Client) -> None:
    session = running()
    session.summary.flags = ["degraded"]
    session.summary.save()
    session.turns.filter(number=2).update(status="failed")
    html = console.get(reverse("admin:monitor")).content.decode()
    for said in ("a turn failed", "degraded", "0.50", "deepen", str(session.pk)[:8]):
        assert said in html
    part = console.get(reverse("admin:monitor"), {"part": "1"}).content.decode()
    assert part.lstrip().startswith("<div")


def test_trials_are_shown_only_when_they_are_asked_for(console: Client) -> None:
    session = running(simulated=True)
    monitor = reverse("admin:monitor")
    assert str(session.pk)[:8] not in console.get(monitor).content.decode()
    html = console.get(monitor, {"trials": "1"}).content.decode()
    assert str(session.pk)[:8] in html
    assert "trial" in html


def test_the_monitors_queries_do_not_grow_with_the_interviews(console: Client) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as captured:
            console.get(reverse("admin:monitor"))
        return len(captured)

    running()
    few = count()
    for _ in range(3):
        running()
    assert count() == few <= 10


def test_a_watched_interview_shows_words_concepts_and_the_decision(console: Client) -> None:
    session = running()
    html = console.get(reverse("admin:watch", args=[session.pk])).content.decode()
    for said in ("taped seams", "Why does staying dry matter", "Why this question?"):
        assert said in html
    assert "<b>outside</b>" not in html
    assert f"/ws/console/interviews/{session.pk}/" in html


def test_an_interview_is_extended_and_ended_with_an_entry_in_the_audit_log(
    console: Client,
) -> None:
    session = running()
    page = reverse("admin:watch", args=[session.pk])
    console.post(page, {"do": "extend"})
    session.refresh_from_db()
    assert session.max_turns == 20
    console.post(page, {"do": "end"})
    session.refresh_from_db()
    assert (session.status, session.termination_reason) == ("completed", "ended_by_researcher")
    assert list(AuditEntry.objects.order_by("pk").values_list("action", flat=True)) == [
        "extended",
        "ended",
    ]
    refused = console.post(page, {"do": "extend"}, follow=True).content.decode()
    assert "This interview has ended; it cannot be extended." in refused
    with pytest.raises(InterviewError):
        services.extend_session(session.pk, answers=1)


def test_a_failed_turn_is_tried_again(console: Client) -> None:
    session = running()
    page = reverse("admin:watch", args=[session.pk])
    assert (
        "no question is missing"
        in console.post(page, {"do": "retry"}, follow=True).content.decode()
    )
    session.turns.filter(number=2).update(status="failed", result={})
    console.post(page, {"do": "retry"})
    assert session.turns.get(number=2).status in ("queued", "running", "failed")
    assert AuditEntry.objects.get().action == "retried"


def headers_of(user: User | None) -> list[tuple[bytes, bytes]]:
    """What the browser of somebody who is signed in sends along."""
    if user is None:
        return []
    client = Client()
    client.force_login(user, SIGNED_IN)
    cookies = "; ".join(f"{name}={found.value}" for name, found in client.cookies.items())
    return [(b"cookie", cookies.encode())]


@pytest.fixture
def browsers(transactional_db: None) -> tuple[UUID, dict[str, list[tuple[bytes, bytes]]]]:
    other = somebody("researcher", Team.objects.get_or_create(name="Other")[0])
    users = {"researcher": researcher(), "other": other, "anonymous": None}
    return running().pk, {name: headers_of(user) for name, user in users.items()}


async def test_the_socket_opens_for_who_may_read_the_interview_from_a_page_of_this_site(
    browsers: tuple[UUID, dict[str, list[tuple[bytes, bytes]]]],
) -> None:
    pk, headers = browsers

    async def opens(who: str, origin: str = "http://testserver") -> bool:
        sent = [*headers[who], (b"origin", origin.encode()), (b"host", b"testserver")]
        path = f"/ws/console/interviews/{pk}/"
        socket = WebsocketCommunicator(application, path, headers=sent)
        opened, _ = await socket.connect()
        await socket.disconnect()
        return bool(opened)

    assert await opens("researcher")
    assert not await opens("other")
    assert not await opens("anonymous")
    assert not await opens("researcher", "http://elsewhere.example")
