"""What lists read of a session: written with each turn, and the same as counting anew."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from graphs.figures import graph_figures
from graphs.store import load_session_graph
from interviews import services
from interviews.llm.call_store import save_calls, spent
from interviews.models import LLMCall, Session, SessionSummary, StudySpend, Turn
from interviews.pipeline import runner
from interviews.pipeline.engine import Engine
from interviews.turns.calls import CallRecord
from methodologies.registry import methodology_of
from tests.integration.pipeline.conftest import ANSWER
from tests.integration.pipeline.migrating import migrated
from tests.records import saturation_of

pytestmark = pytest.mark.django_db(transaction=True)


def answer(session: Session, engine: Engine) -> Turn:
    accepted = services.accept_answer(session.pk, ANSWER)
    turn = Turn.objects.get(session=session, number=accepted.turn_number)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    turn.refresh_from_db()
    return turn


def call(provider: str = "anthropic", cost: str = "0.25", stands_in_for: str = "") -> CallRecord:
    return CallRecord(
        task="extraction",
        role="extraction",
        provider=provider,
        model="m",
        prompt_hash="",
        cost_usd=Decimal(cost),
        stands_in_for=stands_in_for,
    )


def test_a_session_without_an_answer_has_a_summary_of_nothing(session: Session) -> None:
    summary = SessionSummary.objects.get(session=session)
    assert (summary.nodes, summary.edges, summary.chains, summary.active_slots) == (0, 0, 0, 0)
    assert (summary.saturation, summary.strategy_counts, summary.flags) == (None, {}, [])
    assert (summary.calls, summary.model_calls, summary.cost_usd) == (0, 0, Decimal(0))
    assert not summary.only_offline


def test_every_turn_leaves_the_figures_that_counting_gives(
    session: Session, engine: Engine
) -> None:
    asked: dict[str, int] = {}
    for _ in range(4):
        turn = answer(session, engine)
        asked[turn.strategy] = asked.get(turn.strategy, 0) + 1
        summary = SessionSummary.objects.get(session=session)
        ontology = methodology_of(session.methodology_version).graph_ontology
        counted = asdict(graph_figures(load_session_graph(session.pk), ontology))
        assert {name: getattr(summary, name) for name in counted} == counted
        assert summary.nodes == 5 * turn.number
        assert summary.saturation == saturation_of(turn).conversation
        assert summary.strategy_counts == asked


def test_calls_count_for_their_session_and_its_study(session: Session) -> None:
    known = [call("offline", "0"), call(cost="0.5"), call(cost="0.125", stands_in_for="timeout")]
    with CaptureQueriesContext(connection) as queries:
        save_calls(known[:2], study_id=session.study_id, session_id=session.pk)
    assert len(queries) == 1
    save_calls(known[2:], study_id=session.study_id, session_id=session.pk, degraded=True)
    save_calls([call(cost="1")], study_id=session.study_id)
    summary = SessionSummary.objects.get(session=session)
    assert (summary.calls, summary.model_calls, summary.cost_usd) == (3, 2, Decimal("0.625"))
    assert summary.flags == ["degraded"]
    assert spent(session.study_id) == Decimal("1.625")


def test_offline_calls_alone_are_told_from_none(session: Session) -> None:
    save_calls([call("offline", "0")], study_id=session.study_id, session_id=session.pk)
    assert SessionSummary.objects.get(session=session).only_offline
    assert not StudySpend.objects.exists()


def test_a_study_pays_for_interviews_that_were_erased_before_and_meanwhile(
    session: Session,
) -> None:
    save_calls([call()], study_id=session.study_id, session_id=session.pk)
    services.erase_session(session.pk, by="anna")
    opening = "8d7ad6f5-3b1c-4dbb-a7ff-2a3b96cf2a10"
    save_calls([call()], study_id=session.study_id, session_id=session.pk, turn_id=opening)
    assert spent(session.study_id) == Decimal("0.5")
    left = LLMCall.objects.get()
    assert (left.session, left.turn) == (None, None)


def test_a_form_that_saves_a_study_does_not_set_its_spend_back(session: Session) -> None:
    study = session.study
    save_calls([call()], study_id=study.pk)
    study.save()
    assert spent(study.pk) == Decimal("0.25")


def test_what_was_there_before_summaries_is_counted_once(
    session: Session, engine: Engine, up_to_date: list[tuple[str, str]]
) -> None:
    for _ in range(3):
        answer(session, engine)
    services.start_session(session.study)
    save_calls([call()], study_id=session.study_id, session_id=session.pk)
    written = SessionSummary.objects.filter(session=session).values().get()
    SessionSummary.objects.all().delete()
    StudySpend.objects.all().delete()
    migrated([("interviews", "0004_summarise_sessions")])
    migrated(up_to_date)
    assert SessionSummary.objects.filter(session=session).values().get() == written
    assert SessionSummary.objects.count() == 2
    assert spent(session.study_id) == Decimal("0.25")
