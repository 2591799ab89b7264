"""A turn whose stored tracker cannot be read goes on; an error says nothing that was said."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from graphs.resident import resident_graphs
from interviews import services
from interviews.bench.stub import StubGateway
from interviews.models import Session, SessionSummary, Turn
from interviews.pipeline import runner, store
from interviews.pipeline.assembly import build_engine
from interviews.pipeline.engine import Engine
from tests.integration.pipeline.conftest import ANSWER, HashEmbedder

pytestmark = pytest.mark.django_db(transaction=True)


def accept(session: Session, text: str = ANSWER) -> Turn:
    accepted = services.accept_answer(session.pk, text)
    return Turn.objects.get(session=session, number=accepted.turn_number)


def answer(session: Session, engine: Engine) -> Turn:
    turn = accept(session)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    turn.refresh_from_db()
    return turn


def history(session: Session) -> Any:
    session.refresh_from_db()
    return session.node_tracker_state


@pytest.mark.parametrize(
    "unreadable",
    [{"schema_version": 99}, {"schema_version": 3, "states": {}}, ["no object"]],
    ids=["of a later release", "incomplete", "no object"],
)
def test_a_tracker_that_cannot_be_read_is_rebuilt_and_the_turn_says_so(
    session: Session, engine: Engine, unreadable: Any
) -> None:
    for _ in range(4):
        answer(session, engine)
    known = history(session)
    Session.objects.filter(pk=session.pk).update(node_tracker_state=unreadable)
    resident_graphs.forget(str(session.pk))
    turn = answer(session, engine)
    assert "tracker_rebuilt" in turn.result["notes"]
    assert SessionSummary.objects.get(session=session).flags == ["tracker_rebuilt"]
    now = history(session)
    assert now["schema_version"] == 3
    for key, state in known["states"].items():
        assert now["states"][key]["focus_count"] >= state["focus_count"] > 0
        assert now["states"][key]["strategy_usage_count"].keys() >= (
            state["strategy_usage_count"].keys()
        )
    assert "tracker_rebuilt" not in answer(session, engine).result["notes"]


def test_a_rebuilt_tracker_is_the_one_that_was_lost(session: Session, engine: Engine) -> None:
    for _ in range(5):
        answer(session, engine)
    known = history(session)
    Session.objects.filter(pk=session.pk).update(node_tracker_state=["lost"])
    resident_graphs.forget(str(session.pk))
    job = store.claim(accept(session).pk)
    assert job is not None
    rebuilt = store.load(job).tracker.to_dict()
    assert rebuilt["previous_focus"] == known["previous_focus"]
    assert rebuilt["states"].keys() == known["states"].keys()
    for key, state in known["states"].items():
        lost = {name: value for name, value in state.items() if name != "depth"}
        assert {k: v for k, v in rebuilt["states"][key].items() if k != "depth"} == lost


class Stumbling(StubGateway):
    """Breaks with an error of a test's choice."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def run_all(self, calls: Any, **options: Any) -> list[Any]:
        raise self._error


def test_an_error_that_cites_an_answer_is_stored_by_its_place_alone(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    error = KeyError("my diagnosis")
    engine = build_engine(runner._observe, gateway=Stumbling(error), embedder=HashEmbedder())
    turn = accept(session)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.RETRIED
    turn.refresh_from_db()
    assert turn.error.startswith("extraction: KeyError at tests.integration.pipeline.test_recovery")
    assert "diagnosis" not in turn.error
    assert "turn_failed" in caplog.text
    assert "diagnosis" not in caplog.text


def test_a_database_error_is_stored_by_code_and_constraint(
    session: Session, engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    """PostgreSQL cites the row: here a label that another writer put into the graph before."""
    answer(session, engine)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO graphs_kgnode (id, session_id, label, node_type, stance, confidence, "
            "first_turn, position) SELECT gen_random_uuid(), session_id, 'humming ladder in "
            "August', node_type, 0, 1, 1, 99 FROM graphs_kgnode LIMIT 1"
        )
    engine = build_engine(
        runner._observe, gateway=_SayingAgain("humming ladder in August"), embedder=HashEmbedder()
    )
    turn = accept(session)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.RETRIED
    turn.refresh_from_db()
    assert turn.error == (
        "claim or commit: UniqueViolation: 23505 graphs_kgnode uniq_node_label_per_type"
    )
    assert "humming" not in caplog.text


class _SayingAgain(StubGateway):
    """Extracts one concept of a given label."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self._said = label

    def _extract(self, inputs: Any) -> Any:
        found = super()._extract(inputs)
        first = found.concepts[0].model_copy(update={"label": self._said})
        return found.model_copy(update={"concepts": (first,), "relationships": ()})
