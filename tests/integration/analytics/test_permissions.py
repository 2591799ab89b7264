"""Who gets in."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from tests.factories import UserFactory, analyst, fresh_id, small_interview

pytestmark = pytest.mark.django_db


@pytest.fixture
def addresses() -> list[str]:
    session = small_interview()
    slug = session.study.slug
    return [
        reverse("analytics:home"),
        reverse("analytics:study", args=[slug]),
        reverse("analytics:session", args=[session.pk]),
        *(reverse("analytics:session_export", args=[session.pk, f]) for f in ("json", "csv")),
        *(reverse("analytics:study_export", args=[slug, f]) for f in ("json", "csv")),
    ]


def test_the_anonymous_are_sent_to_the_login_page(client: Client, addresses: list[str]) -> None:
    for address in addresses:
        response = client.get(address)
        assert (response.status_code, response["Location"]) == (
            302,
            f"/admin/login/?next={address}",
        )


def test_an_account_without_the_role_is_refused(client: Client, addresses: list[str]) -> None:
    client.force_login(UserFactory.create(), "django.contrib.auth.backends.ModelBackend")
    assert {client.get(address).status_code for address in addresses} == {403}


@pytest.mark.parametrize("role", ["analyst", "staff"])
def test_analysts_and_staff_may_read(client: Client, addresses: list[str], role: str) -> None:
    user = analyst() if role == "analyst" else UserFactory.create(is_staff=True)
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    assert {client.get(address).status_code for address in addresses} == {200}


def test_an_analyst_logs_in_at_the_consoles_door_and_stays_out_of_the_console(
    client: Client,
) -> None:
    user = analyst()
    user.set_password("a long enough phrase")
    user.save()
    response = client.post(
        "/admin/login/?next=/dashboard/",
        {"username": user.username, "password": "a long enough phrase", "next": "/dashboard/"},
    )
    assert (response.status_code, response["Location"]) == (302, "/dashboard/")
    assert client.get("/dashboard/").status_code == 200
    assert client.get("/admin/").status_code == 302


def test_an_account_without_a_role_cannot_log_in(client: Client) -> None:
    user = UserFactory.create()
    user.set_password("a long enough phrase")
    user.save()
    response = client.post(
        "/admin/login/", {"username": user.username, "password": "a long enough phrase"}
    )
    assert response.status_code == 200
    assert "_auth_user_id" not in client.session


def test_what_is_not_there_is_not_found(client: Client) -> None:
    client.force_login(analyst(), "django.contrib.auth.backends.ModelBackend")
    session = small_interview()
    for address in (
        reverse("analytics:session", args=[fresh_id()]),
        reverse("analytics:study", args=["no-such-study"]),
        reverse("analytics:session_export", args=[session.pk, "no-such-format"]),
    ):
        assert client.get(address).status_code == 404


def test_the_group_of_analysts_is_there_from_the_first_migration() -> None:
    assert Group.objects.filter(name="analyst").count() == 1
