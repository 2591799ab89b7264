from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from interviews.bench.errors import BenchImpossible
from interviews.bench.latency import (
    CONCEPTS,
    Call,
    SlowProvider,
    bench_latency,
    gateway_to,
    rounds,
)
from interviews.bench.turn import ANSWER
from interviews.llm.gateway import Deadline, Gateway
from interviews.llm.tasks.slot_proposal import (
    SLOT_PROPOSAL,
    SlotNode,
    SlotProposalInputs,
    SlotProposalOutput,
)
from interviews.modes.exploratory.director import ExploratoryDirector
from interviews.pipeline.grounding import locate
from interviews.pipeline.stages.extraction import ExtractionStage
from interviews.turns.calls import CallLog
from tests.llm_protocol import kit
from tests.unit.llm_prompts.concept_samples import CONCEPT_SAMPLES
from tests.unit.llm_prompts.handover_samples import HANDOVER_SAMPLES
from tests.unit.llm_prompts.long_interview import at_turn_twenty
from tests.unit.llm_prompts.samples import SAMPLES

SECONDS = 10.0
"""How long a call waits for the one that should run beside it, before the test fails."""

Wired = Callable[[Callable[[str], object]], tuple[SlowProvider, Gateway]]


@pytest.fixture
def wired() -> Iterator[Wired]:
    """Makes a gateway whose provider calls what it is given instead of waiting."""
    gateways: list[Gateway] = []

    def make(pause: Callable[[str], object]) -> tuple[SlowProvider, Gateway]:
        ticks = count()

        def call(task: str) -> None:
            pause(task)

        provider = SlowProvider(call, lambda: float(next(ticks)))
        gateways.append(gateway_to(provider))
        return provider, gateways[-1]

    yield make
    for gateway in gateways:
        gateway.close()


def test_extraction_and_rating_are_under_way_at_the_same_time(wired: Wired) -> None:
    together = threading.Barrier(2)
    provider, gateway = wired(lambda task: together.wait(SECONDS))
    context = at_turn_twenty()
    director = ExploratoryDirector()
    read = ExtractionStage({director.mode: director}, gateway).run(context)
    assert set(read.ratings.values()) == {3}
    assert rounds(provider.drain()) == [["extraction", "response_rating"]]


def test_slot_proposals_are_under_way_at_the_same_time(wired: Wired) -> None:
    together = threading.Barrier(3)
    provider, gateway = wired(lambda task: together.wait(SECONDS))
    calls = [
        (
            SLOT_PROPOSAL,
            SlotProposalInputs(
                node_type=node_type, nodes=(SlotNode(number=number, label=node_type),)
            ),
        )
        for number, node_type in enumerate(("attribute", "consequence", "value"), start=1)
    ]
    replies = gateway.run_all(
        calls, payer=kit.payer(), log=CallLog(), deadline=Deadline(45, lambda: 0.0)
    )
    named = {p.number for r in replies if isinstance(r, SlotProposalOutput) for p in r.proposals}
    assert named == {1, 2, 3}
    assert rounds(provider.drain()) == [["slot_proposal"] * 3]


OTHER_MODES = tuple(
    task.name for samples in (CONCEPT_SAMPLES, HANDOVER_SAMPLES) for task, _ in samples.values()
)
"""Tasks that the bench's interviews never ask."""
OF_A_TURN = sorted(
    name
    for name, (task, inputs) in SAMPLES.items()
    if task.name not in ("session_summary", "guided_plan", "element_proposal", "study_answer")
    and not task.name.startswith(OTHER_MODES)
    and not getattr(inputs, "self_selection", False)
)
"""What the bench's interviews ask: no summary, no plan, and one wording of a question."""


@pytest.mark.parametrize("name", OF_A_TURN)
def test_the_provider_answers_each_task_of_a_turn_as_its_schema_wants(
    wired: Wired, name: str
) -> None:
    provider, gateway = wired(lambda task: None)
    task, inputs = SAMPLES[name]
    reply = gateway.run(task, inputs, payer=kit.payer(), log=CallLog())
    assert isinstance(reply, task.output)
    assert [call.task for call in provider.drain()] == [task.name]


def test_the_concepts_have_their_quotes_in_the_answer_and_types_of_their_own() -> None:
    assert all(locate(quote, ANSWER) for _, _, quote in CONCEPTS)
    assert len({node_type for _, node_type, _ in CONCEPTS}) == 3


def test_calls_that_wait_for_others_are_in_a_later_round() -> None:
    calls = [
        Call(task="question", started=3.1, ended=4.1),
        Call(task="slots", started=2.0, ended=3.0),
        Call(task="slots", started=2.1, ended=3.1),
        Call(task="rating", started=0.0, ended=1.0),
        Call(task="extraction", started=0.1, ended=2.0),
    ]
    assert rounds(calls) == [["extraction", "rating"], ["slots", "slots"], ["question"]]


def test_one_call_after_the_other_is_a_round_each() -> None:
    calls = [Call(task=str(n), started=float(n), ended=n + 1.0) for n in range(4)]
    assert rounds(calls) == [["0"], ["1"], ["2"], ["3"]]
    assert rounds([]) == []


@pytest.mark.parametrize("latency", [-0.1, 10.1, float("nan")])
def test_a_latency_that_no_turn_could_bear_is_refused(latency: float) -> None:
    with pytest.raises(BenchImpossible, match="give between 0 and 10 s"):
        bench_latency(latency)
