"""Each scorer on worked examples, and within its bounds on any situation."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.modes.evaluative.choosing import choose, final_of
from interviews.modes.evaluative.scorers import ALL, multipliers
from interviews.modes.evaluative.situation import Option, Situation, Target
from interviews.modes.evaluative.strategies import options_in
from methodologies.evaluative import SCORERS, StrategyName, shipped_rules

from .samples import ELEMENTS, asked, edge, node, situation, tension

RULES = shipped_rules()
BOUNDS = {
    "redundancy": {0.2, 1.0},
    "knowledge_ceiling": {0.1, 1.0},
    "momentum_alignment": {0.2, 1.0, 1.1, 1.3},
    "recency_diversity": {1.0, 0.7, 0.7**2},
    "vertical_laddering": {1.0, 1.5, 1.8, 2.0},
    "branch_health": {0.15, 0.5, 1.0, 2.0},
    "schema_tension_readiness": {0.4, 1.0, 1.6},
    "reflection_mode": {0.2, 1.0, 2.0},
}


def given_by(scorer: str, strategy: StrategyName, now: Situation, target: Target) -> float:
    """What a scorer gives to a strategy on a target."""
    option = Option(strategy=strategy, group=RULES.strategies[strategy].group, target=target)
    return ALL[scorer](option, now, RULES.scorers)


def on(ref: str, node_type: str = "attribute") -> Target:
    return Target(kind="node", ref=ref, label=ref, node_type=node_type)


def about(ref: str) -> Target:
    return Target(kind="element", ref=ref, label=ref)


def test_there_are_nine_in_the_order_of_the_rules() -> None:
    assert tuple(ALL) == SCORERS


def test_redundancy_is_of_a_like_focus_by_the_same_strategy_among_the_last_six() -> None:
    near = {frozenset({"froth", "foam"}): 0.85, frozenset({"foam", "price"}): 0.84}

    def cosine(one: str, other: str) -> float:
        return near.get(frozenset({one, other}), 0.0)

    def of(label: str, strategy: StrategyName, *history: str) -> float:
        before = [asked("deepen_branch", ref, label=ref) for ref in history]
        now = situation([node("x")], asked=before, cosine=cosine)
        return given_by("redundancy", strategy, now, Target(kind="node", ref="x", label=label))

    assert of("foam", "deepen_branch", "froth") == 0.2
    assert of("foam", "deepen_branch", "price") == 1.0
    assert of("foam", "explore_breadth", "froth") == 1.0
    assert of("foam", "deepen_branch", "froth", *("y" * n for n in range(1, 6))) == 0.2
    assert of("foam", "deepen_branch", "froth", *("y" * n for n in range(1, 7))) == 1.0
    assert of("", "deepen_branch", "") == 1.0


def test_knowledge_ceiling_is_of_this_very_focus_in_the_last_three_answers() -> None:
    unknown = asked("ensure_coverage", "foam", unknown=True)
    others = [asked("deepen_branch", "x")] * 3
    for before, ref, found in (
        ([unknown], "foam", 0.1),
        ([unknown], "price", 1.0),
        ([unknown, *others[:2]], "foam", 0.1),
        ([unknown, *others], "foam", 1.0),
        ([asked("ensure_coverage", "foam")], "foam", 1.0),
    ):
        now = situation(asked=before)
        assert given_by("knowledge_ceiling", "ensure_coverage", now, about(ref)) == found
    of_a_node = situation([node("foam")], asked=[unknown])
    assert given_by("knowledge_ceiling", "deepen_branch", of_a_node, on("foam")) == 1.0


@pytest.mark.parametrize(
    ("level", "strategy", "found"),
    [
        ("low", "deepen_branch", 0.2),
        ("low", "explore_breadth", 1.1),
        ("low", "introduce_seed", 1.1),
        ("low", "ensure_coverage", 1.0),
        ("high", "deepen_branch", 1.3),
        ("high", "explore_breadth", 1.0),
        ("neutral", "deepen_branch", 1.0),
    ],
)
def test_momentum_alignment(level: str, strategy: StrategyName, found: float) -> None:
    now = situation([node("x")], momentum=level)
    assert given_by("momentum_alignment", strategy, now, on("x")) == found


def test_recency_diversity_counts_the_last_two_turns() -> None:
    deep, broad = asked("deepen_branch", "x"), asked("explore_breadth", "x")
    for before, found in (
        ([], 1.0),
        ([deep], 0.7),
        ([deep, deep], 0.7**2),
        ([deep, broad], 0.7),
        ([deep, broad, broad], 1.0),
    ):
        now = situation([node("x")], asked=before)
        assert given_by("recency_diversity", "deepen_branch", now, on("x")) == found


@pytest.mark.parametrize(
    ("strategy", "node_type", "found"),
    [
        ("deepen_branch", "attribute", 1.5),
        ("deepen_branch", "consequence", 1.8),
        ("deepen_branch", "feeling", 2.0),
        ("deepen_branch", "unheard_of", 1.5),
        ("explore_breadth", "feeling", 1.0),
    ],
)
def test_vertical_laddering(strategy: StrategyName, node_type: str, found: float) -> None:
    now = situation([node("x")])
    assert given_by("vertical_laddering", strategy, now, on("x", node_type)) == found


def test_branch_health_needs_two_turns_of_depth_running() -> None:
    deep, broad = asked("deepen_branch", "x"), asked("explore_breadth", "x")
    stale = situation([node("x")], asked=[broad, deep, deep])
    fresh = situation([node("x")], asked=[deep, broad, deep])
    expected: dict[StrategyName, float] = {
        "deepen_branch": 0.15,
        "connect_isolate": 0.5,
        "explore_breadth": 2.0,
        "resolve_ambiguity": 1.0,
    }
    for strategy, found in expected.items():
        assert given_by("branch_health", strategy, stale, on("x")) == found
        assert given_by("branch_health", strategy, fresh, on("x")) == 1.0


def test_coverage_quality_falls_from_first_contact_to_what_leads_nowhere() -> None:
    nodes, edges = [node("a"), node("b"), node("c"), node("d")], [edge("a", "b"), edge("c", "d")]
    whole = {"links": [("a", "foam"), ("c", "price")], "reacted": ["foam", "price"]}
    once = asked("ensure_coverage", "foam")
    for history, more, found in (
        ([], {}, 2.5),
        ([once], {}, 1.2),
        ([], {"links": [("a", "foam")]}, 1.2),
        ([], whole, 1.0),
        ([once], whole, 1.0),
        ([asked("ensure_coverage", "foam", gap="unconnected")], whole, 0.4),
        ([once, once], {}, 1.2 / 1.2),
        ([once, asked("ensure_coverage", "foam", edges=1)], {}, 1.2),
    ):
        now = situation(nodes, edges, asked=history, **more)
        assert given_by("coverage_quality", "ensure_coverage", now, about("foam")) == found
    opened = situation(nodes, edges, opened=frozenset({"foam"}))
    assert given_by("coverage_quality", "ensure_coverage", opened, about("foam")) == 2.5 * 1.5
    assert given_by("coverage_quality", "ensure_coverage", opened, about("price")) == 2.5
    assert given_by("coverage_quality", "deepen_branch", opened, on("a")) == 1.0


def test_schema_tension_readiness_wants_both_ends_known() -> None:
    nodes, found = [node("a"), node("b"), node("c")], tension("a", "c")
    target = Target(kind="tension", ref=found.id, label="a → c")

    def ready(edges: list[tuple[str, str]], *foci: str) -> float:
        history = [asked("deepen_branch", ref) for ref in foci]
        now = situation(nodes, [edge(*e) for e in edges], asked=history, tensions=(found,))
        return given_by("schema_tension_readiness", "resolve_schema_tension", now, target)

    assert ready([]) == ready([("a", "b")]) == ready([], "c") == 0.4
    assert ready([("a", "b")], "c") == ready([("a", "c")]) == ready([], "a", "c") == 1.6
    now = situation(nodes, tensions=(found,))
    assert given_by("schema_tension_readiness", "deepen_branch", now, on("a")) == 1.0


def test_reflection_mode_needs_a_chain_and_three_answers_without_a_node() -> None:
    for chain, barren, depth, seed in (
        (True, 3, 0.2, 2.0),
        (True, 2, 1.0, 1.0),
        (False, 5, 1.0, 1.0),
    ):
        now = situation([node("x")], complete_chain=chain, barren=barren)
        assert given_by("reflection_mode", "deepen_branch", now, on("x")) == depth
        assert given_by("reflection_mode", "introduce_seed", now, Target()) == seed
        assert given_by("reflection_mode", "ensure_coverage", now, about("foam")) == 1.0


# -- any situation ---------------------------------------------------------------------------------
NAMES = ("a", "b", "c", "d")
TYPES = ("attribute", "consequence", "feeling", "value")
questions = st.builds(
    asked,
    st.sampled_from(list(RULES.strategies)),
    st.sampled_from(["", *NAMES, "foam", "price"]),
    st.sampled_from([t.name for s in RULES.strategies.values() for t in s.tactics]),
    unknown=st.booleans(),
    edges=st.integers(0, 2),
    gap=st.sampled_from([None, "unconnected"]),
)


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    nodes = [node(n, draw(st.sampled_from(TYPES)), turn=i) for i, n in enumerate(NAMES)]
    pairs = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda p: p[0] != p[1])
    return situation(
        nodes[: draw(st.integers(0, len(nodes)))],
        [],
        links=draw(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(["foam", "price"])))),
        reacted=draw(st.sets(st.sampled_from([e.id for e in ELEMENTS]))),
        asked=draw(st.lists(questions, max_size=8)),
        momentum=draw(st.sampled_from(["low", "neutral", "high"])),
        tensions=tuple(tension(*pair) for pair in draw(st.lists(pairs, max_size=1))),
        opened=frozenset(draw(st.sets(st.sampled_from(["foam", "farms"])))),
        left_alone=frozenset(draw(st.sets(st.sampled_from([*NAMES, "foam", "price"])))),
        complete_chain=draw(st.booleans()),
        barren=draw(st.integers(0, 4)),
        flagged=draw(st.sets(st.sampled_from(NAMES))),
    )


@given(now=situations())
def test_every_scorer_stays_within_its_bounds(now: Situation) -> None:
    for option in options_in(now, RULES.strategies):
        found = multipliers(option, now, RULES.scorers)
        for name, allowed in BOUNDS.items():
            assert any(math.isclose(found[name], value) for value in allowed), name
        assert 0.4 / 1.2 <= found["coverage_quality"] <= 2.5 * 1.5


@given(now=situations())
def test_there_is_always_a_choice_and_its_score_can_be_recomputed(now: Situation) -> None:
    choice = choose(now, RULES)
    for found in choice.candidates:
        again = final_of(found.base, found.multipliers, found.weights)
        assert math.isclose(found.final, again, rel_tol=1e-12)
        assert tuple(found.multipliers) == SCORERS
        assert found.flagged is (found.final > 10)
        assert found.option.target.ref not in now.left_alone or not found.option.target.ref
    asks = choice.chosen
    assert choice.all_vetoed is bool(asks.vetoed_by) or choice.all_vetoed
    if not choice.all_vetoed:
        valid = [c for c in choice.candidates if not c.vetoed_by]
        assert asks.final >= max(c.final for c in valid) - 1e-9
        assert now.asked[-1:] == () or asks.tactic.name != now.asked[-1].tactic
