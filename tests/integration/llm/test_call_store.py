"""Calls become rows in one query, and rows become a budget that is spent."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from interviews.llm.call_store import StudyBudget, budget_is_spent, save_calls, spent
from interviews.llm.config import RoleChoice
from interviews.llm.errors import LLMBudgetExceeded
from interviews.llm.tasks.questions import OPENING_QUESTION
from interviews.models import LLMCall, Session
from interviews.turns.calls import CallLog, CallRecord
from tests.factories import SessionFactory
from tests.llm_protocol import kit

pytestmark = pytest.mark.django_db


def record(cost: str = "0.25", **changes: Any) -> CallRecord:
    values: dict[str, Any] = {
        "task": "extraction",
        "role": "extraction",
        "provider": "anthropic",
        "model": "claude-sonnet-4-6",
        "prompt_hash": "a" * 64,
        "tokens_in": 100,
        "tokens_out": 20,
        "tokens_cached": 60,
        "cost_usd": Decimal(cost),
        "latency_ms": 812,
        "attempts": 2,
        "outcome": "ok",
    }
    return CallRecord(**(values | changes))


@pytest.fixture
def session() -> Session:
    return SessionFactory.create()


def test_many_records_are_written_in_one_query(session: Session) -> None:
    records = [record(), record(outcome="timeout"), record(outcome="invalid_output")]
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert save_calls(records, study_id=session.study_id, session_id=session.pk) == 3
    assert len(queries) == 1
    first = LLMCall.objects.get(session=session, outcome="ok")
    assert (first.tokens_in, first.tokens_out, first.tokens_cached) == (100, 20, 60)
    assert (first.cost_usd, first.latency_ms, first.attempts) == (Decimal("0.25"), 812, 2)
    assert set(LLMCall.objects.values_list("outcome", flat=True)) == {
        "ok",
        "timeout",
        "invalid_output",
    }


def test_no_records_mean_no_query() -> None:
    with CaptureQueriesContext(connection) as queries:
        assert save_calls([], study_id=uuid4()) == 0
    assert len(queries) == 0


def test_a_long_model_name_of_a_local_server_still_fits(session: Session) -> None:
    save_calls([record(model="m" * 200)], study_id=session.study_id, session_id=session.pk)
    assert LLMCall.objects.get().model == "m" * 80


def test_a_studys_calls_are_summed_over_its_sessions_only(session: Session) -> None:
    sibling = SessionFactory.create(study=session.study)
    stranger = SessionFactory.create()
    save_calls([record("0.25"), record("0.5")], study_id=session.study_id, session_id=session.pk)
    save_calls([record("0.1")], study_id=sibling.study_id, session_id=sibling.pk)
    save_calls([record("9")], study_id=stranger.study_id, session_id=stranger.pk)
    assert spent(session.study_id) == Decimal("0.85")
    assert spent(stranger.study_id) == Decimal(9)


@pytest.mark.parametrize(
    ("choice", "is_spent"),
    [
        ({}, False),
        ({"budget_usd": 1}, False),
        ({"budget_usd": "0.76"}, False),
        ({"budget_usd": "0.75"}, True),
        ({"budget_usd": 0}, True),
    ],
)
def test_a_budget_is_spent_when_the_calls_reach_it(
    session: Session, choice: dict[str, Any], is_spent: bool
) -> None:
    save_calls([record("0.75")], study_id=session.study_id, session_id=session.pk)
    assert budget_is_spent(session.study_id, choice) is is_spent


def test_without_a_budget_nothing_is_asked_of_the_database(session: Session) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert not budget_is_spent(session.study_id, {})
    assert len(queries) == 0


def test_a_spent_study_calls_no_provider(session: Session) -> None:
    save_calls([record("2")], study_id=session.study_id, session_id=session.pk)
    asked: list[str] = []

    def connecting(choice: Any) -> Any:
        asked.append(choice.provider)

    gateway = kit.gateway(
        kit.config({"generation": RoleChoice(provider="anthropic", fallback="offline")}),
        kit.SetClock(),
        connecting=connecting,
        budget=StudyBudget(),
    )
    own = kit.payer(study_id=str(session.study_id), llm_choice={"budget_usd": "1.50"})
    with pytest.raises(LLMBudgetExceeded):
        gateway.run(OPENING_QUESTION, kit.OPENING, payer=own, log=CallLog())
    assert asked == []
