from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.canonical import (
    Nearest,
    SlotProposal,
    already_known,
    apply_proposals,
    batches,
    slot_name,
    slot_text,
    unmapped_nodes,
)
from graphs.domain import Mention, Node, Said, SessionGraph, Slot, SlotMapping, new_id

from .samples import ScriptedEmbedder, graph_of


def nothing(queries: object, k: int) -> list[list[tuple[str, float]]]:
    return [[] for _ in queries]  # type: ignore[attr-defined]


def stored(found: list[tuple[str, float]]) -> Nearest:
    return lambda queries, k: [found[:k] for _ in queries]


def propose(graph: SessionGraph, **names: str) -> list[SlotProposal]:
    ids = {node.label: node.id for node in graph.nodes.values()}
    return [
        SlotProposal(node_id=ids[label], slot_name=name, description="what it is")
        for label, name in names.items()
    ]


@given(
    st.lists(st.sampled_from(["attribute", "consequence", "value"]), max_size=60), st.integers(1, 9)
)
def test_every_node_is_in_exactly_one_batch_of_its_type(types: list[str], size: int) -> None:
    nodes = [Node(id=str(i), label=str(i), node_type=t) for i, t in enumerate(types)]
    made = batches(nodes, size)
    assert sorted(node.id for batch in made for node in batch) == sorted(n.id for n in nodes)
    assert all(1 <= len(batch) <= size for batch in made)
    assert all(len({node.node_type for node in batch}) == 1 for batch in made)
    assert len(made) == sum(-(-types.count(t) // size) for t in set(types))


def test_a_batch_holds_at_least_one_node() -> None:
    with pytest.raises(ValueError, match="at least one"):
        batches([], 0)


def test_all_of_twenty_nodes_get_a_slot_not_the_first_eight_only() -> None:
    graph, _ = graph_of([(f"n{i}", "attribute") for i in range(20)])
    assert [len(batch) for batch in batches(unmapped_nodes(graph))] == [8, 8, 4]
    embedder = ScriptedEmbedder()
    changes = apply_proposals(
        graph,
        propose(graph, **{f"n{i}": f"slot {i}" for i in range(20)}),
        embedder=embedder,
        nearest=nothing,
        turn=2,
    )
    assert len(changes.mapped) == len(changes.created) == 20
    assert unmapped_nodes(graph) == []
    assert len(embedder.batches) == 1


def test_a_new_proposal_opens_a_candidate_and_a_second_node_makes_it_active() -> None:
    graph, ids = graph_of([("p", "attribute"), ("q", "attribute")])
    embedder = ScriptedEmbedder(
        {"taste: what it is": [1, 0], "flavour: what it is": [0.6, 0.8]}  # cosine 0.60
    )
    first = apply_proposals(
        graph, propose(graph, p="taste"), embedder=embedder, nearest=nothing, turn=2
    )
    (slot,) = first.created
    assert (slot.status, slot.support_count, slot.first_seen_turn) == ("candidate", 1, 2)
    assert slot.promoted_turn is None
    assert first.mapped == (
        SlotMapping(node_id=ids["p"], slot_id=slot.id, similarity=1.0, assigned_turn=2),
    )
    second = apply_proposals(
        graph, propose(graph, q="flavour"), embedder=embedder, nearest=nothing, turn=3
    )
    assert second.created == ()
    (slot,) = second.updated
    assert (slot.status, slot.support_count, slot.promoted_turn) == ("active", 2, 3)
    assert second.mapped[0].similarity == pytest.approx(0.60)


def mention(node_id: str, turn: int) -> Mention:
    return Mention(
        id=new_id(), utterance_id="u", quote="q", start=0, end=1, turn=turn, node_id=node_id
    )


def test_support_counts_the_turns_in_which_a_slots_nodes_were_said() -> None:
    graph, ids = graph_of([("p", "attribute"), ("q", "attribute")])
    graph.said_before = {ids["p"]: Said("p", 3, (1, 2))}
    for node_id, turn in ((ids["p"], 3), (ids["p"], 3), (ids["q"], 3)):
        graph.add_mention(mention(node_id, turn))
    changes = apply_proposals(
        graph, propose(graph, p="taste", q="taste"),
        embedder=ScriptedEmbedder(), nearest=nothing, turn=3,
    )  # fmt: skip
    assert [(slot.support_count, slot.status) for slot in changes.created] == [(4, "active")]


def test_three_cars_of_one_answer_that_stayed_three_nodes_make_an_active_slot() -> None:
    cars = ("fast car", "quick vehicle", "rapid automobile")
    graph, ids = graph_of([(car, "attribute") for car in cars])
    for node_id in ids.values():
        graph.add_mention(mention(node_id, 1))
    changes = apply_proposals(
        graph,
        [SlotProposal(node_id=node_id, slot_name="speed_performance") for node_id in ids.values()],
        embedder=ScriptedEmbedder(), nearest=nothing, turn=1,
    )  # fmt: skip
    assert [(s.slot_name, s.support_count, s.status) for s in changes.created] == [
        ("speed_performance", 3, "active")
    ]


def test_a_node_that_is_said_again_promotes_its_slot_without_any_proposal() -> None:
    graph, ids = graph_of([("p", "attribute"), ("q", "attribute")])
    for node_id in ids.values():
        graph.add_mention(mention(node_id, 1))
    apply_proposals(
        graph, propose(graph, p="taste", q="scent"),
        embedder=ScriptedEmbedder(), nearest=nothing, turn=1,
    )  # fmt: skip
    graph.settle()
    graph.add_mention(mention(ids["p"], 2))
    changes = apply_proposals(graph, [], embedder=ScriptedEmbedder(), nearest=nothing, turn=2)
    assert [(s.slot_name, s.support_count, s.promoted_turn) for s in changes.updated] == [
        ("taste", 2, 2)
    ]
    again = apply_proposals(graph, [], embedder=ScriptedEmbedder(), nearest=nothing, turn=2)
    assert again.updated == ()


def test_below_the_threshold_or_of_another_type_a_proposal_stays_apart() -> None:
    graph, _ = graph_of([("p", "attribute"), ("q", "attribute"), ("r", "value")])
    embedder = ScriptedEmbedder(
        {
            "taste: what it is": [1, 0],
            "scent: what it is": [0.59, 0.807],
            "taste again: what it is": [1, 0],
        }
    )
    changes = apply_proposals(
        graph,
        propose(graph, p="taste", q="scent", r="taste again"),
        embedder=embedder,
        nearest=nothing,
        turn=2,
    )
    assert [slot.slot_name for slot in changes.created] == ["taste", "scent", "taste_again"]


def test_the_most_similar_stored_slot_of_the_type_is_joined() -> None:
    graph, _ = graph_of([("p", "attribute")])
    for slot_id, node_type in (("near", "attribute"), ("nearer", "value"), ("far", "attribute")):
        graph.put_slot(Slot(id=slot_id, slot_name=slot_id, description="", node_type=node_type))
    changes = apply_proposals(
        graph,
        propose(graph, p="taste"),
        embedder=ScriptedEmbedder(),
        nearest=stored([("gone", 0.99), ("nearer", 0.9), ("near", 0.7), ("far", 0.65)]),
        turn=2,
    )
    assert changes.mapped[0].slot_id == "near"
    assert [slot.id for slot in changes.updated] == ["near"]


def test_the_same_name_joins_without_an_embedding_whatever_its_description() -> None:
    graph, _ = graph_of([("p", "attribute"), ("q", "attribute")])
    graph.put_slot(
        Slot(id="s", slot_name="sweet_taste", description="other", node_type="attribute")
    )
    embedder = ScriptedEmbedder()
    changes = apply_proposals(
        graph, propose(graph, p="Sweet taste", q="sweet-taste"),
        embedder=embedder, nearest=nothing, turn=2,
    )  # fmt: skip
    assert {mapping.slot_id for mapping in changes.mapped} == {"s"}
    assert graph.slots["s"].status == "active"
    assert embedder.batches == []


def test_two_proposals_of_one_turn_with_one_new_name_share_the_slot() -> None:
    graph, _ = graph_of([("p", "attribute"), ("q", "attribute")])
    changes = apply_proposals(
        graph, propose(graph, p="taste", q="taste"),
        embedder=ScriptedEmbedder(), nearest=nothing, turn=2,
    )  # fmt: skip
    assert len(changes.created) == 1
    assert (changes.created[0].status, changes.created[0].support_count) == ("active", 2)
    assert changes.updated == ()


def test_contradicting_names_are_not_joined_by_their_cosine() -> None:
    graph, _ = graph_of([("p", "attribute"), ("q", "attribute")])
    embedder = ScriptedEmbedder(
        {"less sugar: what it is": [1, 0], "more sugar: what it is": [0.98, 0.199]}
    )
    changes = apply_proposals(
        graph, propose(graph, p="less_sugar", q="more_sugar"),
        embedder=embedder, nearest=nothing, turn=2,
        conflict=lambda one, other: {one, other} == {"less sugar", "more sugar"},
    )  # fmt: skip
    assert len(changes.created) == 2


def test_unusable_proposals_are_passed_over_and_nameless_ones_reported() -> None:
    graph, ids = graph_of([("p", "attribute"), ("q", "attribute"), ("r", "attribute")])
    graph.put_slot(Slot(id="s", slot_name="s", description="", node_type="attribute"))
    graph.put_mapping(SlotMapping(node_id=ids["r"], slot_id="s", similarity=1.0, assigned_turn=1))
    changes = apply_proposals(
        graph,
        [
            SlotProposal(node_id="unknown", slot_name="x"),
            SlotProposal(node_id=ids["r"], slot_name="x"),
            SlotProposal(node_id=ids["p"], slot_name=" — "),
            SlotProposal(node_id=ids["q"], slot_name="first"),
            SlotProposal(node_id=ids["q"], slot_name="second"),
        ],
        embedder=ScriptedEmbedder(),
        nearest=nothing,
        turn=2,
    )
    assert [slot.slot_name for slot in changes.created] == ["first"]
    assert changes.unmapped == (ids["p"],)
    assert [node.label for node in unmapped_nodes(graph)] == ["p"]


def test_edges_between_mapped_nodes_are_aggregated_without_self_edges() -> None:
    graph, ids = graph_of(
        [("p", "attribute"), ("p2", "attribute"), ("q", "consequence"), ("out", "value")],
        [("p", "q"), ("p2", "q"), ("p", "p2"), ("q", "out")],
    )
    embedder = ScriptedEmbedder()
    changes = apply_proposals(
        graph, propose(graph, p="one", p2="one", q="two"),
        embedder=embedder, nearest=nothing, turn=2,
    )  # fmt: skip
    (edge,) = changes.edges
    by_ends = {(e.source_id, e.target_id): e.id for e in graph.edges.values()}
    assert edge.surface_edge_ids == {
        by_ends[ids["p"], ids["q"]],
        by_ends[ids["p2"], ids["q"]],
    }
    assert edge.support_count == 2


def test_a_later_edge_between_mapped_nodes_is_added_without_any_proposal() -> None:
    graph, ids = graph_of([("p", "attribute"), ("p2", "attribute"), ("q", "value")], [("p", "q")])
    apply_proposals(
        graph, propose(graph, p="one", p2="one", q="two"),
        embedder=ScriptedEmbedder(), nearest=nothing, turn=2,
    )  # fmt: skip
    before = next(iter(graph.canonical_edges.values()))
    graph.add_edge(source_id=ids["p2"], target_id=ids["q"], edge_type="leads_to", turn=3)
    changes = apply_proposals(graph, [], embedder=ScriptedEmbedder(), nearest=nothing, turn=3)
    assert [(e.id, e.support_count) for e in changes.edges] == [(before.id, 2)]
    again = apply_proposals(graph, [], embedder=ScriptedEmbedder(), nearest=nothing, turn=4)
    assert again.edges == ()


def test_a_label_that_matches_a_slot_needs_no_proposal() -> None:
    graph, ids = graph_of([("p", "attribute"), ("q", "attribute"), ("r", "attribute")])
    graph.put_slot(Slot(id="s", slot_name="taste", description="d", node_type="attribute"))
    embedder = ScriptedEmbedder()
    vectors = dict(zip([ids["p"], ids["q"]], embedder.embed(["p", "q"]), strict=True))
    found = already_known(
        graph, list(graph.live_nodes()), vectors, stored([("s", 0.85)]),
        conflict=lambda label, text: label == "q",
    )  # fmt: skip
    assert [(p.node_id, p.slot_name) for p in found] == [(ids["p"], "taste")]
    assert already_known(graph, list(graph.live_nodes()), vectors, stored([("s", 0.79)])) == []
    changes = apply_proposals(graph, found, embedder=embedder, nearest=nothing, turn=2)
    assert changes.mapped[0].slot_id == "s"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Energy  Stability", "energy_stability"),
        ("kids' time!", "kids_time"),
        ("_x_", "x"),
        ("—", ""),
    ],
)
def test_slot_names_are_lower_case_words(text: str, name: str) -> None:
    assert slot_name(text) == name


def test_slot_names_are_cut_to_what_a_table_holds() -> None:
    assert len(slot_name("word " * 60)) == 119  # the cut falls on an underscore


def test_slot_text_separates_name_and_description() -> None:
    assert slot_text("energy_stability", "even energy all day") == (
        "energy stability: even energy all day"
    )
    assert slot_text("energy_stability", "") == "energy stability"


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=25),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25),
)
def test_whatever_is_proposed_supports_mappings_and_edges_agree(
    proposals: list[tuple[int, int]], pairs: list[tuple[int, int]]
) -> None:
    graph, ids = graph_of(
        [(f"n{i}", "attribute" if i % 2 else "value") for i in range(10)],
        [(f"n{a}", f"n{b}") for a, b in pairs if a != b],
    )
    for turn in range(0, len(proposals), 5):
        apply_proposals(
            graph,
            [
                SlotProposal(node_id=ids[f"n{n}"], slot_name=f"slot {s}")
                for n, s in proposals[turn : turn + 5]
            ],
            embedder=ScriptedEmbedder(),
            nearest=nothing,
            turn=turn,
        )
    for slot in graph.slots.values():
        members = [m.node_id for m in graph.mappings.values() if m.slot_id == slot.id]
        assert slot.support_count == len(members)
        assert (slot.status == "active") is (len(members) >= 2) is (slot.promoted_turn is not None)
        assert {graph.nodes[n].node_type for n in members} == {slot.node_type}
        assert slot.id in graph.changes.slots
    assert graph.changes.slot_vectors.keys() == graph.slots.keys()
    aggregated = {i for edge in graph.canonical_edges.values() for i in edge.surface_edge_ids}
    assert aggregated == {
        e.id
        for e in graph.edges.values()
        if {e.source_id, e.target_id} <= graph.mappings.keys()
        and graph.mappings[e.source_id].slot_id != graph.mappings[e.target_id].slot_id
    }
    assert all(e.source_slot_id != e.target_slot_id for e in graph.canonical_edges.values())
