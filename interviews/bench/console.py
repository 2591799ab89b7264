"""How long the console's pages take where there are thousands of interviews."""

from __future__ import annotations

import statistics
import time
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from interviews.bench.errors import BenchImpossible
from interviews.bench.sessions import fill
from interviews.bench.turn import counted_queries, rolled_back, study_for_bench
from interviews.models import Study, Team

SESSIONS, STUDIES = 5000, 200
SAMPLES, WARM_UP = 20, 2
PAGES = (
    "index",
    "monitor",
    "costs",
    "backtest",
    "interviews_study_changelist",
    "interviews_session_changelist",
    "interviews_invitation_changelist",
    "interviews_auditentry_changelist",
    "methodologies_methodology_changelist",
    "methodologies_concept_changelist",
    "interviews_team_changelist",
)


def bench_console(sessions: int = SESSIONS, samples: int = SAMPLES) -> dict[str, Any]:
    """Return queries and milliseconds of the console's pages; everything is rolled back."""
    with rolled_back():
        study = study_for_bench()
        fill(study, sessions)
        Study.objects.bulk_create(
            Study(slug=f"bench-{n}", name=f"Bench {n}", team=Team.default()) for n in range(STUDIES)
        )
        client = Client(SERVER_NAME="localhost")
        client.force_login(
            User.objects.create_superuser("bench-console"),
            "django.contrib.auth.backends.ModelBackend",
        )
        addresses = {name: reverse(f"admin:{name}") for name in PAGES}
        addresses["study"] = reverse("admin:study", args=[study.slug])
        pages = [_measured(client, name, path, samples) for name, path in addresses.items()]
    return {"sessions": sessions, "studies": STUDIES, "pages": pages}


def _measured(client: Client, name: str, address: str, samples: int) -> dict[str, Any]:
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
    taken.sort()
    return {
        "page": name,
        "queries": queries,
        "p50_ms": round(statistics.median(taken), 1),
        "p95_ms": round(taken[int(0.95 * (len(taken) - 1))], 1),
    }
