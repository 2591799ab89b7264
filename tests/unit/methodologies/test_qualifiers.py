from __future__ import annotations

import pytest

from methodologies.qualifiers import (
    UnknownSignalError,
    parse_key,
    qualifiers_of,
    takes_plain_weight,
)
from methodologies.signals.base import Value, load_signals
from tests.unit.methodologies.samples import LADDER


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("llm.engagement", 0.6, 0.6),
        ("llm.engagement", None, 0.0),
        ("llm.engagement.low", 0.25, 1.0),
        ("llm.engagement.low", 0.26, 0.0),
        ("llm.engagement.mid", 0.25, 0.0),
        ("llm.engagement.mid", 0.5, 1.0),
        ("llm.engagement.mid", 0.75, 0.0),
        ("llm.engagement.high", 0.75, 1.0),
        ("llm.engagement.high", 0.74, 0.0),
        ("llm.engagement.low", None, 0.0),
        ("graph.node.exhausted", True, 1.0),
        ("graph.node.exhausted", False, 0.0),
        ("graph.node.exhausted.true", True, 1.0),
        ("graph.node.exhausted.false", True, 0.0),
        ("graph.node.exhausted.false", False, 1.0),
        ("graph.node.exhausted.false", None, 0.0),
        ("graph.node_count.zero", 0, 1.0),
        ("graph.node_count.zero", 3, 0.0),
        ("graph.node_count.nonzero", 3, 1.0),
        ("graph.canonical_edge_density.nonzero", 0.4, 1.0),
        ("graph.node.level.2", 2, 1.0),
        ("graph.node.level.2", 3, 0.0),
        ("graph.node.type.value", "value", 1.0),
        ("graph.node.type.value", "attribute", 0.0),
        ("graph.node.focus_streak.low", "low", 1.0),
        ("graph.node.focus_streak.low", "none", 0.0),
        ("graph.node.focus_streak.high", "high", 1.0),
        ("llm.response_depth.deep", "deep", 1.0),
        ("llm.response_depth.low", "surface", 1.0),
        ("llm.response_depth.low", "shallow", 1.0),
        ("llm.response_depth.low", "moderate", 0.0),
        ("llm.response_depth.mid", "moderate", 1.0),
        ("llm.response_depth.high", "deep", 1.0),
        ("llm.response_depth.high", "moderate", 0.0),
    ],
)
def test_amount(key: str, value: Value | None, expected: float) -> None:
    assert parse_key(key).amount(value) == expected


@pytest.mark.parametrize("key", ["llm.engagment", "llm", "graph.chain_completion", "", "a.b.c.d"])
def test_key_without_a_signal_is_refused(key: str) -> None:
    with pytest.raises(UnknownSignalError):
        parse_key(key)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("llm.engagement", ("low", "mid", "high")),
        ("graph.node.exhausted", ("true", "false")),
        ("graph.node_count", ("zero", "nonzero")),
        ("graph.node.level", ("zero", "nonzero", "1", "2", "3")),
        ("graph.node.type", ("attribute", "consequence", "value")),
        ("graph.node.focus_streak", ("none", "low", "medium", "high")),
        ("llm.response_depth", ("surface", "shallow", "moderate", "deep", "low", "mid", "high")),
        ("meta.interview.phase", ("early", "mid", "late")),
    ],
)
def test_qualifiers_that_a_signal_answers_to(name: str, expected: tuple[str, ...]) -> None:
    spec = load_signals().get(name)
    assert spec is not None
    assert qualifiers_of(spec, LADDER) == expected


def test_only_values_between_0_and_1_take_a_plain_weight() -> None:
    refused = {spec.name for spec in load_signals() if not takes_plain_weight(spec)}
    assert refused == {
        "graph.node_count",
        "graph.edge_count",
        "graph.orphan_count",
        "graph.canonical_concept_count",
        "graph.canonical_edge_density",
        "graph.node.edge_count",
        "graph.node.chain_gap",
        "graph.node.first_chain",
        "graph.node.level",
        "graph.node.type",
        "graph.node.stance",
        "graph.node.nature",
        "conversation.act",
        "temporal.line_run",
        "graph.node.focus_streak",
        "technique.node.strategy_repetition",
        "llm.response_depth",
        "llm.global_response_trend",
        "meta.interview.phase",
        "meta.node.opportunity",
    }
