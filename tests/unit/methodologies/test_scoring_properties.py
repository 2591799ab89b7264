"""What holds for every methodology and every reading."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from methodologies.schema import MethodologySchema
from methodologies.scoring import NodeRef, Ranking, rank
from methodologies.signals.base import PairValues, SignalReading, StrategyValues
from tests.unit.methodologies.samples import methodology, strategy

GLOBAL_KEYS = (
    "llm.engagement",
    "llm.engagement.high",
    "llm.valence.mid",
    "llm.response_depth.low",
    "temporal.strategy_repetition_count",
)
NODE_KEYS = (
    "graph.node.exhaustion_score",
    "graph.node.recency_score.low",
    "graph.node.is_orphan.false",
    "graph.node.type.attribute",
    "technique.node.strategy_repetition.none",
    "technique.node.strategy_repetition.high",
)
CLOSE = strategy("close", node_binding="none", generates_closing_question=True)

weights = st.integers(-200, 200).map(lambda n: n / 100)
ratios = st.integers(0, 20).map(lambda n: n / 20)
phase_weights = st.sampled_from((0.0, 0.5, 1.0, 1.3, 2.0))


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Strategies and settings of a methodology; the first can always be asked."""
    count = draw(st.integers(1, 4))
    strategies = [strategy("opener", {"llm.engagement": draw(weights)}, node_binding="none")]
    for i in range(count):
        keys = draw(st.lists(st.sampled_from(GLOBAL_KEYS + NODE_KEYS), min_size=1, unique=True))
        strategies.append(
            strategy(
                f"s{i}",
                {key: draw(weights) for key in keys},
                node_binding=draw(st.sampled_from(("required", "none"))),
                valid_when=draw(
                    st.sampled_from(({}, {"llm.engagement.high": False}, {"llm.valence.mid": True}))
                ),
            )
        )
    multipliers = {f"s{i}": draw(phase_weights) for i in range(count)}
    return {
        "strategies": strategies,
        "selection": draw(st.sampled_from(("joint", "two_stage"))),
        "phase_rule": draw(st.sampled_from(("sign_aware", "literal"))),
        "max_run": draw(st.integers(1, 3)),
        "phases": {"mid": {"signal_weights": multipliers, "phase_bonuses": {"s0": draw(weights)}}},
    }


def build(document: dict[str, Any]) -> MethodologySchema:
    """The document's methodology, with a closing strategy."""
    more = {key: value for key, value in document.items() if key != "strategies"}
    return methodology(*document["strategies"], CLOSE, **more)


@st.composite
def readings(draw: st.DrawFn) -> SignalReading:
    """A reading of up to five nodes."""
    nodes = [f"n{i}" for i in range(draw(st.integers(0, 5)))]
    return SignalReading(
        global_values={
            "llm.engagement": draw(ratios),
            "llm.valence": draw(ratios),
            "llm.response_depth": draw(st.sampled_from(("surface", "moderate", "deep"))),
        },
        node_values={
            node: {
                "graph.node.exhaustion_score": draw(ratios),
                "graph.node.recency_score": draw(ratios),
                "graph.node.is_orphan": draw(st.booleans()),
                "graph.node.type": draw(st.sampled_from(("attribute", "value"))),
            }
            for node in nodes
        },
        strategy_values={
            "temporal.strategy_repetition_count": StrategyValues(
                default=0.0, values={"s0": draw(ratios)}
            )
        },
        pair_values={
            "technique.node.strategy_repetition": PairValues(
                default="none", values={("s0", node): "high" for node in nodes[:2]}
            )
        },
    )


def refs(reading: SignalReading) -> list[NodeRef]:
    """The reading's nodes, oldest first."""
    return [
        NodeRef(id=node, first_turn=i // 2, order=i) for i, node in enumerate(reading.node_values)
    ]


def run(document: dict[str, Any], reading: SignalReading, history: list[str]) -> Ranking:
    """Rank in the middle of an interview."""
    return rank(
        build(document), reading, phase="mid", nodes=refs(reading), strategy_history=history
    )


histories = st.lists(st.sampled_from(("opener", "s0", "s1")), max_size=6)


@given(documents(), readings(), histories)
@settings(max_examples=80)
def test_decomposition_sums_exactly_to_the_score(
    document: dict[str, Any], reading: SignalReading, history: list[str]
) -> None:
    ranking = run(document, reading, history)
    for candidate in (*ranking.top(100), *ranking.gated):
        assert sum(p.contribution for p in candidate.contributions) == candidate.base_score
        assert sum(p.contribution for p in candidate.node_contributions) == candidate.node_score
        assert all(p.contribution == p.weight * p.value for p in candidate.contributions)


@given(documents(), readings(), histories)
@settings(max_examples=80)
def test_ranking_follows_the_materialised_scores(
    document: dict[str, Any], reading: SignalReading, history: list[str]
) -> None:
    candidates = run(document, reading, history).top(100)
    assert [c.rank for c in candidates] == list(range(1, len(candidates) + 1))
    keys = [(round(c.final_score, 9), 0) for c in candidates]
    assert keys == sorted(keys, reverse=True)


@given(documents(), readings(), histories, st.randoms(use_true_random=False))
@settings(max_examples=80)
def test_order_of_strategies_weights_and_nodes_changes_nothing(
    document: dict[str, Any], reading: SignalReading, history: list[str], chance: random.Random
) -> None:
    shuffled = [
        {
            **s,
            "signal_weights": dict(
                chance.sample([*s["signal_weights"].items()], k=len(s["signal_weights"]))
            ),
        }
        for s in chance.sample(document["strategies"], k=len(document["strategies"]))
    ]
    nodes = refs(reading)
    mixed = rank(
        build({**document, "strategies": shuffled}),
        reading,
        phase="mid",
        nodes=chance.sample(nodes, k=len(nodes)),
        strategy_history=history,
    )
    straight = run(document, reading, history)
    assert [(c.strategy, c.node_id) for c in mixed.top(100)] == [
        (c.strategy, c.node_id) for c in straight.top(100)
    ]


@given(documents(), readings(), histories)
@settings(max_examples=80)
def test_signal_of_weight_zero_changes_nothing(
    document: dict[str, Any], reading: SignalReading, history: list[str]
) -> None:
    extended = [
        {
            **s,
            "signal_weights": {
                "llm.valence": 0.0,
                "graph.node.is_orphan": 0.0,
                **s["signal_weights"],
            },
        }
        for s in document["strategies"]
    ]
    more = run({**document, "strategies": extended}, reading, history)
    plain = run(document, reading, history)
    assert [(c.strategy, c.node_id, c.final_score) for c in more.top(100)] == [
        (c.strategy, c.node_id, c.final_score) for c in plain.top(100)
    ]


@given(documents(), readings(), st.sampled_from((1.1, 1.5, 3.0)))
@settings(max_examples=80)
def test_phase_weight_above_one_never_lowers_a_strategy(
    document: dict[str, Any], reading: SignalReading, factor: float
) -> None:
    document = {**document, "phase_rule": "sign_aware"}

    def place(multiplier: float) -> int:
        phases = {"mid": {"signal_weights": {"s0": multiplier}}}
        candidates = run({**document, "phases": phases}, reading, []).top(100)
        return min((c.rank for c in candidates if c.strategy == "s0"), default=0)

    assert place(factor) <= place(1.0)


@given(documents(), readings())
@settings(max_examples=40)
def test_no_strategy_runs_on_while_another_is_valid(
    document: dict[str, Any], reading: SignalReading
) -> None:
    limit, history = document["max_run"], list[str]()
    free = {c.strategy for c in run(document, reading, []).top(100)} - {"close"}
    for _ in range(12):
        history.append(run(document, reading, history).chosen.strategy)
    for i in range(len(history) - limit):
        window = history[i : i + limit + 1]
        assert len(set(window)) > 1 or len(free) == 1


@given(documents(), readings(), histories, st.booleans())
@settings(max_examples=60)
def test_there_is_always_a_choice_that_fits_its_node_binding(
    document: dict[str, Any], reading: SignalReading, history: list[str], closing: bool
) -> None:
    subject = build(document)
    ranking = rank(
        subject,
        reading,
        phase="mid",
        nodes=refs(reading),
        strategy_history=history,
        left_alone={"n0"},
        closing_only=closing,
    )
    chosen = ranking.chosen
    spec = subject.strategies_by_name[chosen.strategy]
    assert spec.generates_closing_question is closing
    assert (chosen.node_id is None) is (spec.node_binding == "none")
    assert chosen.node_id != "n0"
    assert ranking.relaxed or not chosen.gates


@given(readings())
@settings(max_examples=40)
def test_reading_restored_from_storage_ranks_alike(reading: SignalReading) -> None:
    subject = methodology(
        strategy("opener", {"llm.engagement": 1.0}, node_binding="none"),
        strategy("s0", dict.fromkeys(GLOBAL_KEYS + NODE_KEYS, 0.3)),
        CLOSE,
    )
    restored = SignalReading.from_dict(reading.to_dict())
    nodes = refs(reading)
    assert rank(subject, restored, phase="mid", nodes=nodes).top(100) == rank(
        subject, reading, phase="mid", nodes=nodes
    ).top(100)
