"""Many turns under way in one process: what they hold while they wait for a model, and what not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection, connections
from django.test import Client
from django.utils import timezone

from interviews import services
from interviews.bench.latency import SlowProvider, gateway_to
from interviews.llm.gateway import Gateway
from interviews.models import Session, Study, Turn
from interviews.pipeline import runner
from interviews.pipeline.assembly import build_engine
from interviews.pipeline.engine import Engine
from interviews.pipeline.lease import LeaseKeeper, keeper
from tests.integration.pipeline.conftest import ANSWER, HashEmbedder

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = 60.0
MANY = 64
WAITING = timedelta(seconds=30)


class Model:
    """A provider at the gateway's end that says nothing until it is let."""

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self.answers = threading.Event()
        self.gateway = gateway_to(SlowProvider(self._pause, lambda: 0.0))

    def _pause(self, task: str) -> None:
        self.asked.release()
        assert self.answers.wait(PATIENCE)

    def wait_until_asked(self, times: int) -> None:
        for _ in range(times):
            assert self.asked.acquire(timeout=PATIENCE)


@pytest.fixture
def model() -> Iterator[Model]:
    model = Model()
    yield model
    model.answers.set()
    model.gateway.close()


def engine_with(gateway: Gateway) -> Engine:
    return build_engine(runner._observe, gateway=gateway, embedder=HashEmbedder())


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(MANY) as pool:
        yield pool


def process(turn: Turn, engine: Engine) -> runner.Outcome:
    try:
        return runner.process_turn(turn.pk, engine=engine)
    finally:
        connections.close_all()


def comes_true(condition: Callable[[], bool]) -> None:
    """Return when the condition holds; fails where it never does."""
    moments, ends = threading.Event(), time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < ends:
        moments.wait(0.01)
    assert condition()


def connections_of_others() -> int:
    """Sessions at the server that are not this thread's own."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


def test_64_turns_wait_for_a_model_at_once_and_hold_nothing_that_others_need(
    study: Study, engine: Engine, model: Model, threads: ThreadPoolExecutor
) -> None:
    sessions = [services.start_session(study, seed=seed) for seed in range(MANY)]
    openings = list(Turn.objects.filter(number=0).order_by("session__seed"))
    slow = engine_with(model.gateway)
    before = connections_of_others()  # threads of earlier tests may hold one yet
    waiting = [threads.submit(process, turn, slow) for turn in openings]
    model.wait_until_asked(MANY)
    assert Turn.objects.filter(status=Turn.Status.RUNNING).count() == MANY
    # The last of them is asked for in a thread of its own, a moment before its turn begins to wait.
    comes_true(lambda: runner.lane.computing() == 0)
    assert connections_of_others() <= before + runner.lane.width

    # Somebody else begins and answers meanwhile, and is asked by rules that need the processor.
    other = services.start_session(study, seed=MANY)
    assert process(other.turns.get(), engine) is runner.Outcome.DONE
    accepted = services.accept_answer(other.pk, ANSWER)
    assert process(other.turns.get(number=1), engine) is runner.Outcome.DONE
    assert accepted.turn_number == Session.objects.get(pk=other.pk).turn_count == 1

    model.answers.set()
    assert {turn.result(PATIENCE) for turn in waiting} == {runner.Outcome.DONE}
    assert [services.session_view(session.pk).last_sequence for session in sessions] == [1] * MANY


def test_the_leases_of_all_turns_are_renewed_in_one_statement(
    study: Study, model: Model, threads: ThreadPoolExecutor
) -> None:
    for seed in range(8):
        services.start_session(study, seed=seed)
    slow = engine_with(model.gateway)
    waiting = [threads.submit(process, turn, slow) for turn in Turn.objects.all()]
    model.wait_until_asked(8)
    soon = timezone.now() + timedelta(seconds=1)
    Turn.objects.update(lease_until=soon)
    statements: list[str] = []
    jobs = list(keeper._jobs.values())
    renewing = LeaseKeeper()

    def count(run: object, sql: str, params: object, many: bool, context: object) -> object:
        statements.append(sql)
        return run(sql, params, many, context)  # type: ignore[operator]

    with connection.execute_wrapper(count):
        renewing.renew(jobs)
    assert len(statements) == 1
    assert not Turn.objects.filter(lease_until__lte=soon).exists()
    model.answers.set()
    assert {turn.result(PATIENCE) for turn in waiting} == {runner.Outcome.DONE}


def test_a_turn_that_waits_for_the_processor_is_neither_claimed_nor_published_again(
    study: Study, engine: Engine, threads: ThreadPoolExecutor, turns_stay_in_the_queue: list[str]
) -> None:
    turn = services.start_session(study, seed=1).turns.get()
    lane = runner.lane
    for _ in range(lane.width):
        lane.take(0)
    queued = threads.submit(process, turn, engine)
    while str(turn.pk) not in lane.under_way():
        threading.Event().wait(0.01)
    Turn.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    turns_stay_in_the_queue.clear()
    assert services.sweep() == 0
    assert process(turn, engine) is runner.Outcome.NOT_CLAIMED  # delivered a second time
    assert Turn.objects.get().status == Turn.Status.QUEUED
    for _ in range(lane.width):
        lane.leave()
    assert queued.result(PATIENCE) is runner.Outcome.DONE
    assert turns_stay_in_the_queue == []


def test_the_status_page_says_busy_where_answers_wait_that_could_be_worked_on(
    study: Study, engine: Engine, client: Client
) -> None:
    session = services.start_session(study, seed=1)
    process(session.turns.get(), engine)
    for _ in range(2):
        services.accept_answer(session.pk, ANSWER, client_message_id=uuid4())
    assert services.backlog().turns == 1  # the second waits for the first
    assert client.get("/healthz").json()["turns"]["status"] == "ok"
    Turn.objects.filter(status=Turn.Status.QUEUED).update(created_at=timezone.now() - WAITING)
    response = client.get("/healthz")
    assert response.status_code == 200
    assert response.json()["status"] == "busy"
    assert response.json()["turns"] == {
        "status": "busy",
        "detail": "1 wait to be taken up, the longest for 30 s",
    }
    services.end_session(session.pk)
    assert services.backlog() == services.Backlog(turns=0, seconds=0.0)
