"""A client that may read the dashboards."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.factories import analyst


@pytest.fixture
def reader(client: Client, db: None) -> Client:
    client.force_login(analyst(), "django.contrib.auth.backends.ModelBackend")
    return client
