from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.domain import (
    CanonicalEdge,
    Mention,
    Said,
    SessionGraph,
    Slot,
)
from graphs.metrics import (
    SaturationCounters,
    canonical_graph_state,
    chao1,
    graph_state,
    mention_frequencies,
    node_depths,
    saturation_metrics,
    saturation_reason,
)
from graphs.ontology import EdgeType, NodeType, Ontology
from graphs.tracker import NodeStateTracker

from .samples import FLAT, LADDER, graph_of


def test_empty_graph_has_no_depth_and_no_complete_chain() -> None:
    state = graph_state(SessionGraph(), LADDER)
    assert (state.node_count, state.edge_count, state.orphan_count) == (0, 0, 0)
    assert (state.max_depth, state.avg_depth, state.longest_chain) == (0.0, 0.0, ())
    assert (state.chain_completion_ratio, state.has_complete_chain) == (0.0, False)


def test_full_ladder_reaches_depth_one_and_averages_over_paths_that_end_at_each_node() -> None:
    graph, ids = graph_of(
        [("a", "attribute"), ("b", "consequence"), ("c", "value"), ("lone", "attribute")],
        [("a", "b"), ("b", "c")],
    )
    state = graph_state(graph, LADDER)
    assert state.max_depth == 1.0
    assert state.avg_depth == (0 + 0.5 + 1 + 0) / 4
    assert state.longest_chain == (ids["a"], ids["b"], ids["c"])
    assert state.longest_chain_length == 3
    assert (state.node_count, state.edge_count, state.orphan_count) == (4, 2, 1)
    assert state.nodes_by_type == {"attribute": 2, "consequence": 1, "value": 1}
    assert state.edges_by_type == {"leads_to": 2}
    assert (state.chain_completion_ratio, state.has_complete_chain) == (0.5, True)
    assert node_depths(graph, LADDER) == {
        ids["a"]: 0.0,
        ids["b"]: 0.5,
        ids["c"]: 1.0,
        ids["lone"]: 0.0,
    }


def test_depth_counts_distinct_levels_not_steps() -> None:
    graph, ids = graph_of(
        [
            ("b1", "consequence"),
            ("b2", "consequence"),
            ("b3", "consequence"),
            ("b4", "consequence"),
        ],
        [("b1", "b2"), ("b2", "b3"), ("b3", "b4")],
    )
    state = graph_state(graph, LADDER)
    assert state.max_depth == 0.0
    assert state.longest_chain == tuple(ids[label] for label in ("b1", "b2", "b3", "b4"))


def test_longest_path_wins_over_the_shortest_one() -> None:
    graph, ids = graph_of(
        [("a", "attribute"), ("b", "consequence"), ("c", "value")],
        [("a", "c"), ("a", "b"), ("b", "c")],
    )
    assert graph_state(graph, LADDER).longest_chain == (ids["a"], ids["b"], ids["c"])
    assert node_depths(graph, LADDER)[ids["c"]] == 1.0


def test_a_longer_path_of_few_levels_does_not_hide_a_deeper_one() -> None:
    graph, ids = graph_of(
        [
            ("b1", "consequence"),
            ("b2", "consequence"),
            ("b3", "consequence"),
            ("a", "attribute"),
            ("b", "consequence"),
            ("c", "value"),
        ],
        [("b1", "b2"), ("b2", "b3"), ("b3", "b"), ("a", "b"), ("b", "c")],
    )
    state = graph_state(graph, LADDER)
    assert state.max_depth == 1.0
    assert state.longest_chain == (ids["a"], ids["b"], ids["c"])


def test_a_cycle_counts_as_one_step() -> None:
    graph, ids = graph_of(
        [("a", "attribute"), ("b", "consequence")],
        [("a", "b"), ("b", "a")],
    )
    state = graph_state(graph, LADDER)
    assert (state.max_depth, state.longest_chain_length) == (0.0, 1)
    assert state.longest_chain == (ids["a"],)


def test_a_path_through_a_cycle_takes_one_level_of_it() -> None:
    graph, _ = graph_of(
        [("a", "attribute"), ("b1", "consequence"), ("b2", "consequence"), ("c", "value")],
        [("a", "b1"), ("b1", "b2"), ("b2", "b1"), ("b2", "c")],
    )
    state = graph_state(graph, LADDER)
    assert (state.max_depth, state.longest_chain_length) == (1.0, 3)


def test_without_levels_steps_over_node_types_count_up_to_one() -> None:
    graph, _ = graph_of([(x, "thing") for x in "pqrst"], [("p", "q")])
    assert graph_state(graph, FLAT).max_depth == 0.5
    for source, target in ("qr", "rs", "st"):
        ids = {node.label: node.id for node in graph.live_nodes()}
        graph.add_edge(source_id=ids[source], target_id=ids[target], edge_type="leads_to", turn=2)
    state = graph_state(graph, FLAT)
    assert (state.max_depth, state.longest_chain_length) == (1.0, 5)
    assert state.avg_depth == (0 + 0.5 + 1 + 1 + 1) / 5
    assert (state.chain_completion_ratio, state.has_complete_chain) == (None, None)


def test_one_level_ontology_has_depth_zero() -> None:
    ontology = Ontology(
        node_types=(NodeType(name="thing", level=1, terminal=True),),
        edge_types=(EdgeType(name="leads_to"),),
    )
    graph, _ = graph_of([("p", "thing"), ("q", "thing")], [("p", "q")])
    state = graph_state(graph, ontology)
    assert (state.max_depth, state.avg_depth) == (0.0, 0.0)
    assert state.chain_completion_ratio == 0.5


def test_context_links_and_revisions_are_no_steps() -> None:
    graph, _ = graph_of(
        [("a", "attribute"), ("b", "consequence")], [("a", "b")], edge_type="mentioned_with"
    )
    state = graph_state(graph, LADDER)
    assert (state.max_depth, state.edge_count, state.orphan_count) == (0.0, 1, 0)


def test_a_superseded_node_takes_its_edges_out_and_reviving_brings_them_back() -> None:
    graph, ids = graph_of(
        [("a", "attribute"), ("b", "consequence"), ("c", "value"), ("new", "consequence")],
        [("a", "b"), ("b", "c")],
    )
    graph.supersede(ids["b"], by=ids["new"])
    state = graph_state(graph, LADDER)
    assert (state.node_count, state.edge_count, state.orphan_count) == (3, 0, 3)
    assert (state.max_depth, state.chain_completion_ratio) == (0.0, 0.0)
    graph.revive(ids["b"])
    state = graph_state(graph, LADDER)
    assert (state.node_count, state.edge_count, state.orphan_count) == (4, 2, 1)
    assert (state.max_depth, state.chain_completion_ratio) == (1.0, 1.0)


def test_an_entry_node_that_is_terminal_needs_an_edge_to_be_complete() -> None:
    ontology = Ontology(
        node_types=(
            NodeType(name="thing", level=1, terminal=True),
            NodeType(name="more", level=2),
        ),
        edge_types=(EdgeType(name="leads_to"),),
    )
    graph, _ = graph_of([("p", "thing"), ("q", "thing")], [("p", "q")])
    assert graph_state(graph, ontology).chain_completion_ratio == 0.5


@given(
    st.integers(1, 9).flatmap(
        lambda n: st.tuples(
            st.lists(
                st.sampled_from(["attribute", "consequence", "value"]), min_size=n, max_size=n
            ),
            st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=14),
        )
    )
)
def test_depth_of_acyclic_graphs_agrees_with_trying_every_path(
    case: tuple[list[str], list[tuple[int, int]]],
) -> None:
    types, pairs = case
    edges = [(f"n{min(p)}", f"n{max(p)}") for p in pairs if p[0] != p[1]]
    graph, ids = graph_of([(f"n{i}", t) for i, t in enumerate(types)], edges)

    def levels(path: list[int]) -> int:
        return len({types[i] for i in path})

    def walk(path: list[int]) -> int:
        onward = {int(t[1:]) for s, t in edges if s == f"n{path[-1]}"}
        return max([levels(path), *(walk([*path, t]) for t in onward)])

    best = max(walk([i]) for i in range(len(types)))
    state = graph_state(graph, LADDER)
    assert state.max_depth == (best - 1) / 2
    assert 0 <= state.avg_depth <= state.max_depth <= 1
    assert len({graph.nodes[i].node_type for i in state.longest_chain}) == best
    assert set(state.longest_chain) <= set(ids.values())


def test_canonical_state_counts_active_slots_and_live_edges() -> None:
    graph, ids = graph_of(
        [("a", "attribute"), ("b", "consequence"), ("x", "consequence")], [("a", "b")]
    )
    surface = next(iter(graph.edges))
    for slot_id, status, support in (("s1", "active", 3), ("s2", "active", 2), ("s3", "active", 4)):
        graph.put_slot(
            Slot(
                id=slot_id,
                slot_name=slot_id,
                description="",
                node_type="attribute",
                status="active" if status == "active" else "candidate",
                support_count=support,
            )
        )
    graph.put_slot(Slot(id="s4", slot_name="s4", description="", node_type="value"))
    graph.put_canonical_edge(
        CanonicalEdge(
            id="e",
            source_slot_id="s1",
            target_slot_id="s2",
            edge_type="leads_to",
            surface_edge_ids=frozenset({surface}),
        )
    )
    state = canonical_graph_state(graph, LADDER)
    assert (state.concept_count, state.candidate_count, state.edge_count) == (3, 1, 1)
    assert (state.orphan_count, state.max_depth) == (1, 1)
    assert state.avg_support == 3.0
    assert state.edge_density == pytest.approx(1 / 3)
    graph.put_canonical_edge(
        CanonicalEdge(id="to a candidate", source_slot_id="s2", target_slot_id="s4",
                      edge_type="leads_to", surface_edge_ids=frozenset({surface}))
    )  # fmt: skip
    assert canonical_graph_state(graph, LADDER) == state
    graph.supersede(ids["b"], by=ids["x"])
    assert canonical_graph_state(graph, LADDER).edge_count == 0


def test_canonical_state_without_active_slots_is_zero() -> None:
    state = canonical_graph_state(SessionGraph(), LADDER)
    assert (state.avg_support, state.edge_density, state.max_depth) == (0.0, 0.0, 0)


@pytest.mark.parametrize(
    ("frequencies", "expected"),
    [
        ([], 0.0),
        ([2, 3], 2.0),  # nothing met once: nothing unseen
        ([1, 1, 1, 2, 5], 5 + 9 / 2),  # f1 = 3, f2 = 1
        ([1, 1, 2, 2, 0], 4 + 4 / 4),  # f1 = 2, f2 = 2
        ([1, 1, 1, 4], 4 + 3),  # f2 = 0: bias-corrected, 3·2 ÷ 2
    ],
)
def test_chao1(frequencies: list[int], expected: float) -> None:
    assert chao1(frequencies) == expected


def test_mention_frequencies_count_live_nodes_at_least_once() -> None:
    graph, ids = graph_of([("a", "attribute"), ("b", "attribute"), ("old", "attribute")])
    for number in range(3):
        graph.add_mention(
            Mention(
                id=f"m{number}",
                utterance_id="u",
                quote="q",
                start=0,
                end=1,
                turn=1,
                node_id=ids["a"] if number < 2 else ids["old"],
            )
        )
    graph.supersede(ids["old"], by=ids["a"])
    assert mention_frequencies(graph) == [2, 1]


def test_mention_frequencies_count_those_that_were_left_in_the_database() -> None:
    graph, ids = graph_of([("a", "attribute"), ("b", "attribute")], [])
    loaded = SessionGraph(
        nodes=graph.nodes.values(), said_before={ids["a"]: Said(quote="a", mentions=2)}
    )
    loaded.add_mention(
        Mention(id="m", utterance_id="u", quote="a", start=0, end=1, turn=3, node_id=ids["a"])
    )
    assert mention_frequencies(loaded) == [3, 1]


def test_counters_run_and_break() -> None:
    counters = SaturationCounters()
    for _ in range(3):
        counters = counters.updated(
            new_nodes=0, new_edges=0, response_depth="shallow", max_depth=0.5
        )
    assert counters == SaturationCounters(
        consecutive_zero_yield=3,
        consecutive_shallow=3,
        consecutive_depth_plateau=2,
        prev_max_depth=0.5,
    )
    unrated = counters.updated(new_nodes=0, new_edges=1, response_depth=None, max_depth=0.5)
    assert (unrated.consecutive_zero_yield, unrated.consecutive_shallow) == (0, 3)
    assert unrated.consecutive_depth_plateau == 3
    deep = unrated.updated(new_nodes=1, new_edges=0, response_depth="deep", max_depth=1.0)
    assert (deep.consecutive_shallow, deep.consecutive_depth_plateau) == (0, 0)
    full = deep.updated(new_nodes=1, new_edges=0, response_depth="deep", max_depth=1.0)
    assert full.consecutive_depth_plateau == 0  # at full depth there is nothing to wait for
    assert SaturationCounters(**counters.to_dict()) == counters


@pytest.mark.parametrize(
    ("counters", "turn", "reason"),
    [
        (SaturationCounters(consecutive_zero_yield=5), 5, "graph_saturated"),
        (SaturationCounters(consecutive_zero_yield=5), 4, None),
        (SaturationCounters(consecutive_zero_yield=4), 9, None),
        (SaturationCounters(consecutive_shallow=6), 6, "quality_degraded"),
        (SaturationCounters(consecutive_shallow=5), 6, None),
        (
            SaturationCounters(consecutive_depth_plateau=6, consecutive_zero_yield=2),
            8,
            "depth_plateau",
        ),
        (SaturationCounters(consecutive_depth_plateau=6, consecutive_zero_yield=1), 8, None),
        (SaturationCounters(consecutive_depth_plateau=5, consecutive_zero_yield=4), 8, None),
    ],
)
def test_saturation_reasons_at_their_limits(
    counters: SaturationCounters, turn: int, reason: str | None
) -> None:
    assert saturation_reason(counters, NodeStateTracker(), SessionGraph(), turn) == reason


def _explored(labels: str, focused: str) -> tuple[SessionGraph, dict[str, str], NodeStateTracker]:
    graph, ids = graph_of([(label, "attribute") for label in labels])
    tracker = NodeStateTracker()
    for node in graph.live_nodes():
        tracker.register_node(node, 1, 0.0, LADDER)
    for turn, label in enumerate(focused, 1):
        tracker.update_focus(ids[label], turn, "explore")
    return graph, ids, tracker


def test_all_nodes_exhausted_needs_every_live_node_explored_and_stale() -> None:
    stale = SaturationCounters(consecutive_zero_yield=3)
    graph, _, tracker = _explored("pqr", "pqr")
    assert saturation_reason(stale, tracker, graph, 6) == "all_nodes_exhausted"  # r: 6 - 3 = 3
    assert saturation_reason(stale, tracker, graph, 5) is None  # r was first asked 2 turns ago
    fresh = SaturationCounters(consecutive_zero_yield=2)
    assert saturation_reason(fresh, tracker, graph, 9) is None


def test_a_node_never_asked_about_keeps_the_interview_open_unless_it_was_refused() -> None:
    stale = SaturationCounters(consecutive_zero_yield=4)
    graph, ids, tracker = _explored("pqrs", "pqr")
    assert saturation_reason(stale, tracker, graph, 9) is None
    tracker.close_focus(ids["s"])
    assert saturation_reason(stale, tracker, graph, 9) == "all_nodes_exhausted"


def test_fewer_than_three_explored_nodes_are_not_exhausted() -> None:
    graph, _, tracker = _explored("pq", "pq")
    stale = SaturationCounters(consecutive_zero_yield=4)
    assert saturation_reason(stale, tracker, graph, 9) is None


def test_saturation_metrics_bring_the_figures_together() -> None:
    graph, ids, tracker = _explored("pqr", "")
    for number, label in enumerate("ppqq"):
        graph.add_mention(
            Mention(
                id=str(number), utterance_id="u", quote="", start=0, end=0, turn=1,
                node_id=ids[label],
            )
        )  # fmt: skip
    metrics = saturation_metrics(
        graph, tracker, SaturationCounters(), turn=7, new_nodes=1, concepts_extracted=4
    )
    # Mentioned twice, twice and (unrecorded) once: Chao1 = 3 + 1 ÷ 4.
    assert metrics.chao1_ratio == pytest.approx(3 / 3.25)
    assert metrics.new_info_rate == 0.25
    assert (metrics.is_saturated, metrics.reason) == (False, None)
    none = saturation_metrics(
        SessionGraph(), tracker, SaturationCounters(consecutive_zero_yield=5),
        turn=7, new_nodes=0, concepts_extracted=0,
    )  # fmt: skip
    assert (none.chao1_ratio, none.new_info_rate) == (0.0, 0.0)
    assert (none.is_saturated, none.reason) == (True, "graph_saturated")


def test_a_thousand_nodes_are_summarised_in_milliseconds() -> None:
    types = ("attribute", "consequence", "value")
    graph, _ = graph_of(
        [(f"n{i}", types[i % 3]) for i in range(1000)],
        [(f"n{i}", f"n{(i * 7 + 1) % 1000}") for i in range(1000) if i != (i * 7 + 1) % 1000],
    )
    graph_state(graph, LADDER)
    best = min(_seconds(graph) for _ in range(5))
    assert best < 0.1


def _seconds(graph: SessionGraph) -> float:
    started = time.perf_counter()
    graph_state(graph, LADDER)
    return time.perf_counter() - started
