"""Which strategy applies on what, which tactic it takes, and who wins."""

from __future__ import annotations

import pytest

from interviews.modes.evaluative.choosing import MAX_RUN, choose
from interviews.modes.evaluative.situation import Situation
from interviews.modes.evaluative.strategies import STRATEGIES
from methodologies.evaluative import StrategyName, rules_with, shipped_rules

from .samples import ELEMENTS, asked, edge, node, situation, tension

RULES = shipped_rules()
COVERED = {
    "links": [("a", "foam"), ("b", "price"), ("c", "farms")],
    "reacted": ["foam", "price", "farms"],
}
NODES = [node("a"), node("b"), node("c", "consequence"), node("d", "value", turn=2)]
EDGES = [edge("a", "b"), edge("b", "c"), edge("c", "d"), edge("d", "a")]


def targets(strategy: StrategyName, now: Situation) -> list[str]:
    return [target.ref for target in STRATEGIES[strategy](now)]


def test_gaps_come_by_kind_priority_and_place_and_those_of_exhausted_elements_not_at_all() -> None:
    now = situation([node("a")], links=[("a", "farms")])
    assert targets("ensure_coverage", now) == ["price", "foam", "farms"]
    tired = situation(asked=[asked("ensure_coverage", "price")] * 3)
    assert targets("ensure_coverage", tired) == ["foam", "farms"]
    assert tired.coverage.gaps_of("price")
    alone = situation(left_alone=frozenset({"foam"}))
    assert targets("ensure_coverage", alone) == ["price", "farms"]


def test_structure_asks_about_the_newest_and_the_oldest_tension() -> None:
    doubtful = [node("a"), node("b", confidence=0.4), node("c", turn=2)]
    now = situation(doubtful, flagged=["a"], tensions=(tension("a", "b"), tension("b", "c", "2.1")))
    assert targets("resolve_ambiguity", now) == ["b"]
    assert targets("connect_isolate", now) == ["c"]
    assert targets("resolve_schema_tension", now) == ["1.1"]
    assert targets("connect_isolate", situation([node("a")])) == []


def test_depth_follows_the_newest_node_up_to_where_chains_end() -> None:
    assert targets("deepen_branch", situation([node("a"), node("b", turn=2)])) == ["b"]
    assert targets("deepen_branch", situation(NODES, EDGES)) == []
    alone = situation([node("a")], left_alone=frozenset({"a"}))
    assert targets("deepen_branch", alone) == []


def test_breadth_goes_to_the_fewest_edges_and_then_to_the_oldest() -> None:
    nodes = [node("a"), node("b"), node("c")]
    assert targets("explore_breadth", situation(nodes, [edge("a", "b")])) == ["c"]
    lately = situation(nodes, [edge("a", "b")], asked=[asked("deepen_branch", "c")])
    assert targets("explore_breadth", lately) == ["a"]


def test_a_seed_waits_until_nothing_is_left_or_the_interview_reflects() -> None:
    assert targets("introduce_seed", situation(NODES, EDGES)) == []
    done = situation(NODES, [*EDGES, edge("a", "c")], elements=())
    assert targets("introduce_seed", done) == [""]
    assert targets("introduce_seed", situation(complete_chain=True, barren=3)) == [""]


def test_without_a_graph_the_first_gap_is_asked_about() -> None:
    chosen = choose(situation(), RULES).chosen
    assert (chosen.option.strategy, chosen.option.target.ref) == ("ensure_coverage", "price")
    assert chosen.tactic.name == "open_element_probe"
    assert chosen.final == 1.3 * 2.5


def test_what_the_answer_opened_goes_before_a_gap_of_higher_priority() -> None:
    chosen = choose(situation(opened=frozenset({"farms"})), RULES).chosen
    assert chosen.option.target.ref == "farms"
    assert chosen.final == pytest.approx(1.3 * 2.5 * 1.5)


def test_a_strategy_runs_three_times_and_then_lets_another_come() -> None:
    ran = [asked("ensure_coverage", ref, tactic="x") for ref in ("foam", "price", "foam")]
    now = situation([node("a"), node("b")], asked=ran)
    choice = choose(now, RULES)
    assert choice.chosen.option.strategy != "ensure_coverage"
    assert {c.vetoed_by for c in choice.candidates if c.option.group == "coverage"} == {MAX_RUN}
    nothing_else = choose(situation(asked=ran), RULES)
    assert nothing_else.chosen.option.strategy == "ensure_coverage"
    assert not nothing_else.all_vetoed


def test_where_everything_is_vetoed_a_seed_is_asked_and_it_is_told() -> None:
    section = {"strategies": {}, "scorers": {"coverage_quality": {
        **RULES.scorers.coverage_quality.model_dump(), "first": 0.0}}}  # fmt: skip
    from methodologies.evaluative import EvaluativeSection

    rules = rules_with(EvaluativeSection.model_validate(section))
    choice = choose(situation(), rules)
    assert choice.all_vetoed
    assert choice.chosen.option.strategy == "introduce_seed"
    assert {c.vetoed_by for c in choice.candidates[1:]} == {"coverage_quality"}


def test_a_tactic_fits_the_gap_is_the_least_used_and_never_comes_twice_running() -> None:
    links = [("a", "price")]
    now = situation([node("a")], [], links=links, elements=ELEMENTS[1:2])
    assert choose(now, RULES).chosen.tactic.name == "reaction_elicitation"
    again = situation(
        [node("a"), node("b")],
        links=links,
        elements=ELEMENTS[1:2],
        asked=[asked("ensure_coverage", "price", "reaction_elicitation")],
    )
    of_coverage = [
        c for c in choose(again, RULES).candidates if c.option.strategy == "ensure_coverage"
    ]
    assert [c.tactic.name for c in of_coverage] == ["expectation_vs_reality"]
    once = asked("resolve_ambiguity", "a", "specificity_probe")
    now = situation([node("a"), node("b")], flagged=["b"], asked=[once])
    strategies = {c.option.strategy for c in choose(now, RULES).candidates}
    assert "resolve_ambiguity" not in strategies


def test_a_connection_is_named_by_both_ends_so_that_it_repeats_neither() -> None:
    now = situation(
        [node("a"), node("b"), node("c"), node("d")],
        [edge("a", "c"), edge("b", "d")],
        links=[("a", "foam"), ("b", "price")],
        reacted=["foam", "price"],
        elements=ELEMENTS[:2],
        asked=[asked("ensure_coverage", "foam", label="foams like milk")],
    )
    (target,) = STRATEGIES["ensure_coverage"](now)
    assert (target.ref, target.gap, target.other) == ("foam", "unconnected", "price")
    assert target.label == "foams like milk and costs less than milk"
    found = next(c for c in choose(now, RULES).candidates if c.option.group == "coverage")
    assert found.multipliers["redundancy"] == 1.0
