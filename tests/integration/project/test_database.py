"""How statements reach the database."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

ROOT = Path(__file__).resolve().parents[3]
OPTIONS = (
    "from django.conf import settings; print(sorted(settings.DATABASES['default']['OPTIONS']))"
)


@pytest.mark.django_db
def test_a_statement_that_repeats_is_kept_prepared() -> None:
    with connection.cursor() as cursor:
        for app in ["graphs"] * (settings.PREPARE_FROM + 1):
            cursor.execute("SELECT count(*) FROM django_migrations WHERE app = %s", [app])
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        kept = [statement for (statement,) in cursor.fetchall()]
    assert "SELECT count(*) FROM django_migrations WHERE app = $1" in kept


def test_plans_are_not_kept_where_the_settings_say_so() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"} | {
        "DB_PREPARE": "false",
        "DB_POOL_SIZE": "0",
        "DJANGO_SETTINGS_MODULE": "interview_project.settings",
    }
    found = subprocess.run(
        [sys.executable, "-c", OPTIONS],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    assert found.stdout.strip() == "[]"
