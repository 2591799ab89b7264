"""Programs that come to the API: with a token of a person, or of a link."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches

from interviews import access_tokens
from tests.factories import researcher
from tests.programs import Program, Programs


@pytest.fixture(autouse=True)
def _unthrottled() -> Iterator[None]:
    """What one test asks does not count for the next."""
    caches["throttles"].clear()
    yield
    caches["throttles"].clear()


@pytest.fixture
def person() -> User:
    """A researcher."""
    return researcher()


@pytest.fixture
def program(person: User) -> Programs:
    """Make a program of somebody with some scopes."""

    def made(*scopes: str, of: User | None = None) -> Program:
        return Program(access_tokens.make(of or person, "test", scopes, by="test")[1])

    return made
