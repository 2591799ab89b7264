"""The console's page of tokens and webhooks."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from interviews import access_tokens
from interviews.models import AccessToken, Delivery, Webhook
from interviews.sealed import unseal
from tests.factories import StudyFactory, analyst, researcher

pytestmark = pytest.mark.django_db
PAGE = "/admin/programs/"


def signed_in(person: User) -> Client:
    client = Client()
    client.force_login(person, "django.contrib.auth.backends.ModelBackend")
    return client


def test_a_token_is_made_shown_once_and_taken_back(person: User) -> None:
    client = signed_in(person)
    made = client.post(
        PAGE, {"act": "make-token", "name": "survey", "scopes": ["read"], "days": "30"}
    )
    row = AccessToken.objects.get()
    token = made.context["token"]
    assert access_tokens.open_token(token).pk == row.pk
    assert token in made.content.decode()
    assert token not in client.get(PAGE).content.decode()
    assert "survey" in client.get(PAGE).content.decode()
    nothing = client.post(PAGE, {"act": "make-token", "name": "x", "days": "30"})
    assert (nothing.status_code, nothing.context["faults"][0][:7]) == (422, "scopes:")
    other = signed_in(researcher())
    assert other.post(PAGE, {"act": "revoke", "id": str(row.pk)}).status_code == 404
    assert client.post(PAGE, {"act": "revoke", "id": str(row.pk)}).status_code == 302
    row.refresh_from_db()
    assert row.revoked_at is not None


def test_a_webhook_is_made_switched_sent_again_and_deleted(person: User, settings: Any) -> None:
    settings.WEBHOOKS_TO_LOOPBACK = True
    study = StudyFactory.create()
    client = signed_in(person)
    said = {
        "act": "make-webhook",
        "study": study.slug,
        "url": "http://127.0.0.1:9/hook",
        "events": ["session.completed"],
    }
    refused = client.post(PAGE, said | {"url": "http://10.0.0.1/"})
    assert refused.status_code == 422
    assert "not a public address" in refused.context["faults"][0]
    made = client.post(PAGE, said)
    hook = Webhook.objects.get()
    assert made.context["secret"] == unseal(hook.secret)
    told = Delivery.objects.create(
        webhook=hook, event="session.completed", subject="1", payload={}, status="failed"
    )
    Delivery.objects.filter(pk=told.pk).update(
        answered=503, answer="<b>busy</b>", tried_at=timezone.now()
    )
    page = client.get(PAGE).content.decode()
    assert "503 &lt;b&gt;busy&lt;/b&gt;" in page
    for person_, act, pk in (
        (analyst(), "switch", hook.pk),
        (analyst(), "replay", told.pk),
        (analyst(), "delete", hook.pk),
    ):
        assert signed_in(person_).post(PAGE, {"act": act, "id": str(pk)}).status_code == 404
    assert "hook" not in signed_in(analyst()).get(PAGE).context["hooks"]
    client.post(PAGE, {"act": "replay", "id": str(told.pk)})
    told.refresh_from_db()
    assert told.status == "waiting"
    client.post(PAGE, {"act": "switch", "id": str(hook.pk)})
    hook.refresh_from_db()
    assert not hook.active
    client.post(PAGE, {"act": "delete", "id": str(hook.pk)})
    assert not Webhook.objects.exists()
    assert client.post(PAGE, {"act": "delete", "id": "x"}).status_code == 404
