"""Corrections of an interview's graph: made, undone, redone, and used by the next turn."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from graphs.edits import tidy_slots
from graphs.models import CanonicalEdge, CanonicalSlot, KGEdge, KGNode, Mention
from graphs.row_changes import Rows, difference, read_rows
from graphs.store import load_session_graph
from interviews import services
from interviews.corrections.acts import read_act
from interviews.corrections.machine import machine_reading
from interviews.corrections.service import CorrectionOutdated, correct, redo, redoable, undo
from interviews.errors import ErrorCode, FormRefused, InterviewError
from interviews.graph_edits import ontology_of
from interviews.models import AuditEntry, Correction, Session, SessionSummary, Turn, Utterance
from interviews.pipeline import runner
from interviews.pipeline.engine import Engine
from methodologies.schema import MethodologySchema
from tests.factories import (
    METHODOLOGY,
    EdgeFactory,
    MentionFactory,
    MethodologyVersionFactory,
    NodeFactory,
    StudyFactory,
    small_interview,
)
from tests.integration.pipeline.conftest import ANSWER, HashEmbedder

pytestmark = pytest.mark.django_db


def version_of(session: Session) -> int:
    session.refresh_from_db()
    return session.graph_version


def change(session: Session, act: str, *, by: str = "ana", **detail: Any) -> Correction:
    read = read_act({"act": act, **{name: _plain(value) for name, value in detail.items()}})
    return correct(session.pk, read, by=by, version=version_of(session), embedder=HashEmbedder())


def _plain(value: Any) -> Any:
    return value.pk if hasattr(value, "pk") else value


def node(session: Session, label: str) -> KGNode:
    return KGNode.objects.get(session=session, label=label)


def edge(session: Session, source: str, target: str) -> KGEdge:
    return KGEdge.objects.get(session=session, source__label=source, target__label=target)


def answer(session: Session, turn: int) -> Utterance:
    return session.utterances.get(turn_number=turn, speaker="respondent")


def undone(session: Session) -> Correction:
    return undo(session.pk, by="ben", version=version_of(session))


def redone(session: Session) -> Correction:
    return redo(session.pk, by="ben", version=version_of(session))


def said(session: Session, label: str) -> list[str]:
    return [m.quote for m in Mention.objects.filter(node=node(session, label)).order_by("start")]


def test_a_reversed_link_may_only_run_where_the_ontology_lets_it() -> None:
    session = small_interview()
    link = edge(session, "taped seams", "stay dry")
    with pytest.raises(InterviewError, match="may not run from a consequence to a attribute"):
        change(session, "reverse", edge=link)
    assert not session.corrections.exists()


def test_a_merged_concept_has_the_mentions_and_links_of_both_and_comes_apart_again() -> None:
    session = small_interview()
    other = NodeFactory.create(session=session, label="keeps water out", node_type="consequence")
    value = node(session, "enjoy the day")
    EdgeFactory.create(source=other, target=value)
    MentionFactory.create(
        node=other, utterance=answer(session, 1), quote="It has", start=0, end=6, turn=1
    )
    before = read_rows(session.pk)
    change(session, "merge", node=other, into=node(session, "stay dry"))
    assert not KGNode.objects.filter(pk=other.pk).exists()
    assert "It has" in said(session, "stay dry")
    assert KGEdge.objects.filter(session=session, target=value).count() == 1
    undone(session)
    assert difference(before, read_rows(session.pk)) == {}


def test_a_concept_is_split_at_its_mentions() -> None:
    session = small_interview()
    dry = node(session, "stay dry")
    second = dry.mentions.get(turn=2)
    link = edge(session, "stay dry", "enjoy the day")
    change(session, "split", node=dry, label="feel dry", mentions=[second.pk], edges=[str(link.pk)])
    assert said(session, "feel dry") == [second.quote]
    assert edge(session, "feel dry", "enjoy the day").pk == link.pk
    assert node(session, "feel dry").first_turn == 2
    with pytest.raises(InterviewError, match="Each of the two needs"):
        change(session, "split", node=dry, label="x", mentions=[dry.mentions.get().pk])


def test_a_concept_and_a_link_are_added_by_the_words_that_say_them() -> None:
    session = small_interview()
    first = answer(session, 1)
    start = first.text.index("taped")
    change(
        session,
        "add_node",
        utterance=first,
        start=start,
        end=start + 5,
        label="tape",
        node_type="attribute",
    )
    tape = node(session, "tape")
    assert (tape.level, tape.first_turn, said(session, "tape")) == (1, 1, ["taped"])
    change(
        session,
        "add_link",
        utterance=first,
        start=0,
        end=len(first.text),
        source=tape,
        target=node(session, "stay dry"),
        edge_type="leads_to",
    )
    link = edge(session, "tape", "stay dry")
    assert link.mentions.get().provenance == "stated"


def test_a_deletion_is_restored_after_other_corrections() -> None:
    session = small_interview()
    gone = change(session, "delete_node", node=node(session, "stay dry"))
    change(session, "delete_node", node=node(session, "enjoy the day"))
    change(session, "restore", correction=gone)
    assert edge(session, "taped seams", "stay dry").mentions.count() == 1
    assert not KGEdge.objects.filter(session=session, source__label="stay dry").exists()
    assert len(said(session, "stay dry")) == 2
    assert SessionSummary.objects.get(session=session).nodes == 2


def test_the_machines_own_reading_is_kept_beside_the_corrected_graph() -> None:
    session = small_interview()
    ontology = ontology_of(session)
    assert machine_reading(session.pk, ontology) is None
    machine = load_session_graph(session.pk)
    change(session, "rename", node=node(session, "stay dry"), label="remain dry")
    change(session, "delete_node", node=node(session, "enjoy the day"))
    reading = machine_reading(session.pk, ontology)
    assert reading is not None
    assert reading.nodes == machine.nodes
    assert reading.edges == machine.edges
    assert (reading.figures.nodes, reading.figures.edges, reading.figures.chains) == (3, 2, 1)
    assert SessionSummary.objects.get(session=session).nodes == 2
    undone(session)
    undone(session)
    assert machine_reading(session.pk, ontology) is None


def test_undo_and_redo_go_back_and_forth_and_a_new_correction_ends_redoing() -> None:
    session = small_interview()
    change(session, "rename", node=node(session, "stay dry"), label="one")
    change(session, "rename", node=node(session, "one"), label="two")
    undone(session)
    undone(session)
    assert node(session, "stay dry")
    redone(session)
    assert node(session, "one")
    change(session, "rename", node=node(session, "one"), label="three")
    assert redoable(session.corrections.all()) is None
    with pytest.raises(InterviewError, match="no correction to redo"):
        redone(session)
    undone(session)
    assert node(session, "one")
    acts = list(AuditEntry.objects.filter(object_id=str(session.pk)).order_by("pk"))
    assert [(entry.by, entry.action, entry.fields) for entry in acts] == [
        ("ana", "corrected", ["rename"]),
        ("ana", "corrected", ["rename"]),
        ("ben", "undid a correction", ["rename"]),
        ("ben", "undid a correction", ["rename"]),
        ("ben", "redid a correction", ["rename"]),
        ("ana", "corrected", ["rename"]),
        ("ben", "undid a correction", ["rename"]),
    ]


def test_who_was_slower_is_told_what_the_other_did_and_nothing_is_stored() -> None:
    session = small_interview()
    seen = version_of(session)
    dry = node(session, "stay dry")
    theirs = change(session, "rename", node=dry, label="theirs", by="ben")
    mine = read_act({"act": "rename", "node": dry.pk, "label": "mine"})
    with pytest.raises(CorrectionOutdated) as caught:
        correct(session.pk, mine, by="ana", version=seen, embedder=HashEmbedder())
    assert caught.value.code is ErrorCode.CORRECTION_OUTDATED
    assert caught.value.since == (theirs,)
    assert "ben" in caught.value.message
    dry.refresh_from_db()
    assert dry.label == "theirs"
    assert session.corrections.count() == 1


@pytest.mark.parametrize(
    ("data", "fields"),
    [
        ({}, {"act"}),
        ({"act": "explode"}, {"act"}),
        ({"act": "rename", "node": "nonsense", "label": "x"}, {"node"}),
        ({"act": "rename", "node": str(uuid.uuid4()), "label": ""}, {"label"}),
        ({"act": "merge", "node": str(uuid.uuid4()), "other": 1}, {"into", "other"}),
        ("text", {"act"}),
    ],
)
def test_a_correction_that_cannot_be_read_names_its_fields(data: Any, fields: set[str]) -> None:
    with pytest.raises(FormRefused) as caught:
        read_act(data)
    assert set(caught.value.fields) == fields


def test_what_cannot_be_corrected_is_refused_and_changes_nothing() -> None:
    session, elsewhere = small_interview(), small_interview()
    dry, value = node(session, "stay dry"), node(session, "enjoy the day")
    text = answer(session, 1)
    add = {"utterance": text, "start": 0, "end": 3, "label": "x", "node_type": "attribute"}
    link = {"utterance": text, "start": 0, "end": 3, "edge_type": "leads_to"}
    seams_dry = edge(session, "taped seams", "stay dry")
    refused: list[tuple[str, str, dict[str, Any]]] = [
        ("into", "merge", {"node": dry, "into": dry}),
        ("into", "merge", {"node": dry, "into": value}),
        ("node", "merge", {"node": node(elsewhere, "stay dry"), "into": dry}),
        ("edge_type", "retype_link", {"edge": seams_dry, "edge_type": "mood"}),
        ("edge", "reverse", {"edge": seams_dry}),
        ("", "rename", {"node": dry, "label": "stay dry"}),
        ("label", "rename", {"node": dry, "label": "  "}),
        ("correction", "restore", {"correction": uuid.uuid4()}),
        ("node_type", "add_node", {**add, "node_type": "mood"}),
        ("start", "add_node", {**add, "end": 4000}),
        ("utterance", "add_node", {**add, "utterance": answer(elsewhere, 1)}),
        ("edge_type", "add_link", {**link, "source": value, "target": dry}),
        ("target", "add_link", {**link, "source": dry, "target": dry}),
        ("source", "add_link", {**link, "source": uuid.uuid4(), "target": dry}),
    ]
    before, version = read_rows(session.pk), version_of(session)
    for field, act, detail in refused:
        with pytest.raises(InterviewError) as caught:
            change(session, act, **detail)
        assert caught.value.code is ErrorCode.EDIT_REFUSED, act
        assert "".join(getattr(caught.value, "fields", {})) == field, act
    assert difference(before, read_rows(session.pk)) == {}
    assert version_of(session) == version
    assert not session.corrections.exists()


@pytest.mark.django_db(transaction=True)
def test_the_next_turn_of_a_running_interview_uses_the_corrected_graph(
    session: Session, engine: Engine
) -> None:
    held(session, engine)
    first = KGNode.objects.filter(session=session).earliest("position")
    change(session, "rename", node=first, label="corrected by hand")
    held(session, engine)
    assert KGNode.objects.get(pk=first.pk).label == "corrected by hand"
    undone(session)
    assert KGNode.objects.get(pk=first.pk).label == first.label
    gone = change(session, "delete_node", node=first)
    held(session, engine)
    assert not KGNode.objects.filter(pk=first.pk).exists()
    change(session, "restore", correction=gone)
    assert KGNode.objects.get(pk=first.pk).label == first.label
    assert held(session, engine).status == Turn.Status.DONE


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_is_taken_back_takes_its_words_out_of_corrections_too(
    session: Session, engine: Engine
) -> None:
    held(session, engine)
    message = uuid.uuid4()
    turn = held(session, engine, message)
    newest = KGNode.objects.filter(session=session, first_turn=turn.number)[0]
    change(session, "delete_node", node=newest)
    services.withdraw_answer(session.pk, message)
    assert not session.corrections.exists()


def held(session: Session, engine: Engine, message: uuid.UUID | None = None) -> Turn:
    accepted = services.accept_answer(session.pk, ANSWER, client_message_id=message)
    turn = Turn.objects.get(session=session, number=accepted.turn_number)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    turn.refresh_from_db()
    return turn


NEEDED = {
    "rename": ("node", "label"),
    "retype": ("node", "node_type"),
    "delete_node": ("node",),
    "merge": ("node", "into"),
    "split": ("node", "label", "mentions"),
    "reverse": ("edge",),
    "delete_link": ("edge",),
    "restore": ("correction",),
    "add_node": ("utterance", "start", "end", "label", "node_type"),
    "add_link": ("utterance", "start", "end", "source", "target", "edge_type"),
    "retype_link": ("edge", "edge_type"),
}


def two_kinds_of_links() -> Session:
    """The small interview, where concepts may also be linked by what hinders."""
    methodology = json.loads(json.dumps(METHODOLOGY))
    methodology["ontology"]["edges"].append(
        {
            "name": "hinders",
            "description": "One thing stands in the way of the other.",
            "chain": False,
            "permitted_connections": [["attribute", "consequence"], ["consequence", "value"]],
        }
    )
    version = MethodologyVersionFactory.create(
        text=json.dumps(methodology),
        parsed=MethodologySchema.model_validate(methodology).model_dump(mode="json"),
    )
    study = StudyFactory.create(methodology_version=version)
    return small_interview(study=study)


class Corrections(RuleBasedStateMachine):
    """Whatever is corrected, undone and redone: undoing all of it gives the graph of before."""

    session: Session
    states: list[Rows]
    at: int

    @initialize()
    def begin(self) -> None:
        self.session = two_kinds_of_links()
        other = NodeFactory.create(
            session=self.session, label="breathe", node_type="consequence", position=9
        )
        EdgeFactory.create(source=node(self.session, "taped seams"), target=other)
        MentionFactory.create(
            node=other, utterance=answer(self.session, 1), quote="It", start=0, end=2, turn=1
        )
        tidy_slots(self.session.pk)
        self.states = [read_rows(self.session.pk)]
        self.at = 0

    @rule(data=st.data())
    def correct(self, data: st.DataObject) -> None:
        nodes = list(KGNode.objects.filter(session=self.session).order_by("label", "node_type"))
        edges = list(
            KGEdge.objects.filter(session=self.session).order_by(
                "source__label", "target__label", "edge_type", "pk"
            )
        )
        acts = ["add_node", "restore"]
        acts += ["rename", "retype", "delete_node", "merge", "split", "add_link"] if nodes else []
        acts += ["reverse", "delete_link", "retype_link"] if edges else []
        act = data.draw(st.sampled_from(acts))
        chosen = data.draw(st.sampled_from(nodes)) if nodes else None
        gone = self.session.corrections.filter(act__startswith="delete").first()
        mention = chosen.mentions.first() if chosen else None
        drawn: dict[str, Any] = {
            "node": chosen,
            "edge": data.draw(st.sampled_from(edges)) if edges else None,
            "into": data.draw(st.sampled_from(nodes)) if nodes else None,
            "source": data.draw(st.sampled_from(nodes)) if nodes else None,
            "target": data.draw(st.sampled_from(nodes)) if nodes else None,
            "edge_type": data.draw(st.sampled_from(["leads_to", "hinders"])),
            "label": data.draw(st.sampled_from(["stay dry", "warm", "taped seams", "calm"])),
            "node_type": data.draw(st.sampled_from(["attribute", "consequence", "value"])),
            "mentions": [mention.pk if mention else uuid.uuid4()],
            "correction": gone.pk if gone else uuid.uuid4(),
            "utterance": answer(self.session, 2),
            "start": 0,
            "end": 5,
        }
        detail = {name: drawn[name] for name in NEEDED[act]}
        try:
            change(self.session, act, **detail)
        except InterviewError as error:
            if error.code is not ErrorCode.EDIT_REFUSED:
                raise
            return
        del self.states[self.at + 1 :]
        self.states.append(read_rows(self.session.pk))
        self.at += 1

    @precondition(lambda self: self.at > 0)
    @rule()
    def undo(self) -> None:
        undone(self.session)
        self.at -= 1

    @precondition(lambda self: self.at < len(self.states) - 1)
    @rule()
    def redo(self) -> None:
        redone(self.session)
        self.at += 1

    @invariant()
    def the_graph_is_as_it_was_at_this_place(self) -> None:
        now = read_rows(self.session.pk)
        assert difference(self.states[self.at], now) == {}
        counted = {key: row["support_count"] for key, row in now[SLOTS].items()}
        before = self.states[self.at][SLOTS]
        assert counted == {key: row["support_count"] for key, row in before.items()}

    def teardown(self) -> None:
        if hasattr(self, "session"):
            while self.at:
                self.undo()
            assert difference(self.states[0], read_rows(self.session.pk)) == {}
            assert machine_reading(self.session.pk, ontology_of(self.session)) is None


SLOTS = CanonicalSlot._meta.db_table


def test_undoing_any_sequence_of_corrections_gives_the_graph_of_before() -> None:
    run_state_machine_as_test(
        Corrections,
        settings=settings(
            max_examples=20,
            stateful_step_count=12,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_a_link_is_made_one_of_another_type_where_the_ontology_has_it() -> None:
    session = two_kinds_of_links()
    change(
        session, "retype_link", edge=edge(session, "taped seams", "stay dry"), edge_type="hinders"
    )
    assert edge(session, "taped seams", "stay dry").edge_type == "hinders"
    undone(session)
    assert edge(session, "taped seams", "stay dry").edge_type == "leads_to"


def test_what_was_undone_before_another_correction_is_not_made_again() -> None:
    session = small_interview()
    change(session, "rename", node=node(session, "stay dry"), label="one")
    undone(session)
    change(session, "rename", node=node(session, "stay dry"), label="two")
    undone(session)
    redone(session)
    assert node(session, "two")


def test_undoing_what_the_interview_has_built_upon_is_refused() -> None:
    session = small_interview()
    first = answer(session, 1)
    change(
        session,
        "add_node",
        utterance=first,
        start=0,
        end=2,
        label="it",
        node_type="attribute",
    )
    EdgeFactory.create(source=node(session, "it"), target=node(session, "stay dry"))
    with pytest.raises(InterviewError, match="has changed since"):
        undone(session)
    assert node(session, "it")
    assert CanonicalEdge.objects.filter(session=session).count() == 1
