"""The interviews of a concept test as its figures see them; queries do not grow with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F
from pydantic import BaseModel, ConfigDict, ValidationError

from analytics.coverage.figures import Element, Heard, Quote, Reaction, Row, Step, rows_of
from analytics.included import included
from analytics.inclusion import Inclusion
from graphs.models import KGEdge, KGNode, Mention
from graphs.ontology import NOTHING_PERMITTED, Ontology
from interviews.models import Session, Study
from interviews.modes.registry import modes
from interviews.turns.state import SessionState
from methodologies.registry import pinned_concept, pinned_methodology
from methodologies.schema import ConceptSchema


class _Stored(BaseModel):
    """The part of a mode's stored state that tells of elements; what else there is is left."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _Link(_Stored):
    node_id: str
    element: str


class _Reaction(_Stored):
    element: str
    reaction: str
    quote: str
    turn: int


class _Quote(_Stored):
    element: str
    turn: int
    quote: str


class _Standing(_Stored):
    element: str
    mentioned: bool
    understood: bool


class _Asked(_Stored):
    kind: str | None = None
    ref: str = ""


class _State(_Stored):
    links: tuple[_Link, ...] = ()
    reactions: tuple[_Reaction, ...] = ()
    quotes: tuple[_Quote, ...] = ()
    standings: tuple[_Standing, ...] = ()
    asked: tuple[_Asked, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageReading:
    """A study's concept test: the interviews that count, and a row an element."""

    study: Study
    inclusion: Inclusion
    sessions: tuple[str, ...]
    rows: tuple[Row, ...]


class NoConceptTest(ValueError):
    """A study that shows nothing, so that there are no elements to report on; says so."""


def read_coverage(study: Study, inclusion: Inclusion) -> CoverageReading:
    """Read what was made of each element; one that a later version dropped keeps its row.

    Raises NoConceptTest, and InclusionInvalid where a criterion names what the study has not.
    """
    mode = modes().get(study.mode)
    if mode is None or not mode.needs.stimulus or study.concept_version_id is None:
        raise NoConceptTest(
            f"{study.slug} is no concept test: its mode shows nothing to respondents. Choose a "
            "study whose mode needs a stimulus."
        )
    found = list(
        included(study, inclusion)
        .order_by(F("ended_at").asc(nulls_last=True), "pk")
        .only("pk", "state", "concept_version_id", "methodology_version_id")
    )
    newest = pinned_concept(study.concept_version_id)[0]
    held = [pinned_concept(s.concept_version_id)[0] for s in found if s.concept_version_id]
    heard = list(_heard(found))
    return CoverageReading(
        study=study,
        inclusion=inclusion,
        sessions=tuple(one.session for one in heard),
        rows=rows_of(_elements(newest, held), heard),
    )


def read_if_tested(study: Study, inclusion: Inclusion) -> CoverageReading | None:
    """What :func:`read_coverage` reads; None where the study shows nothing."""
    try:
        return read_coverage(study, inclusion)
    except NoConceptTest:
        return None


def _elements(newest: ConceptSchema, held: Sequence[ConceptSchema]) -> list[Element]:
    """Those of the newest version in its order, then those that only older ones had."""
    elements = {one.id: Element(id=one.id, label=one.label) for one in newest.elements}
    for concept in held:
        for one in concept.elements:
            elements.setdefault(one.id, Element(id=one.id, label=one.label, dropped=True))
    return list(elements.values())


def _heard(sessions: Sequence[Session]) -> Iterator[Heard]:
    ids = [session.pk for session in sessions]
    graph = _Graph(ids)
    for session in sessions:
        state = _state(session)
        concept = (
            pinned_concept(session.concept_version_id)[0] if session.concept_version_id else None
        )
        ontology = (
            pinned_methodology(session.methodology_version_id)[0].graph_ontology
            if session.methodology_version_id
            else NOTHING_PERMITTED
        )
        nodes = _by_element(
            (link.element, live)
            for link in state.links
            if (live := graph.live(link.node_id)) is not None
        )
        yield Heard(
            session=str(session.pk),
            elements=frozenset(e.id for e in concept.elements) if concept else frozenset(),
            mentioned=frozenset(s.element for s in state.standings if s.mentioned),
            understood=frozenset(s.element for s in state.standings if s.understood),
            asked=frozenset(asked.ref for asked in state.asked if asked.kind == "element"),
            reactions=_by_element(
                (r.element, Reaction(kind=r.reaction, quote=r.quote, turn=r.turn))
                for r in state.reactions
            ),
            quotes=_by_element(
                (q.element, Quote(turn=q.turn, quote=q.quote)) for q in state.quotes
            ),
            nodes={element: tuple(dict.fromkeys(found)) for element, found in nodes.items()},
            successors=graph.successors(session.pk, ontology),
            terminal=graph.terminal(session.pk, ontology),
            told=graph.told[session.pk],
        )


def _state(session: Session) -> _State:
    """What the mode kept; nothing where it was never written or cannot be read."""
    try:
        stored = SessionState.model_validate(session.state).mode_state
        return _State.model_validate(stored.data) if stored is not None else _State()
    except ValidationError:
        return _State()


def _by_element(pairs: Iterator[tuple[str, Any]]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = defaultdict(list)
    for element, thing in pairs:
        found[element].append(thing)
    return found


class _Graph:
    """Nodes and edges of all sessions, in four queries."""

    def __init__(self, sessions: Sequence[UUID]) -> None:
        self._successor: dict[str, str] = {}
        self._types: dict[UUID, dict[str, str]] = defaultdict(dict)
        self._edges: dict[UUID, list[tuple[str, str, str]]] = defaultdict(list)
        self.told: dict[UUID, dict[str, Step]] = defaultdict(dict)
        quotes: dict[str, str] = {}
        said = Mention.objects.filter(session__in=sessions, node__isnull=False).order_by("turn")
        for node, quote in said.values_list("node_id", "quote"):
            quotes.setdefault(str(node), quote)
        nodes = KGNode.objects.filter(session__in=sessions)
        followed = nodes.filter(superseded_by__isnull=False)
        for pk, after in followed.values_list("pk", "superseded_by"):
            self._successor[str(pk)] = str(after)
        live = nodes.filter(superseded_by__isnull=True).order_by("session", "position", "pk")
        for pk, session, label, node_type in live.values_list(
            "pk", "session_id", "label", "node_type"
        ):
            self._types[session][str(pk)] = node_type
            self.told[session][str(pk)] = Step(label=label, quote=quotes.get(str(pk), ""))
        edges = KGEdge.objects.filter(session__in=sessions).order_by("first_turn", "pk")
        for session, source, target, edge_type in edges.values_list(
            "session_id", "source_id", "target_id", "edge_type"
        ):
            self._edges[session].append((str(source), str(target), edge_type))
        self._known = {node for types in self._types.values() for node in types}

    def live(self, node: str) -> str | None:
        """The node, or the one that took its place; None where it is not there any more."""
        seen: set[str] = set()
        while node in self._successor and node not in seen:
            seen.add(node)
            node = self._successor[node]
        return node if node in self._known else None

    def successors(self, session: UUID, ontology: Ontology) -> Mapping[str, Sequence[str]]:
        """The live nodes that chain edges lead to, by node."""
        found: dict[str, list[str]] = defaultdict(list)
        for source, target, edge_type in self._edges[session]:
            if edge_type in ontology.chain_edge_types and {source, target} <= self._known:
                found[source].append(target)
        return found

    def terminal(self, session: UUID, ontology: Ontology) -> frozenset[str]:
        """The live nodes of terminal types."""
        types = self._types[session].items()
        return frozenset(node for node, name in types if ontology.is_terminal(name))
