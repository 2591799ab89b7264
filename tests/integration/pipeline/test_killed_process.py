"""A real process dies at every point of a turn; the next one finishes it, once."""

from __future__ import annotations

import multiprocessing
from dataclasses import asdict
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from graphs.figures import graph_figures
from graphs.models import KGNode
from graphs.store import load_session_graph
from interviews import services
from interviews.bench.stub import StubGateway
from interviews.models import Session, SessionSummary, Turn, Utterance
from interviews.pipeline import runner
from interviews.pipeline.assembly import build_engine, stages
from interviews.pipeline.engine import Engine
from methodologies.registry import methodology_of
from tests.integration.pipeline.conftest import ANSWER, HashEmbedder

pytestmark = pytest.mark.django_db(transaction=True)

STAGES = [
    stage.name for stage in stages(gateway=StubGateway(), embedder=HashEmbedder(), by_mode={})
]
POINTS = ["claim", *STAGES, "commit"]


def die_at(turn_id: str, failpoint: str) -> None:
    from django.conf import settings

    settings.FAILPOINT = failpoint
    engine = build_engine(runner._observe, gateway=StubGateway(), embedder=HashEmbedder())
    runner.process_turn(turn_id, engine=engine)


def test_there_are_twelve_stages_in_the_documented_order() -> None:
    assert STAGES == [
        "context_loading",
        "utterance_saving",
        "srl_preprocessing",
        "extraction",
        "graph_update",
        "slot_discovery",
        "state_computation",
        "strategy_selection",
        "continuation",
        "question_generation",
        "response_saving",
        "scoring_persistence",
    ]


@pytest.mark.parametrize("point", POINTS)
def test_a_process_killed_at_any_point_loses_no_answer_and_applies_no_turn_twice(
    point: str, session: Session, engine: Engine
) -> None:
    services.accept_answer(session.pk, ANSWER)
    turn = Turn.objects.get(session=session, number=1)
    connections.close_all()
    process: Any = multiprocessing.get_context("fork").Process(
        target=die_at, args=(str(turn.pk), point)
    )
    process.start()
    process.join()
    assert process.exitcode == 137

    Turn.objects.filter(pk=turn.pk, status=Turn.Status.RUNNING).update(
        lease_until=timezone.now() - timedelta(seconds=1)
    )
    outcome = runner.process_turn(turn.pk, engine=engine)
    already_committed = point == "commit"
    assert outcome is (runner.Outcome.NOT_CLAIMED if already_committed else runner.Outcome.DONE)
    said = Utterance.objects.filter(session=session).order_by("sequence")
    assert [(u.sequence, u.speaker) for u in said] == [
        (1, "interviewer"),
        (2, "respondent"),
        (3, "interviewer"),
    ]
    assert said[1].text == ANSWER
    assert KGNode.objects.filter(session=session).count() == StubGateway.CONCEPTS
    session.refresh_from_db()
    assert session.turn_count == 1
    assert len(session.state["strategy_history"]) == 1
    assert session.graph_version == 2  # the opening and this turn
    summary = SessionSummary.objects.get(session=session)
    ontology = methodology_of(session.methodology_version).graph_ontology
    counted = asdict(graph_figures(load_session_graph(session.pk), ontology))
    assert {name: getattr(summary, name) for name in counted} == counted
    assert summary.nodes == StubGateway.CONCEPTS
    assert sum(summary.strategy_counts.values()) == 1
