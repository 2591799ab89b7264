"""A graph that is edited by hand beside its interview, in this process and in others."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from django.db import connections

from graphs.domain import SessionGraph
from graphs.figures import graph_figures
from graphs.models import CanonicalEdge, CanonicalSlot, KGEdge, KGNode, NodeVector
from graphs.resident import resident_graphs
from graphs.store import load_session_graph
from interviews import graph_edits, services
from interviews.bench.stub import StubGateway
from interviews.errors import ErrorCode, GraphChanged, InterviewError
from interviews.models import Session, SessionSummary, Turn
from interviews.pipeline import runner, store
from interviews.pipeline.assembly import build_engine
from interviews.pipeline.engine import Engine
from interviews.turns.context import TurnContext
from interviews.turns.deadline import Deadline
from methodologies.registry import methodology_of
from tests.integration.pipeline.conftest import ANSWER, HashEmbedder

pytestmark = pytest.mark.django_db(transaction=True)


def accept(session: Session) -> Turn:
    accepted = services.accept_answer(session.pk, ANSWER)
    return Turn.objects.get(session=session, number=accepted.turn_number)


def answer(session: Session, engine: Engine) -> Turn:
    turn = accept(session)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    turn.refresh_from_db()
    return turn


def in_another_process(edit: Callable[..., None], *arguments: Any) -> None:
    connections.close_all()
    process: Any = multiprocessing.get_context("fork").Process(target=edit, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == 0


def relabel(session_id: Any, node_id: Any, label: str) -> None:
    graph_edits.relabel_node(session_id, node_id, label, embedder=HashEmbedder())


def loaded(session: Session) -> TurnContext:
    """What the session's next turn works on."""
    job = store.claim(accept(session).pk)
    assert job is not None
    return TurnContext(job, store.load(job), Deadline(45, lambda: 0.0))


def focus_of(turn: Turn) -> str:
    assert turn.focus_node_id
    return str(turn.focus_node_id)


def check_consistent(session: Session) -> SessionGraph:
    """Summary, slots and canonical edges say what the graph's rows do."""
    graph = load_session_graph(session.pk)
    ontology = methodology_of(session.methodology_version).graph_ontology
    counted = asdict(graph_figures(graph, ontology))
    summary = SessionSummary.objects.get(session=session)
    assert {name: getattr(summary, name) for name in counted} == counted
    mapped = [mapping.slot_id for mapping in graph.mappings.values()]
    assert {s.id: s.support_count for s in graph.slots.values()} == {
        slot_id: mapped.count(slot_id) for slot_id in mapped
    }
    assert all(edge.surface_edge_ids for edge in graph.canonical_edges.values())
    return graph


def test_the_next_turn_uses_a_graph_that_another_process_edited(
    session: Session, engine: Engine
) -> None:
    answer(session, engine)
    removed = focus_of(answer(session, engine))
    kept = KGNode.objects.filter(session=session).exclude(pk=removed).first()
    assert kept is not None
    in_another_process(graph_edits.remove_node, session.pk, removed)
    in_another_process(relabel, session.pk, kept.pk, "another name")
    here = resident_graphs.take(str(session.pk))
    assert here is not None
    assert removed in here.graph.nodes
    resident_graphs.keep(str(session.pk), here)  # this process was told nothing

    turn = answer(session, engine)

    assert str(turn.focus_node_id) != removed
    graph = check_consistent(session)
    assert removed not in graph.nodes
    assert graph.nodes[str(kept.pk)].label == "another name"
    assert len(graph.nodes) == 3 * StubGateway.CONCEPTS - 1
    now = resident_graphs.take(str(session.pk))
    assert now is not None
    assert now.graph.nodes.keys() == graph.nodes.keys()
    session.refresh_from_db()
    assert session.graph_version == now.version == 6  # the opening, three turns, two edits


def test_a_turn_that_was_thought_on_an_edited_graph_is_thought_again(
    session: Session, engine: Engine
) -> None:
    removed = focus_of(answer(session, engine))
    edited: list[str] = []

    def edit_meanwhile(context: TurnContext, stage: str) -> None:
        if stage == "continuation" and not edited:
            edited.append(stage)
            in_another_process(graph_edits.remove_node, session.pk, removed)

    beside = build_engine(edit_meanwhile, gateway=StubGateway(), embedder=HashEmbedder())
    turn = accept(session)
    assert runner.process_turn(turn.pk, engine=beside) is runner.Outcome.RETRIED
    turn.refresh_from_db()
    assert (turn.status, turn.attempt, turn.error) == (Turn.Status.QUEUED, 0, "")
    assert resident_graphs.take(str(session.pk)) is None
    assert runner.process_turn(turn.pk, engine=beside) is runner.Outcome.DONE
    assert removed not in check_consistent(session).nodes


def test_a_commit_on_another_version_writes_nothing(session: Session, engine: Engine) -> None:
    node = focus_of(answer(session, engine))
    context = loaded(session)
    engine.run(context)
    relabel(session.pk, node, "another name")
    before = Session.objects.filter(pk=session.pk).values().get()
    summary = SessionSummary.objects.filter(session=session).values().get()
    with pytest.raises(GraphChanged):
        store.commit(context, latency_ms=1)
    assert Session.objects.filter(pk=session.pk).values().get() == before
    assert SessionSummary.objects.filter(session=session).values().get() == summary
    assert KGNode.objects.filter(session=session).count() == StubGateway.CONCEPTS


def test_another_label_is_found_by_its_own_vector(session: Session, engine: Engine) -> None:
    node = focus_of(answer(session, engine))
    relabel(session.pk, node, "  another\tname ")
    assert KGNode.objects.get(pk=node).label == "another name"
    vector = NodeVector.objects.get(node__pk=node).embedding
    wanted = HashEmbedder().embed(["another name"])[0]
    assert np.allclose(np.asarray(vector), wanted, atol=1e-6)
    assert loaded(session).tracker.state_of(node) is not None


def test_a_node_of_another_type_leaves_its_slot_and_what_was_refused_stays_refused(
    session: Session, engine: Engine
) -> None:
    node = KGNode.objects.get(pk=focus_of(answer(session, engine)))
    for edge in KGEdge.objects.filter(session=session):
        graph_edits.remove_edge(session.pk, edge.pk)
    context = loaded(session)
    context.tracker.close_focus(str(node.pk))
    Session.objects.filter(pk=session.pk).update(node_tracker_state=context.tracker.to_dict())
    graph_edits.retype_node(session.pk, node.pk, "terminal_value")
    node.refresh_from_db()
    ontology = methodology_of(session.methodology_version).graph_ontology
    assert (node.node_type, node.level) == ("terminal_value", ontology.level_of("terminal_value"))
    assert NodeVector.objects.get(node=node).node_type == "terminal_value"
    graph = check_consistent(session)
    assert str(node.pk) not in graph.mappings
    again = store.claim(context.job.turn_id)
    assert again is None  # still held by the turn above
    tracker = store.load(context.job).tracker
    assert tracker.is_closed(str(node.pk))
    state = tracker.state_of(str(node.pk))
    assert state is not None
    assert (state.node_type, state.is_terminal, state.focus_count) == ("terminal_value", True, 1)


def test_a_node_takes_its_links_slot_and_canonical_edges_along(
    session: Session, engine: Engine
) -> None:
    for _ in range(2):
        answer(session, engine)
    for node in KGNode.objects.filter(session=session):
        graph_edits.remove_node(session.pk, node.pk)
        check_consistent(session)
    assert not KGEdge.objects.filter(session=session).exists()
    assert not CanonicalSlot.objects.filter(session=session).exists()
    assert not CanonicalEdge.objects.filter(session=session).exists()
    answer(session, engine)
    assert len(check_consistent(session).nodes) == StubGateway.CONCEPTS


def test_what_a_removed_revision_had_replaced_counts_again(
    session: Session, engine: Engine
) -> None:
    answer(session, engine)
    context = loaded(session)
    old, new = list(context.graph.nodes)[:2]
    edge = KGEdge.objects.create(
        session=session, source_id=new, target_id=old, edge_type="revises", first_turn=1
    )
    KGNode.objects.filter(pk=old).update(superseded_by_id=new)
    graph_edits.remove_edge(session.pk, edge.pk)
    assert check_consistent(session).is_live(old)


REFUSED: dict[str, Callable[[Session, KGNode, KGNode], None]] = {
    "a node of another interview": lambda s, n, o: graph_edits.remove_node(
        services.start_session(s.study).pk, n.pk
    ),
    "no id": lambda s, n, o: graph_edits.remove_node(s.pk, "nonsense"),
    "an edge that is not there": lambda s, n, o: graph_edits.remove_edge(s.pk, n.pk),
    "an empty label": lambda s, n, o: relabel(s.pk, n.pk, " \n"),
    "a long label": lambda s, n, o: relabel(s.pk, n.pk, "x" * 301),
    "a label that is taken": lambda s, n, o: relabel(s.pk, n.pk, o.label.upper()),
    "an unknown type": lambda s, n, o: graph_edits.retype_node(s.pk, n.pk, "mood"),
    "links that the type forbids": lambda s, n, o: graph_edits.retype_node(
        s.pk, n.pk, "terminal_value"
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_an_edit_that_cannot_be_made_changes_nothing_and_cites_no_label(
    what: str, session: Session, engine: Engine
) -> None:
    answer(session, engine)
    edge = KGEdge.objects.filter(session=session).select_related("source").earliest("created_at")
    node = edge.source
    other = KGNode.objects.filter(session=session, node_type=node.node_type).exclude(pk=node.pk)[0]
    before = load_session_graph(session.pk)
    session.refresh_from_db()
    version = session.graph_version
    with pytest.raises(InterviewError) as caught:
        REFUSED[what](session, node, other)
    assert caught.value.code is ErrorCode.EDIT_REFUSED
    assert node.label not in caught.value.message
    assert other.label not in caught.value.message
    after = load_session_graph(session.pk)
    assert (after.nodes, after.edges, after.mappings) == (
        before.nodes,
        before.edges,
        before.mappings,
    )
    session.refresh_from_db()
    assert session.graph_version == version
