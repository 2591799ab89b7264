"""The shape of the graph, momentum, mapping and tensions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.ontology import Ontology
from interviews.llm.tasks.extraction import Relationship
from interviews.modes.evaluative.closing import COVERED, FATIGUED, reason_to_close
from interviews.modes.evaluative.mapping import mapped
from interviews.modes.evaluative.momentum import after, is_fatigued, level_of
from interviews.modes.evaluative.situation import steps_to_terminal
from interviews.modes.evaluative.state import EvaluativeState, Level, Momentum
from interviews.modes.evaluative.tension import End, tensions_in
from interviews.modes.evaluative.topology import topology_of

from .samples import ELEMENTS, LADDER, alike, edge, node, situation

NODES = ("a", "b", "c", "d", "e")
LEVELS = st.lists(st.sampled_from(["high", "neutral", "low"]), max_size=30)


# -- shape -----------------------------------------------------------------------------------------
def test_the_shape_of_a_graph() -> None:
    nodes = [
        node("a"),
        node("b", "consequence"),
        node("c", "value", turn=2),
        node("d", turn=3),
        node("e", turn=2, confidence=0.49),
    ]
    shape = topology_of(
        nodes,
        [edge("a", "b"), edge("b", "c")],
        is_terminal=LADDER.is_terminal,
        lately={"d"},
        flagged={"a", "b"},
        clarified={"b"},
    )
    assert shape.isolated == ("d", "e")
    assert shape.unexplored == ("a", "c", "e")
    assert shape.terminal == ("c",)
    assert shape.ambiguous == ("a", "e")
    assert shape.active_branch == ("d",)


def test_the_active_branch_goes_back_to_the_newest_source_and_cuts_cycles() -> None:
    nodes = [node("a"), node("b", turn=2), node("c", turn=3), node("d", turn=4)]
    edges = [edge("a", "d"), edge("c", "d"), edge("b", "c"), edge("d", "b"), edge("a", "b")]
    shape = topology_of(nodes, edges, is_terminal=LADDER.is_terminal)
    assert shape.active_branch == ("d", "c", "b", "a")


@given(
    pairs=st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), max_size=20),
    turns=st.lists(st.integers(1, 5), min_size=5, max_size=5),
)
def test_any_shape_of_graph_ends(pairs: list[tuple[str, str]], turns: list[int]) -> None:
    nodes = [node(name, turn=turn) for name, turn in zip(NODES, turns, strict=True)]
    shape = topology_of(nodes, [edge(*pair) for pair in pairs], is_terminal=LADDER.is_terminal)
    assert len(shape.active_branch) == len(set(shape.active_branch)) >= 1
    assert set(shape.isolated) <= set(shape.unexplored)


def test_steps_up_to_a_terminal_type() -> None:
    assert steps_to_terminal(LADDER) == {
        "value": 0,
        "feeling": 1,
        "consequence": 2,
        "attribute": 3,
    }
    assert steps_to_terminal(Ontology(node_types=(), edge_types=())) == {}


# -- momentum --------------------------------------------------------------------------------------
def of(*levels: Level) -> Momentum:
    momentum = Momentum()
    for level in levels:
        momentum = after(momentum, level)
    return momentum


def test_the_score_is_a_slow_average_from_one_half() -> None:
    assert of().score == 0.5
    assert of("high").score == pytest.approx(0.65)
    assert of("high", "low").score == pytest.approx(0.455)
    assert level_of(of()) == "neutral"
    assert level_of(of("high", "low")) == "low"


def test_three_lows_running_or_a_low_score_for_three_turns_tire() -> None:
    assert not is_fatigued(of("low", "low"))
    assert is_fatigued(of("low", "low", "low"))
    assert not is_fatigued(of("low", "low", "high", "low", "low"))
    broken = of("low", "low", "neutral", "low", "low", "neutral", "low", "low")
    assert broken.consecutive_low == 2
    assert broken.low_scores >= 3
    assert is_fatigued(broken)


@given(levels=LEVELS)
def test_the_score_stays_a_share(levels: list[Level]) -> None:
    momentum = of(*levels)
    assert 0 <= momentum.score <= 1
    assert momentum.levels == tuple(levels)


# -- closing ---------------------------------------------------------------------------------------
def test_it_closes_for_fatigue_above_a_ratio_or_when_all_is_covered_and_little_comes() -> None:
    nodes, edges = [node("a"), node("b"), node("c")], [edge("a", "b"), edge("b", "c")]
    links = [("a", "foam"), ("b", "price"), ("c", "farms")]
    half = situation(nodes, edges, links=links)
    whole = situation(
        nodes, [*edges, edge("c", "a")], links=links, reacted=["foam", "price", "farms"]
    )
    tired = of("low", "low", "low")
    assert half.coverage.ratio == pytest.approx(0.7)
    assert reason_to_close(half.coverage, half.topology, tired) == FATIGUED
    assert reason_to_close(situation().coverage, half.topology, tired) == ""
    assert reason_to_close(whole.coverage, whole.topology, of("low")) == COVERED
    assert reason_to_close(whole.coverage, whole.topology, of("neutral")) == ""
    assert reason_to_close(whole.coverage, half.topology, of("low")) == ""


# -- mapping ---------------------------------------------------------------------------------------
def test_what_the_reading_says_comes_before_words_and_words_before_meaning() -> None:
    near = {("silky froth", "foam"): 0.60, ("its cost", "price"): 0.59}

    def cosine(one: str, other: str) -> float:
        return near.get((one, other), 0.0)

    def of_label(label: str, quote: str = "", *stated: str) -> list[tuple[str, str]]:
        return [*mapped(label, [quote], ELEMENTS, stated=stated, cosine=cosine)]

    assert of_label("price of foam", "", "farms", "nothing") == [("farms", "extraction")]
    assert of_label("price of foams") == [("foam", "label"), ("price", "label")]
    assert of_label("it is cheap", "those prices are a relief") == [("price", "label")]
    assert of_label("silky froth") == [("foam", "meaning")]
    assert of_label("its cost") == []
    assert of_label("whatever", "", "nothing") == []
    assert mapped("x", [], (), stated=(), cosine=alike) == []


# -- tensions --------------------------------------------------------------------------------------
KNOWN = {
    "calm": End(id="v", label="calm", node_type="value"),
    "foam": End(id="a", label="foam", node_type="attribute"),
    "less mess": End(id="c", label="less mess", node_type="consequence"),
}
ANSWER = "Being calm brings me more foam, and foam means less mess."


def stated(source: str, target: str, quote: str, *, denied: bool = False) -> Relationship:
    return Relationship(
        source=source,
        source_type="value",
        target=target,
        target_type="attribute",
        edge_type="leads_to",
        quote=quote,
        denied=denied,
    )


def found(*relations: Relationship) -> list[tuple[str, str]]:
    tensions = tensions_in(
        relations, answer=ANSWER, ontology=LADDER, known=KNOWN.get, before=(), turn=2
    )
    return [(t.source, t.target) for t in tensions]


def test_what_is_stated_and_not_permitted_is_a_tension_once() -> None:
    odd = stated("calm", "foam", "being calm brings me more foam")
    assert found(odd, odd) == [("calm", "foam")]
    assert found(stated("foam", "less mess", "foam means less mess")) == []
    assert found(stated("calm", "foam", "calm makes foam")) == []
    assert found(stated("calm", "sugar", "calm brings me more foam")) == []
    assert found(stated("calm", "foam", "calm brings me more foam", denied=True)) == []
    kept = next(
        tensions_in([odd], answer=ANSWER, ontology=LADDER, known=KNOWN.get, before=(), turn=2)
    )
    assert (kept.source_type, kept.target_type, kept.edge_type) == (
        "value",
        "attribute",
        "leads_to",
    )
    again = tensions_in(
        [odd], answer=ANSWER, ontology=LADDER, known=KNOWN.get, before=(kept,), turn=3
    )
    assert not list(again)


@given(levels=LEVELS)
def test_the_state_goes_through_json_and_back(levels: list[Level]) -> None:
    state = EvaluativeState(momentum=of(*levels), barren=len(levels))
    assert EvaluativeState.model_validate(state.model_dump(mode="json")) == state
