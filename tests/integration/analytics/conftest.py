"""A client that may read the dashboards and take exports."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.factories import researcher


@pytest.fixture
def reader(client: Client, db: None) -> Client:
    client.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    return client
