"""The console's frame: every link at its side leads somewhere, and only to those who may go."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client

from tests.factories import analyst

pytestmark = pytest.mark.django_db


def links() -> list[str]:
    groups = settings.UNFOLD["SIDEBAR"]["navigation"]
    return [str(item["link"]) for group in groups for item in group["items"]]


def test_every_link_at_the_side_leads_somewhere(admin_client: Client) -> None:
    assert {link: admin_client.get(link).status_code for link in links()} == dict.fromkeys(
        links(), 200
    )


def test_the_side_shows_nobody_more_than_they_may_see(client: Client) -> None:
    client.force_login(analyst(), backend="django.contrib.auth.backends.ModelBackend")
    page = client.get("/admin/").content.decode()
    assert "/admin/interviews/study/" in page
    assert "/admin/interviews/invitation/" not in page
    assert "/admin/auth/user/" not in page


def test_the_bare_address_leads_to_the_dashboards_and_they_to_the_login(client: Client) -> None:
    first = client.get("/")
    assert (first.status_code, first.headers["Location"]) == (302, "/dashboard/")
    second = client.get("/dashboard/")
    assert second.status_code == 302
    assert second.headers["Location"].startswith("/admin/login/")


def test_repeated_failures_lock_the_login(client: Client) -> None:
    get_user_model().objects.create_superuser("ada", password="right-" * 5)
    form = {"username": "ada", "password": "wrong"}
    codes = [client.post("/admin/login/", form).status_code for _ in range(6)]
    assert codes[0] == 200
    assert codes[-1] == 429
    form["password"] = "right-" * 5
    assert client.post("/admin/login/", form).status_code == 429
