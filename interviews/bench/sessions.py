"""How long the list of sessions takes where there are thousands."""

from __future__ import annotations

import statistics
import time
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from interviews.bench.errors import BenchImpossible
from interviews.bench.turn import counted_queries, rolled_back, study_for_bench
from interviews.models import Session, SessionSummary, Study

SESSIONS = 5000
SAMPLES, WARM_UP = 20, 3
AT_ONCE = 1000
"""Rows; a statement has room for some 65,000 values."""
PAGES = {"first_page": "/dashboard/", "last_page": "/dashboard/?page=last"}


def bench_sessions(sessions: int = SESSIONS, samples: int = SAMPLES) -> dict[str, Any]:
    """Return p50 and greatest milliseconds, and queries, of the list's first and last page.

    Through the site's own address, signed in, the page's HTML included; everything is rolled back.
    """
    with rolled_back():
        fill(study_for_bench(), sessions)
        client = Client(SERVER_NAME="localhost")
        client.force_login(
            User.objects.create_superuser("bench-sessions"),
            "django.contrib.auth.backends.ModelBackend",
        )
        results = {name: _measured(client, page, samples) for name, page in PAGES.items()}
    return results | {"conditions": {"sessions": sessions, "samples": samples}}


def fill(study: Study, sessions: int) -> None:
    """Store so many open interviews of a study, each with its summary."""
    versions = {
        "concept_version_id": study.concept_version_id,
        "methodology_version_id": study.methodology_version_id,
    }
    rows = Session.objects.bulk_create(
        (Session(study=study, turn_count=number % 15, **versions) for number in range(sessions)),
        batch_size=AT_ONCE,
    )
    SessionSummary.objects.bulk_create(
        (
            SessionSummary(session=row, nodes=20, edges=18, chains=4, strategy_counts={"deepen": 5})
            for row in rows
        ),
        batch_size=AT_ONCE,
    )


def _measured(client: Client, address: str, samples: int) -> dict[str, Any]:
    taken, queries = [], 0
    for sample in range(WARM_UP + samples):
        with counted_queries() as count:
            started = time.perf_counter()
            response = client.get(address)
            elapsed = (time.perf_counter() - started) * 1000
        if response.status_code != 200:
            raise BenchImpossible(f"{address} answered {response.status_code}")
        if sample >= WARM_UP:
            taken.append(elapsed)
            queries = max(queries, count())
    return {
        "p50_ms": round(statistics.median(taken), 1),
        "max_ms": round(max(taken), 1),
        "queries": queries,
    }
