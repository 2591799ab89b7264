"""Answers that are taken back or changed: nothing of them stays, and nothing else is touched."""

from __future__ import annotations

import json
import multiprocessing
import threading
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connections
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphs.store import load_session_graph
from interviews import graph_edits, services
from interviews.bench.stub import StubGateway
from interviews.errors import ErrorCode, InterviewError, LeaseLost
from interviews.llm.setup import build_gateway
from interviews.models import BeforeTurn, Session, SessionSummary, Study, Turn, Utterance
from interviews.pipeline import runner, store
from interviews.pipeline.assembly import build_engine
from interviews.pipeline.engine import Engine
from interviews.turns.context import TurnContext
from interviews.turns.deadline import Deadline
from tests.integration.pipeline.conftest import ANSWER, HashEmbedder

pytestmark = pytest.mark.django_db(transaction=True)

REFUSAL = "I'd rather not answer this"


def process(session: Session, number: int, engine: Engine) -> Turn:
    turn = Turn.objects.get(session=session, number=number)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    turn.refresh_from_db()
    return turn


def answer(
    session: Session, engine: Engine, text: str = ANSWER, *, replaces: UUID | None = None
) -> UUID:
    """Give an answer, have it worked on, and return its id."""
    message_id = uuid4()
    accepted = services.accept_answer(
        session.pk, text, client_message_id=message_id, replaces=replaces, seconds=5
    )
    process(session, accepted.turn_number, engine)
    return message_id


def standing(session: Session) -> dict[str, Any]:
    """All that an interview has come to, with ids as names that do not depend on chance."""
    session = Session.objects.get(pk=session.pk)
    graph = load_session_graph(session.pk)
    name = {node.id: f"{node.node_type}/{node.label}" for node in graph.nodes.values()}
    name |= {slot.id: f"slot/{slot.node_type}/{slot.slot_name}" for slot in graph.slots.values()}
    edge_name = {
        e.id: f"{name[e.source_id]} {e.edge_type} {name[e.target_id]}" for e in graph.edges.values()
    }
    stored = json.dumps([session.state, session.node_tracker_state], sort_keys=True)
    for id_, readable in name.items():
        stored = stored.replace(id_, json.dumps(readable)[1:-1])
    state, tracker = json.loads(stored)
    own = state["mode_state"]["data"]
    own["resting"] = sorted(own["resting"])  # by ids, which are chance
    summary = SessionSummary.objects.filter(session=session).values(
        "nodes", "edges", "chains", "active_slots", "saturation", "strategy_counts", "flags"
    )
    return {
        "nodes": [
            (name[n.id], n.stance, n.first_turn, name.get(n.superseded_by or ""))
            for n in graph.nodes.values()
        ],
        "edges": sorted((edge_name[e.id], e.first_turn) for e in graph.edges.values()),
        "mentions": sorted(
            (m.turn, m.start, m.end, m.quote, m.label, name.get(m.node_id or ""))
            for m in graph.mentions
            if m.node_id
        ),
        "slots": sorted(
            (name[s.id], s.status, s.support_count, s.first_seen_turn, s.promoted_turn or 0)
            for s in graph.slots.values()
        ),
        "mappings": sorted((name[m.node_id], name[m.slot_id]) for m in graph.mappings.values()),
        "canonical": sorted(
            (name[e.source_slot_id], e.edge_type, name[e.target_slot_id], e.support_count)
            for e in graph.canonical_edges.values()
        ),
        "state": state,
        "tracker": tracker,
        "summary": list(summary),
        "turn_count": session.turn_count,
        "said": list(session.utterances.order_by("sequence").values_list("speaker", "text")),
        "turns": list(session.turns.values_list("number", "status", "strategy", "active_seconds")),
        "open": (session.status, session.ended_at),
    }


def test_an_answer_is_taken_back_whole(session: Session, engine: Engine) -> None:
    answer(session, engine)
    before = standing(session)
    message_id = answer(session, engine, "The price is fine, so I can afford it.")
    assert standing(session) != before
    services.withdraw_answer(session.pk, message_id)
    assert standing(session) == before
    services.withdraw_answer(session.pk, message_id)  # again: nothing more happens
    assert standing(session) == before


def test_rows_of_an_answer_that_was_taken_back_stay_without_its_words(
    session: Session, engine: Engine
) -> None:
    message_id = answer(session, engine)
    services.withdraw_answer(session.pk, message_id)
    withdrawn = Turn.everything.get(session=session, status=Turn.Status.WITHDRAWN)
    assert (withdrawn.number, withdrawn.result, withdrawn.focus_label) == (1, {}, "")
    assert withdrawn.answer is not None
    assert withdrawn.question is not None
    rows = Utterance.everything.filter(session=session, withdrawn_at__isnull=False)
    assert [(u.sequence, u.text) for u in rows.order_by("sequence")] == [(2, ""), (3, "")]
    assert services.session_view(session.pk).withdrawn == (2, 3)
    assert not BeforeTurn.objects.filter(session=session).exists()


OPINIONS = (
    ANSWER,
    "It is light, and because it is light I can walk all day, which makes me feel free.",
    "Actually it is not light at all, it is heavy, and that annoys me.",
    "The many pockets help me find my things, so I stay calm.",
    "Soft straps, again. They keep my shoulders from hurting.",
    REFUSAL,
    "What do you mean?",
)


@settings(
    max_examples=12,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    said=st.lists(
        st.tuples(st.sampled_from(OPINIONS), st.lists(st.sampled_from(OPINIONS), max_size=2)),
        min_size=1,
        max_size=4,
    ),
    edited=st.booleans(),
)
def test_taking_back_and_answering_anew_is_as_if_nothing_had_been_taken_back(
    study: Study, said: Sequence[tuple[str, list[str]]], edited: bool
) -> None:
    """Whatever is said, and whatever was said first in its place, by one frame or by two."""
    engine = build_engine(runner._observe, gateway=build_gateway(), embedder=HashEmbedder())
    once, twice = (services.start_session(study, seed=7) for _ in range(2))
    for session in (once, twice):
        process(session, 0, engine)
    for text, first_said in said:
        answer(once, engine, text)
        for regretted in first_said:
            message_id = answer(twice, engine, regretted)
            if edited:
                message_id = answer(twice, engine, regretted, replaces=message_id)
            services.withdraw_answer(twice.pk, message_id)
        answer(twice, engine, text)
        assert standing(twice) == standing(once)


def test_slots_that_stay_keep_the_support_of_every_turn_that_said_them(study: Study) -> None:
    engine = build_engine(runner._observe, gateway=build_gateway(), embedder=HashEmbedder())
    session = services.start_session(study, seed=7)
    process(session, 0, engine)
    for _ in range(2):
        answer(session, engine)
    before = standing(session)
    assert max(support for _, _, support, _, _ in before["slots"]) == 2
    services.withdraw_answer(session.pk, answer(session, engine, OPINIONS[1]))
    assert standing(session) == before


def test_an_answer_is_changed_once_however_often_the_change_is_sent(
    session: Session, engine: Engine
) -> None:
    first, changed, accepted = answer(session, engine, REFUSAL), uuid4(), []

    def send() -> None:
        try:
            accepted.append(
                services.accept_answer(
                    session.pk, ANSWER, client_message_id=changed, replaces=first
                )
            )
        finally:
            connections.close_all()

    threads = [threading.Thread(target=send) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(a.duplicate for a in accepted) == [False, True, True, True, True]
    assert {(a.sequence, a.turn_number) for a in accepted} == {(4, 1)}
    process(session, 1, engine)
    assert [u.sequence for u in session.utterances.order_by("sequence")] == [1, 4, 5]


def test_a_worker_that_thinks_about_an_answer_that_is_taken_back_writes_nothing(
    session: Session, engine: Engine
) -> None:
    message_id = uuid4()
    services.accept_answer(session.pk, ANSWER, client_message_id=message_id)
    job = store.claim(Turn.objects.get(session=session, number=1).pk)
    assert job is not None
    context = TurnContext(job, store.load(job), Deadline(45, lambda: 0.0))
    engine.run(context)
    before = Session.objects.filter(pk=session.pk).values().get()
    services.withdraw_answer(session.pk, message_id)
    with pytest.raises(LeaseLost):
        store.commit(context, latency_ms=1)
    assert Session.objects.filter(pk=session.pk).values().get() == before
    assert not load_session_graph(session.pk).nodes
    answer(session, engine)
    assert len(load_session_graph(session.pk).nodes) == StubGateway.CONCEPTS


def test_an_answer_that_waits_is_taken_back_before_anybody_has_begun_with_it(
    session: Session, engine: Engine
) -> None:
    message_id = uuid4()
    services.accept_answer(session.pk, ANSWER, client_message_id=message_id)
    turn = Turn.objects.get(session=session, number=1)
    services.withdraw_answer(session.pk, message_id)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.NOT_CLAIMED
    assert services.session_view(session.pk).pending is None
    answer(session, engine)


def test_half_a_minute_long_an_earlier_answer_can_be_taken_back_with_those_after_it(
    session: Session, engine: Engine
) -> None:
    before = standing(session)
    first = answer(session, engine)
    answer(session, engine, "The many pockets help me.")
    services.withdraw_answer(session.pk, first)
    assert standing(session) == before


def test_later_only_the_newest_answer_can_be_taken_back(session: Session, engine: Engine) -> None:
    first = answer(session, engine)
    second = answer(session, engine)
    long_ago = timezone.now() - timedelta(minutes=10)
    session.utterances.update(created_at=long_ago)
    BeforeTurn.objects.update(kept_at=long_ago)
    before = standing(session)
    with pytest.raises(InterviewError) as refused:
        services.withdraw_answer(session.pk, first)
    assert refused.value.code is ErrorCode.ANSWER_SETTLED
    assert standing(session) == before
    third = answer(session, engine)
    assert BeforeTurn.objects.get(session=session).turn.number == 3
    services.withdraw_answer(session.pk, third)
    with pytest.raises(InterviewError) as refused:
        services.withdraw_answer(session.pk, second)
    assert refused.value.code is ErrorCode.ANSWER_SETTLED
    assert standing(session) == before


def test_an_edit_by_hand_survives_the_answer_that_is_taken_back(
    session: Session, engine: Engine
) -> None:
    answer(session, engine)
    known = next(iter(load_session_graph(session.pk).nodes.values()))
    message_id = answer(
        session,
        engine,
        "The price is fine for all that it does, so I can afford another trip with my family.",
    )
    graph_edits.relabel_node(session.pk, known.id, "another name", embedder=HashEmbedder())
    removed = [n for n in load_session_graph(session.pk).nodes.values() if n.first_turn == 1][-1]
    graph_edits.remove_node(session.pk, removed.id)
    services.withdraw_answer(session.pk, message_id)
    graph = load_session_graph(session.pk)
    assert graph.nodes[known.id].label == "another name"
    assert removed.id not in graph.nodes
    assert len(graph.nodes) == StubGateway.CONCEPTS - 1
    answer(session, engine)


@pytest.mark.parametrize("ended", [True, False])
def test_nothing_is_taken_back_of_a_paused_or_ended_interview(
    ended: bool, session: Session, engine: Engine
) -> None:
    message_id = answer(session, engine)
    (services.end_session if ended else services.pause_session)(session.pk)
    before = standing(session)
    for attempt in (
        lambda: services.withdraw_answer(session.pk, message_id),
        lambda: services.accept_answer(session.pk, "Another", replaces=message_id),
    ):
        with pytest.raises(InterviewError) as refused:
            attempt()
        expected = ErrorCode.SESSION_OVER if ended else ErrorCode.SESSION_PAUSED
        assert refused.value.code is expected
    assert standing(session) == before
    assert BeforeTurn.objects.filter(session=session).exists() is not ended


def test_an_answer_of_somebody_else_is_not_known(
    session: Session, study: Study, engine: Engine
) -> None:
    other = services.start_session(study, seed=2)
    process(other, 0, engine)
    theirs = answer(other, engine)
    before = standing(session)
    for attempt in (
        lambda: services.withdraw_answer(session.pk, theirs),
        lambda: services.accept_answer(session.pk, "Mine", replaces=theirs),
    ):
        with pytest.raises(InterviewError) as refused:
            attempt()
        assert refused.value.code is ErrorCode.ANSWER_UNKNOWN
    assert standing(session) == before


def change_and_die(session_id: UUID, first: UUID, changed: UUID, at: int) -> None:
    """Change an answer in this process, which is killed before its statement number `at`."""
    import os

    from django.db import connection

    count = 0

    def killed(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal count
        count += 1
        if count == at:
            os._exit(137)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(killed):
        services.accept_answer(session_id, ANSWER, client_message_id=changed, replaces=first)
    os._exit(0)


def test_a_process_killed_at_any_point_of_a_change_leaves_one_answer_or_the_other(
    session: Session, engine: Engine
) -> None:
    first, changed = (
        answer(
            session,
            engine,
            "The price is fine for all that it does, so I can afford another trip with my family.",
        ),
        uuid4(),
    )
    before = standing(session)
    for statement in range(1, 100):
        connections.close_all()
        process_: Any = multiprocessing.get_context("fork").Process(
            target=change_and_die, args=(session.pk, first, changed, statement)
        )
        process_.start()
        process_.join()
        if process_.exitcode == 0:
            break
        assert process_.exitcode == 137
        assert standing(session) == before
    assert statement > 10
    again = services.accept_answer(session.pk, ANSWER, client_message_id=changed, replaces=first)
    assert again.duplicate
    process(session, 1, engine)
    texts = list(session.utterances.order_by("sequence").values_list("text", flat=True))
    assert len(texts) == 3
    assert texts[1] == ANSWER


def test_progress_never_falls_and_the_time_left_never_grows(
    session: Session, engine: Engine
) -> None:
    first = services.session_view(session.pk)
    message_id = answer(session, engine)
    further = services.session_view(session.pk)
    assert further.progress > first.progress
    assert further.minutes_left <= first.minutes_left
    services.withdraw_answer(session.pk, message_id)
    back = services.session_view(session.pk)
    assert back.progress == further.progress
    assert back.minutes_left <= further.minutes_left
    assert back.questions_left == first.questions_left
