"""Who gets in, and how."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group
from django.core import mail
from django.http import Http404
from django.test import Client
from django.urls import reverse

from analytics import access
from analytics.rights import RIGHTS, Right, Role
from interviews.models import Team
from tests.factories import UserFactory, analyst, fresh_id, researcher, small_interview, somebody

pytestmark = pytest.mark.django_db
PASSWORD = "a long enough phrase"
SIGNED_IN = "django.contrib.auth.backends.ModelBackend"


def test_the_anonymous_are_sent_to_the_login_page_and_back(client: Client) -> None:
    address = reverse("analytics:session", args=[small_interview().pk])
    response = client.get(address)
    assert (response.status_code, response["Location"]) == (302, f"/admin/login/?next={address}")


def test_an_analyst_signs_in_at_the_one_door_and_changes_their_password(client: Client) -> None:
    user = analyst()
    user.set_password(PASSWORD)
    user.save()
    response = client.post(
        "/admin/login/?next=/dashboard/",
        {"username": user.username, "password": PASSWORD, "next": "/dashboard/"},
    )
    assert (response.status_code, response["Location"]) == (302, "/dashboard/")
    assert client.get("/dashboard/").status_code == 200
    assert client.get("/admin/").status_code == 200
    changed = client.post(
        reverse("admin:password_change"),
        {
            "old_password": PASSWORD,
            "new_password1": PASSWORD[::-1],
            "new_password2": PASSWORD[::-1],
        },
    )
    assert changed.status_code == 302
    user.refresh_from_db()
    assert user.check_password(PASSWORD[::-1])


@pytest.mark.parametrize("staff", [False, True])
def test_an_account_without_a_role_cannot_log_in_staff_or_not(client: Client, staff: bool) -> None:
    user = UserFactory.create(is_staff=staff)
    user.set_password(PASSWORD)
    user.save()
    response = client.post("/admin/login/", {"username": user.username, "password": PASSWORD})
    assert "This account has no role here" in response.content.decode()
    assert "_auth_user_id" not in client.session


def test_an_account_that_is_switched_off_opens_nothing() -> None:
    user = researcher()
    user.is_active = False
    assert access.roles_of(user) == frozenset()
    assert not access.sessions_of(user).exists()


def test_a_new_password_comes_by_mail_where_mail_is_configured(
    client: Client, settings: object
) -> None:
    user = UserFactory.create(email="ana@example.org")
    user.set_password(PASSWORD)
    user.save()
    page = reverse("admin:admin_password_reset")
    assert "This site sends no mail" in client.get(page).content.decode()
    client.post(page, {"email": user.email})
    assert mail.outbox == []
    settings.MAIL_CONFIGURED = True  # type: ignore[attr-defined]
    assert client.post(page, {"email": user.email}).status_code == 302
    link = next(line for line in mail.outbox[0].body.splitlines() if "/password_reset/" in line)
    form = client.get(link.replace("http://testserver", ""), follow=True)
    assert "Choose a password" in form.content.decode()
    chosen = {"new_password1": PASSWORD[::-1], "new_password2": PASSWORD[::-1]}
    client.post(form.request["PATH_INFO"], chosen)
    user.refresh_from_db()
    assert user.check_password(PASSWORD[::-1])


def test_what_is_not_there_is_not_found(client: Client) -> None:
    client.force_login(researcher(), SIGNED_IN)
    session = small_interview()
    for address in (
        reverse("analytics:session", args=[fresh_id()]),
        reverse("analytics:study", args=["no-such-study"]),
        reverse("analytics:session_export", args=[session.pk, "no-such-format"]),
    ):
        assert client.get(address).status_code == 404


def test_the_door_gives_what_is_a_teams_to_its_members_alone() -> None:
    session = small_interview()
    study = session.study
    other = somebody("researcher", Team.objects.create(name="Other"))
    for user in (researcher(), analyst(), somebody("administrator")):
        assert access.study_for(user, study.slug) == study
        assert access.session_for(user, session.pk) == session
    with pytest.raises(Http404):
        access.study_for(other, study.slug)
    with pytest.raises(Http404):
        access.session_for(other, session.pk)
    assert not access.studies_of(other).exists()


def test_lists_and_their_filters_name_nothing_of_another_team(client: Client) -> None:
    session = small_interview()
    session.study.name = "Secret raincoats"
    session.study.save()
    client.force_login(somebody("researcher", Team.objects.create(name="Other")), SIGNED_IN)
    for page in (
        "/dashboard/",
        reverse("admin:interviews_study_changelist"),
        reverse("admin:interviews_session_changelist"),
        reverse("admin:interviews_invitation_changelist"),
        reverse("admin:interviews_invitation_add"),
        reverse("admin:interviews_llmcall_changelist"),
    ):
        assert "Secret raincoats" not in client.get(page).content.decode()


def test_a_researcher_puts_people_into_their_team_and_takes_them_out(client: Client) -> None:
    user, newcomer = researcher(), somebody("analyst", Team.objects.create(name="Other"))
    session = small_interview()
    client.force_login(user, SIGNED_IN)
    page = reverse("admin:interviews_team_change", args=[Team.default().pk])
    client.post(page, {"name": "Default", "members": [user.pk, newcomer.pk]})
    assert access.session_for(newcomer, session.pk) == session
    client.post(page, {"name": "Default", "members": [user.pk]})
    assert not access.sessions_of(newcomer).exists()


def test_the_groups_that_are_roles_are_there_from_the_first_migration() -> None:
    assert set(Group.objects.values_list("name", flat=True)) == set(Role)


def test_an_analyst_reads_and_a_researcher_gives_no_accounts() -> None:
    assert RIGHTS[Role.ANALYST] == {Right.READ, Right.CORRECT}
    assert set(Right) - RIGHTS[Role.RESEARCHER] == {Right.PERSONAL, Right.ACCOUNTS}
    assert RIGHTS[Role.ADMINISTRATOR] == set(Right)
