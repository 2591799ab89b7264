from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from interviews.modes.exploratory.evidence import ExploratoryEvidence
from interviews.modes.exploratory.inputs import rationale
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


def test_the_rationale_says_in_sentences_what_speaks_for_the_choice_and_nothing_else() -> None:
    assert rationale(CONTEXT) == (
        "It leads nowhere yet",
        "How willingly the respondent takes part came out low, at 0.2 of 1",
        "How often running this strategy was used on this concept came out as low",
    )


@pytest.mark.parametrize(
    "key", ["graph.max_depth", "graph.node.is_orphan", "meta.conversation.saturation"]
)
def test_an_absent_signal_has_no_value(key: str) -> None:
    assert READING.value(parse_key(key).spec, "up", "n") is None
