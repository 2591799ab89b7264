"""A form as it works without a script."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from interviews import vault
from interviews.models import Session, Utterance
from tests.integration.chat.conftest import begun

pytestmark = pytest.mark.django_db(transaction=True)

FIELDS: list[dict[str, Any]] = [
    {"key": "email", "type": "email", "label": "Mail", "required": True},
    {"key": "note", "type": "text"},
]


@pytest.fixture
def token() -> str:
    """The link of an interview whose form is open."""
    interview = begun(data_fields=FIELDS)
    Utterance.objects.filter(session_id=interview.id).update(
        block={
            "kind": "form",
            "fields": [field | {"help": "", "options": []} for field in FIELDS],
            "options": ["I'd rather not give these"],
        }
    )
    Session.objects.filter(pk=interview.id).update(
        epilogue={"step": "fields", "consent": "given", "reason": "max_turns_reached"}
    )
    return interview.token


def send(client: Client, token: str, **values: str) -> str:
    page = client.get(reverse("chat:interview", args=[token])).content.decode()
    found = re.search(r'name="client_message_id" value="([^"]+)"', page)
    assert found is not None
    return client.post(
        reverse("chat:fields", args=[token]),
        {"client_message_id": found[1], **values},
        follow=True,
    ).content.decode()


def test_it_posts_and_the_interview_is_over(client: Client, token: str) -> None:
    page = send(client, token, email="jo@example.org", note="")
    assert "Thank you" in page
    session = Session.objects.get()
    assert vault.values_of(session.pk) == {"email": "jo@example.org"}
    assert session.termination_reason == "max_turns_reached"


def test_what_was_typed_comes_back_beside_what_is_wrong_with_it(client: Client, token: str) -> None:
    page = send(client, token, email='jo"<', note="call me")
    assert "Mail should look like name@example.org." in page
    assert 'value="jo&quot;&lt;"' in page
    assert ">call me</textarea>" in page
    assert vault.values_of(Session.objects.get().pk) == {}


def test_its_button_declines_it(client: Client, token: str) -> None:
    address = reverse("chat:choose", args=[token])
    page = client.post(address, {"option": "I'd rather not give these"}, follow=True)
    assert "Thank you" in page.content.decode()
    assert vault.values_of(Session.objects.get().pk) == {}
