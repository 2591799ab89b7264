"""Messages that come before the question to the last one: one answer, exactly once."""

from __future__ import annotations

import multiprocessing
import threading
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connections
from django.utils import timezone

from graphs.store import load_session_graph
from interviews import services
from interviews.bench.stub import StubGateway
from interviews.models import Session, Turn, Utterance
from interviews.pipeline import runner
from interviews.pipeline.assembly import build_engine
from interviews.pipeline.engine import Engine
from interviews.turns.context import TurnContext
from tests.integration.pipeline.conftest import ANSWER, HashEmbedder

pytestmark = pytest.mark.django_db(transaction=True)

MORE = "The many pockets help me find my things, which keeps me calm on a long day of walking."


def said(session: Session) -> list[tuple[str, str]]:
    found = session.utterances.order_by("sequence").values_list("speaker", "text")
    return [(speaker, text) for speaker, text in found]


def send(session: Session, text: str) -> UUID:
    message_id = uuid4()
    services.accept_answer(session.pk, text, client_message_id=message_id)
    return message_id


def saying_meanwhile(session: Session, *texts: str, stage: str = "question_generation") -> Engine:
    """An engine whose respondent says more while a turn is under way, once."""
    left = list(texts)

    def observe(context: TurnContext, done: str) -> None:
        if done == stage:
            while left:
                send(session, left.pop(0))

    return build_engine(observe, gateway=StubGateway(), embedder=HashEmbedder())


def test_what_is_sent_before_anybody_has_begun_joins_the_answer(
    session: Session, engine: Engine
) -> None:
    first, second = send(session, ANSWER), send(session, MORE)
    assert Turn.objects.filter(session=session).count() == 2
    for message_id in (first, second):
        again = services.accept_answer(session.pk, "again", client_message_id=message_id)
        assert (again.duplicate, again.turn_number) == (True, 1)
    turn = Turn.objects.get(session=session, number=1)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    assert said(session)[1] == ("respondent", f"{ANSWER}\n\n{MORE}")
    assert [speaker for speaker, _ in said(session)] == ["interviewer", "respondent", "interviewer"]
    text = said(session)[1][1]
    for mention in load_session_graph(session.pk).mentions:
        assert text[mention.start : mention.end] == mention.quote


def test_messages_sent_at_once_are_joined_each_once(session: Session, engine: Engine) -> None:
    texts = [f"message {number}" for number in range(6)]

    def run(text: str) -> None:
        message_id = uuid4()
        try:
            for _ in range(2):
                services.accept_answer(session.pk, text, client_message_id=message_id)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (answer,) = session.utterances.filter(speaker="respondent")
    assert sorted(answer.text.split("\n\n")) == texts
    assert Turn.objects.filter(session=session).count() == 2


def test_what_is_sent_while_a_turn_is_under_way_is_thought_of_with_it(
    session: Session, engine: Engine
) -> None:
    send(session, ANSWER)
    turn = Turn.objects.get(session=session, number=1)
    meanwhile = saying_meanwhile(session, MORE, "And that is all.")
    assert runner.process_turn(turn.pk, engine=meanwhile) is runner.Outcome.RETRIED
    turn.refresh_from_db()
    assert (turn.status, turn.attempt) == (Turn.Status.QUEUED, 0)
    assert not load_session_graph(session.pk).nodes
    assert runner.process_turn(turn.pk, engine=meanwhile) is runner.Outcome.DONE
    assert said(session)[1] == ("respondent", f"{ANSWER}\n\n{MORE}\n\nAnd that is all.")
    assert len(said(session)) == 3  # and no question that nobody has read before going on
    assert services.session_view(session.pk).pending is None
    session.refresh_from_db()
    assert session.turn_count == 1


def test_nothing_is_lost_where_the_answer_before_would_have_ended_the_interview(
    study: Any, session: Session, engine: Engine
) -> None:
    Session.objects.filter(pk=session.pk).update(max_turns=3)
    for _ in range(2):
        send(session, ANSWER)
        newest = Turn.objects.filter(session=session).latest("number")
        assert runner.process_turn(newest.pk, engine=engine) is runner.Outcome.DONE
    send(session, ANSWER)
    send(session, MORE)  # joins the last answer that is taken
    newest = Turn.objects.filter(session=session).latest("number")
    assert newest.number == 3
    assert runner.process_turn(newest.pk, engine=engine) is runner.Outcome.DONE
    assert said(session)[-1][1].endswith(MORE) or said(session)[-2][1].endswith(MORE)


def test_what_would_be_too_long_for_one_answer_stays_a_turn_of_its_own(
    session: Session, engine: Engine
) -> None:
    for _ in range(4):
        send(session, "x" * 7990)
    lengths = [len(u.text) for u in session.utterances.filter(speaker="respondent")]
    assert sorted(lengths) == [7990, 3 * 7990 + 4]


def die_while_joining(turn_id: str, session_id: UUID) -> None:
    from django.conf import settings

    settings.FAILPOINT = "joining"
    session = Session.objects.get(pk=session_id)
    runner.process_turn(turn_id, engine=saying_meanwhile(session, MORE))


def test_a_process_killed_before_it_has_joined_loses_and_doubles_nothing(
    session: Session, engine: Engine
) -> None:
    send(session, ANSWER)
    turn = Turn.objects.get(session=session, number=1)
    connections.close_all()
    process: Any = multiprocessing.get_context("fork").Process(
        target=die_while_joining, args=(str(turn.pk), session.pk)
    )
    process.start()
    process.join()
    assert process.exitcode == 137
    assert [text for _, text in said(session)[1:]] == [ANSWER, MORE]
    Turn.objects.filter(pk=turn.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.RETRIED
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    assert [text for _, text in said(session)[1:-1]] == [f"{ANSWER}\n\n{MORE}"]
    assert len(load_session_graph(session.pk).nodes) == StubGateway.CONCEPTS
    assert Utterance.everything.filter(session=session).count() == 5
