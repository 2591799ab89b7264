from __future__ import annotations

import math
from typing import Any

import pytest

from methodologies.signals.base import (
    PairValues,
    SignalError,
    SignalReading,
    SignalRegistry,
    SignalSpec,
    StrategyValues,
    Value,
    load_signals,
    signal,
)
from methodologies.signals.detection import detect
from tests.unit.methodologies.samples import Interview

NAMES = {
    "graph.node_count",
    "graph.edge_count",
    "graph.orphan_count",
    "graph.max_depth",
    "graph.avg_depth",
    "graph.chain_completion.ratio",
    "graph.chain_completion.has_complete",
    "graph.canonical_concept_count",
    "graph.canonical_edge_density",
    "graph.canonical_exhaustion_score",
    "graph.node.exhausted",
    "graph.node.exhaustion_score",
    "graph.node.yield_stagnation",
    "graph.node.focus_streak",
    "graph.node.recency_score",
    "graph.node.is_current_focus",
    "graph.node.mentioned_now",
    "graph.node.stance",
    "graph.node.nature",
    "graph.node.is_orphan",
    "graph.node.edge_count",
    "graph.node.has_incoming",
    "graph.node.has_outgoing",
    "graph.node.chain_gap",
    "graph.node.first_chain",
    "graph.node.type",
    "graph.node.level",
    "llm.response_depth",
    "llm.specificity",
    "llm.certainty",
    "llm.valence",
    "llm.engagement",
    "llm.intellectual_engagement",
    "llm.global_response_trend",
    "llm.node.lead",
    "llm.node.disclaimed",
    "conversation.act",
    "conversation.off_track",
    "temporal.strategy_repetition_count",
    "temporal.strategy_share",
    "temporal.turns_since_strategy_change",
    "temporal.line_run",
    "technique.node.strategy_repetition",
    "meta.interview.phase",
    "meta.conversation.saturation",
    "meta.conversation.velocity_saturation",
    "meta.canonical.saturation",
    "meta.node.opportunity",
}


def declared(name: str, requires: tuple[str, ...] = (), **more: Any) -> SignalSpec:
    """A signal that measures nothing."""
    return signal(name=name, kind="ratio", summary="s", requires=requires, **more)(lambda *_: 0.5)


def test_registry_holds_exactly_the_pinned_signals() -> None:
    assert set(load_signals().names) == NAMES


@pytest.mark.parametrize("spec", list(load_signals()), ids=lambda spec: spec.name)
def test_every_signal_says_what_it_is(spec: SignalSpec) -> None:
    assert spec.summary
    assert spec.description
    assert bool(spec.values or spec.values_from) is (
        spec.kind == "category" or spec.name in {"graph.node.level", "temporal.line_run"}
    )


def test_duplicate_name_is_refused() -> None:
    with pytest.raises(SignalError, match=r"a\.one is declared twice"):
        SignalRegistry([declared("a.one"), declared("a.one")])


def test_unknown_requirement_is_refused() -> None:
    with pytest.raises(SignalError, match=r"a\.one requires unknown signal a\.two"):
        SignalRegistry([declared("a.one", ("a.two",))])


def test_session_wide_signal_cannot_read_a_node_signal() -> None:
    with pytest.raises(SignalError, match=r"global signal a\.one cannot read a\.node\.two"):
        SignalRegistry([declared("a.one", ("a.node.two",)), declared("a.node.two", scope="node")])


def test_plan_runs_each_signal_after_those_it_requires() -> None:
    registry = SignalRegistry(
        [declared("a.last", ("a.mid",)), declared("a.mid", ("a.first",)), declared("a.first")]
    )
    assert [spec.name for spec in registry.plan(["a.last"])] == ["a.first", "a.mid", "a.last"]


def test_cycle_is_refused() -> None:
    registry = SignalRegistry([declared("a.one", ("a.two",)), declared("a.two", ("a.one",))])
    with pytest.raises(SignalError, match=r"signals require each other: a\.one → a\.two → a\.one"):
        registry.plan(["a.one"])


def test_opportunity_is_planned_after_all_that_it_reads() -> None:
    order = [spec.name for spec in load_signals().plan(["meta.node.opportunity"])]
    assert order[-1] == "meta.node.opportunity"
    assert set(order[:-1]) == {
        "graph.node.exhausted",
        "graph.node.is_current_focus",
        "llm.response_depth",
    }


def test_group_name_stands_for_its_members() -> None:
    assert load_signals().expand("graph.chain_completion") == (
        "graph.chain_completion.has_complete",
        "graph.chain_completion.ratio",
    )
    assert load_signals().expand("graph.chain") == ()


def test_detect_gives_what_was_asked_for_and_nothing_that_was_only_required() -> None:
    interview = Interview()
    node = interview.node("strap")
    reading = detect(["meta.node.opportunity", "graph.node_count"], interview.inputs())
    assert reading.global_values == {"graph.node_count": 1}
    assert reading.node_values == {node: {"meta.node.opportunity": "fresh"}}


def test_detect_refuses_an_unknown_name() -> None:
    with pytest.raises(SignalError, match=r"unknown signal graph\.depth"):
        detect(["graph.depth"], Interview().inputs())


def test_a_superseded_node_has_no_values() -> None:
    interview = Interview()
    old, new = interview.node("sweet"), interview.node("sour")
    interview.graph.supersede(old, by=new)
    assert set(detect(["graph.node.level"], interview.inputs()).node_values) == {new}


def test_every_value_lies_in_what_its_signal_declares() -> None:
    interview = Interview()
    first, second = interview.node("strap"), interview.node("carry more", "consequence")
    interview.edge(first, second)
    interview.ask(first, 1)
    interview.answer("deep", 2)
    reading = detect(
        load_signals().names,
        interview.inputs(
            turn=2, ratings={"response_depth": 5, "valence": 2}, new_node_count=2, new_slot_count=1
        ),
    )
    values = [*reading.global_values.items()]
    values += [item for found in reading.node_values.values() for item in found.items()]
    assert len(values) > 20
    for name, value in values:
        spec = load_signals().get(name)
        assert spec is not None
        if spec.kind == "ratio":
            assert 0 <= float(value) <= 1
        elif spec.kind == "bool":
            assert isinstance(value, bool)
        elif spec.kind == "category":
            assert spec.values_from or value in spec.values
        else:
            assert float(value) >= 0
            assert math.isfinite(float(value))


def test_reading_survives_being_stored() -> None:
    reading = SignalReading(
        global_values={"graph.node_count": 2, "llm.response_depth": "deep"},
        node_values={"n1": {"graph.node.is_orphan": True}},
        strategy_values={"t": StrategyValues(default=0.0, values={"deepen": 0.4})},
        pair_values={"p": PairValues(default="none", values={("deepen", "n1"): "low"})},
    )
    assert SignalReading.from_dict(reading.to_dict()) == reading


def test_nodes_that_read_alike_are_stored_once() -> None:
    fresh: dict[str, Value] = {"graph.node.exhausted": False, "graph.node.level": 1}
    asked = fresh | {"graph.node.exhausted": True}
    reading = SignalReading(node_values={"n1": fresh, "n2": asked, "n3": fresh})
    stored = reading.to_dict()
    assert stored["nodes"] == {
        "ids": ["n1", "n2", "n3"], "places": [0, 1, 0], "alike": [fresh, asked],
    }  # fmt: skip
    assert SignalReading.from_dict(stored) == reading
    former = stored | {"nodes": {"of": {"n1": 0, "n2": 1, "n3": 0}, "alike": [fresh, asked]}}
    assert SignalReading.from_dict(former) == reading


def test_a_reading_stored_node_by_node_is_still_read() -> None:
    values = {"n1": {"graph.node.exhausted": False}}
    stored = SignalReading().to_dict() | {"nodes": values}
    assert SignalReading.from_dict(stored).node_values == values


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"ratings": {"valence": 6}}, "rating valence is 6; expected 1 to 5"),
        ({"ratings": {"valence": 0}}, "rating valence is 0; expected 1 to 5"),
        ({"turn": 0}, "turn is 0"),
        ({"max_turns": 2}, "max_turns is 2"),
    ],
)
def test_inputs_outside_their_range_are_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Interview().inputs(**more)
