from __future__ import annotations

from typing import Any

import pytest

from methodologies.scoring import Candidate, NoCandidateError, NodeRef, Ranking, phased, rank
from methodologies.signals.base import PairValues, SignalReading, StrategyValues
from tests.unit.methodologies.samples import methodology, strategy

OLD, NEW = NodeRef(id="old", first_turn=1), NodeRef(id="new", first_turn=2)
CLOSE = strategy("close", node_binding="none", generates_closing_question=True)
EXPLORE = strategy("explore", node_binding="none")


def reading(*, nodes: dict[str, dict[str, Any]] | None = None, **values: Any) -> SignalReading:
    """A reading; a keyword `llm__engagement` is the signal `llm.engagement`."""
    return SignalReading(
        global_values={name.replace("__", "."): value for name, value in values.items()},
        node_values={
            node_id: {f"graph.node.{name}": value for name, value in found.items()}
            for node_id, found in (nodes or {}).items()
        },
    )


def order(ranking: Ranking) -> list[tuple[str, str | None]]:
    """The valid candidates, best first."""
    return [(c.strategy, c.node_id) for c in ranking.top(1000)]


def by_name(candidates: tuple[Candidate, ...]) -> dict[str, Candidate]:
    """Candidates by strategy."""
    return {candidate.strategy: candidate for candidate in candidates}


# -- the sum ---------------------------------------------------------------------------------------
def test_worked_example() -> None:
    deepen = strategy(
        "deepen",
        {
            "llm.response_depth.low": 0.8,
            "llm.engagement": 0.5,
            "graph.node.exhaustion_score.low": 1.0,
            "graph.node.is_orphan": 0.25,
            "graph.node.type.attribute": -0.5,
            "temporal.strategy_repetition_count": -0.3,
            "meta.canonical.saturation": 2.0,
        },
    )
    found = SignalReading(
        global_values={"llm.response_depth": "shallow", "llm.engagement": 0.5},
        node_values={
            "old": {
                "graph.node.exhaustion_score": 0.1,
                "graph.node.is_orphan": True,
                "graph.node.type": "attribute",
            },
            "new": {
                "graph.node.exhaustion_score": 0.5,
                "graph.node.is_orphan": False,
                "graph.node.type": "value",
            },
        },
        strategy_values={
            "temporal.strategy_repetition_count": StrategyValues(
                default=0.0, values={"deepen": 0.4}
            )
        },
    )
    late = {"late": {"signal_weights": {"deepen": 1.5}, "phase_bonuses": {"deepen": 0.2}}}
    ranking = rank(
        methodology(EXPLORE, deepen, CLOSE, phases=late), found, phase="late", nodes=[NEW, OLD]
    )
    best = ranking.chosen
    assert (best.strategy, best.node_id, best.rank) == ("deepen", "old", 1)
    # 0.8 + 0.25 + 1 + 0.25 - 0.5 - 0.12 + 0 (absent)
    assert best.base_score == pytest.approx(1.68)
    assert (best.phase_multiplier, best.phase_bonus) == (1.5, 0.2)
    assert best.final_score == pytest.approx(2.72)
    assert [(p.key, p.value, p.weight) for p in best.contributions] == [
        ("llm.response_depth.low", 1.0, 0.8),
        ("llm.engagement", 0.5, 0.5),
        ("graph.node.exhaustion_score.low", 1.0, 1.0),
        ("graph.node.is_orphan", 1.0, 0.25),
        ("graph.node.type.attribute", 1.0, -0.5),
        ("temporal.strategy_repetition_count", 0.4, -0.3),
    ]  # what is absent adds nothing and is not listed
    second = ranking.runner_up
    assert second is not None
    assert (second.strategy, second.node_id, second.rank) == ("deepen", "new", 2)
    assert second.base_score == pytest.approx(0.93)  # 0.8 + 0.25 - 0.12


def test_strategy_without_a_node_is_scored_once_and_its_node_weights_never_act() -> None:
    weights = {"graph.node.is_orphan": 5.0, "llm.engagement": 1.0}
    subject = methodology(strategy("explore", weights, node_binding="none"), CLOSE)
    found = reading(llm__engagement=0.5, nodes={"old": {"is_orphan": True}})
    ranking = rank(subject, found, phase="mid", nodes=[OLD, NEW])
    assert order(ranking) == [("explore", None)]
    assert ranking.chosen.base_score == 0.5


def test_repetition_of_a_strategy_on_a_node_counts_for_that_pair_only() -> None:
    weights = {"technique.node.strategy_repetition.medium": -1.0}
    found = SignalReading(
        pair_values={
            "technique.node.strategy_repetition": PairValues(
                default="none", values={("deepen", "old"): "medium"}
            )
        }
    )
    subject = methodology(
        strategy("deepen", weights), strategy("contrast", weights), EXPLORE, CLOSE
    )
    scores = {
        (c.strategy, c.node_id): c.final_score
        for c in rank(subject, found, phase="mid", nodes=[OLD, NEW]).top(9)
    }
    assert scores == {
        ("contrast", "old"): 0.0,
        ("contrast", "new"): 0.0,
        ("deepen", "new"): 0.0,
        ("explore", None): 0.0,
        ("deepen", "old"): -1.0,
    }


# -- phases ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("base", "multiplier", "literal", "expected"),
    [
        (2.0, 1.5, False, 3.1),
        (-2.0, 1.6, False, -1.15),
        (-2.0, 1.6, True, -3.1),
        (-2.0, 0.5, False, -3.9),
        (2.0, 0.0, False, 0.1),
        (-2.0, 0.0, False, 0.1),
    ],
)
def test_phase_rule(base: float, multiplier: float, literal: bool, expected: float) -> None:
    assert phased(base, multiplier, 0.1, literal=literal) == pytest.approx(expected)


@pytest.mark.parametrize(("rule", "winner"), [("sign_aware", "a"), ("literal", "b")])
def test_favouring_a_strategy_with_a_negative_score(rule: str, winner: str) -> None:
    weights = {"llm.engagement": -1.0}
    subject = methodology(
        strategy("a", weights, node_binding="none"),
        strategy("b", weights, node_binding="none"),
        CLOSE,
        phases={"mid": {"signal_weights": {"a": 2.0}}},
        phase_rule=rule,
    )
    assert rank(subject, reading(llm__engagement=1.0), phase="mid").chosen.strategy == winner


def test_phase_weight_zero_takes_a_strategy_out_of_that_phase_only() -> None:
    subject = methodology(
        strategy("a", {"llm.engagement": 9.0}, node_binding="none"),
        EXPLORE,
        CLOSE,
        phases={"early": {"signal_weights": {"a": 0}}},
    )
    found = reading(llm__engagement=1.0)
    early = rank(subject, found, phase="early")
    assert order(early) == [("explore", None)]
    assert by_name(early.gated)["a"].gates == ("phase: weight 0 in early",)
    assert rank(subject, found, phase="mid").chosen.strategy == "a"


# -- gates -----------------------------------------------------------------------------------------
def test_valid_when_takes_out_single_nodes() -> None:
    deepen = strategy(
        "deepen", {"llm.engagement": 1.0}, valid_when={"graph.node.type.value": False}
    )
    found = reading(
        llm__engagement=1.0, nodes={"old": {"type": "value"}, "new": {"type": "attribute"}}
    )
    ranking = rank(methodology(EXPLORE, deepen, CLOSE), found, phase="mid", nodes=[OLD, NEW])
    assert order(ranking) == [("deepen", "new"), ("explore", None)]
    gated = by_name(ranking.gated)["deepen"]
    assert (gated.node_id, gated.final_score) == ("old", 1.0)
    assert gated.gates == ("valid_when: graph.node.type.value must be false",)
    assert gated.rank == 3


@pytest.mark.parametrize("expected", [True, False])
def test_condition_on_an_absent_signal_never_holds(expected: bool) -> None:
    subject = methodology(
        strategy("a", node_binding="none", valid_when={"llm.engagement.high": expected}),
        EXPLORE,
        CLOSE,
    )
    assert order(rank(subject, reading(), phase="mid")) == [("explore", None)]


@pytest.mark.parametrize(("value", "valid"), [(0.8, True), (0.5, False)])
def test_condition_on_a_session_wide_signal(value: float, valid: bool) -> None:
    subject = methodology(
        strategy("a", node_binding="none", valid_when={"llm.engagement.high": True}), EXPLORE, CLOSE
    )
    names = [name for name, _ in order(rank(subject, reading(llm__engagement=value), phase="mid"))]
    assert ("a" in names) is valid


def test_condition_on_a_pair_signal() -> None:
    name = "technique.node.strategy_repetition"
    subject = methodology(strategy("deepen", valid_when={f"{name}.high": False}), EXPLORE, CLOSE)
    found = SignalReading(
        pair_values={name: PairValues(default="none", values={("deepen", "old"): "high"})}
    )
    ranking = rank(subject, found, phase="mid", nodes=[OLD, NEW])
    assert order(ranking) == [("deepen", "new"), ("explore", None)]


def test_refused_focus_is_closed() -> None:
    subject = methodology(strategy("deepen", {"llm.engagement": 1.0}), EXPLORE, CLOSE)
    ranking = rank(
        subject, reading(llm__engagement=1.0), phase="mid", nodes=[OLD, NEW], left_alone={"old"}
    )
    assert order(ranking) == [("deepen", "new"), ("explore", None)]
    assert [(c.node_id, c.gates) for c in ranking.gated if c.strategy == "deepen"] == [
        ("old", ("left alone: refused, told before or not understood",))
    ]


def test_closing_strategy_waits_until_closing_is_allowed() -> None:
    close = strategy(
        "close", {"llm.engagement": 9.0}, node_binding="none", generates_closing_question=True
    )
    subject, found = methodology(EXPLORE, close), reading(llm__engagement=1.0)
    early = rank(subject, found, phase="mid")
    assert early.chosen.strategy == "explore"
    assert by_name(early.gated)["close"].gates == (
        "closing: neither in the late phase nor saturated",
    )
    assert rank(subject, found, phase="mid", closing_allowed=True).chosen.strategy == "close"


def test_turn_that_has_to_close_chooses_among_closing_strategies_even_if_gated() -> None:
    close = strategy(
        "close",
        node_binding="required",
        generates_closing_question=True,
        valid_when={"llm.engagement.high": True},
    )
    subject = methodology(strategy("explore", {"llm.engagement": 9.0}, node_binding="none"), close)
    ranking = rank(subject, reading(), phase="mid", closing_only=True)
    assert order(ranking) == [("close", None)]
    assert ranking.relaxed


def test_where_every_candidate_is_gated_one_without_a_node_is_taken() -> None:
    subject = methodology(
        strategy("a", node_binding="none"),
        strategy("b", {"llm.engagement": 1.0}, node_binding="none"),
        strategy("deepen"),
        CLOSE,
        phases={"mid": {"signal_weights": {"a": 0, "b": 0, "deepen": 0}}},
    )
    ranking = rank(subject, reading(llm__engagement=0.5), phase="mid", nodes=[OLD])
    assert ranking.relaxed
    assert order(ranking) == [("a", None), ("b", None)]
    assert ranking.chosen.gates == ("phase: weight 0 in mid",)


def test_methodology_that_cannot_ask_without_a_node_fails_on_an_empty_graph() -> None:
    with pytest.raises(NoCandidateError, match="sample has no non-closing strategy"):
        rank(methodology(strategy("deepen"), CLOSE), reading(), phase="early")


# -- diversity -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("history", "chosen"),
    [
        (["a", "a"], "a"),
        (["a", "a", "a"], "b"),
        (["b", "a", "a", "a"], "b"),
        (["a", "a", "b", "a"], "a"),
        (["a", "a", "a", "a", "a"], "b"),
    ],
)
def test_strategy_waits_after_three_turns_running(history: list[str], chosen: str) -> None:
    subject = methodology(
        strategy("a", {"llm.engagement": 1.0}, node_binding="none"),
        strategy("b", node_binding="none"),
        CLOSE,
    )
    ranking = rank(subject, reading(llm__engagement=1.0), phase="mid", strategy_history=history)
    assert ranking.chosen.strategy == chosen


def test_strategy_may_go_on_where_no_other_is_valid() -> None:
    subject = methodology(
        strategy("a", node_binding="none"),
        strategy("b", node_binding="none", valid_when={"llm.engagement.high": True}),
        strategy("deepen"),
        CLOSE,
    )
    ranking = rank(
        subject, reading(), phase="mid", strategy_history=["a"] * 7, closing_allowed=True
    )
    assert {c.strategy for c in ranking.top(9)} == {"a", "close"}


def test_max_run_is_the_methodologys_to_say() -> None:
    subject = methodology(
        strategy("a", {"llm.engagement": 1.0}, node_binding="none"), EXPLORE, CLOSE, max_run=1
    )
    ranking = rank(subject, reading(llm__engagement=1.0), phase="mid", strategy_history=["a"])
    assert ranking.chosen.strategy == "explore"
    assert by_name(ranking.gated)["a"].gates == ("max_run: used 1 turns running",)


def test_flat_ratings_never_let_one_strategy_run_on() -> None:
    subject = methodology(
        strategy("a", {"llm.engagement": 1.0}, node_binding="none"),
        strategy("b", node_binding="none"),
        strategy("deepen"),
        CLOSE,
    )
    history: list[str] = []
    for _ in range(102):
        ranking = rank(
            subject,
            reading(llm__engagement=0.5),
            phase="mid",
            nodes=[OLD],
            strategy_history=history,
        )
        history.append(ranking.chosen.strategy)
    assert all(len(set(history[i : i + 4])) > 1 for i in range(len(history) - 3))


# -- ties ------------------------------------------------------------------------------------------
def test_tie_goes_to_the_strategy_used_less_then_to_the_name_then_to_the_older_node() -> None:
    subject = methodology(strategy("c"), strategy("b"), strategy("a", node_binding="none"), CLOSE)
    nodes = [NEW, NodeRef(id="z", first_turn=1, order=1), OLD]
    ranking = rank(subject, reading(), phase="mid", nodes=nodes, strategy_history=["a", "c", "a"])
    assert order(ranking) == [
        ("b", "old"),
        ("b", "z"),
        ("b", "new"),
        ("c", "old"),
        ("c", "z"),
        ("c", "new"),
        ("a", None),
    ]


def test_uses_may_reach_further_back_than_the_history() -> None:
    subject = methodology(
        strategy("a", node_binding="none"), strategy("b", node_binding="none"), CLOSE
    )
    ranking = rank(
        subject, reading(), phase="mid", strategy_history=["b"], strategy_uses={"a": 5, "b": 1}
    )
    assert ranking.chosen.strategy == "b"


def test_rounding_in_the_last_place_is_no_difference() -> None:
    subject = methodology(
        strategy("b", {"llm.engagement": 0.1, "llm.valence": 0.2}, node_binding="none"),
        strategy("a", {"llm.certainty": 0.3}, node_binding="none"),
        CLOSE,
    )
    found = reading(llm__engagement=1.0, llm__valence=1.0, llm__certainty=1.0)
    assert 0.1 + 0.2 > 0.3
    assert rank(subject, found, phase="mid").chosen.strategy == "a"


# -- two stages ------------------------------------------------------------------------------------
def test_two_stages_choose_the_strategy_first_and_then_its_node() -> None:
    strategies = (
        strategy("deepen", {"llm.engagement": 0.4, "graph.node.is_orphan": 0.9}),
        strategy("contrast", {"llm.engagement": 0.5, "graph.node.recency_score": -1.0}),
        EXPLORE,
        CLOSE,
    )
    found = reading(
        llm__engagement=1.0,
        nodes={
            "old": {"is_orphan": True, "recency_score": 0.75},
            "new": {"is_orphan": False, "recency_score": 0.5},
        },
    )
    nodes = [OLD, NEW]
    joint = rank(methodology(*strategies), found, phase="mid", nodes=nodes)
    assert (joint.chosen.strategy, joint.chosen.node_id) == ("deepen", "old")
    assert joint.chosen.base_score == pytest.approx(1.3)
    staged = rank(methodology(*strategies, selection="two_stage"), found, phase="mid", nodes=nodes)
    assert order(staged) == [
        ("contrast", "new"),
        ("contrast", "old"),
        ("deepen", "old"),
        ("deepen", "new"),
        ("explore", None),
    ]
    assert (staged.chosen.base_score, staged.chosen.node_score) == (0.5, -0.5)
    assert [p.key for p in staged.chosen.contributions] == ["llm.engagement"]
    assert [p.key for p in staged.chosen.node_contributions] == ["graph.node.recency_score"]


def test_two_stages_pass_over_a_strategy_without_a_valid_node() -> None:
    subject = methodology(
        strategy("deepen", {"llm.engagement": 1.0}), EXPLORE, CLOSE, selection="two_stage"
    )
    ranking = rank(
        subject, reading(llm__engagement=1.0), phase="mid", nodes=[OLD], left_alone={"old"}
    )
    assert ranking.chosen.strategy == "explore"
