"""The graph that a process keeps between two turns, and when it does not use it."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from django.db import DataError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from graphs.models import KGNode
from graphs.resident import resident_graphs
from graphs.tracker import NodeStateTracker
from interviews import services
from interviews.bench.stub import StubGateway
from interviews.errors import LeaseLost
from interviews.models import Session, Turn
from interviews.modes.common.endings import RESPONDENT_ENDED
from interviews.pipeline import runner, sql, store
from interviews.pipeline.assembly import build_engine
from interviews.pipeline.engine import Engine
from interviews.turns.context import TurnContext, TurnJob
from interviews.turns.deadline import Deadline
from tests.integration.pipeline.conftest import ANSWER, HashEmbedder

pytestmark = pytest.mark.django_db(transaction=True)


def claimed(session: Session) -> TurnJob:
    """The session's next turn, with an answer to it."""
    accepted = services.accept_answer(session.pk, ANSWER)
    job = store.claim(Turn.objects.get(session=session, number=accepted.turn_number).pk)
    assert job is not None
    return job


def answer(session: Session, engine: Engine) -> None:
    accepted = services.accept_answer(session.pk, ANSWER)
    turn = Turn.objects.get(session=session, number=accepted.turn_number)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE


def stored(tracker: NodeStateTracker) -> object:
    return tracker.to_dict(), {key: state.created_at_turn for key, state in tracker.states.items()}


def test_a_turn_finds_in_memory_what_it_would_load(session: Session, engine: Engine) -> None:
    for _ in range(3):
        answer(session, engine)
    job = claimed(session)
    kept = store.load(job)
    anew = store.load(job)  # the first has taken what was kept
    assert kept.graph is not anew.graph
    for part in ("nodes", "edges", "slots", "mappings", "canonical_edges", "said_before"):
        assert list(getattr(kept.graph, part).items()) == list(getattr(anew.graph, part).items())
    assert stored(kept.tracker) == stored(anew.tracker)
    assert kept.session == anew.session
    assert kept.utterances == anew.utterances
    random = np.random.default_rng(1).standard_normal(384).astype(np.float32)
    queries = [(name, random) for name in {n.node_type for n in anew.graph.nodes.values()}]
    with CaptureQueriesContext(connection) as read:
        found = kept.neighbours.nodes(queries, 50)
    assert len(read) == 0
    assert [dict(near) for near in found] == [
        pytest.approx(dict(near)) for near in anew.neighbours.nodes(queries, 50)
    ]


def test_a_graph_is_loaded_where_the_interview_went_on_elsewhere(
    session: Session, engine: Engine
) -> None:
    answer(session, engine)
    here = resident_graphs.take(str(session.pk))
    assert here is not None
    answer(session, engine)
    resident_graphs.keep(str(session.pk), here)  # as a process has it that did not do that turn
    loaded = store.load(claimed(session))
    assert loaded.graph is not here.graph
    assert len(loaded.graph.nodes) == 2 * StubGateway.CONCEPTS == 2 * len(here.graph.nodes)


def test_a_turn_that_failed_leaves_no_graph_behind(session: Session, engine: Engine) -> None:
    answer(session, engine)
    job = claimed(session)
    context = TurnContext(job, store.load(job), Deadline(45, lambda: 0.0))
    engine.run(context)
    store.release(job, error="out of luck", final=False)
    again = store.claim(job.turn_id)
    assert again is not None
    assert store.load(again).graph.nodes.keys() == {
        str(pk) for pk in KGNode.objects.filter(session=session).values_list("pk", flat=True)
    }


def test_a_commit_that_fails_leaves_no_graph_behind(
    session: Session, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = claimed(session)
    context = TurnContext(job, store.load(job), Deadline(45, lambda: 0.0))
    engine.run(context)
    monkeypatch.setattr(sql, "WAITING", "SELECT 1 / 0, %(session)s::uuid, %(number)s::int")
    with pytest.raises(DataError), transaction.atomic():
        store.commit(context, latency_ms=1)
    assert resident_graphs.take(job.session_id) is None


def test_a_lost_turn_is_lost_whatever_its_graph_collides_with(session: Session) -> None:
    """Two workers found the same new concepts; the one whose lease ran out must not fail."""
    engines = [
        build_engine(runner._observe, gateway=StubGateway(), embedder=HashEmbedder())
        for _ in range(2)
    ]
    job = claimed(session)
    context = TurnContext(job, store.load(job), Deadline(45, lambda: 0.0))
    engines[0].run(context)
    Turn.objects.filter(pk=job.turn_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert runner.process_turn(job.turn_id, engine=engines[1]) is runner.Outcome.DONE
    labels = {node.label for node in context.graph.nodes.values()}
    assert labels == set(KGNode.objects.filter(session=session).values_list("label", flat=True))
    with pytest.raises(LeaseLost):
        store.commit(context, latency_ms=1)
    assert KGNode.objects.filter(session=session).count() == StubGateway.CONCEPTS


def test_a_commit_names_the_turn_whose_answer_waits(session: Session, engine: Engine) -> None:
    job = claimed(session)
    for _ in range(3):  # too long to be one answer with the one before
        services.accept_answer(session.pk, "x" * 7990)
    waiting = Turn.objects.get(session=session, number=job.number + 1)
    context = TurnContext(job, store.load(job), Deadline(45, lambda: 0.0))
    engine.run(context)
    committed = store.commit(context, latency_ms=1)
    assert committed.waiting == str(waiting.pk)
    question = Turn.objects.get(pk=job.turn_id).question
    assert question is not None
    assert committed.sequence == question.sequence


def test_nothing_of_an_erased_interview_is_kept(session: Session, engine: Engine) -> None:
    answer(session, engine)
    services.erase_session(session.pk, by="anna")
    assert resident_graphs.take(str(session.pk)) is None


def test_an_interview_that_the_respondent_ends_is_forgotten(
    session: Session, engine: Engine
) -> None:
    answer(session, engine)
    services.end_session(session.pk, reason=RESPONDENT_ENDED)
    assert resident_graphs.take(str(session.pk)) is None


def test_an_ended_interview_keeps_no_graph(session: Session, engine: Engine) -> None:
    while not session.is_over:
        answer(session, engine)
        session.refresh_from_db()
    assert resident_graphs.take(str(session.pk)) is None
