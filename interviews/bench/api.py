"""How long the addresses for programs take where there are thousands of interviews."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.test import Client

from graphs.models import KGEdge, KGNode, Mention
from interviews import access_tokens, audit
from interviews.bench.errors import BenchImpossible
from interviews.bench.sessions import fill
from interviews.bench.turn import counted_queries, rolled_back, study_for_bench
from interviews.models import AccessToken, Session, Study, Turn, Utterance

SESSIONS, NODES = 5000, 100
SAMPLES, WARM_UP = 20, 3
ANSWER = "The shoulder straps are soft, so I can walk further."
Asked = Callable[[int], Any]


def bench_api(sessions: int = SESSIONS, samples: int = SAMPLES) -> dict[str, Any]:
    """Return p50, p95 and queries of a page of the list, a graph, and a respond.

    Through the site's own addresses with a token; everything is rolled back.
    """
    with rolled_back():
        study = study_for_bench()
        fill(study, sessions)
        person = User.objects.create_superuser("bench-api")
        _, token = access_tokens.make(
            person, "bench", AccessToken.Scope.values, by=audit.COMMAND, days=1
        )
        client = Client(SERVER_NAME="localhost", headers={"Authorization": f"Bearer {token}"})
        graph = _with_graph(study).pk
        waiting = [_waits(study).pk for _ in range(WARM_UP + samples)]
        asked: dict[str, tuple[int, Asked]] = {
            "list": (200, lambda _: client.get("/api/sessions/")),
            "graph": (200, lambda _: client.get(f"/api/sessions/{graph}/graph/")),
            "respond": (202, lambda sample: _answered(client, waiting[sample])),
        }
        results = {name: _measured(*how, samples) for name, how in asked.items()}
    return results | {
        "conditions": {"sessions": sessions, "nodes": NODES, "page": 50, "samples": samples}
    }


def _answered(client: Client, session: UUID) -> Any:
    body = json.dumps({"text": ANSWER})
    return client.post(f"/api/sessions/{session}/respond/", body, content_type="application/json")


def _waits(study: Study) -> Session:
    """An interview whose opening question waits for its answer."""
    session = Session.objects.create(
        study=study,
        last_sequence=1,
        concept_version_id=study.concept_version_id,
        methodology_version_id=study.methodology_version_id,
    )
    asked = Utterance.objects.create(
        session=session, turn_number=0, sequence=1, speaker="interviewer", text="What is it like?"
    )
    Turn.objects.create(session=session, number=0, status=Turn.Status.DONE, question=asked)
    return session


def _with_graph(study: Study) -> Session:
    """An interview with a chain of `NODES` concepts, each of them quoted."""
    session = _waits(study)
    said = session.utterances.get()
    nodes = KGNode.objects.bulk_create(
        KGNode(session=session, label=f"concept {n}", node_type="attribute", first_turn=1)
        for n in range(NODES)
    )
    edges = KGEdge.objects.bulk_create(
        KGEdge(session=session, source=one, target=other, edge_type="leads_to")
        for one, other in pairwise(nodes)
    )
    place: dict[str, Any] = {"utterance": said, "quote": "What", "start": 0, "end": 4, "turn": 1}
    Mention.objects.bulk_create(
        [Mention(session=session, node=node, **place) for node in nodes]
        + [Mention(session=session, edge=edge, **place) for edge in edges]
    )
    return session


def _measured(expected: int, asked: Asked, samples: int) -> dict[str, Any]:
    taken, queries = [], 0
    for sample in range(WARM_UP + samples):
        with counted_queries() as count:
            started = time.perf_counter()
            response = asked(sample)
            elapsed = (time.perf_counter() - started) * 1000
        if response.status_code != expected:
            raise BenchImpossible(f"answered {response.status_code}: {response.content[:200]!r}")
        if sample >= WARM_UP:
            taken.append(elapsed)
            queries = max(queries, count())
    taken.sort()
    return {
        "p50_ms": round(statistics.median(taken), 1),
        "p95_ms": round(taken[int(0.95 * (len(taken) - 1))], 1),
        "queries": queries,
    }
