"""What happens is told once, signed, again until it is answered, and to nobody else."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from interviews import services
from interviews.models import Delivery, Session, Study, Turn, Webhook
from interviews.sealed import unseal
from interviews.webhooks import delivery, outbox, registration
from interviews.webhooks.delivery import BACKOFF, deliver
from interviews.webhooks.signing import signature
from tests.factories import SessionFactory, StudyFactory, TurnFactory, researcher
from tests.programs import Programs, problem

pytestmark = pytest.mark.django_db
EVERY = list(Webhook.Event.values)


class Receiver:
    """A server on this machine that keeps what it was sent, and answers as it is told."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status, self.location = 204, ""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((dict(self.headers), body))
                self.send_response(receiver.status)
                if receiver.location:
                    self.send_header("Location", receiver.location)
                self.end_headers()
                if receiver.status != 204:
                    self.wfile.write(b"not now")

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOKS_TO_LOOPBACK = True
    running = Receiver()
    yield running
    running.stop()


@pytest.fixture
def study() -> Study:
    return StudyFactory.create(status="live")


@pytest.fixture
def hook(study: Study, receiver: Receiver) -> Webhook:
    return registration.make(study, receiver.url, EVERY, by="ana")[0]


def over(study: Study, **fields: Any) -> Session:
    """An interview that is ended by its respondent after two answers."""
    session = SessionFactory.create(study=study, turn_count=2, **fields)
    services.end_session(session.pk)
    return session


def due_again() -> None:
    Delivery.objects.update(next_at=timezone.now(), rung_at=timezone.now() - timedelta(hours=1))


def test_a_completed_interview_is_told_once_and_signed(
    study: Study, hook: Webhook, receiver: Receiver
) -> None:
    session = over(study)
    services.end_session(session.pk)
    row = Delivery.objects.get()
    assert deliver(row.pk)
    assert not deliver(row.pk)
    [(headers, body)] = receiver.got
    told = json.loads(body)
    assert (told["id"], told["event"]) == (str(row.pk), "session.completed")
    assert told["session"]["id"] == str(session.pk)
    assert (told["study"], told["session"]["status"]) == (study.slug, "completed")
    assert headers["X-Interviews-Signature"] == signature(
        unseal(hook.secret), int(headers["X-Interviews-Timestamp"]), body
    )
    row.refresh_from_db()
    assert (row.status, row.attempts, row.answered) == ("delivered", 1, 204)


def test_what_is_simulated_left_early_or_elsewhere_is_told_to_nobody(
    study: Study, hook: Webhook
) -> None:
    over(study, simulated=True)
    over(StudyFactory.create())
    services.end_session(SessionFactory.create(study=study).pk)
    registration.change(hook, by="ana", active=False)
    over(study)
    assert not Delivery.objects.exists()


def test_what_did_not_happen_is_not_told(study: Study, hook: Webhook) -> None:
    session = SessionFactory.create(study=study, turn_count=2)
    with transaction.atomic():
        services.end_session(session.pk)
        transaction.set_rollback(True)
    assert not Delivery.objects.exists()


def test_a_quota_is_told_with_the_interview_that_reaches_it(study: Study, hook: Webhook) -> None:
    Study.objects.filter(pk=study.pk).update(quota=2)
    registration.change(hook, by="ana", events=["study.quota_reached"])
    over(study)
    over(study, simulated=True)
    assert not Delivery.objects.exists()
    over(study)
    over(study)
    row = Delivery.objects.get()
    assert (row.event, row.payload["completed"], row.payload["quota"]) == (
        "study.quota_reached",
        2,
        2,
    )


def test_a_turn_that_fails_for_good_is_told_each_time(study: Study, hook: Webhook) -> None:
    session = SessionFactory.create(study=study)
    past = timezone.now() - timedelta(minutes=5)
    turn = TurnFactory.create(
        session=session, status="running", attempt=9, fence=9, lease_until=past
    )
    services.sweep()
    services.sweep()
    row = Delivery.objects.get()
    assert (row.event, row.payload["turn"]) == ("session.failed", 0)
    Turn.objects.filter(pk=turn.pk).update(status="running", fence=10, lease_until=past)
    services.sweep()
    assert Delivery.objects.count() == 2


def test_it_is_tried_five_times_more_and_then_given_up(
    study: Study, hook: Webhook, receiver: Receiver
) -> None:
    receiver.status = 503
    over(study)
    row = Delivery.objects.get()
    for attempt, pause in enumerate(BACKOFF, start=1):
        before = timezone.now()
        assert not deliver(row.pk)
        row.refresh_from_db()
        assert (row.status, row.attempts, row.answered) == ("waiting", attempt, 503)
        assert row.answer == "not now"
        assert before + pause <= row.next_at <= timezone.now() + pause
        assert delivery.sweep() == 0
        due_again()
        assert delivery.sweep() == 1
        assert delivery.sweep() == 0
    deliver(row.pk)
    row.refresh_from_db()
    assert (row.status, row.attempts) == ("failed", 6)
    due_again()
    assert delivery.sweep() == 0
    assert len(receiver.got) == 6
    receiver.status = 204
    delivery.replay(row)
    assert deliver(row.pk)
    row.refresh_from_db()
    assert (row.status, row.attempts, len(receiver.got)) == ("delivered", 1, 7)


def test_a_redirect_and_an_address_that_has_become_private_are_not_followed(
    study: Study, hook: Webhook, receiver: Receiver, settings: Any
) -> None:
    receiver.status, receiver.location = 302, receiver.url
    over(study)
    row = Delivery.objects.get()
    deliver(row.pk)
    row.refresh_from_db()
    assert (row.answered, len(receiver.got)) == (302, 1)
    assert "not followed" in row.answer
    settings.WEBHOOKS_TO_LOOPBACK = False
    due_again()
    deliver(row.pk)
    row.refresh_from_db()
    assert (row.answered, len(receiver.got)) == (None, 1)
    assert "not a public address" in row.answer


def test_where_nothing_listens_the_reason_is_kept(
    study: Study, hook: Webhook, receiver: Receiver
) -> None:
    receiver.stop()
    over(study)
    row = Delivery.objects.get()
    assert not deliver(row.pk)
    row.refresh_from_db()
    assert (row.status, row.answered) == ("waiting", None)
    assert row.answer.startswith("ConnectError")
    row.created_at = timezone.now() - timedelta(days=31)
    row.save()
    delivery.sweep()
    assert not Delivery.objects.exists()


def test_without_a_webhook_an_ending_costs_one_query_more(
    study: Study, django_assert_num_queries: Any
) -> None:
    session = SessionFactory.create(study=study)
    with django_assert_num_queries(1):
        outbox.completed(session.pk)


def test_webhooks_over_the_api(study: Study, receiver: Receiver, program: Programs) -> None:
    manager = program("manage")
    body = {"study": study.slug, "url": receiver.url, "events": ["session.completed"]}
    private = manager.post("/api/webhooks/", body | {"url": "http://169.254.169.254/"})
    assert "not a public address" in problem(private, 422, "webhook_refused", "url")
    problem(
        manager.post("/api/webhooks/", body | {"events": ["x"]}), 422, "invalid_choice", "events.0"
    )
    problem(manager.post("/api/webhooks/", body | {"study": "none"}), 404, "not_found", "study")
    problem(program("read", "collect").post("/api/webhooks/", body), 403, "scope_missing")
    made = manager.post("/api/webhooks/", body, Idempotency_Key="one")
    again = manager.post("/api/webhooks/", body, Idempotency_Key="one")
    assert (made.status_code, again.json()) == (201, made.json())
    hook = Webhook.objects.get()
    one = f"/api/webhooks/{hook.pk}/"
    assert made["Location"] == one
    assert made.json()["secret"] == unseal(hook.secret)
    assert made.json()["secret"] not in hook.secret
    assert "secret" not in manager.get(one).json()
    over(study)
    deliver(Delivery.objects.get().pk)
    [told] = manager.get(f"{one}deliveries/?status=delivered").json()["results"]
    assert (told["answered"], told["attempts"]) == (204, 1)
    replayed = manager.post(f"/api/deliveries/{told['id']}/replay/")
    assert (replayed.status_code, replayed.json()["status"]) == (202, "waiting")
    changed = manager.patch(one, {"active": False})
    assert (changed.json()["active"], changed.json()["url"]) == (False, receiver.url)
    stranger = program("manage", of=researcher_elsewhere())
    problem(stranger.get(one), 404, "not_found")
    problem(stranger.post(f"/api/deliveries/{told['id']}/replay/"), 404, "not_found")
    assert manager.delete(one).status_code == 204
    assert not Delivery.objects.exists()


def researcher_elsewhere() -> Any:
    somebody = researcher()
    somebody.teams.clear()
    return somebody
