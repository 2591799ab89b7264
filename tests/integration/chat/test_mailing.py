"""One's own link by e-mail: offered where mail goes out, sent in the interview's language."""

from __future__ import annotations

import logging
from smtplib import SMTPException
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from django.urls import reverse

from interviews.chat import mailing
from interviews.chat.limits import AnswerRate
from interviews.invitations import invite, token_for
from interviews.models import Utterance
from tests.factories import StudyFactory
from tests.integration.chat.conftest import Interview, begun

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "ada.canary@example.org"


@pytest.fixture
def interview(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Interview:
    rate = AnswerRate(burst=mailing.MAILS, per_second=1 / mailing.WAIT_SECONDS, clock=lambda: 0.0)
    monkeypatch.setattr(mailing, "rate", rate)
    settings.MAIL_CONFIGURED = True
    return begun(language="it", name="Zaini")


def send(client: Client, interview: Interview, address: str = ADDRESS) -> str:
    form = reverse("chat:mail", args=[interview.token])
    return client.post(form, {"address": address}).content.decode()


def test_the_link_comes_by_mail_and_leads_back(client: Client, interview: Interview) -> None:
    own = reverse("chat:interview", args=[interview.token])
    form = reverse("chat:mail", args=[interview.token])
    assert f'href="{form}"' in client.get(own).content.decode()
    assert "Il Suo indirizzo e-mail" in client.get(form).content.decode()
    said = Utterance.objects.count()
    assert "in arrivo" in send(client, interview, f" {ADDRESS} ")
    (sent,) = mail.outbox
    assert sent.to == [ADDRESS]
    assert sent.subject == "Il Suo link: Zaini"
    link = next(line for line in sent.body.splitlines() if line.startswith("http"))
    assert link == f"http://testserver{own}"
    assert client.get(own).status_code == 200
    assert Utterance.objects.count() == said


@pytest.mark.parametrize(
    "address", ["", "ada", "ada@example", "a b@example.org", "a@b.org\nBcc: c@d.org", "x" * 300]
)
def test_what_is_no_address_is_said_beside_it_and_kept(
    client: Client, interview: Interview, address: str
) -> None:
    page = send(client, interview, address)
    assert 'aria-invalid="true"' in page
    assert "Questo non è un indirizzo" in page
    assert f'value="{address.strip()}"' in page
    assert mail.outbox == []


def test_nobody_is_flooded(client: Client, interview: Interview) -> None:
    for _ in range(mailing.MAILS):
        assert "in arrivo" in send(client, interview)
    assert "più volte" in send(client, interview)
    assert "più volte" in send(client, begun(language="it"))  # by another link neither
    assert len(mail.outbox) == mailing.MAILS


def test_a_server_that_takes_no_mail_is_said_and_the_address_is_in_no_log(
    client: Client,
    interview: Interview,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse(*_args: object) -> int:
        raise SMTPException(f"550 {ADDRESS}: no")

    monkeypatch.setattr(EmailBackend, "send_messages", refuse)
    with caplog.at_level(logging.DEBUG):
        assert "Al momento non è stato possibile" in send(client, interview)
    assert "link_not_mailed" in caplog.text
    assert ADDRESS not in caplog.text


def test_without_mail_nothing_is_offered(
    client: Client, interview: Interview, settings: Any
) -> None:
    settings.MAIL_CONFIGURED = False
    form = reverse("chat:mail", args=[interview.token])
    assert client.get(form).status_code == 404
    assert client.post(form, {"address": ADDRESS}).status_code == 404
    own = client.get(reverse("chat:interview", args=[interview.token]))
    assert form not in own.content.decode()
    assert mail.outbox == []


def test_a_link_that_has_not_begun_sends_nothing(client: Client, interview: Interview) -> None:
    waiting = token_for(invite(StudyFactory.create(status="live")))
    assert client.get(reverse("chat:mail", args=[waiting])).status_code == 404
