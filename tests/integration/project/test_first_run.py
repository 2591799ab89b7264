"""What a start makes sure of."""

from __future__ import annotations

import socket

import pytest
from django.contrib.auth import authenticate, get_user_model
from django.test import RequestFactory

from interview_project.errors import ConfigurationError
from interview_project.first_run import first_administrator, require_free_port


@pytest.mark.django_db
def test_the_first_administrator_gets_a_password_that_works_and_only_once() -> None:
    password = first_administrator()
    assert password is not None
    request = RequestFactory().post("/admin/login/")
    user = authenticate(request, username="admin", password=password)
    assert user is not None
    assert user.is_active
    assert get_user_model().objects.get().is_superuser
    assert first_administrator() is None


@pytest.mark.django_db
def test_where_an_administrator_exists_none_is_made() -> None:
    get_user_model().objects.create_superuser("ada", password="x" * 20)
    assert first_administrator() is None
    assert [user.get_username() for user in get_user_model().objects.all()] == ["ada"]


def test_a_port_in_use_is_named_with_the_variable_that_changes_it() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError, match=rf"^Port {port} .*\n.*PORT={port + 1} make"):
            require_free_port("127.0.0.1", port)
    require_free_port("127.0.0.1", port)
