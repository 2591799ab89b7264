"""The course of whole interviews under a model that always does the same, turn by turn.

What a session learns has to outlast each turn: counters, trends, slots and credit are read back
from the database before every answer, as they are by the workers of a real installation.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any, cast

import pytest
from django.utils import timezone

from graphs.models import KGEdge, KGNode
from interviews import services
from interviews.bench.stub import StubGateway
from interviews.llm.tasks.extraction import ExtractionInputs, ExtractionOutput
from interviews.llm.tasks.questions import FollowUpInputs
from interviews.llm.tasks.response_rating import RatingInputs
from interviews.models import Session, Study, Turn, Utterance
from interviews.pipeline import runner, tracking
from interviews.pipeline.assembly import build_engine, directors, stages
from interviews.pipeline.engine import Engine, Stage
from interviews.record import result_of
from interviews.turns.context import TurnView
from methodologies.registry import LIBRARY, METHODOLOGY, methodology_of, publish
from tests.integration.pipeline.conftest import ANSWER, HashEmbedder
from tests.records import exploratory, saturation_of

pytestmark = pytest.mark.django_db(transaction=True)


class ConstantGateway(StubGateway):
    """Rates every answer alike; finds something new in the first `fresh` answers only.

    After that it hears the first answer again, in the same concepts. Keeps the inputs of all tasks.
    """

    def __init__(self, fresh: int = 10**6) -> None:
        super().__init__()
        self.fresh = fresh
        self.first: ExtractionOutput | None = None
        self.seen: list[Any] = []

    def run(self, task: Any, inputs: Any, **options: Any) -> Any:
        self.seen.append(inputs)
        if isinstance(inputs, ExtractionInputs):
            self.fresh -= 1
            if self.fresh < 0:
                return self.first
        reply = super().run(task, inputs, **options)
        if isinstance(reply, ExtractionOutput) and self.first is None:
            self.first = reply
        return reply

    def inputs_of(self, kind: type) -> list[Any]:
        return [inputs for inputs in self.seen if isinstance(inputs, kind)]


def hold(study: Study, gateway: ConstantGateway, answers: int = 40) -> tuple[Session, list[Turn]]:
    """An interview to its end, every turn by an engine of its own; at most `answers` answers."""
    session = services.start_session(study, seed=1)
    process(Turn.objects.get(session=session), gateway)
    for _ in range(answers):
        accepted = services.accept_answer(session.pk, ANSWER)
        process(Turn.objects.get(session=session, number=accepted.turn_number), gateway)
        session.refresh_from_db()
        if session.status == Session.Status.COMPLETED:
            break
    return session, list(Turn.objects.filter(session=session, number__gte=1).order_by("number"))


def process(turn: Turn, gateway: ConstantGateway) -> None:
    engine: Engine = build_engine(runner._observe, gateway=gateway, embedder=HashEmbedder())
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE


def test_who_keeps_giving_is_asked_on_to_the_last_turn_by_ever_changing_strategies(
    study: Study,
) -> None:
    session, turns = hold(study, ConstantGateway())
    assert session.termination_reason == "max_turns_reached"
    assert session.turn_count == session.max_turns == 15
    strategies = [turn.strategy for turn in turns if turn.question_id]
    runs = [len(set(strategies[i : i + 4])) for i in range(len(strategies) - 3)]
    assert min(runs) > 1
    assert [turn.continuation for turn in turns] == ["continue"] * 13 + ["close", "end"]


def test_who_gives_nothing_new_is_led_to_a_closing_question_by_saturation(study: Study) -> None:
    study.max_turns = 30
    study.save()
    session, turns = hold(study, ConstantGateway(fresh=1))
    # The first answer brings something, five running nothing: the interview is saturated with the
    # sixth. Closing competes from there on; two turns later it is asked, and the ninth ends.
    assert [turn.continuation for turn in turns] == ["continue"] * 7 + ["close", "end"]
    assert session.termination_reason == "graph_saturated"
    closing = methodology_of(session.methodology_version).closing_strategies
    assert turns[7].strategy in {strategy.name for strategy in closing}
    counted = [saturation_of(turn).consecutive_zero_yield for turn in turns]
    assert counted == list(range(9))


def test_what_was_said_before_is_a_mention_and_no_addition(study: Study) -> None:
    session, turns = hold(study, ConstantGateway(fresh=1), answers=2)
    again = result_of(turns[1])
    assert (again.nodes_added, again.edges_added) == ((), ())
    assert len(again.merges) == StubGateway.CONCEPTS
    assert KGNode.objects.filter(session=session).count() == StubGateway.CONCEPTS
    assert {node.mentions.count() for node in KGNode.objects.filter(session=session)} == {2}
    focus = turns[0].focus_node_id
    states = session.node_tracker_state["states"]
    assert focus is None or all(s.get("last_yield_turn") != 2 for s in states.values())


def test_where_every_new_concept_has_a_slot_of_its_own_nothing_is_saturated(study: Study) -> None:
    _, turns = hold(study, ConstantGateway(fresh=1), answers=2)
    assert exploratory(turns[0]).figures()["meta.canonical.saturation"] == 0.0
    assert "meta.canonical.saturation" not in exploratory(turns[1]).figures()


def test_an_interview_has_taken_the_time_of_its_answers_and_not_of_its_pauses(
    study: Study,
) -> None:
    session = services.start_session(study, seed=1)
    process(Turn.objects.get(session=session), ConstantGateway())
    for seconds in (45, 45, 4_000):
        accepted = services.accept_answer(session.pk, ANSWER, seconds=seconds)
        process(Turn.objects.get(session=session, number=accepted.turn_number), ConstantGateway())
    Utterance.objects.filter(session=session).update(created_at=timezone.now() - timedelta(hours=2))
    services.accept_answer(session.pk, ANSWER)
    taken = Turn.objects.filter(session=session).order_by("number")
    assert [turn.active_seconds for turn in taken] == [0, 45, 90, 270, 450]


def test_a_time_budget_ends_an_interview_by_the_time_of_its_answers(study: Study) -> None:
    study.time_budget_minutes = 5
    study.save()
    session = services.start_session(study, seed=1)
    process(Turn.objects.get(session=session), ConstantGateway())
    for _ in range(8):
        accepted = services.accept_answer(session.pk, ANSWER, seconds=60)
        process(Turn.objects.get(session=session, number=accepted.turn_number), ConstantGateway())
        session.refresh_from_db()
        if session.status == Session.Status.COMPLETED:
            break
    assert (session.termination_reason, session.turn_count) == ("time_used_up", 5)


class Watched:
    """A stage that says whether it left the tracker as it found it."""

    def __init__(self, stage: Stage, changed: list[str]) -> None:
        self._stage, self._changed = stage, changed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stage, name)

    def run(self, context: TurnView) -> Any:
        before = context.tracker.to_dict()
        contract = self._stage.run(context)
        if context.tracker.to_dict() != before:
            self._changed.append(self._stage.name)
        return contract


def test_no_stage_and_no_director_changes_the_tracker(study: Study) -> None:
    changed: list[str] = []
    by_mode = directors()
    given = stages(gateway=ConstantGateway(), embedder=HashEmbedder(), by_mode=by_mode)
    engine = Engine(
        [cast("Stage", Watched(stage, changed)) for stage in given],
        directors=list(by_mode.values()),
        follow=tracking.follow,
        clock=time.monotonic,
    )
    session = services.start_session(study, seed=1)
    for answer in (None, ANSWER, ANSWER, "I would rather not answer that."):
        number = services.accept_answer(session.pk, answer).turn_number if answer else 0
        turn = Turn.objects.get(session=session, number=number)
        assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    session.refresh_from_db()
    assert changed == []
    assert session.node_tracker_state["states"]


def test_the_rater_sees_the_question_that_was_answered(study: Study) -> None:
    gateway = ConstantGateway()
    session, _ = hold(study, gateway, answers=3)
    asked = [
        turn.question.text
        for turn in Turn.objects.filter(session=session).order_by("number")
        if turn.question
    ]
    assert [inputs.question for inputs in gateway.inputs_of(RatingInputs)] == asked[:3]


def test_the_grounds_of_a_choice_reach_the_task_that_words_the_question(study: Study) -> None:
    gateway = ConstantGateway()
    _, turns = hold(study, gateway, answers=3)
    worded = gateway.inputs_of(FollowUpInputs)
    assert [inputs.strategy.name for inputs in worded] == [turn.strategy for turn in turns]
    for inputs, turn in zip(worded, turns, strict=True):
        for_it = [p for p in exploratory(turn).best[0].contributions if p.contribution > 0]
        assert bool(inputs.rationale) is bool(for_it)
    assert any(inputs.rationale for inputs in worded)


def test_edges_of_a_type_that_only_this_methodology_has_are_stored(study: Study) -> None:
    text = (LIBRARY / "methodologies/means_end_chain.yaml").read_text(encoding="utf-8")
    name = methodology_of(study.methodology_version).ontology.edges[0].name
    study.methodology_version = publish(METHODOLOGY, text.replace(name, "sparks_off"))
    study.save()
    session, _ = hold(study, ConstantGateway(), answers=1)
    assert {edge.edge_type for edge in KGEdge.objects.filter(session=session)} == {"sparks_off"}


def test_slots_go_on_growing_after_many_turns(study: Study) -> None:
    session, turns = hold(study, ConstantGateway(), answers=6)
    assert [len(result_of(turn).slots.mapped) for turn in turns] == [StubGateway.CONCEPTS] * 6
    states = session.node_tracker_state["states"]
    asked = [turn.focus_node_id for turn in turns if turn.focus_node_id]
    assert sum(state.get("focus_count", 0) for state in states.values()) == len(asked)
