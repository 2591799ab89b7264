"""Factories of the smallest valid rows, and one small interview with its graph."""

from __future__ import annotations

import hashlib
import json
import uuid
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

import factory
from django.contrib.auth.models import Group, User
from factory.django import DjangoModelFactory

from graphs.figures import graph_figures
from graphs.models import (
    CanonicalEdge,
    CanonicalEdgeSupport,
    CanonicalSlot,
    KGEdge,
    KGNode,
    Mention,
    SlotMapping,
)
from graphs.store import load_session_graph
from interviews.models import (
    Invitation,
    LLMCall,
    Session,
    SessionSummary,
    Study,
    Team,
    Turn,
    Utterance,
)
from interviews.modes.exploratory.evidence import ExploratoryEvidence
from interviews.turns.contracts import Verdict
from interviews.turns.result import TurnResult
from methodologies.models import (
    Concept,
    ConceptVersion,
    Methodology,
    MethodologyVersion,
    Persona,
    PersonaVersion,
)
from methodologies.schema import ConceptSchema, MethodologySchema, PersonaSchema
from tests.records import candidate, evidence_for, result_for

M = TypeVar("M")
STARTED = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

METHODOLOGY: dict[str, Any] = {
    "method": {"name": "small_ladder", "goal": "Learn why.", "opening_bias": "Ask openly."},
    "ontology": {
        "nodes": [
            {"name": "attribute", "level": 1, "description": "What a thing has."},
            {"name": "consequence", "level": 2, "description": "What it leads to."},
            {"name": "value", "level": 3, "terminal": True, "description": "What matters."},
        ],
        "edges": [
            {
                "name": "leads_to",
                "description": "One thing brings about the other.",
                "permitted_connections": [
                    ["attribute", "consequence"],
                    ["consequence", "value"],
                ],
            }
        ],
    },
    "signals": {"llm": ["llm.engagement"]},
    "strategies": [
        {
            "name": "explore",
            "description": "Ask for more.",
            "signal_weights": {"llm.engagement.low": 0.5},
            "node_binding": "none",
        },
        {
            "name": "deepen",
            "description": "Ask why it matters.",
            "signal_weights": {"llm.engagement.high": 0.5},
        },
        {
            "name": "close",
            "description": "Ask for the last word.",
            "signal_weights": {"llm.engagement.low": 0.1},
            "node_binding": "none",
            "generates_closing_question": True,
        },
    ],
}


class ModelFactory(DjangoModelFactory[M], Generic[M]):
    """A factory whose call is typed as the row that it makes."""

    class Meta:
        abstract = True


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class UserFactory(ModelFactory[User]):
    class Meta:
        model = User
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"user{n}")


def somebody(role: str, team: Team | None = None) -> User:
    """A user with a role, in a team: the one to which studies belong unless it is said."""
    user = UserFactory.create()
    user.groups.add(Group.objects.get_or_create(name=role)[0])
    (team or Team.default()).members.add(user)
    return user


def analyst() -> User:
    """Somebody who reads."""
    return somebody("analyst")


def researcher() -> User:
    """Somebody who makes studies, reads and exports them."""
    return somebody("researcher")


class MethodologyFactory(ModelFactory[Methodology]):
    class Meta:
        model = Methodology
        django_get_or_create = ("name",)

    name = "small_ladder"


class MethodologyVersionFactory(ModelFactory[MethodologyVersion]):
    class Meta:
        model = MethodologyVersion

    document = factory.SubFactory(MethodologyFactory)
    number = factory.Sequence(lambda n: n + 1)
    text = json.dumps(METHODOLOGY, indent=1)
    parsed = factory.LazyFunction(
        lambda: MethodologySchema.model_validate(METHODOLOGY).model_dump(mode="json")
    )
    checksum = factory.LazyAttribute(lambda o: _sha(o.text))


CONCEPT = {"id": "rain_jacket", "name": "Rain jacket", "methodology": "small_ladder"}


class ConceptFactory(ModelFactory[Concept]):
    class Meta:
        model = Concept
        django_get_or_create = ("name",)

    name = "rain_jacket"


class ConceptVersionFactory(ModelFactory[ConceptVersion]):
    class Meta:
        model = ConceptVersion

    document = factory.SubFactory(ConceptFactory)
    number = factory.Sequence(lambda n: n + 1)
    text = json.dumps(CONCEPT, indent=1)
    parsed = factory.LazyFunction(
        lambda: ConceptSchema.model_validate(CONCEPT).model_dump(mode="json")
    )
    checksum = factory.LazyAttribute(lambda o: _sha(o.text))


PERSONA = {"id": "calm", "name": "Calm", "description": "Takes time.", "traits": {}}


class PersonaFactory(ModelFactory[Persona]):
    class Meta:
        model = Persona
        django_get_or_create = ("name",)

    name = "calm"


class PersonaVersionFactory(ModelFactory[PersonaVersion]):
    class Meta:
        model = PersonaVersion

    document = factory.SubFactory(PersonaFactory)
    number = factory.Sequence(lambda n: n + 1)
    text = json.dumps(PERSONA, indent=1)
    parsed = factory.LazyFunction(
        lambda: PersonaSchema.model_validate(PERSONA).model_dump(mode="json")
    )
    checksum = factory.LazyAttribute(lambda o: _sha(o.text))


class StudyFactory(ModelFactory[Study]):
    class Meta:
        model = Study

    slug = factory.Sequence(lambda n: f"study-{n}")
    name = "Rain jackets"
    concept_version = factory.SubFactory(ConceptVersionFactory)
    methodology_version = factory.SubFactory(MethodologyVersionFactory)


class SessionFactory(ModelFactory[Session]):
    class Meta:
        model = Session

    study = factory.SubFactory(StudyFactory)
    concept_version = factory.SelfAttribute("study.concept_version")
    methodology_version = factory.SelfAttribute("study.methodology_version")
    started_at = STARTED


class InvitationFactory(ModelFactory[Invitation]):
    class Meta:
        model = Invitation

    study = factory.SubFactory(StudyFactory)


class UtteranceFactory(ModelFactory[Utterance]):
    class Meta:
        model = Utterance

    session = factory.SubFactory(SessionFactory)
    turn_number = 0
    sequence = factory.Sequence(lambda n: n + 1)
    speaker = Utterance.Speaker.INTERVIEWER
    text = "What comes to mind?"


class TurnFactory(ModelFactory[Turn]):
    class Meta:
        model = Turn

    session = factory.SubFactory(SessionFactory)
    number = 0
    status = Turn.Status.DONE


class LLMCallFactory(ModelFactory[LLMCall]):
    class Meta:
        model = LLMCall

    session = factory.SubFactory(SessionFactory)
    study = factory.SelfAttribute("session.study")
    task = "extract"
    role = "extraction"
    provider = "offline"
    outcome = "ok"


class NodeFactory(ModelFactory[KGNode]):
    class Meta:
        model = KGNode

    session = factory.SubFactory(SessionFactory)
    label = factory.Sequence(lambda n: f"concept {n}")
    node_type = "attribute"
    level = 1
    first_turn = 1
    position = factory.Sequence(lambda n: n)


class EdgeFactory(ModelFactory[KGEdge]):
    class Meta:
        model = KGEdge

    source = factory.SubFactory(NodeFactory)
    target = factory.SubFactory(NodeFactory, session=factory.SelfAttribute("..source.session"))
    session = factory.SelfAttribute("source.session")
    edge_type = "leads_to"
    first_turn = 1


class MentionFactory(ModelFactory[Mention]):
    class Meta:
        model = Mention

    node = factory.SubFactory(NodeFactory)
    session = factory.SelfAttribute("node.session")
    utterance = factory.SubFactory(UtteranceFactory, session=factory.SelfAttribute("..session"))
    quote = "What"
    start = 0
    end = 4
    turn = 1


class SlotFactory(ModelFactory[CanonicalSlot]):
    class Meta:
        model = CanonicalSlot

    session = factory.SubFactory(SessionFactory)
    slot_name = factory.Sequence(lambda n: f"slot_{n}")
    node_type = "attribute"
    first_seen_turn = 1


class SlotMappingFactory(ModelFactory[SlotMapping]):
    class Meta:
        model = SlotMapping

    node = factory.SubFactory(NodeFactory)
    session = factory.SelfAttribute("node.session")
    slot = factory.SubFactory(SlotFactory, session=factory.SelfAttribute("..session"))
    similarity = 0.9
    assigned_turn = 1


class CanonicalEdgeFactory(ModelFactory[CanonicalEdge]):
    class Meta:
        model = CanonicalEdge

    source = factory.SubFactory(SlotFactory)
    target = factory.SubFactory(SlotFactory, session=factory.SelfAttribute("..source.session"))
    session = factory.SelfAttribute("source.session")
    edge_type = "leads_to"


ANSWER_1 = "It has taped seams, so I stay dry."
ANSWER_2 = "Staying dry means I can enjoy the whole day <b>outside</b>."


def summarise(session: Session, **fields: Any) -> SessionSummary:
    """Write the session's summary as a turn would, with the figures of its graph's rows."""
    ontology = MethodologySchema.model_validate(METHODOLOGY).graph_ontology
    figures = graph_figures(load_session_graph(session.pk), ontology)
    return SessionSummary.objects.update_or_create(
        session=session, defaults=asdict(figures) | fields
    )[0]


def small_interview(**session_fields: Any) -> Session:
    """A completed session of two answers: taped seams → stay dry → enjoy the day, one chain.

    Turn 1 chose to deepen on "stay dry" (0.50 × 1.2 + 0.10 = 0.70) before exploring (0.25); turn 2
    asked nothing any more. Slots hold the first two concepts, joined by one canonical edge.
    """
    session = SessionFactory.create(
        **{
            "status": Session.Status.COMPLETED,
            "turn_count": 2,
            "ended_at": STARTED + timedelta(minutes=11),
            "termination_reason": "graph_saturated",
            "last_sequence": 4,
            **session_fields,
        }
    )
    said = [
        UtteranceFactory.create(
            session=session, turn_number=turn, sequence=index, speaker=speaker, text=text
        )
        for index, (turn, speaker, text) in enumerate(
            [
                (0, "interviewer", "What do you like about your jacket?"),
                (1, "respondent", ANSWER_1),
                (1, "interviewer", "Why does staying dry matter to you?"),
                (2, "respondent", ANSWER_2),
            ],
            start=1,
        )
    ]
    nodes = [
        NodeFactory.create(
            session=session, label=label, node_type=kind, level=level, first_turn=turn
        )
        for label, kind, level, turn in [
            ("taped seams", "attribute", 1, 1),
            ("stay dry", "consequence", 2, 1),
            ("enjoy the day", "value", 3, 2),
        ]
    ]
    for node, utterance, quote in [
        (nodes[0], said[1], "taped seams"),
        (nodes[1], said[1], "I stay dry"),
        (nodes[1], said[3], "Staying dry"),
        (nodes[2], said[3], "enjoy the whole day"),
    ]:
        start = utterance.text.index(quote)
        MentionFactory.create(
            node=node,
            session=session,
            utterance=utterance,
            quote=quote,
            start=start,
            end=start + len(quote),
            turn=utterance.turn_number,
        )
    edges = [
        EdgeFactory.create(source=nodes[0], target=nodes[1], first_turn=1),
        EdgeFactory.create(source=nodes[1], target=nodes[2], first_turn=2),
    ]
    for edge, utterance in [(edges[0], said[1]), (edges[1], said[3])]:
        MentionFactory.create(
            node=None,
            edge=edge,
            session=session,
            utterance=utterance,
            quote=utterance.text[:20],
            start=0,
            end=20,
            turn=utterance.turn_number,
        )
    _slots(session, nodes, edges)
    _turns(session, said, nodes)
    LLMCallFactory.create(session=session)
    summarise(session, saturation=0.5, strategy_counts={"deepen": 1}, calls=1)
    return session


def _slots(session: Session, nodes: list[KGNode], edges: list[KGEdge]) -> None:
    slots = [
        SlotFactory.create(
            session=session,
            slot_name=name,
            node_type=node.node_type,
            status=CanonicalSlot.Status.ACTIVE,
            promoted_turn=1,
            support_count=2,
        )
        for name, node in [("seam_sealing", nodes[0]), ("dryness", nodes[1])]
    ]
    for node, slot in zip(nodes, slots, strict=False):
        SlotMappingFactory.create(node=node, slot=slot)
    canonical = CanonicalEdgeFactory.create(source=slots[0], target=slots[1])
    CanonicalEdgeSupport.objects.create(
        session=session, canonical_edge=canonical, surface_edge=edges[0]
    )


def _chosen(node_id: str) -> ExploratoryEvidence:
    return evidence_for(
        candidate(
            "deepen",
            node_id,
            0.7,
            1,
            base=0.5,
            phase=(1.2, 0.1),
            parts=[
                ("llm.engagement.high", 1.0, 0.6),
                ("graph.node.exhaustion_score", 0.2, -0.5),
            ],
        ),
        candidate("explore", None, 0.25, 2),
        figures={"llm.engagement": 0.75, "graph.node_count": 2, "meta.interview.phase": "mid"},
        node_figures={node_id: {"graph.node.exhausted": False}},
        labels={node_id: "stay dry"},
    )


def _turns(session: Session, said: list[Utterance], nodes: list[KGNode]) -> None:
    TurnFactory.create(
        session=session,
        number=0,
        question=said[0],
        strategy="open",
        continuation="continue",
        result=TurnResult(mode="exploratory", turn=0).model_dump(mode="json"),
    )
    TurnFactory.create(
        session=session,
        number=1,
        answer=said[1],
        question=said[2],
        strategy="deepen",
        focus_node_id=nodes[1].pk,
        focus_label="stay dry",
        phase="mid",
        continuation="continue",
        result=result_for(1, _chosen(str(nodes[1].pk)), added=(2, 1, 0)).model_dump(mode="json"),
    )
    TurnFactory.create(
        session=session,
        number=2,
        answer=said[3],
        strategy="close",
        phase="late",
        continuation="end",
        continuation_reason="graph_saturated",
        result=result_for(
            2,
            evidence_for(candidate("close", None, 0.1, 1), figures={"llm.engagement": 0.5}),
            continuation=Verdict.END,
            reason="graph_saturated",
            added=(1, 1, 1),
            saturation=0.5,
        ).model_dump(mode="json"),
    )
    session.state = {
        "focus_history": [
            {"turn": 0, "node_id": "", "label": "", "strategy": "open"},
            {"turn": 1, "node_id": str(nodes[1].pk), "label": "stay dry", "strategy": "deepen"},
        ]
    }
    session.save(update_fields=["state"])


def fresh_id() -> uuid.UUID:
    """An id that no row has."""
    return uuid.uuid4()
