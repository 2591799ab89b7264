from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from interviews.modes.exploratory.evidence import ExploratoryEvidence
from interviews.modes.exploratory.inputs import _signals, rationale
from methodologies.qualifiers import parse_key
from methodologies.signals.base import (
    PairValues,
    SignalReading,
    StrategyValues,
)
from tests.unit.methodologies.samples import methodology, strategy

READING = SignalReading(
    global_values={"llm.engagement": 0.2},
    node_values={"n": {"graph.node.has_outgoing": False}},
    strategy_values={
        "temporal.strategy_repetition_count": StrategyValues(default=0.0, values={"up": 0.4})
    },
    pair_values={
        "technique.node.strategy_repetition": PairValues(
            default="none", values={("up", "n"): "low"}
        )
    },
)
WEIGHTS = {
    "llm.engagement.low": 0.5,
    "graph.node.has_outgoing.false": 0.6,
    "temporal.strategy_repetition_count": -0.5,
    "technique.node.strategy_repetition.low": 0.1,
    "graph.max_depth": 9.0,
}
METHODOLOGY = methodology(strategy("up", WEIGHTS))
CONTEXT: Any = SimpleNamespace(
    methodology=METHODOLOGY,
    selection=SimpleNamespace(
        left_alone=frozenset(),
        evidence=ExploratoryEvidence(
            phase="mid",
            closing_allowed=False,
            reading=READING,
            first_turns=(1,),
            strategy_history=(),
            strategy_uses={},
        ),
    ),
)


def test_the_rationale_gives_what_was_measured_not_whether_a_qualifier_matched() -> None:
    assert rationale(CONTEXT) == (
        "It already leads somewhere: no",
        "How willingly the respondent takes part: 0.2",
        "How often running this strategy was used on this concept: low",
    )


def test_signals_that_spoke_against_the_choice_are_among_those_that_carried_it() -> None:
    assert [(signal.name, signal.value) for signal in _signals(CONTEXT)] == [
        ("graph.node.has_outgoing", "no"),
        ("llm.engagement", "0.2"),
        ("temporal.strategy_repetition_count", "0.4"),
        ("technique.node.strategy_repetition", "low"),
    ]


@pytest.mark.parametrize(
    "key", ["graph.max_depth", "graph.node.is_orphan", "meta.conversation.saturation"]
)
def test_an_absent_signal_has_no_value(key: str) -> None:
    assert READING.value(parse_key(key).spec, "up", "n") is None
