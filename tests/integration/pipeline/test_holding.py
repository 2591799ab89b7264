"""A respondent who is not finished holds the next question back; what follows joins the answer."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from interviews import dispatch, services
from interviews.bench.stub import StubGateway
from interviews.errors import ErrorCode, InterviewError
from interviews.models import Session, Turn
from interviews.pipeline import runner
from interviews.pipeline.assembly import build_engine
from interviews.pipeline.engine import Engine
from interviews.turns.context import TurnContext
from tests.integration.pipeline.conftest import ANSWER, HashEmbedder
from tests.integration.pipeline.test_joining import MORE, said, send

pytestmark = pytest.mark.django_db(transaction=True)


def first_turn(session: Session) -> Turn:
    return Turn.objects.get(session=session, number=1)


def test_what_follows_joins_the_answer_and_lets_go_of_the_turn(
    session: Session, engine: Engine
) -> None:
    send(session, ANSWER)
    services.hold_question(session.pk)
    turn = first_turn(session)
    assert services.session_view(session.pk).pending == "held"
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.NOT_CLAIMED
    assert services.sweep() == 0
    assert services.backlog().turns == 0

    with dispatch.held_back() as rung:
        send(session, MORE)
    assert str(turn.pk) in rung
    assert services.session_view(session.pk).pending == "queued"
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    assert [text for _, text in said(session)[1:-1]] == [f"{ANSWER}\n\n{MORE}"]
    with pytest.raises(InterviewError) as refused:
        services.hold_question(session.pk)
    assert refused.value.code is ErrorCode.NOTHING_TO_HOLD


def test_a_worker_that_thinks_about_it_writes_nothing_and_what_was_said_meanwhile_waits_too(
    session: Session, engine: Engine
) -> None:
    send(session, ANSWER)
    turn = first_turn(session)

    def interrupted(context: TurnContext, done: str) -> None:
        if done == "question_generation":
            send(session, MORE)
            services.hold_question(session.pk)

    meanwhile = build_engine(interrupted, gateway=StubGateway(), embedder=HashEmbedder())
    with dispatch.held_back() as rung:
        assert runner.process_turn(turn.pk, engine=meanwhile) is runner.Outcome.LEASE_LOST
    assert str(turn.pk) in rung  # so that nobody waits for the sweeper where it was let go at once
    assert [text for _, text in said(session)[1:]] == [ANSWER, MORE]
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.NOT_CLAIMED

    with dispatch.held_back() as rung:
        services.let_question_come(session.pk)
        services.let_question_come(session.pk)
    assert len(rung) == 2  # the turn under way and the one behind it, once each
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.RETRIED
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    assert [text for _, text in said(session)[1:-1]] == [f"{ANSWER}\n\n{MORE}"]
    assert Turn.objects.filter(session=session).count() == 2


def test_who_goes_away_gets_the_question_after_a_while(session: Session, engine: Engine) -> None:
    send(session, ANSWER)
    services.hold_question(session.pk)
    turn, past = first_turn(session), timezone.now() - timedelta(seconds=30)
    Turn.objects.filter(pk=turn.pk).update(held_until=past, created_at=past)
    assert services.session_view(session.pk).pending == "queued"
    with dispatch.held_back() as rung:
        assert services.sweep() == 1
    assert rung == [str(turn.pk)]
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE


def test_nothing_is_held_where_nothing_was_said_or_the_interview_is_paused(
    session: Session,
) -> None:
    with pytest.raises(InterviewError) as refused:
        services.hold_question(session.pk)
    assert refused.value.code is ErrorCode.NOTHING_TO_HOLD
    send(session, ANSWER)
    services.pause_session(session.pk)
    with pytest.raises(InterviewError) as refused:
        services.hold_question(session.pk)
    assert refused.value.code is ErrorCode.SESSION_PAUSED
    assert first_turn(session).held_until is None
