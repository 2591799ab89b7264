"""Every formula with numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from graphs.domain import Slot, SlotMapping
from graphs.metrics import CanonicalGraphState
from graphs.ontology import EdgeType, NodeType, Ontology
from methodologies.signals.base import Value, Velocity
from methodologies.signals.detection import detect
from methodologies.signals.llm import RUBRIC_KEYS, depth_of, load_rubrics, parse_rubrics
from methodologies.signals.meta import interview_phase
from tests.unit.methodologies.samples import Interview


def read(name: str, interview: Interview, **more: Any) -> Value | None:
    """A session-wide signal."""
    return detect([name], interview.inputs(**more)).global_values.get(name)


def read_node(name: str, interview: Interview, node_id: str, **more: Any) -> Value | None:
    """A node's signal."""
    return detect([name], interview.inputs(**more)).node_values[node_id].get(name)


@pytest.fixture
def ladder() -> dict[str, Any]:
    """strap → carry more → independence, and an orphan "blue"."""
    interview = Interview()
    strap, blue = interview.node("strap"), interview.node("blue")
    carry = interview.node("carry more", "consequence")
    free = interview.node("independence", "value")
    interview.edge(strap, carry)
    interview.edge(carry, free)
    return {"interview": interview, "strap": strap, "blue": blue, "carry": carry, "free": free}


# -- graph -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("graph.node_count", 4),
        ("graph.edge_count", 2),
        ("graph.orphan_count", 1),
        ("graph.max_depth", 1.0),  # 3 levels met: (3 - 1) / (3 - 1)
        ("graph.avg_depth", 0.375),  # (0 + 0 + 0.5 + 1) / 4
        ("graph.chain_completion.ratio", 0.5),  # strap of {strap, blue}
        ("graph.chain_completion.has_complete", True),
    ],
)
def test_whole_graph(ladder: dict[str, Any], name: str, expected: Value) -> None:
    assert read(name, ladder["interview"]) == expected


def test_chain_completion_is_absent_without_a_terminal_type() -> None:
    flat = Ontology(
        node_types=(NodeType(name="attribute", level=1), NodeType(name="effect", level=2)),
        edge_types=(EdgeType(name="leads_to", permitted=frozenset({("attribute", "effect")})),),
    )
    interview = Interview(flat)
    interview.node("strap")
    assert detect(["graph.chain_completion"], interview.inputs()).global_values == {}


def test_canonical_signals_are_absent_where_slots_are_off() -> None:
    names = ["graph.canonical_concept_count", "graph.canonical_edge_density"]
    names += ["graph.canonical_exhaustion_score", "meta.canonical.saturation"]
    assert detect(names, Interview().inputs(new_node_count=3)).global_values == {}


def canonical(**more: Any) -> CanonicalGraphState:
    """A canonical graph of two active slots and three edges."""
    return CanonicalGraphState(
        concept_count=2,
        candidate_count=1,
        edge_count=3,
        orphan_count=0,
        max_depth=1,
        avg_support=2.5,
        edge_density=1.5,
    )


def test_canonical_counts() -> None:
    interview = Interview()
    assert read("graph.canonical_concept_count", interview, canonical_state=canonical()) == 2
    assert read("graph.canonical_edge_density", interview, canonical_state=canonical()) == 1.5
    assert read("graph.canonical_exhaustion_score", interview, canonical_state=canonical()) == 0.0


def test_canonical_exhaustion_is_the_mean_over_active_slots_that_were_asked_about() -> None:
    interview = Interview()
    nodes = [interview.node(label) for label in ("a", "b", "c", "d")]
    for slot_id in ("s1", "s2", "s3"):
        interview.graph.put_slot(
            Slot(
                id=slot_id,
                slot_name=slot_id,
                description="",
                node_type="attribute",
                status="active",
            )
        )
    candidate = Slot(id="s4", slot_name="s4", description="", node_type="attribute")
    interview.graph.put_slot(candidate)
    for node_id, slot_id in zip(nodes, ("s1", "s2", "s3", "s4"), strict=True):
        interview.graph.put_mapping(
            SlotMapping(node_id=node_id, slot_id=slot_id, similarity=1.0, assigned_turn=1)
        )
        interview.tracker.follow_slot(node_id, slot_id)
    interview.ask(nodes[0], 1)
    interview.answer("surface", 2)
    interview.ask(nodes[1], 2)
    interview.answer("deep", 3)
    interview.ask(nodes[3], 3)
    interview.answer("surface", 4)
    # At turn 6. s1: tsly 5 → 0.2, streak 1 → 0.06, all shallow → 0.3: 0.56.
    # s2: tsly 4 → 0.16, streak 1 → 0.06, none shallow: 0.22. s3 never asked; s4 a candidate.
    found = read("graph.canonical_exhaustion_score", interview, turn=6, canonical_state=canonical())
    assert found == pytest.approx((0.56 + 0.22) / 2)


# -- node ------------------------------------------------------------------------------------------
def asked(depths: list[str], *, yield_at: int | None = None) -> tuple[Interview, str]:
    """A node asked about from turn 1 on, one turn after the other, with these answers."""
    interview = Interview()
    node = interview.node("strap")
    for turn, depth in enumerate(depths, start=1):
        interview.ask(node, turn)
        interview.answer(depth, turn + 1, yielded=yield_at == turn + 1)
    return interview, node


@pytest.mark.parametrize(
    ("depths", "turn", "expected"),
    [
        (["surface", "surface"], 4, True),  # tsly 3, streak 2, 2 of 2 surface
        (["surface", "surface"], 3, False),  # tsly 2
        (["surface"], 6, False),  # streak 1, one depth
        (["surface", "shallow"], 4, False),  # 1 of 2 surface
        (["surface", "shallow", "surface"], 4, True),  # 2 of 3 surface
        (["deep", "surface", "surface", "shallow"], 5, True),  # the last three count
        (["surface", "surface", "shallow", "deep"], 5, False),
    ],
)
def test_exhausted(depths: list[str], turn: int, expected: bool) -> None:
    interview, node = asked(depths)
    assert read_node("graph.node.exhausted", interview, node, turn=turn) is expected


def test_a_yield_takes_exhaustion_back() -> None:
    interview, node = asked(["surface", "surface", "surface"], yield_at=4)
    assert read_node("graph.node.exhausted", interview, node, turn=6) is False
    assert read_node("graph.node.exhausted", interview, node, turn=7) is True


def test_exhaustion_score() -> None:
    interview, node = asked(["surface", "shallow", "deep"])
    # tsly 6 - 1 = 5 → 0.2; streak 3 → 0.18; 2 of 3 shallow → 0.2
    assert read_node("graph.node.exhaustion_score", interview, node, turn=6) == pytest.approx(0.58)


def test_exhaustion_score_is_full_at_its_limits() -> None:
    interview, node = asked(["surface"] * 6)
    assert read_node("graph.node.exhaustion_score", interview, node, turn=30) == pytest.approx(1.0)


def test_a_node_never_asked_about_is_neither_exhausted_nor_recent() -> None:
    interview = Interview()
    node = interview.node("strap")
    names = ["exhausted", "exhaustion_score", "yield_stagnation", "focus_streak", "recency_score"]
    reading = detect([f"graph.node.{name}" for name in names], interview.inputs(turn=19))
    assert reading.node_values[node] == {
        "graph.node.exhausted": False,
        "graph.node.exhaustion_score": 0.0,
        "graph.node.yield_stagnation": False,
        "graph.node.focus_streak": "none",
        "graph.node.recency_score": 0.0,
    }


def test_yield_stagnation_begins_three_turns_after_the_last_yield() -> None:
    interview, node = asked(["deep", "deep"], yield_at=3)
    assert read_node("graph.node.yield_stagnation", interview, node, turn=5) is False
    assert read_node("graph.node.yield_stagnation", interview, node, turn=6) is True


@pytest.mark.parametrize(
    ("turns", "expected"), [(1, "low"), (2, "medium"), (3, "medium"), (4, "high"), (6, "high")]
)
def test_focus_streak_of_the_current_focus(turns: int, expected: str) -> None:
    interview, node = asked(["deep"] * turns)
    assert read_node("graph.node.focus_streak", interview, node) == expected


def test_focus_streak_is_none_once_the_focus_left_and_low_when_it_returns() -> None:
    interview, node = asked(["deep"] * 4)
    other = interview.node("lid")
    interview.ask(other, 5)
    assert read_node("graph.node.focus_streak", interview, node, turn=6) == "none"
    interview.ask(node, 6)
    assert read_node("graph.node.focus_streak", interview, node, turn=7) == "low"


@pytest.mark.parametrize(("turn", "expected"), [(3, 1.0), (4, 0.95), (13, 0.5), (23, 0.0), (40, 0)])
def test_recency_falls_over_twenty_turns(turn: int, expected: float) -> None:
    interview = Interview()
    node = interview.node("strap")
    interview.ask(node, 2)
    found = read_node("graph.node.recency_score", interview, node, turn=turn, max_turns=50)
    assert found == pytest.approx(expected)


def test_place_in_the_graph(ladder: dict[str, Any]) -> None:
    interview = ladder["interview"]
    interview.ask(ladder["carry"], 4)
    links = ["is_orphan", "edge_count", "has_outgoing", "has_incoming", "chain_gap"]
    names = ["is_current_focus", *links, "type", "level"]
    reading = detect([f"graph.node.{name}" for name in names], interview.inputs(turn=5))
    found = {key: tuple(reading.node_values[ladder[key]].values()) for key in ("carry", "blue")}
    order = tuple(name.rpartition(".")[2] for name in reading.node_values[ladder["carry"]])
    expected = {
        "carry": dict(
            zip(names, (True, False, 2, True, True, "none", "consequence", 2), strict=True)
        ),
        "blue": dict(
            zip(names, (False, True, 0, False, False, "above", "attribute", 1), strict=True)
        ),
    }
    assert {key: dict(zip(order, values, strict=True)) for key, values in found.items()} == expected


def test_the_first_chain_lacks_nothing_once_one_is_complete() -> None:
    interview = Interview()
    strap, carry = interview.node("strap"), interview.node("carry", "consequence")
    free = interview.node("free", "value")
    places = {"strap": strap, "carry": carry, "free": free}
    interview.edge(strap, carry)
    name = "graph.node.first_chain"
    reading = detect([name], interview.inputs(turn=1))
    found = {label: reading.node_values[node_id][name] for label, node_id in places.items()}
    assert found == {"strap": "above", "carry": "above", "free": "below"}
    interview.edge(carry, free)
    reading = detect([name], interview.inputs(turn=1))
    assert {reading.node_values[node_id][name] for node_id in places.values()} == {"none"}


def test_a_chain_gap_is_absent_without_a_terminal_type() -> None:
    flat = Ontology(
        node_types=(NodeType(name="attribute", level=1), NodeType(name="effect", level=2)),
        edge_types=(EdgeType(name="leads_to"),),
    )
    interview = Interview(flat)
    node = interview.node("strap")
    gaps = ["graph.node.chain_gap", "graph.node.first_chain"]
    reading = detect(gaps, interview.inputs(turn=1))
    assert reading.node_values[node] == {}


def test_an_edge_to_a_superseded_node_no_longer_counts(ladder: dict[str, Any]) -> None:
    interview = ladder["interview"]
    interview.graph.supersede(ladder["free"], by=interview.node("freedom", "value"))
    assert read_node("graph.node.has_outgoing", interview, ladder["carry"]) is False
    assert read_node("graph.node.has_incoming", interview, ladder["carry"]) is True
    assert read_node("graph.node.edge_count", interview, ladder["carry"]) == 1


def test_paraphrases_of_one_slot_are_the_focus_together() -> None:
    interview = Interview()
    one, two, other = interview.node("quick car"), interview.node("fast car"), interview.node("x")
    for node_id in (one, two):
        interview.tracker.follow_slot(node_id, "slot")
    interview.ask(one, 1)
    assert read_node("graph.node.is_current_focus", interview, two, turn=2) is True
    assert read_node("graph.node.focus_streak", interview, two, turn=2) == "low"
    assert read_node("graph.node.is_current_focus", interview, other, turn=2) is False


# -- llm -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("score", "depth", "ratio"),
    [
        (1, "surface", 0.0),
        (2, "shallow", 0.25),
        (3, "moderate", 0.5),
        (4, "deep", 0.75),
        (5, "deep", 1.0),
    ],
)
def test_ratings(score: int, depth: str, ratio: float) -> None:
    ratings = dict.fromkeys(RUBRIC_KEYS, score)
    reading = detect(
        [f"llm.{key}" for key in RUBRIC_KEYS], Interview().inputs(ratings=ratings)
    ).global_values
    assert reading.pop("llm.response_depth") == depth == depth_of(score)
    assert set(reading.values()) == {ratio}
    assert len(reading) == 5


def test_ratings_that_were_not_given_are_absent() -> None:
    names = [f"llm.{key}" for key in RUBRIC_KEYS]
    reading = detect(names, Interview().inputs(ratings={"valence": 3}))
    assert reading.global_values == {"llm.valence": 0.5}


@pytest.mark.parametrize(
    ("depths", "expected"),
    [
        ("", "stable"),
        ("dd", "stable"),
        ("us", "stable"),
        ("uus", "deepening"),  # slope 0.5 wins over a mean of 1/3
        ("umd", "deepening"),  # slope 1.5
        ("uuu", "fatigued"),
        ("ssd", "deepening"),  # slope 1
        ("sssm", "deepening"),  # slope (-3 - 1 + 1 + 6) / 10 = 0.3 exactly
        ("mmms", "shallowing"),  # slope (-6 - 2 + 2 + 3) / 10 = -0.3 exactly
        ("dms", "shallowing"),  # slope -1, mean 2
        ("dmuu", "shallowing"),  # slope -1.1, mean of the last three 2/3
        ("mmm", "stable"),
        ("dsuu", "fatigued"),  # mean of the last three 1/3
        ("dddddmmmm", "stable"),  # only the last four count
    ],
)
def test_trend(depths: str, expected: str) -> None:
    words = {"u": "surface", "s": "shallow", "m": "moderate", "d": "deep"}
    history = tuple(words[letter] for letter in depths)
    found = read("llm.global_response_trend", Interview(), depth_history=history)
    assert found == expected


def test_rubrics_cover_all_six_ratings_with_five_meanings_each() -> None:
    assert tuple(rubric.key for rubric in load_rubrics()) == RUBRIC_KEYS
    assert all(len(set(rubric.scale)) == 5 for rubric in load_rubrics())


def test_rubrics_with_a_score_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match="score 3 is out of order"):
        parse_rubrics("valence: How?\n    1 = bad\n    3 = good\n")


def test_missing_rubrics_are_refused() -> None:
    with pytest.raises(ValueError, match="expected rubrics"):
        parse_rubrics("# nothing\n")


# -- temporal and technique ------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("history", "strategy", "repetition", "kept"),
    [
        ((), "a", 0.0, 0.0),
        (("a",), "a", 0.2, 0.0),
        (("a",), "b", 0.0, 0.0),
        (("b", "a", "a", "a"), "a", 0.6, 0.4),
        (("b", "a", "a", "a"), "b", 0.0, 0.4),
        (("a",) * 5, "a", 1.0, 0.8),
        (("a",) * 9, "a", 1.0, 1.0),
    ],
)
def test_strategy_runs(
    history: tuple[str, ...], strategy: str, repetition: float, kept: float
) -> None:
    reading = detect(["temporal"], Interview().inputs(strategy_history=history))
    runs = reading.strategy_values["temporal.strategy_repetition_count"]
    assert runs.of(strategy) == pytest.approx(repetition)
    assert reading.global_values["temporal.turns_since_strategy_change"] == pytest.approx(kept)


@pytest.mark.parametrize(
    ("history", "strategy", "share"),
    [
        ((), "a", 0.0),
        (("a",), "a", 0.125),  # 1 / 8
        (("a", "b", "a", "b", "a", "b", "a", "b"), "a", 0.5),  # 4 / 8
        (("a", "a", "b", "b", "b", "b", "b", "b", "b", "b"), "a", 0.0),  # none of the last 8
        (("a", "a", "b", "b", "b", "b", "b", "b", "b", "b"), "b", 1.0),
    ],
)
def test_a_strategys_share_counts_the_last_eight_turns(
    history: tuple[str, ...], strategy: str, share: float
) -> None:
    reading = detect(["temporal"], Interview().inputs(strategy_history=history))
    shares = reading.strategy_values["temporal.strategy_share"]
    assert shares.of(strategy) == pytest.approx(share)


def test_repetition_on_a_node_is_the_trailing_run_of_that_strategy_there() -> None:
    interview = Interview()
    node, other = interview.node("strap"), interview.node("lid")
    levels = []
    for turn in range(1, 5):
        interview.ask(node, turn, "deepen")
        pairs = detect(["technique.node.strategy_repetition"], interview.inputs()).pair_values
        levels.append(pairs["technique.node.strategy_repetition"].of("deepen", node))
    assert levels == ["low", "medium", "high", "high"]
    interview.ask(node, 5, "contrast")
    found = detect(["technique"], interview.inputs()).pair_values[
        "technique.node.strategy_repetition"
    ]
    assert found.of("deepen", node) == "none"
    assert found.of("contrast", node) == "low"
    assert found.of("contrast", other) == "none"


# -- meta ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("turn", "max_turns", "expected"),
    [
        (1, 3, "early"),
        (2, 3, "late"),
        (2, 10, "early"),
        (3, 10, "mid"),
        (7, 10, "mid"),
        (8, 10, "late"),
        (11, 15, "mid"),
        (12, 15, "late"),
        (13, 15, "late"),
        (8, 12, "mid"),  # 2.4 rounds down, to 2
        (10, 12, "late"),
        (9, 13, "mid"),  # 2.6 rounds up
        (10, 13, "late"),
        (10, 10, "late"),
        (2, 24, "early"),
        (3, 24, "mid"),
        (3, 25, "early"),  # 2.5 rounds up
        (4, 25, "mid"),
        (30, 20, "late"),
    ],
)
def test_phase(turn: int, max_turns: int, expected: str) -> None:
    assert interview_phase(turn, max_turns) == expected
    found = read("meta.interview.phase", Interview(), turn=turn, max_turns=max_turns)
    assert found == expected


@pytest.mark.parametrize(
    ("turn", "expected"), [(4, "early"), (5, "mid"), (12, "mid"), (13, "late")]
)
def test_phase_by_explicit_boundaries(turn: int, expected: str) -> None:
    found = read("meta.interview.phase", Interview(), turn=turn, phase_boundaries=(4, 13))
    assert found == expected


def test_velocity_counts_the_first_story_at_most_as_four_and_smooths_growth() -> None:
    velocity = Velocity().updated(10, 1, 7)
    assert (velocity.surface_ewma, velocity.surface_peak) == (10.0, 4.0)
    velocity = velocity.updated(5, 2, 1)
    assert velocity.surface_ewma == pytest.approx(0.4 * 5 + 0.6 * 10)
    assert velocity.surface_peak == 5.0
    velocity = velocity.updated(0, 3)
    assert velocity.surface_ewma == pytest.approx(4.8)
    assert velocity.surface_peak == 5.0
    assert velocity.prev_surface_node_count == 15
    assert (velocity.canonical_peak, velocity.prev_canonical_node_count) == (4.0, 8)
    assert velocity.canonical_ewma == pytest.approx(0.6 * (0.4 * 1 + 0.6 * 7))


@pytest.mark.parametrize(
    ("peak", "delta", "expected"), [(0.0, 0, 0.0), (4.0, 1, 0.75), (4.0, 0, 1.0), (4.0, 6, 0.0)]
)
def test_conversation_saturation(peak: float, delta: int, expected: float) -> None:
    velocity = Velocity(surface_peak=peak)
    found = read(
        "meta.conversation.saturation", Interview(), velocity=velocity, new_node_count=delta
    )
    assert found == pytest.approx(expected)


def test_velocity_saturation(ladder: dict[str, Any]) -> None:
    # 0.6·(1 - 1/4) + 0.25·(2/4)/2 + 0.15·6/15 = 0.45 + 0.0625 + 0.06
    found = read(
        "meta.conversation.velocity_saturation",
        ladder["interview"],
        turn=6,
        velocity=Velocity(surface_ewma=1.0, surface_peak=4.0),
    )
    assert found == pytest.approx(0.5725)


def test_velocity_saturation_of_an_empty_graph() -> None:
    # 0.6·(1 - 0/1) + 0 + 0.15·1/15
    found = read("meta.conversation.velocity_saturation", Interview(), turn=1)
    assert found == pytest.approx(0.61)


def test_velocity_saturation_never_falls_below_zero_after_a_long_first_story() -> None:
    found = read(
        "meta.conversation.velocity_saturation",
        Interview(),
        turn=1,
        velocity=Velocity().updated(12, 1),
    )
    assert found == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("slots", "nodes", "expected"),
    [(3, 3, 0.0), (1, 4, 0.75), (0, 2, 1.0), (5, 3, 0.0), (0, 0, None), (None, 3, None)],
)
def test_canonical_saturation(slots: int | None, nodes: int, expected: float | None) -> None:
    found = read(
        "meta.canonical.saturation", Interview(), new_slot_count=slots, new_node_count=nodes
    )
    assert found == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("score", "yielded", "expected"),
    [(5, False, "probe_deeper"), (5, True, "fresh"), (3, False, "fresh"), (None, False, "fresh")],
)
def test_opportunity_of_the_current_focus(score: int | None, yielded: bool, expected: str) -> None:
    interview, node = asked(["deep"])
    other = interview.node("lid")
    more = {"turn": 2, "focus_yielded": yielded}
    ratings = {} if score is None else {"response_depth": score}
    reading = detect(["meta.node.opportunity"], interview.inputs(ratings=ratings, **more))
    assert reading.node_values[node]["meta.node.opportunity"] == expected
    assert reading.node_values[other]["meta.node.opportunity"] == "fresh"


def test_opportunity_of_an_exhausted_node() -> None:
    interview, node = asked(["surface", "surface"])
    found = read_node(
        "meta.node.opportunity", interview, node, turn=5, ratings={"response_depth": 5}
    )
    assert found == "exhausted"
