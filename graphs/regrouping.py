"""Edits that people alone make: links turned and renamed, things added, concepts merged and split.

Whoever calls these has locked the session, and raises its graph's version in the same transaction.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Max, Q

from graphs.canonical import aggregate_edges
from graphs.domain import Provenance
from graphs.edits import MAX_LABEL, EditRefused, check_free, edge_of, node_of, tidy_slots
from graphs.language.vectors import Vector
from graphs.models import CanonicalEdgeSupport, KGEdge, KGNode, Mention, NodeVector
from graphs.ontology import REVISES, Ontology
from graphs.store import load_session_graph, save

Id = UUID | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stretch of an answer, in characters, end exclusive."""

    utterance_id: Id
    turn: int
    quote: str
    start: int
    end: int


def retype_edge(session_id: Id, edge_id: Id, edge_type: str, ontology: Ontology) -> None:
    """Make a link one of another type.

    Raises EditRefused for a link that is not there, one that may not join its ends, and one that
    is there already; a revision is not to be changed.
    """
    edge = _plain(edge_of(session_id, edge_id))
    _check_link(edge.source, edge.target, edge_type, ontology, besides=edge.pk)
    KGEdge.objects.filter(pk=edge.pk).update(edge_type=edge_type)
    regroup(session_id, [edge.pk])


def reverse_edge(session_id: Id, edge_id: Id, ontology: Ontology) -> None:
    """Turn a link round.

    Raises EditRefused for a link that is not there, one that may not run the other way, and one
    that is there already; a revision is not to be changed.
    """
    edge = _plain(edge_of(session_id, edge_id))
    _check_link(edge.target, edge.source, edge.edge_type, ontology, besides=edge.pk, field="edge")
    KGEdge.objects.filter(pk=edge.pk).update(source=edge.target, target=edge.source)
    regroup(session_id, [edge.pk])


def add_node(
    session_id: Id,
    passage: Passage,
    *,
    label: str,
    node_type: str,
    stance: int,
    vector: Vector,
    ontology: Ontology,
) -> None:
    """Add a concept that was said in `passage`; where the type has the label, add the mention.

    Raises EditRefused for a type that the ontology does not have and a label too long or empty.
    """
    _check_type(node_type, ontology)
    _check_label(label)
    node = KGNode.objects.filter(
        session_id=session_id, node_type=node_type, label__iexact=label
    ).first()
    if node is None:
        last = KGNode.objects.of(session_id).aggregate(last=Max("position"))["last"]
        node = KGNode.objects.create(
            session_id=session_id,
            label=label,
            node_type=node_type,
            level=ontology.level_of(node_type),
            stance=stance,
            first_turn=passage.turn,
            position=0 if last is None else last + 1,
        )
        NodeVector.objects.create(
            node=node, session_id=session_id, node_type=node_type, embedding=vector
        )
    elif passage.turn < node.first_turn:
        KGNode.objects.filter(pk=node.pk).update(first_turn=passage.turn)
    _mention(session_id, passage, node=node, label=label)
    tidy_slots(session_id)


def add_edge(
    session_id: Id,
    passage: Passage,
    *,
    source_id: Id,
    target_id: Id,
    edge_type: str,
    provenance: Provenance,
    ontology: Ontology,
) -> None:
    """Add a link between two concepts that `passage` bears out; a known one gets the mention.

    Raises EditRefused where one end is not there and for a link that may not join them.
    """
    source = node_of(session_id, source_id, "source")
    target = node_of(session_id, target_id, "target")
    edge = KGEdge.objects.filter(
        session_id=session_id, source=source, target=target, edge_type=edge_type
    ).first()
    if edge is None:
        _check_link(source, target, edge_type, ontology)
        edge = KGEdge.objects.create(
            session_id=session_id,
            source=source,
            target=target,
            edge_type=edge_type,
            first_turn=passage.turn,
        )
    _mention(session_id, passage, edge=edge, provenance=provenance)
    regroup(session_id)


def merge_nodes(session_id: Id, node_id: Id, into_id: Id, ontology: Ontology) -> None:
    """Make one concept of two: `into` gets the other's mentions and links.

    Raises EditRefused where one is not there, where both are the same, and for links that may not
    join a node of the type of `into`.
    """
    node, into = node_of(session_id, node_id), node_of(session_id, into_id, "into")
    if node.pk == into.pk:
        raise EditRefused("A concept cannot be merged with itself: choose another one.", "into")
    _check_moved_links(node, into, ontology)
    node.mentions.filter(label="").update(label=node.label)
    node.mentions.update(node=into)
    KGNode.objects.filter(superseded_by=node).exclude(pk=into.pk).update(superseded_by=into)
    if into.superseded_by_id == node.pk:
        KGNode.objects.filter(pk=into.pk).update(superseded_by=None)
    moved = _move_links(session_id, node, into)
    if node.first_turn < into.first_turn:
        KGNode.objects.filter(pk=into.pk).update(first_turn=node.first_turn)
    node.delete()
    regroup(session_id, moved)


def split_node(
    session_id: Id,
    node_id: Id,
    *,
    label: str,
    mentions: Collection[Id],
    edges: Collection[Id],
    vector: Vector,
) -> None:
    """Make two concepts of one: a new one of this label gets these of its mentions and links.

    Raises EditRefused for mentions or links that are not the node's, and where either of the two
    would be left without a mention.
    """
    node = node_of(session_id, node_id)
    _check_label(label)
    check_free(KGNode(session_id=node.session_id), label=label, node_type=node.node_type)
    taken = list(node.mentions.filter(pk__in=mentions))
    links = KGEdge.objects.filter(Q(source=node) | Q(target=node), pk__in=edges)
    if len(taken) != len(set(mentions)) or links.count() != len(set(edges)):
        said = "Some of what is to be split off does not belong to this concept."
        raise EditRefused(said, "mentions" if len(taken) != len(set(mentions)) else "edges")
    if not taken or len(taken) == node.mentions.count():
        said = "Each of the two needs at least one place where it was said."
        raise EditRefused(said, "mentions")
    last = KGNode.objects.of(session_id).aggregate(last=Max("position"))["last"]
    new = KGNode.objects.create(
        session_id=session_id,
        label=label,
        node_type=node.node_type,
        level=node.level,
        stance=node.stance,
        confidence=node.confidence,
        first_turn=min(mention.turn for mention in taken),
        position=last + 1,
    )
    NodeVector.objects.create(
        node=new, session_id=session_id, node_type=node.node_type, embedding=vector
    )
    moved = [edge.pk for edge in links]
    Mention.objects.filter(pk__in=[mention.pk for mention in taken]).update(node=new)
    KGEdge.objects.filter(pk__in=moved, source=node).update(source=new)
    KGEdge.objects.filter(pk__in=moved, target=node).update(target=new)
    regroup(session_id, moved)


def _plain(edge: KGEdge) -> KGEdge:
    if edge.edge_type == REVISES:
        said = "A revision cannot be changed: delete it and add the link that is meant."
        raise EditRefused(said, "edge")
    return edge


def _check_type(node_type: str, ontology: Ontology) -> None:
    if node_type not in ontology.nodes_by_name:
        known = ", ".join(ontology.nodes_by_name)
        said = f"There is no node type {node_type[:60]!r} here; there are {known}."
        raise EditRefused(said, "node_type")


def _check_label(label: str) -> None:
    if not label or len(label) > MAX_LABEL:
        raise EditRefused(f"A label has 1 to {MAX_LABEL} characters, not {len(label)}.", "label")


def _check_link(
    source: KGNode,
    target: KGNode,
    edge_type: str,
    ontology: Ontology,
    *,
    besides: UUID | None = None,
    field: str = "edge_type",
) -> None:
    if source.pk == target.pk:
        raise EditRefused("A link joins two different concepts.", "target")
    if edge_type == REVISES:
        said = "A revision comes from what was said and cannot be added by hand."
        raise EditRefused(said, "edge_type")
    if edge_type not in ontology.edges_by_name:
        known = ", ".join(ontology.edges_by_name)
        said = f"There is no link type {edge_type[:60]!r} here; there are {known}."
        raise EditRefused(said, "edge_type")
    if not ontology.permits(edge_type, source.node_type, target.node_type):
        raise EditRefused(
            f"A link {edge_type} may not run from a {source.node_type} to a {target.node_type}.",
            field,
        )
    same = KGEdge.objects.filter(source=source, target=target, edge_type=edge_type)
    if same.exclude(pk__in=[besides] if besides else []).exists():
        raise EditRefused("This link is there already.", field)


def _check_moved_links(node: KGNode, into: KGNode, ontology: Ontology) -> None:
    wrong = 0
    for edge in KGEdge.objects.filter(Q(source=node) | Q(target=node)).select_related(
        "source", "target"
    ):
        source = into if edge.source_id == node.pk else edge.source
        target = into if edge.target_id == node.pk else edge.target
        inner = source.pk == target.pk
        wrong += not inner and not ontology.permits(
            edge.edge_type, source.node_type, target.node_type
        )
    if wrong:
        raise EditRefused(
            f"{wrong} of this concept's links may not join a {into.node_type}: remove them first.",
            "into",
        )


def _move_links(session_id: Id, node: KGNode, into: KGNode) -> list[UUID]:
    """Give the links of `node` to `into`; one that is there already takes the evidence alone."""
    moved: list[UUID] = []
    for edge in list(KGEdge.objects.filter(Q(source=node) | Q(target=node))):
        source = into.pk if edge.source_id == node.pk else edge.source_id
        target = into.pk if edge.target_id == node.pk else edge.target_id
        known = KGEdge.objects.filter(
            session_id=session_id, source_id=source, target_id=target, edge_type=edge.edge_type
        ).first()
        if source == target:
            edge.delete()
        elif known:
            edge.mentions.update(edge=known)
            edge.delete()
        else:
            KGEdge.objects.filter(pk=edge.pk).update(source_id=source, target_id=target)
            moved.append(edge.pk)
    return moved


def _mention(
    session_id: Id,
    passage: Passage,
    *,
    node: KGNode | None = None,
    edge: KGEdge | None = None,
    label: str = "",
    provenance: Provenance | None = None,
) -> None:
    Mention.objects.create(
        session_id=session_id,
        utterance_id=passage.utterance_id,
        node=node,
        edge=edge,
        label=label,
        quote=passage.quote,
        start=passage.start,
        end=passage.end,
        turn=passage.turn,
        provenance=provenance or "",
    )


def regroup(session_id: Id, moved: Collection[UUID] = ()) -> None:
    """Bring slots and the links between them in order after these links were moved."""
    CanonicalEdgeSupport.objects.filter(surface_edge__in=moved).delete()
    tidy_slots(session_id)
    graph = load_session_graph(session_id)
    if aggregate_edges(graph):
        save(session_id, graph)
