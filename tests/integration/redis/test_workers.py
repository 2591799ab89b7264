"""Turns by way of Redis and worker processes, and what happens when one of them goes away."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.db import connection, connections
from django.utils import timezone

from graphs.models import KGNode, Mention
from interviews import dispatch, events, services
from interviews.models import Session, Study, Turn, Utterance
from tests.integration.redis.conftest import (
    ANSWER,
    PATIENCE,
    RedisServer,
    Worker,
    answered,
    eventually,
    sending_to,
)

pytestmark = [pytest.mark.redis, pytest.mark.django_db(transaction=True)]


def spoken(session: Session) -> list[tuple[int, str]]:
    """Who said something, in order; the sequence numbers leave no gap and repeat nothing."""
    said = Utterance.objects.filter(session=session).order_by("sequence")
    numbers = Utterance.everything.filter(session=session).values_list("sequence", flat=True)
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    return [(u.turn_number, u.speaker) for u in said]


def waited_for_long(session: Session) -> None:
    """Let the sweeper take the session's turns for lost, as it would in a while."""
    past = timezone.now() - timedelta(minutes=1)
    turns = Turn.objects.filter(session=session)
    turns.filter(status=Turn.Status.QUEUED).update(created_at=past)
    turns.filter(status=Turn.Status.RUNNING).update(lease_until=past)


@contextmanager
def nodes_locked() -> Iterator[None]:
    """No turn that adds a concept can be committed meanwhile."""
    other = connection.copy()
    other.set_autocommit(False)
    try:
        with other.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {KGNode._meta.db_table} IN SHARE MODE")
        yield
    finally:
        other.rollback()
        other.close()


ONE_ANSWER = [(0, "interviewer"), (1, "respondent"), (1, "interviewer")]


async def test_a_worker_answers_and_whoever_watches_the_session_hears_of_it(
    session: Session,
) -> None:
    layer: Any = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(events.group_of(session.pk), channel)
    accept = database_sync_to_async(services.accept_answer, thread_sensitive=False)
    await accept(session.pk, ANSWER)
    heard: dict[str, dict[str, Any]] = {}
    async with asyncio.timeout(PATIENCE):
        while len(heard) < 2:
            event = (await layer.receive(channel))["event"]
            if event["turn"] == 1:  # the opening question may only be announced now
                heard[event["type"]] = event
    await layer.close_pools()
    assert heard == {
        "turn.accepted": {"v": 1, "type": "turn.accepted", "seq": 2, "turn": 1},
        "turn.question": {"v": 1, "type": "turn.question", "seq": 3, "turn": 1},
    }
    said = await database_sync_to_async(spoken, thread_sensitive=False)(session)
    assert said == ONE_ANSWER


def test_a_quiet_socket_does_not_take_redis_for_gone(web: None) -> None:
    layer: Any = get_channel_layer()
    assert [host["socket_timeout"] > layer.brpop_timeout for host in layer.hosts] == [True]


def test_the_same_message_ten_times_at_once_gets_one_question(session: Session) -> None:
    message_id, errors = uuid4(), []

    def send() -> None:
        try:
            services.accept_answer(session.pk, ANSWER, client_message_id=message_id)
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
    answered(session, 1)
    assert spoken(session) == ONE_ANSWER


def test_five_answers_in_a_burst_are_worked_on_in_their_order(session: Session) -> None:
    for number in range(1, 6):
        services.accept_answer(session.pk, f"{ANSWER} ({number})")
    unfinished = Turn.objects.filter(session=session).exclude(status=Turn.Status.DONE)
    eventually(lambda: not unfinished.exists())
    last = Turn.objects.filter(session=session).latest("number").number
    turns = Turn.objects.filter(session=session).order_by("finished_at")
    assert [turn.number for turn in turns] == list(range(last + 1))
    assert sorted(spoken(session)) == sorted(
        [(0, "interviewer")]
        + [(n, who) for n in range(1, last + 1) for who in ("interviewer", "respondent")]
    )
    said = session.utterances.filter(speaker="respondent").order_by("sequence")
    words = "\n\n".join(utterance.text for utterance in said)
    assert words == "\n\n".join(f"{ANSWER} ({number})" for number in range(1, 6))
    session.refresh_from_db()
    assert session.turn_count == last


def test_another_worker_finishes_the_turn_of_one_that_died_before_the_commit(
    session: Session, redis: RedisServer, tmp_path: Path
) -> None:
    # Each worker has a database of Redis to itself, so that the test knows who gets the turn.
    doomed = Worker(tmp_path / "log", redis.url(1), FAILPOINT="response_saving")
    try:
        with sending_to(redis.url(1)):
            services.accept_answer(session.pk, ANSWER)
            assert doomed.process.wait(PATIENCE) == 137
    finally:
        doomed.stop()
    turn = Turn.objects.get(session=session, number=1)
    assert (turn.status, turn.attempt) == (Turn.Status.RUNNING, 1)
    assert spoken(session) == ONE_ANSWER[:2]
    assert not KGNode.objects.filter(session=session).exists()

    waited_for_long(session)
    services.sweep()
    turn = answered(session, 1)
    assert turn.attempt == 2
    assert spoken(session) == ONE_ANSWER
    labels = list(KGNode.objects.filter(session=session).values_list("label", flat=True))
    assert labels
    assert len(labels) == len(set(labels))
    quotes = Mention.objects.filter(node__session=session).values_list("node_id", "start", "end")
    assert len(quotes) == len(set(quotes))


def test_an_answer_whose_message_was_never_sent_is_answered_all_the_same(
    session: Session,
) -> None:
    with dispatch.held_back():  # as if the process had died between commit and sending
        services.accept_answer(session.pk, ANSWER)
    waited_for_long(session)
    services.sweep()
    answered(session, 1)
    assert spoken(session) == ONE_ANSWER


def test_an_answer_accepted_while_redis_is_down_is_answered_when_it_is_back(
    session: Session, redis: RedisServer, worker: Worker
) -> None:
    with redis.down():
        accepted = services.accept_answer(session.pk, ANSWER)
        assert (accepted.turn_number, accepted.duplicate) == (1, False)
        assert services.session_view(session.pk).pending == "queued"
        assert spoken(session) == ONE_ANSWER[:2]
    waited_for_long(session)
    services.sweep()
    answered(session, 1)
    assert spoken(session) == ONE_ANSWER
    assert worker.process.poll() is None


def test_a_worker_lives_on_when_redis_goes_away_in_mid_turn(
    session: Session, redis: RedisServer, worker: Worker
) -> None:
    with nodes_locked():
        services.accept_answer(session.pk, ANSWER)
        turns = Turn.objects.filter(session=session, number=1)
        eventually(turns.filter(status=Turn.Status.RUNNING).exists)
        lost = worker.said.count("Connection to broker lost")
        with redis.down():
            eventually(lambda: worker.said.count("Connection to broker lost") > lost)
    answered(session, 1)
    services.accept_answer(session.pk, ANSWER)
    waited_for_long(session)
    services.sweep()
    answered(session, 2)
    assert worker.process.poll() is None


def test_an_answer_is_accepted_while_redis_says_nothing(
    session: Session, redis: RedisServer
) -> None:
    with redis.silent():
        services.accept_answer(session.pk, ANSWER)
        assert spoken(session) == ONE_ANSWER[:2]
    waited_for_long(session)
    services.sweep()
    answered(session, 1)
    assert spoken(session) == ONE_ANSWER


def test_a_flushed_redis_loses_no_turn(session: Session, redis: RedisServer) -> None:
    with sending_to(redis.url(1)):  # where no worker listens: the message is still there
        services.accept_answer(session.pk, ANSWER)
    assert redis.waiting(1) == 1
    redis.flush()
    assert redis.waiting(1) == 0
    waited_for_long(session)
    services.sweep()
    answered(session, 1)
    services.accept_answer(session.pk, ANSWER)
    answered(session, 2)
    assert spoken(session) == [*ONE_ANSWER, (2, "respondent"), (2, "interviewer")]


def test_an_answer_accepted_while_redis_refuses_writes_is_answered_later(
    session: Session, redis: RedisServer
) -> None:
    with redis.full():
        services.accept_answer(session.pk, ANSWER)
        assert spoken(session) == ONE_ANSWER[:2]
    waited_for_long(session)
    services.sweep()
    answered(session, 1)
    assert spoken(session) == ONE_ANSWER


def test_redis_can_be_reached_by_a_socket_in_the_file_system(
    study: Study, redis: RedisServer
) -> None:
    with sending_to(f"unix://{redis.unix_socket}?db=2"):
        services.start_session(study)
    assert redis.waiting(2) == 1
