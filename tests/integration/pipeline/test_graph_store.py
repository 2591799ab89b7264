"""What is saved comes back, for every kind of row of a graph."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from django.db import connection

from graphs import sql, store
from graphs.domain import (
    CanonicalEdge,
    Edge,
    Mention,
    Node,
    Said,
    SessionGraph,
    Slot,
    SlotMapping,
    new_id,
)
from graphs.language.vectors import Vector
from graphs.metrics import mention_frequencies
from graphs.models import KGNode, NodeVector, SlotVector
from graphs.neighbours import Neighbours
from interviews import services
from interviews.models import Session, Utterance

pytestmark = pytest.mark.django_db(transaction=True)


def unit(index: int) -> Vector:
    vector = np.zeros(384, dtype=np.float32)
    vector[index] = 1.0
    return vector


@pytest.fixture
def graph(session: Session) -> SessionGraph:
    services.accept_answer(session.pk, "soft straps, so I walk further")
    utterance = Utterance.objects.get(session=session, turn_number=1, speaker="respondent")
    graph = SessionGraph()
    straps = graph.add_node(
        label="soft straps", node_type="attribute", level=1, turn=1, vector=unit(0)
    )
    hard = graph.add_node(
        label="hard straps", node_type="attribute", stance=-1, turn=1, vector=unit(1)
    )
    far = graph.add_node(label="walk further", node_type="functional_consequence", turn=1)
    edge, _ = graph.add_edge(source_id=straps.id, target_id=far.id, edge_type="leads_to", turn=1)
    graph.supersede(hard.id, by=straps.id)
    said = Mention(
        id=new_id(),
        utterance_id=str(utterance.id),
        quote="soft",
        start=0,
        end=4,
        turn=1,
        label="soft straps",
    )
    asked = Utterance.objects.get(session=session, speaker="interviewer")
    graph.add_mention(
        replace(said, node_id=straps.id, tier="embedding", similarity=0.55, doubtful=True)
    )
    graph.add_mention(
        replace(
            said,
            id=new_id(),
            edge_id=edge.id,
            provenance="answer_to_probe",
            probe_id=str(asked.id),
        )
    )
    slots = [
        Slot(id=new_id(), slot_name=name, description="", node_type="attribute", first_seen_turn=1)
        for name in ("comfort", "reach")
    ]
    for slot, node in zip(slots, (straps, far), strict=True):
        graph.put_slot(slot, unit(2))
        graph.put_mapping(
            SlotMapping(node_id=node.id, slot_id=slot.id, similarity=0.7, assigned_turn=1)
        )
    graph.put_canonical_edge(
        CanonicalEdge(
            id=new_id(),
            source_slot_id=slots[0].id,
            target_slot_id=slots[1].id,
            edge_type="leads_to",
            surface_edge_ids=frozenset({edge.id}),
        )
    )
    return graph


def assert_same(one: SessionGraph, other: SessionGraph) -> None:
    assert list(one.nodes.values()) == list(other.nodes.values())
    assert one.edges == other.edges
    assert {m.id: m for m in one.mentions} == {m.id: m for m in other.mentions}
    assert one.slots == other.slots
    assert one.mappings == other.mappings
    assert one.canonical_edges == other.canonical_edges


def test_a_saved_graph_comes_back_as_it_was(session: Session, graph: SessionGraph) -> None:
    store.save(session.pk, graph)
    assert_same(store.load_session_graph(session.pk), graph)


def test_saving_the_same_changes_twice_changes_nothing(
    session: Session, graph: SessionGraph
) -> None:
    store.save(session.pk, graph)
    store.save(session.pk, graph)
    assert_same(store.load_session_graph(session.pk), graph)
    assert NodeVector.objects.filter(session=session).count() == 2
    assert SlotVector.objects.filter(session=session).count() == 2


def as_a_turn_loads_it(session: Session) -> SessionGraph:
    with connection.cursor() as cursor:
        cursor.execute(sql.LOAD_FOR_TURN, {"session": session.pk})
        return store.graph_of(cursor.fetchone()[0])


def test_a_turn_loads_the_newest_quote_of_each_node_and_the_number_of_its_mentions(
    session: Session, graph: SessionGraph
) -> None:
    straps, _, far = graph.nodes
    said = graph.mentions[0]
    for start, node_id in ((9, straps), (5, straps), (3, far)):
        graph.add_mention(
            replace(said, id=new_id(), node_id=node_id, quote=f"at {start}", start=start, end=10)
        )
    store.save(session.pk, graph)
    loaded = as_a_turn_loads_it(session)
    assert list(loaded.said_before.items()) == [
        (far, Said(quote="at 3", mentions=1, turns=(1,))),
        (straps, Said(quote="at 9", mentions=3, turns=(1,))),
    ]
    assert [loaded.latest_quote(node_id) for node_id in (straps, far)] == ["at 9", "at 3"]
    assert sorted(mention_frequencies(loaded)) == sorted(mention_frequencies(graph)) == [1, 3]
    loaded.mentions = graph.mentions
    assert_same(loaded, graph)


def test_a_turn_knows_a_node_by_the_words_that_were_merged_into_it(
    session: Session, graph: SessionGraph
) -> None:
    straps = next(iter(graph.nodes))
    graph.add_mention(replace(graph.mentions[0], id=new_id(), label="Gentle  straps"))
    store.save(session.pk, graph)
    for loaded in (as_a_turn_loads_it(session), store.load_session_graph(session.pk), graph):
        assert [node.id for node in loaded.called("gentle straps")] == [straps]
        assert [node.id for node in loaded.called("HARD straps")] == [straps], "superseded"
        assert loaded.called("no straps") == []


def test_a_settled_graph_is_what_the_next_turn_would_load(
    session: Session, graph: SessionGraph
) -> None:
    straps, hard, far = graph.nodes
    said = graph.mentions[0]
    for turn in (1, 2):  # the second is on top of what is settled already
        for number in range(4):
            node = graph.add_node(label=f"zip {turn} {number}", node_type="attribute", turn=turn)
            for target in (far, straps):
                edge_type = "leads_to"
                graph.add_edge(source_id=node.id, target_id=target, edge_type=edge_type, turn=turn)
            for start, node_id in ((9, straps), (5, node.id), (3, far)):
                graph.add_mention(
                    replace(said, id=new_id(), node_id=node_id, turn=turn, start=start, end=10)
                )
            slot = Slot(
                id=new_id(),
                slot_name=f"{'dDbé'[number]}_{turn}",
                description="",
                node_type="attribute",
                first_seen_turn=turn,
            )
            graph.put_slot(slot)
            graph.put_mapping(
                SlotMapping(node_id=node.id, slot_id=slot.id, similarity=1.0, assigned_turn=turn)
            )
            graph.put_canonical_edge(
                CanonicalEdge(
                    id=new_id(),
                    source_slot_id=slot.id,
                    target_slot_id=graph.mappings[far].slot_id,
                    edge_type="leads_to",
                    surface_edge_ids=frozenset(list(graph.edges)[-2:]),
                )
            )
        if turn == 2:
            graph.revive(hard)
        store.save(session.pk, graph)
        changes = graph.settle()
        assert changes.nodes
        assert not graph.changes
        loaded = as_a_turn_loads_it(session)
        for part in ("nodes", "edges", "slots", "mappings", "canonical_edges", "said_before"):
            settled, anew = getattr(graph, part), getattr(loaded, part)
            assert list(settled.items()) == list(anew.items()), part
        assert graph.mentions == loaded.mentions == []
        assert [graph.latest_quote(n) for n in graph.nodes] == [
            loaded.latest_quote(n) for n in loaded.nodes
        ]
        assert list(graph.live_nodes()) == list(loaded.live_nodes())
        assert graph.find("attribute", f"zip {turn} 3") == loaded.find("attribute", f"zip {turn} 3")


def test_a_canonical_edge_alone_is_saved(session: Session, graph: SessionGraph) -> None:
    edge = next(iter(graph.canonical_edges.values()))
    del graph.canonical_edges[edge.id], graph.changes.canonical_edges[edge.id]
    store.save(session.pk, graph)
    graph.settle()
    graph.put_canonical_edge(edge)
    store.save(session.pk, graph)
    graph.settle()
    assert as_a_turn_loads_it(session).canonical_edges == graph.canonical_edges == {edge.id: edge}


def test_slots_of_one_name_and_turn_settle_in_the_order_in_which_they_are_loaded(
    session: Session, graph: SessionGraph
) -> None:
    for node_type in ("zone", "attribute_2", "place"):
        graph.put_slot(
            Slot(id=new_id(), slot_name="comfort", description="", node_type=node_type,
                 first_seen_turn=1)
        )  # fmt: skip
    store.save(session.pk, graph)
    graph.settle()
    assert list(as_a_turn_loads_it(session).slots) == list(graph.slots)


def test_an_empty_graph_comes_back_empty(session: Session) -> None:
    assert_same(store.load_session_graph(session.pk), SessionGraph())
    assert_same(as_a_turn_loads_it(session), SessionGraph())


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ("nodes", Node),
        ("edges", Edge),
        ("mentions", Mention),
        ("slots", Slot),
        ("mappings", SlotMapping),
    ],
)
def test_every_field_of_a_row_is_loaded(part: str, kind: type[Any]) -> None:
    assert sorted(sql.FIELDS[part].split()) == sorted(field.name for field in fields(kind))


def test_a_vector_is_stored_to_the_last_bit(session: Session, graph: SessionGraph) -> None:
    vector = np.random.default_rng(3).standard_normal(384).astype(np.float32)
    graph.add_node(label="exact", node_type="attribute", turn=1, vector=vector)
    store.save(session.pk, graph)
    stored = NodeVector.objects.get(node__label="exact").embedding
    assert np.asarray(stored, dtype=np.float32).tolist() == vector.tolist()


def test_a_vector_of_another_length_is_refused(session: Session, graph: SessionGraph) -> None:
    graph.add_node(label="short", node_type="attribute", turn=1, vector=unit(0)[:383])
    with pytest.raises(ValueError, match="383 numbers, not 384"):
        store.save(session.pk, graph)


def test_a_later_turn_revives_and_promotes_what_is_there(
    session: Session, graph: SessionGraph
) -> None:
    store.save(session.pk, graph)
    later = store.load_session_graph(session.pk)
    superseded = next(n for n in later.nodes.values() if n.superseded_by)
    later.revive(superseded.id)
    store.save(session.pk, later)
    assert KGNode.objects.of(session.pk).live().count() == 3


def test_the_nearest_are_of_the_same_type_and_session(
    session: Session, graph: SessionGraph
) -> None:
    store.save(session.pk, graph)
    straps = next(n for n in graph.nodes.values() if n.label == "soft straps")
    near = Neighbours(partial(store.read_vectors, session.pk))
    assert near.nodes([("attribute", unit(0)), ("terminal_value", unit(0))], 1) == [
        [(straps.id, 1.0)],
        [],
    ]
    assert len(near.slots([("attribute", unit(2))], 5)[0]) == 2
    elsewhere = Neighbours(partial(store.read_vectors, new_id()))
    assert elsewhere.nodes([("attribute", unit(0))], 1) == [[]]
    assert near.nodes([], 1) == []
