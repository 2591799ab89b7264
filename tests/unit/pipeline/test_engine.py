from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar

import pytest

from graphs.domain import SessionGraph
from graphs.neighbours import Neighbours
from graphs.tracker import NodeStateTracker
from interviews.errors import LeaseLost, PipelineOrderError, StageFailed
from interviews.modes.base import led
from interviews.pipeline.engine import Engine, Stage, compile_pipeline
from interviews.turns.context import LoadedTurn, SessionSnapshot, TurnContext, TurnJob, TurnView
from interviews.turns.deadline import Deadline
from interviews.turns.state import SessionState


@dataclass(frozen=True)
class First:
    value: int


@dataclass(frozen=True)
class Second:
    value: int


class GivesFirst:
    name: ClassVar[str] = "first"
    reads: ClassVar[tuple[type, ...]] = ()
    reads_answer: ClassVar[tuple[type, ...]] = ()
    gives: ClassVar[type] = First
    directs: ClassVar[tuple[str, ...]] = ()
    opens: ClassVar[bool] = True

    def run(self, context: TurnView) -> Any:
        return First(1)


class DoublesFirst:
    name: ClassVar[str] = "second"
    reads: ClassVar[tuple[type, ...]] = (First,)
    reads_answer: ClassVar[tuple[type, ...]] = ()
    gives: ClassVar[type] = Second
    directs: ClassVar[tuple[str, ...]] = ()
    opens: ClassVar[bool] = False

    def run(self, context: TurnView) -> Any:
        return Second(context.get(First).value * 2)


def make_context(number: int = 1) -> TurnContext:
    session = SessionSnapshot(
        id="s",
        study_id="st",
        mode="exploratory",
        max_turns=15,
        turn_count=0,
        language="en",
        seed=0,
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        time_budget_minutes=None,
        enable_srl=True,
        enable_canonical_slots=True,
        llm_choice={},
        methodology=None,
        methodology_version="m v1",
        concept=None,
        state=SessionState(),
    )
    job = TurnJob(turn_id="t", session_id="s", number=number, fence=1, attempt=1)
    loaded = LoadedTurn(
        session=session,
        graph=SessionGraph(),
        neighbours=Neighbours(lambda types: {}),
        tracker=NodeStateTracker(),
        utterances=(),
        answer=None,
    )
    return TurnContext(job, loaded, Deadline(45, lambda: 0.0))


def test_stages_run_in_order_and_read_each_other() -> None:
    seen: list[str] = []
    engine = Engine(
        [GivesFirst(), DoublesFirst()],
        clock=lambda: 0.0,
        observe=lambda context, stage: seen.append(stage),
    )
    context = engine.run(make_context())
    assert context.get(Second).value == 2
    assert seen == ["first", "second"]


def test_a_stage_before_what_it_reads_is_refused_when_the_pipeline_is_compiled() -> None:
    with pytest.raises(PipelineOrderError, match="stage second reads First"):
        compile_pipeline([DoublesFirst(), GivesFirst()])


def test_two_stages_that_give_the_same_contract_are_refused() -> None:
    with pytest.raises(PipelineOrderError, match="First is given twice"):
        compile_pipeline([GivesFirst(), GivesFirst()])


def test_the_opening_turn_runs_only_the_stages_that_open() -> None:
    context = Engine([GivesFirst(), DoublesFirst()], clock=lambda: 0.0).run(make_context(0))
    assert context.get(First).value == 1
    with pytest.raises(PipelineOrderError, match="Second is not there yet"):
        context.get(Second)


def test_a_contract_read_before_its_stage_ran_raises() -> None:
    with pytest.raises(PipelineOrderError, match="First is not there yet"):
        make_context().get(First)


def test_a_contract_cannot_be_replaced() -> None:
    context = make_context()
    context.record(First(1))
    with pytest.raises(PipelineOrderError, match="First was already given"):
        context.record(First(2))


def test_a_failure_names_its_stage_and_turn() -> None:
    class Breaks(GivesFirst):
        def run(self, context: TurnView) -> Any:
            raise ValueError("no")

    with pytest.raises(StageFailed) as caught:
        Engine([Breaks()], clock=lambda: 0.0).run(make_context())
    assert (caught.value.stage, caught.value.turn_id) == ("first", "t")
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_pipeline_error_passes_through_as_it_is() -> None:
    class Loses(GivesFirst):
        def run(self, context: TurnView) -> Any:
            raise LeaseLost("gone")

    with pytest.raises(LeaseLost):
        Engine([Loses()], clock=lambda: 0.0).run(make_context())


def test_a_stage_that_gives_something_else_is_an_error() -> None:
    class Lies(GivesFirst):
        def run(self, context: TurnView) -> Any:
            return Second(1)

    with pytest.raises(PipelineOrderError, match="gave Second, not First"):
        Engine([Lies()], clock=lambda: 0.0).run(make_context())


def test_stage_times_are_kept_in_milliseconds() -> None:
    ticks = iter([0.0, 0.25])
    context = Engine([GivesFirst()], clock=lambda: next(ticks)).run(make_context())
    assert context.stage_ms == {"first": 250.0}


# -- what may be read ------------------------------------------------------------------------------
class ReadsUndeclared(DoublesFirst):
    reads: ClassVar[tuple[type, ...]] = ()


class DirectsSecond(DoublesFirst):
    """Lets a director make the second contract."""

    reads: ClassVar[tuple[type, ...]] = ()
    directs: ClassVar[tuple[str, ...]] = ("choose",)

    def __init__(self, director: Reads) -> None:
        self._director = director

    def run(self, context: TurnView) -> Any:
        return self._director.choose(led(context, self._director, "choose"))  # type: ignore[arg-type]


class Reads:
    """A director that reads the first contract."""

    mode: ClassVar[str] = "some"
    reads: ClassVar[Mapping[str, tuple[type, ...]]] = {"choose": (First,)}

    def choose(self, context: TurnView) -> Second:
        return Second(context.get(First).value)


class ReadsInSecret(Reads):
    reads: ClassVar[Mapping[str, tuple[type, ...]]] = {"choose": ()}


def test_a_stage_that_reads_what_it_does_not_declare_is_stopped_by_name() -> None:
    engine = Engine([GivesFirst(), ReadsUndeclared()], clock=lambda: 0.0)
    wrong = "stage second reads First and does not declare it"
    with pytest.raises(PipelineOrderError, match=wrong):
        engine.run(make_context())


def test_a_director_reads_what_it_declares_whatever_its_stage_declares() -> None:
    director = Reads()
    stages: list[Stage] = [GivesFirst(), DirectsSecond(director)]
    engine = Engine(stages, clock=lambda: 0.0, directors=[director])
    assert engine.run(make_context()).get(Second).value == 1


def test_a_director_that_reads_what_it_does_not_declare_is_stopped_by_name() -> None:
    engine = Engine([GivesFirst(), DirectsSecond(ReadsInSecret())], clock=lambda: 0.0)
    with pytest.raises(
        PipelineOrderError, match=r"some\.choose reads First and does not declare it"
    ):
        engine.run(make_context())


def test_a_director_before_what_it_reads_is_refused_when_the_pipeline_is_compiled() -> None:
    director = Reads()
    with pytest.raises(
        PipelineOrderError, match=r"some\.choose reads First, which no stage before"
    ):
        compile_pipeline([DirectsSecond(director)], [director])


def test_whoever_follows_hears_of_each_contract_once_it_is_there() -> None:
    heard: list[object] = []

    def follow(context: TurnContext, contract: object) -> None:
        heard.append(contract)
        assert context.get(type(contract)) is contract

    Engine([GivesFirst(), DoublesFirst()], clock=lambda: 0.0, follow=follow).run(make_context())
    assert heard == [First(1), Second(2)]
