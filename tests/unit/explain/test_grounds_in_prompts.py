from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from interviews.modes.grounds import signal_value, statement, value_text
from interviews.modes.inputs import _signals, rationale
from methodologies.qualifiers import parse_key
from methodologies.scoring import NodeRef, rank
from methodologies.signals.base import (
    PairValues,
    SignalReading,
    StrategyValues,
    Value,
    load_signals,
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
RANKING = rank(
    methodology(strategy("up", WEIGHTS)),
    READING,
    phase="mid",
    nodes=[NodeRef(id="n", first_turn=1)],
)
CONTEXT: Any = SimpleNamespace(selection=SimpleNamespace(reading=READING, ranking=RANKING))


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
    assert signal_value(READING, parse_key(key).spec, RANKING.chosen) is None


@pytest.mark.parametrize(
    ("value", "text"), [(True, "yes"), (False, "no"), (0.4523, "0.452"), (1234, "1234"), ("a", "a")]
)
def test_values_are_written_for_reading(value: Value, text: str) -> None:
    assert value_text(value) == text


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("graph.node.is_orphan", True, "Nothing is related to it yet"),
        ("graph.node.is_orphan", False, "Something is related to it already"),
        ("graph.node.has_outgoing", False, "It leads nowhere yet"),
        (
            "llm.engagement",
            0.25,
            "How willingly the respondent takes part came out low, at 0.25 of 1",
        ),
        ("llm.specificity", 0.5, "How concrete the answer is came out middling, at 0.5 of 1"),
        ("llm.specificity", 0.75, "How concrete the answer is came out high, at 0.75 of 1"),
        ("graph.node_count", 0, "Concepts in the graph came to 0"),
        ("graph.node.chain_gap", "below", "No chain leads from an entry concept to it yet"),
        ("meta.interview.phase", "mid", "Where in the interview this turn stands came out as mid"),
    ],
)
def test_a_reading_is_told_as_a_sentence_that_is_true_of_it(
    name: str, value: Value, sentence: str
) -> None:
    assert statement(parse_key(name).spec, value) == sentence


def test_every_signal_that_is_true_or_false_has_words_for_both() -> None:
    for spec in load_signals():
        if spec.kind == "bool":
            told = {statement(spec, value) for value in (True, False)}
            assert len(told) == 2
            assert not any(":" in sentence or "does not hold" in sentence for sentence in told)
