"""Invitations by mail: sent once, reminded once, and never to whom it is no use."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from cryptography.fernet import Fernet
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from interviews import mailing, services
from interviews.errors import InterviewError
from interviews.invitations import invite_all, open_token
from interviews.mailing import Kind
from interviews.models import AuditEntry, Invitation, InvitationMail, Study
from interviews.sealed import unseal
from tests.factories import SessionFactory, StudyFactory, researcher

pytestmark = pytest.mark.django_db

LIST = b"note;email\nAna;ana@example.org\nBen;ben@example.org\n"


@pytest.fixture(autouse=True)
def post(settings: Any) -> Any:
    settings.MAIL_CONFIGURED = True
    settings.PUBLIC_URL = "https://interviews.example"
    return settings


@pytest.fixture
def study() -> Study:
    return StudyFactory.create(slug="rain", name="Rain", status="live", language="de")


@pytest.fixture
def listed(study: Study) -> Study:
    made, faults = invite_all(study, LIST, by="ann")
    assert (len(made), faults) == (2, [])
    return study


def sent(study: Study, kind: Kind) -> list[str]:
    """Ask for the mails of a kind, have a worker send them; whom they went to."""
    mail.outbox.clear()
    mailing.ask(study, kind, by="ann")
    mailing.send(str(study.pk))
    return sorted(one.to[0] for one in mail.outbox)


def test_invitations_go_out_once_and_reminders_to_those_who_have_not_begun(listed: Study) -> None:
    assert sent(listed, Kind.REMINDER) == []  # nobody is reminded of what never came
    assert sent(listed, Kind.INVITATION) == ["ana@example.org", "ben@example.org"]
    text = mail.outbox[0].body
    assert mail.outbox[0].subject == "Einladung: Rain"
    link = next(line for line in text.splitlines() if line.startswith("https://"))
    ana = open_token(link.rstrip("/").rsplit("/", 1)[-1])
    assert unseal(ana.sealed_address) == mail.outbox[0].to[0]
    assert sent(listed, Kind.INVITATION) == []
    ana.session = SessionFactory.create(study=listed)
    ana.save()
    left = ({"ana@example.org", "ben@example.org"} - {unseal(ana.sealed_address)}).pop()
    assert sent(listed, Kind.REMINDER) == [left]
    assert mail.outbox[0].subject == "Erinnerung: Rain"
    assert sent(listed, Kind.REMINDER) == []
    told = list(AuditEntry.objects.filter(action="mailed").values_list("fields", flat=True))
    assert sorted(told) == [["1 reminders"], ["2 invitations"]]


def test_whoever_began_or_was_withdrawn_between_asking_and_sending_is_spared(
    listed: Study,
) -> None:
    mailing.ask(listed, Kind.INVITATION, by="ann")
    Invitation.objects.filter(note="Ana").update(revoked_at=timezone.now())
    Invitation.objects.filter(note="Ben").update(session=SessionFactory.create(study=listed))
    assert mailing.send(str(listed.pk)) == 0
    assert mail.outbox == []
    assert mailing.figures(listed)["invitation_spared"] == 2


def test_a_mail_whose_worker_died_is_never_sent_a_second_time(
    listed: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: Any) -> None:
        raise SystemExit

    mailing.ask(listed, Kind.INVITATION, by="ann")
    with monkeypatch.context() as patch:
        patch.setattr("django.core.mail.message.EmailMessage.send", dies)
        with pytest.raises(SystemExit):
            mailing.send(str(listed.pk))
    assert mailing.send(str(listed.pk)) == 1  # the other one
    figures = mailing.figures(listed)
    assert (figures["invitation_sending"], figures["invitation_sent"]) == (1, 1)


def test_addresses_are_sealed_turned_with_the_keys_and_go_with_the_interview(
    listed: Study, post: Any
) -> None:
    ana = Invitation.objects.get(note="Ana")
    assert "ana" not in ana.sealed_address
    old = post.PERSONAL_DATA_KEYS
    post.PERSONAL_DATA_KEYS = [Fernet.generate_key().decode(), *old]
    call_command("rotate_personal_data")
    post.PERSONAL_DATA_KEYS = post.PERSONAL_DATA_KEYS[:1]
    ana.refresh_from_db()
    assert unseal(ana.sealed_address) == "ana@example.org"
    session = services.begin(ana)
    services.erase_session(session.pk, by="ann")
    ana.refresh_from_db()
    assert ana.sealed_address == ""


def test_a_list_with_wrong_addresses_makes_nothing_and_says_all_of_it(listed: Study) -> None:
    wrong = b"note,email\n,no address\n,eve@example.org\n,EVE@example.org\n,Ana@Example.org\n"
    made, faults = invite_all(listed, wrong, by="ann")
    assert made == []
    assert [(one.row, one.column) for one in faults] == [(1, "email"), (3, "email"), (4, "email")]
    assert "row 2" in faults[1].message
    assert Invitation.objects.count() == 2


def test_without_a_mail_server_nothing_can_be_asked_for(
    listed: Study, post: Any, client: Client
) -> None:
    post.MAIL_CONFIGURED = False
    made, faults = invite_all(listed, b"email\neve@example.org\n", by="ann")
    assert (made, [one.column for one in faults]) == ([], ["email"])
    with pytest.raises(InterviewError, match="EMAIL_URL"):
        mailing.ask(listed, Kind.INVITATION, by="ann")
    client.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    html = client.get(reverse("admin:recruiting", args=["rain"])).content.decode()
    assert "EMAIL_URL" in html
    assert 'name="addresses"' not in html


def test_a_researcher_invites_by_mail_from_the_page(study: Study, client: Client) -> None:
    client.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    page = reverse("admin:recruiting", args=["rain"])
    wrong = client.post(page, {"addresses": "ana@example.org\nnobody"})
    assert wrong.status_code == 422
    assert "ana@example.org\nnobody" in wrong.content.decode()
    assert client.post(page, {"addresses": "ana@example.org"}).status_code == 302
    Study.objects.update(status="paused")
    client.post(page, {"mail": "invitation"})
    assert "once the study is live" in client.get(page).content.decode()
    assert not InvitationMail.objects.exists()
    Study.objects.update(status="live")
    assert "Send 1 invitation<" in client.get(page).content.decode()
    client.post(page, {"mail": "invitation"})
    mailing.send(str(study.pk))
    html = client.get(page).content.decode()
    assert "1 invitation sent" in html
    assert "ana@example.org" not in html
    assert client.post(page, {"mail": "spam"}).status_code == 404


class Postmaster:
    """Takes mail, refuses Ben for good and everybody else at first."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.busy = True

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, server: object, session: object, envelope: Any, address: str, options: object
    ) -> str:
        """Answer for one recipient."""
        if address.startswith("ben"):
            return f"550 no {address} here"
        if self.busy:
            return "451 try later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802 - aiosmtpd's name
        self, server: object, session: object, envelope: Any
    ) -> str:
        """Keep whom a mail went to."""
        self.taken.extend(envelope.rcpt_tos)
        return "250 OK"


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@pytest.fixture
def server(post: Any) -> Iterator[Postmaster]:
    handler = Postmaster()
    controller = Controller(handler, hostname="127.0.0.1", port=_free_port())
    controller.start()
    post.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    post.EMAIL_HOST = "127.0.0.1"
    post.EMAIL_PORT = controller.port
    yield handler
    controller.stop()


def test_a_mail_server_that_is_busy_is_asked_again_and_one_that_refuses_is_not(
    listed: Study, server: Postmaster
) -> None:
    mailing.ask(listed, Kind.INVITATION, by="ann")
    assert mailing.send(str(listed.pk)) == 0
    ana, ben = InvitationMail.objects.order_by("invitation__note")
    assert (ana.status, ben.status) == ("waiting", "failed")
    assert "550" in ben.error
    assert "@" not in ben.error + ana.error
    server.busy = False
    assert mailing.send(str(listed.pk)) == 0  # not due yet
    InvitationMail.objects.update(next_at=timezone.now() - timedelta(seconds=1))
    assert mailing.send(str(listed.pk)) == 1
    assert server.taken == ["ana@example.org"]
