from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session as DjangoSession
from django.db import connections
from django.utils import timezone

from graphs.models import KGEdge, KGNode, Mention, SlotMapping
from graphs.resident import resident_graphs
from interviews import services
from interviews.bench.stub import StubGateway
from interviews.bench.turn import counted_queries
from interviews.errors import ErrorCode, InterviewError, LeaseLost
from interviews.llm.errors import LLMConfigurationError, LLMTimeoutError
from interviews.models import Erasure, Invitation, Session, StudySpend, Turn, Utterance
from interviews.pipeline import runner, store
from interviews.pipeline.assembly import build_engine
from interviews.pipeline.engine import Engine
from interviews.turns.context import TurnContext
from interviews.turns.deadline import Deadline
from tests.integration.pipeline.conftest import ANSWER, HashEmbedder
from tests.records import exploratory

pytestmark = pytest.mark.django_db(transaction=True)


def answer(session: Session, engine: Engine, text: str = ANSWER) -> Turn:
    accepted = services.accept_answer(session.pk, text)
    turn = Turn.objects.get(session=session, number=accepted.turn_number)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    turn.refresh_from_db()
    return turn


def test_the_opening_turn_asks_a_question_and_has_no_answer(session: Session) -> None:
    opening = Turn.objects.get(session=session, number=0)
    assert opening.status == Turn.Status.DONE
    assert opening.answer is None
    assert opening.question is not None
    assert opening.question.sequence == session.last_sequence == 1
    assert session.turn_count == 0


def test_a_turn_grows_the_graph_and_every_node_is_quoted_from_the_answer(
    session: Session, engine: Engine
) -> None:
    turn = answer(session, engine)
    session.refresh_from_db()
    assert session.turn_count == turn.number == 1
    nodes = KGNode.objects.filter(session=session)
    assert nodes.count() == StubGateway.CONCEPTS
    assert KGEdge.objects.filter(session=session).count() > 0
    for node in nodes:
        mention = Mention.objects.get(node=node)
        assert ANSWER[mention.start : mention.end] == mention.quote
    assert SlotMapping.objects.filter(node__session=session).count() == nodes.count()
    assert turn.strategy
    assert turn.question is not None
    assert exploratory(turn).best[0].strategy == turn.strategy


def test_focus_goes_where_the_trace_says_and_credit_follows_it(
    session: Session, engine: Engine
) -> None:
    for _ in range(4):
        turn = answer(session, engine)
        session.refresh_from_db()
        entry = session.state["focus_history"][-1]
        assert entry["strategy"] == turn.strategy
        assert entry["ref"] == (str(turn.focus_node_id) if turn.focus_node_id else "")
        chosen = exploratory(turn).best[0]
        assert chosen.node_id == (str(turn.focus_node_id) if turn.focus_node_id else None)
        assert session.node_tracker_state["previous_focus"] == chosen.node_id


def test_a_character_that_the_database_cannot_hold_is_left_out(session: Session) -> None:
    accepted = services.accept_answer(session.pk, "It is\x00 light.")
    assert Utterance.objects.get(session=session, sequence=accepted.sequence).text == "It is light."


def test_the_same_message_sent_ten_times_at_once_is_one_turn(session: Session) -> None:
    message_id, results, errors = uuid4(), [], []

    def send() -> None:
        try:
            results.append(services.accept_answer(session.pk, ANSWER, client_message_id=message_id))
        except Exception as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=send) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sorted(r.duplicate for r in results) == [False] + [True] * 9
    assert {r.sequence for r in results} == {2}
    assert Turn.objects.filter(session=session, number=1).count() == 1


def test_delivering_a_finished_turn_again_changes_nothing(session: Session, engine: Engine) -> None:
    turn = answer(session, engine)
    before = KGNode.objects.filter(session=session).count()
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.NOT_CLAIMED
    assert KGNode.objects.filter(session=session).count() == before


def test_a_worker_that_lost_its_lease_writes_nothing(session: Session, engine: Engine) -> None:
    services.accept_answer(session.pk, ANSWER)
    turn = Turn.objects.get(session=session, number=1)
    slow = store.claim(turn.pk)
    assert slow is not None
    context = TurnContext(slow, store.load(slow), Deadline(45, lambda: 0.0))
    engine.run(context)
    Turn.objects.filter(pk=turn.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    nodes = set(KGNode.objects.filter(session=session).values_list("pk", flat=True))
    written = Session.objects.filter(pk=session.pk).values().get()
    with pytest.raises(LeaseLost):
        store.commit(context, latency_ms=1)
    assert Session.objects.filter(pk=session.pk).values().get() == written
    assert set(KGNode.objects.filter(session=session).values_list("pk", flat=True)) == nodes
    assert Utterance.objects.filter(session=session, turn_number=1).count() == 2
    assert store.renew([slow]) == 0


def test_a_lease_that_is_held_is_not_taken(session: Session) -> None:
    services.accept_answer(session.pk, ANSWER)
    turn = Turn.objects.get(session=session, number=1)
    first = store.claim(turn.pk)
    assert first is not None
    assert store.renew([first]) == 1
    assert store.claim(turn.pk) is None


class FailingGateway(StubGateway):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error: Exception | None = error

    def run_all(self, calls: Any, **options: Any) -> list[Any]:
        if self.error is not None:
            return [self.error for _ in calls]
        return super().run_all(calls, **options)


def test_a_turn_that_keeps_failing_is_visibly_failed_and_can_be_retried(session: Session) -> None:
    failing = FailingGateway(LLMTimeoutError("too slow"))
    engine = build_engine(runner._observe, gateway=failing, embedder=HashEmbedder())
    services.accept_answer(session.pk, ANSWER)
    turn = Turn.objects.get(session=session, number=1)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.RETRIED
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.FAILED
    assert services.session_view(session.pk).pending == "failed"
    assert Utterance.objects.get(session=session, turn_number=1).text == ANSWER
    failing.error = None
    services.retry_turn(session.pk)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    assert services.session_view(session.pk).pending is None


def test_an_error_that_retrying_cannot_mend_fails_at_once(session: Session) -> None:
    gateway = FailingGateway(LLMConfigurationError("no key"))
    engine = build_engine(runner._observe, gateway=gateway, embedder=HashEmbedder())
    services.accept_answer(session.pk, ANSWER)
    turn = Turn.objects.get(session=session, number=1)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.FAILED


def test_retrying_where_nothing_failed_is_refused(session: Session) -> None:
    with pytest.raises(InterviewError) as caught:
        services.retry_turn(session.pk)
    assert caught.value.code is ErrorCode.TURN_NOT_FAILED


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", ErrorCode.EMPTY_ANSWER),
        ("  \n ", ErrorCode.EMPTY_ANSWER),
        ("x" * 8001, ErrorCode.ANSWER_TOO_LONG),
    ],
)
def test_an_answer_that_cannot_be_taken_says_so_and_stores_nothing(
    session: Session, text: str, code: ErrorCode
) -> None:
    with pytest.raises(InterviewError) as caught:
        services.accept_answer(session.pk, text)
    assert caught.value.code is code
    assert Turn.objects.filter(session=session).count() == 1


def test_an_answer_of_8000_characters_is_taken(session: Session) -> None:
    assert services.accept_answer(session.pk, "x" * 8000).turn_number == 1


def test_an_ended_interview_takes_no_answer_and_gives_up_waiting_turns(session: Session) -> None:
    services.accept_answer(session.pk, ANSWER)
    services.end_session(session.pk)
    services.end_session(session.pk)
    with pytest.raises(InterviewError) as caught:
        services.accept_answer(session.pk, ANSWER)
    assert caught.value.code is ErrorCode.SESSION_OVER
    assert Turn.objects.get(session=session, number=1).status == Turn.Status.FAILED
    assert services.session_view(session.pk).pending is None


def test_a_paused_interview_takes_no_answer_until_it_is_resumed(session: Session) -> None:
    services.pause_session(session.pk)
    with pytest.raises(InterviewError) as caught:
        services.accept_answer(session.pk, ANSWER)
    assert caught.value.code is ErrorCode.SESSION_PAUSED
    services.resume_session(session.pk)
    assert services.accept_answer(session.pk, ANSWER).turn_number == 1


def test_the_sweeper_publishes_lost_messages_and_turns_of_dead_workers(
    session: Session, turns_stay_in_the_queue: list[str]
) -> None:
    services.accept_answer(session.pk, ANSWER)
    turns_stay_in_the_queue.clear()
    assert services.sweep() == 0
    turn = Turn.objects.get(session=session, number=1)
    Turn.objects.filter(pk=turn.pk).update(created_at=timezone.now() - timedelta(minutes=1))
    assert services.sweep() == 1
    assert turns_stay_in_the_queue == [str(turn.pk)]
    store.claim(turn.pk)
    assert services.sweep() == 0
    Turn.objects.filter(pk=turn.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert services.sweep() == 1


def test_a_turn_that_kills_its_worker_again_and_again_is_failed_for_good(session: Session) -> None:
    services.accept_answer(session.pk, ANSWER)
    turn = Turn.objects.get(session=session, number=1)
    for _ in range(services.MAX_CLAIMS):
        assert store.claim(turn.pk) is not None
        Turn.objects.filter(pk=turn.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    services.sweep()
    turn.refresh_from_db()
    assert turn.status == Turn.Status.FAILED


def test_the_interview_closes_by_itself_and_never_exceeds_max_turns(
    study: Any, engine: Engine
) -> None:
    session = services.start_session(study, seed=3, max_turns=5)
    runner.process_turn(Turn.objects.get(session=session).pk, engine=engine)
    verdicts = [answer(session, engine).continuation for _ in range(5)]
    session.refresh_from_db()
    assert verdicts == ["continue", "continue", "continue", "close", "end"]
    assert session.status == Session.Status.COMPLETED
    assert session.termination_reason == "max_turns_reached"
    closing = Turn.objects.get(session=session, number=4)
    methodology = store.load(_job(closing)).session.methodology
    assert methodology is not None
    assert closing.strategy in {s.name for s in methodology.closing_strategies}
    assert Turn.objects.get(session=session, number=5).question is None


def _job(turn: Turn) -> Any:
    from interviews.turns.context import TurnJob

    return TurnJob(
        turn_id=str(turn.pk),
        session_id=str(turn.session_id),
        number=turn.number,
        fence=0,
        attempt=1,
    )


def test_a_turn_takes_five_queries_and_a_sixth_where_it_reads_vectors(
    session: Session, engine: Engine
) -> None:
    """A type's vectors are read once a process; its calls of models would be one query more."""
    counts: list[int] = []
    for _ in range(4):
        services.accept_answer(session.pk, ANSWER)
        turn = Turn.objects.get(session=session, number=len(counts) + 1)
        with counted_queries() as count:
            assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
        counts.append(count())
    assert counts == [6, 5, 5, 5]
    resident_graphs.forget(str(session.pk))
    services.accept_answer(session.pk, ANSWER)
    turn = Turn.objects.get(session=session, number=5)
    with counted_queries() as count:
        assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    assert count() == 6


def test_a_study_whose_budget_is_spent_takes_no_answer_and_asks_no_model(
    session: Session, study: Any
) -> None:
    study.llm_choice = {"budget_usd": "0.50"}
    study.save()
    assert services.accept_answer(session.pk, ANSWER).turn_number == 1
    StudySpend.objects.create(study=study, cost_usd="0.50")
    with pytest.raises(InterviewError) as caught:
        services.accept_answer(session.pk, ANSWER)
    assert caught.value.code is ErrorCode.BUDGET_SPENT
    assert Turn.objects.filter(session=session).count() == 2


def test_an_erased_session_leaves_one_row_without_content(
    session: Session, engine: Engine, study: Any
) -> None:
    invitation = Invitation.objects.create(study=study, session=session)
    answer(session, engine)
    services.accept_answer(session.pk, ANSWER)
    job = store.claim(Turn.objects.get(session=session, number=2).pk)
    assert job is not None
    context = TurnContext(job, store.load(job), Deadline(45, lambda: 0.0))
    engine.run(context)

    services.erase_session(session.pk, by="anna")

    with pytest.raises(LeaseLost):
        store.commit(context, latency_ms=1)
    with pytest.raises(LeaseLost):
        store.load(job)
    kept = [
        model._meta.label
        for model in apps.get_models()
        if any(field.name == "session" for field in model._meta.get_fields())
        and model not in (Invitation, DjangoSession)
        and model._default_manager.filter(session=session.pk).exists()
    ]
    assert kept == []
    erasure = Erasure.objects.get()
    assert (erasure.session_id, erasure.erased_by) == (session.pk, "anna")
    invitation.refresh_from_db()
    assert invitation.revoked_at is not None
