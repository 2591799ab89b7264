from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.domain import Node, SessionGraph, SlotMapping
from graphs.tracker import (
    DEPTHS,
    NodeState,
    NodeStateTracker,
    TrackerStateInvalid,
    TurnRecord,
)

from .samples import LADDER, graph_of


def tracker_of(labels: str) -> tuple[NodeStateTracker, SessionGraph, dict[str, str]]:
    graph, ids = graph_of([(label, "consequence") for label in labels])
    tracker = NodeStateTracker()
    for node in graph.live_nodes():
        tracker.register_node(node, 1, 0.5, LADDER)
    return tracker, graph, ids


def state(tracker: NodeStateTracker, node_id: str) -> NodeState:
    found = tracker.state_of(node_id)
    assert found is not None
    return found


def test_registering_reads_level_and_terminal_from_the_ontology() -> None:
    graph, ids = graph_of([("joy", "value")])
    tracker = NodeStateTracker()
    found = tracker.register_node(graph.nodes[ids["joy"]], 4, 1.0, LADDER)
    assert (found.level, found.is_terminal, found.created_at_turn, found.depth) == (3, True, 4, 1.0)
    assert tracker.register_node(graph.nodes[ids["joy"]], 9, 0.5, LADDER) is found
    assert (found.created_at_turn, found.depth) == (4, 1.0)


def test_streak_runs_is_kept_when_the_focus_leaves_and_starts_at_one_on_return() -> None:
    tracker, _, ids = tracker_of("pq")
    for turn in (1, 2, 3):
        tracker.update_focus(ids["p"], turn, "deepen")
    assert state(tracker, ids["p"]).current_focus_streak == 3
    tracker.update_focus(ids["q"], 4, "deepen")
    assert state(tracker, ids["p"]).current_focus_streak == 3
    assert (tracker.running_streak(ids["p"]), tracker.running_streak(ids["q"])) == (0, 1)
    tracker.update_focus(ids["p"], 5, "deepen")
    assert state(tracker, ids["p"]).current_focus_streak == 1
    assert (state(tracker, ids["p"]).first_focus_turn, state(tracker, ids["p"]).focus_count) == (
        1,
        4,
    )


def test_a_turn_without_a_node_ends_the_run() -> None:
    tracker, _, ids = tracker_of("p")
    tracker.update_focus(ids["p"], 1, "deepen")
    tracker.update_focus(None, 2, "broaden")
    assert tracker.previous_focus is None
    assert tracker.running_streak(ids["p"]) == 0
    tracker.update_focus(ids["p"], 3, "deepen")
    assert state(tracker, ids["p"]).current_focus_streak == 1


def test_strategy_runs_on_a_node_survive_other_nodes_in_between() -> None:
    tracker, _, ids = tracker_of("pq")
    for turn, (label, strategy) in enumerate(
        [("p", "deepen"), ("q", "clarify"), ("p", "deepen"), ("p", "clarify")], 1
    ):
        tracker.update_focus(ids[label], turn, strategy)
    p = state(tracker, ids["p"])
    assert p.strategy_usage_count == {"deepen": 2, "clarify": 1}
    assert (p.strategy_run("clarify"), p.strategy_run("deepen")) == (1, 0)


def test_turns_since_yield_count_from_the_later_of_yield_and_first_focus() -> None:
    tracker, _, ids = tracker_of("p")
    assert state(tracker, ids["p"]).turns_since_last_yield(9) == 0
    tracker.update_focus(ids["p"], 3, "deepen")
    assert state(tracker, ids["p"]).turns_since_last_yield(7) == 4
    tracker.record_yield(5)
    tracker.record_yield(5)
    p = state(tracker, ids["p"])
    assert (p.turns_since_last_yield(7), p.yield_count, p.yield_rate) == (2, 1, 1.0)


def test_turns_since_focus_is_zero_for_the_node_just_answered_about() -> None:
    tracker, _, ids = tracker_of("pq")
    tracker.update_focus(ids["p"], 3, "deepen")
    p = state(tracker, ids["p"])
    assert (p.turns_since_last_focus(4), p.turns_since_last_focus(10)) == (0, 6)
    assert state(tracker, ids["q"]).turns_since_last_focus(4) is None


def test_yield_and_depth_go_to_the_node_that_was_asked_about() -> None:
    tracker, _, ids = tracker_of("pq")
    tracker.append_response_depth("deep")  # the opening asked about no node
    tracker.record_yield(1)
    tracker.update_focus(ids["p"], 1, "deepen")
    tracker.append_response_depth("surface")
    tracker.record_yield(2)
    tracker.update_focus(ids["q"], 2, "deepen")
    assert state(tracker, ids["p"]).all_response_depths == ["surface"]
    assert state(tracker, ids["p"]).last_yield_turn == 2
    assert state(tracker, ids["q"]).all_response_depths == []
    with pytest.raises(ValueError, match="profound"):
        tracker.append_response_depth("profound")


def test_exhaustion_needs_every_criterion_and_scores_by_the_formula() -> None:
    tracker, _, ids = tracker_of("p")
    for turn, depth in ((1, None), (2, "surface"), (3, "shallow"), (4, "surface")):
        if depth:
            tracker.append_response_depth(depth)
        tracker.update_focus(ids["p"], turn, "deepen")
    p = state(tracker, ids["p"])
    # Asked first in turn 1, never yielded: at turn 5 four turns without yield, streak 4.
    assert p.shallow_ratio == 1.0
    assert p.surface_ratio == pytest.approx(2 / 3)
    assert p.is_exhausted(5)
    assert p.exhaustion_score(5) == pytest.approx(4 / 10 * 0.4 + 4 / 5 * 0.3 + 0.3)
    assert not p.is_exhausted(3)  # only two turns without yield
    p.all_response_depths.append("deep")
    assert not p.is_exhausted(5)  # last three: shallow, surface, deep
    assert p.shallow_ratio == pytest.approx(2 / 3)


def test_a_node_never_asked_about_is_not_exhausted() -> None:
    tracker, _, ids = tracker_of("p")
    p = state(tracker, ids["p"])
    assert (p.is_exhausted(20), p.exhaustion_score(20), p.shallow_ratio) == (False, 0.0, 0.0)


def test_edge_counts_follow_live_edges_and_ignore_those_within_a_slot() -> None:
    graph, ids = graph_of(
        [("p", "attribute"), ("q", "consequence"), ("r", "value")], [("p", "q"), ("q", "r")]
    )
    tracker = NodeStateTracker()
    for node in graph.live_nodes():
        tracker.register_node(node, 1, 0.0, LADDER)
    tracker.update_edge_counts(graph)
    q = state(tracker, ids["q"])
    assert (q.edge_count_incoming, q.edge_count_outgoing, q.is_orphan) == (1, 1, False)
    assert q.connected_node_ids == {ids["p"], ids["r"]}
    tracker.follow_slot(ids["q"], "slot")
    tracker.follow_slot(ids["r"], "slot")
    tracker.update_edge_counts(graph)
    assert state(tracker, ids["r"]).edge_count == 1
    graph.supersede(ids["p"], by=ids["q"])
    tracker.update_edge_counts(graph)
    assert state(tracker, ids["q"]).is_orphan


def test_paraphrases_share_one_state_through_their_slot() -> None:
    tracker, _, ids = tracker_of("pq")
    tracker.update_focus(ids["p"], 1, "deepen")
    tracker.append_response_depth("shallow")
    tracker.record_yield(2)
    tracker.follow_slot(ids["p"], "slot")
    tracker.follow_slot(ids["q"], "slot")
    assert tracker.state_of(ids["p"]) is tracker.state_of(ids["q"]) is tracker.state_of("slot")
    assert tracker.is_current_focus(ids["q"])
    tracker.update_focus(ids["q"], 2, "clarify")
    shared = state(tracker, ids["p"])
    assert (shared.focus_count, shared.current_focus_streak, shared.yield_count) == (2, 2, 1)
    assert shared.all_response_depths == ["shallow"]
    assert tracker.previous_focus == ids["q"]
    with pytest.raises(KeyError):
        tracker.follow_slot("never registered", "slot")


def test_merging_takes_runs_and_order_of_depths_from_the_later_focus() -> None:
    tracker, _, ids = tracker_of("pq")
    tracker.update_focus(ids["p"], 1, "deepen")
    tracker.append_response_depth("surface")
    tracker.update_focus(ids["q"], 2, "clarify")
    tracker.append_response_depth("deep")
    tracker.update_focus(ids["q"], 3, "clarify")
    tracker.close_focus(ids["p"])
    tracker.follow_slot(ids["q"], "slot")
    tracker.follow_slot(ids["p"], "slot")
    merged = state(tracker, "slot")
    assert (merged.focus_count, merged.first_focus_turn, merged.last_focus_turn) == (3, 1, 3)
    assert (merged.current_focus_streak, merged.last_strategy_used) == (2, "clarify")
    assert merged.consecutive_same_strategy == 2
    assert merged.all_response_depths == ["surface", "deep"]
    assert merged.strategy_usage_count == {"deepen": 1, "clarify": 2}
    assert tracker.is_closed(ids["q"])
    assert merged.node_id == "slot"


def test_the_focus_keeps_working_through_a_slot_after_a_reload() -> None:
    tracker, graph, ids = tracker_of("pq")
    tracker.update_focus(ids["p"], 1, "deepen")
    tracker.follow_slot(ids["p"], "slot")
    restored = NodeStateTracker.from_dict(json.loads(json.dumps(tracker.to_dict())))
    restored.complete(graph, LADDER)
    restored.append_response_depth("deep")
    restored.record_yield(2)
    found = state(restored, ids["p"])
    assert (found.all_response_depths, found.last_yield_turn) == (["deep"], 2)
    restored.follow_slot(ids["q"], "slot")
    assert restored.is_current_focus(ids["q"])


def test_a_node_that_changes_slots_takes_history_along_only_if_it_was_alone() -> None:
    tracker, _, ids = tracker_of("pqr")
    tracker.update_focus(ids["p"], 1, "deepen")
    tracker.follow_slot(ids["p"], "one")
    tracker.follow_slot(ids["p"], "two")
    assert "one" not in tracker.states
    assert state(tracker, ids["p"]).focus_count == 1
    tracker.follow_slot(ids["q"], "two")
    tracker.follow_slot(ids["q"], "three")
    assert state(tracker, ids["q"]).focus_count == 0
    assert state(tracker, ids["p"]).focus_count == 1


def test_credit_of_a_superseded_node_goes_to_its_successor_even_later() -> None:
    tracker, _, ids = tracker_of("pqr")
    tracker.update_focus(ids["p"], 1, "deepen")
    tracker.move(ids["p"], ids["q"])
    tracker.record_yield(2)
    assert state(tracker, ids["q"]).yield_count == 1
    assert ids["p"] not in tracker.states
    tracker.move(ids["q"], ids["r"])
    assert state(tracker, ids["p"]).node_id == ids["r"]
    tracker.move(ids["r"], ids["p"])  # would go round in a circle
    assert state(tracker, ids["r"]).yield_count == 1
    with pytest.raises(KeyError):
        tracker.move("never registered", ids["r"])


def test_a_superseded_node_leaves_its_slots_history_with_the_slot() -> None:
    tracker, _, ids = tracker_of("pqr")
    tracker.follow_slot(ids["p"], "slot")
    tracker.follow_slot(ids["q"], "slot")
    tracker.update_focus(ids["q"], 1, "deepen")
    tracker.move(ids["p"], ids["r"])
    assert state(tracker, ids["p"]).node_id == ids["r"]
    assert state(tracker, ids["r"]).focus_count == 0
    assert state(tracker, ids["q"]).focus_count == 1


def test_a_revived_node_starts_afresh_and_may_go_to_its_slot_again() -> None:
    tracker, graph, ids = tracker_of("pq")
    tracker.update_focus(ids["p"], 1, "deepen")
    tracker.move(ids["p"], ids["q"])
    revived = tracker.revive(graph.nodes[ids["p"]], 4, 0.5, LADDER)
    assert (revived.node_id, revived.focus_count, revived.created_at_turn) == (ids["p"], 0, 4)
    assert state(tracker, ids["q"]).focus_count == 1
    tracker.follow_slot(ids["q"], "slot")
    tracker.move(ids["q"], ids["p"])
    back = tracker.revive(graph.nodes[ids["q"]], 6, 0.5, LADDER)
    assert (back.node_id, back.focus_count) == ("slot", 0)
    assert state(tracker, ids["p"]).focus_count == 1


def test_rebuilding_from_recorded_turns_gives_the_same_tracker() -> None:
    graph = SessionGraph()
    tracker = NodeStateTracker()
    first = graph.add_node(label="p", node_type="attribute", turn=1)
    second = graph.add_node(label="q", node_type="attribute", turn=2)
    graph.put_mapping(SlotMapping(node_id=first.id, slot_id="s", similarity=1, assigned_turn=2))
    graph.put_mapping(SlotMapping(node_id=second.id, slot_id="s", similarity=1, assigned_turn=2))
    tracker.register_node(first, 1, 0.0, LADDER)
    tracker.update_focus(first.id, 1, "deepen")
    tracker.register_node(second, 2, 0.0, LADDER)
    tracker.record_yield(2)
    for node in (first, second):
        tracker.follow_slot(node.id, "s")
    tracker.append_response_depth("moderate")
    tracker.update_focus(second.id, 2, "clarify")
    tracker.append_response_depth("surface")
    tracker.close_focus(second.id)
    tracker.update_focus(None, 3, "close")
    tracker.update_edge_counts(graph)
    rebuilt = NodeStateTracker.rebuild(
        graph,
        LADDER,
        [
            TurnRecord(turn=3, focus_node_id=None, strategy="close", response_depth="surface",
                       closed_node_ids=(second.id,)),
            TurnRecord(turn=1, focus_node_id=first.id, strategy="deepen"),
            TurnRecord(turn=2, focus_node_id=second.id, strategy="clarify",
                       response_depth="moderate", yielded=True),
        ],
    )  # fmt: skip
    assert rebuilt.to_dict() == tracker.to_dict()


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(
            ["focus", "none", "yield", "depth", "slot", "move", "close", "revive", "register"]
        ),
        st.integers(0, 5),
        st.integers(0, 5),
    ),
    max_size=40,
)


def _apply(tracker: NodeStateTracker, name: str, one: int, other: int, turn: int) -> None:
    node = Node(id=f"n{one}", label=f"n{one}", node_type="attribute")
    match name:
        case "focus":
            tracker.update_focus(node.id, turn, f"strategy{other}")
        case "none":
            tracker.update_focus(None, turn, "broaden")
        case "yield":
            tracker.record_yield(turn)
        case "depth":
            tracker.append_response_depth(DEPTHS[one % 4])
        case "slot":
            tracker.follow_slot(node.id, f"slot{other}")
        case "move":
            tracker.move(node.id, f"n{other}")
        case "close":
            tracker.close_focus(node.id)
        case "revive":
            tracker.revive(node, turn, 0.0, LADDER)
        case _:
            tracker.register_node(node, turn, 0.0, LADDER)


@given(OPERATIONS)
def test_any_history_survives_storage_and_keeps_its_counts(
    operations: list[tuple[str, int, int]],
) -> None:
    tracker = NodeStateTracker()
    for number in range(6):
        _apply(tracker, "register", number, 0, 0)
    focused = yielded = 0
    for turn, (name, one, other) in enumerate(operations, 1):
        yielded += name == "yield" and tracker.previous_focus is not None
        focused += name == "focus"
        _apply(tracker, name, one, other, turn)
        stored = json.loads(json.dumps(tracker.to_dict()))
        tracker = NodeStateTracker.from_dict(stored)
        assert tracker.to_dict() == stored
        for number in range(6):
            _apply(tracker, "register", number, 0, 0)
        assert tracker.to_dict() == stored
    assert sum(s.focus_count for s in tracker.states.values()) == focused
    assert sum(s.yield_count for s in tracker.states.values()) == yielded
    assert all(tracker.state_of(f"n{number}") is not None for number in range(6))
    for s in tracker.states.values():
        assert sum(s.strategy_usage_count.values()) == s.focus_count
        assert 0 <= s.current_focus_streak <= s.focus_count


def _stored() -> dict[str, Any]:
    tracker, _, ids = tracker_of("p")
    tracker.update_focus(ids["p"], 1, "deepen")
    stored: dict[str, Any] = json.loads(json.dumps(tracker.to_dict()))
    return stored


def _without_focus_state(data: dict[str, Any]) -> None:
    data["previous_focus"] = "somebody else"


def _wrong_depth(data: dict[str, Any]) -> None:
    next(iter(data["states"].values()))["all_response_depths"] = ["profound"]


def _wrong_key(data: dict[str, Any]) -> None:
    data["states"]["other"] = next(iter(data["states"].values()))


def _negative(data: dict[str, Any]) -> None:
    next(iter(data["states"].values()))["focus_count"] = -1


def _no_focus_turn(data: dict[str, Any]) -> None:
    next(iter(data["states"].values()))["first_focus_turn"] = None


def _circle(data: dict[str, Any]) -> None:
    data["moved"] = {"x": "y", "y": "x"}


def _lost_slot(data: dict[str, Any]) -> None:
    data["slots"] = {next(iter(data["states"])): "slot"}


def _version(data: dict[str, Any]) -> None:
    data["schema_version"] = 4


def _extra(data: dict[str, Any]) -> None:
    data["surprise"] = 1


def _text(data: dict[str, Any]) -> None:
    next(iter(data["states"].values()))["focus_count"] = "1"


@pytest.mark.parametrize(
    "break_it",
    [
        _without_focus_state, _wrong_depth, _wrong_key, _negative, _no_focus_turn, _circle,
        _lost_slot, _version, _extra, _text,
    ],
)  # fmt: skip
def test_a_corrupt_state_is_refused_and_never_replaced(break_it: Any) -> None:
    data = _stored()
    NodeStateTracker.from_dict(data)
    break_it(data)
    with pytest.raises(TrackerStateInvalid):
        NodeStateTracker.from_dict(data)


def test_a_node_that_somebody_mapped_meanwhile_takes_its_history_to_the_slot() -> None:
    tracker, graph, ids = tracker_of("pq")
    tracker.update_focus(ids["p"], 1, "deepen")
    restored = NodeStateTracker.from_dict(tracker.to_dict())
    for name in "pq":
        graph.put_mapping(
            SlotMapping(node_id=ids[name], slot_id="slot", similarity=1.0, assigned_turn=1)
        )
    restored.complete(graph, LADDER)
    assert state(restored, ids["q"]).focus_count == 1
    assert restored.states.keys() == {"slot"}


@pytest.mark.parametrize("data", [{}, {"schema_version": 1}, {"schema_version": 1, "states": 3}])
def test_something_else_altogether_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(TrackerStateInvalid):
        NodeStateTracker.from_dict(data)
    with pytest.raises(TrackerStateInvalid):
        NodeStateTracker.from_dict([data])  # type: ignore[arg-type]


def test_version_one_is_brought_up_to_date() -> None:
    old = {
        "schema_version": 1,
        "previous_focus": "n",
        "states": {
            "n": {
                "node_id": "n", "label": "tastes good", "created_at_turn": 2, "depth": 1,
                "node_type": "attribute", "is_terminal": False, "level": 1, "focus_count": 3,
                "last_focus_turn": 7, "turns_since_last_focus": 0, "current_focus_streak": 2,
                "last_yield_turn": 6, "turns_since_last_yield": 1, "yield_count": 2,
                "yield_rate": 0.66, "all_response_depths": ["deep", "surface"],
                "connected_node_ids": ["m"], "edge_count_outgoing": 1, "edge_count_incoming": 0,
                "strategy_usage_count": {"deepen": 3}, "last_strategy_used": "deepen",
                "consecutive_same_strategy": 3,
            }
        },
    }  # fmt: skip
    tracker = NodeStateTracker.from_dict(old)
    found = state(tracker, "n")
    assert (found.first_focus_turn, found.focus_count, found.yield_count) == (5, 3, 2)
    assert found.turns_since_last_yield(9) == 3
    assert tracker.to_dict()["schema_version"] == 3
    assert NodeStateTracker.from_dict(tracker.to_dict()).to_dict() == tracker.to_dict()


def test_version_two_is_brought_up_to_date() -> None:
    """It wrote every field of every state, and the edges."""
    tracker, graph, ids = tracker_of("pq")
    graph.add_edge(source_id=ids["p"], target_id=ids["q"], edge_type="leads_to", turn=1)
    tracker.update_edge_counts(graph)
    tracker.update_focus(ids["p"], 1, "deepen")
    old = tracker.to_dict() | {
        "schema_version": 2,
        "states": {
            key: {name: _plain(getattr(kept, name)) for name in NodeState.__slots__}
            for key, kept in tracker.states.items()
        },
    }
    restored = NodeStateTracker.from_dict(json.loads(json.dumps(old)))
    assert restored.to_dict() == tracker.to_dict()
    restored.update_edge_counts(graph)
    assert restored.states == tracker.states


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, set) else value


def test_a_node_that_was_never_asked_about_is_not_stored_and_starts_again() -> None:
    tracker, graph, ids = tracker_of("pqr")
    tracker.follow_slot(ids["p"], "slot")
    tracker.update_focus(ids["q"], 1, "deepen")
    stored = tracker.to_dict()
    assert stored["states"].keys() == {ids["q"]}
    assert stored["states"][ids["q"]].keys() == {
        "node_id", "label", "node_type", "created_at_turn", "level", "depth", "focus_count",
        "first_focus_turn", "last_focus_turn", "current_focus_streak", "strategy_usage_count",
        "last_strategy_used", "consecutive_same_strategy",
    }  # fmt: skip
    assert stored["slots"] == {}
    restored = NodeStateTracker.from_dict(stored)
    graph.put_mapping(
        SlotMapping(node_id=ids["p"], slot_id="slot", similarity=1.0, assigned_turn=1)
    )
    restored.complete(graph, LADDER)
    for kept in (tracker, restored):
        kept.update_depths(dict.fromkeys(graph.nodes, 0.5))
    assert restored.key_of(ids["p"]) == "slot"
    assert restored.to_dict() == stored
    assert {key: (s.label, s.level, s.depth) for key, s in restored.states.items()} == {
        key: (s.label, s.level, s.depth) for key, s in tracker.states.items()
    }
