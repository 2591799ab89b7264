"""Edits of a stored graph beside its turns: what follows from each is brought in order with it.

Whoever calls these has locked the session, and raises its graph's version in the same transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import Count, Q
from django.db.models.functions import Greatest

from graphs.language.vectors import Vector
from graphs.models import (
    CanonicalEdge,
    CanonicalEdgeSupport,
    CanonicalSlot,
    KGEdge,
    KGNode,
    Mention,
    NodeVector,
    SlotMapping,
)
from graphs.ontology import REVISES, Ontology

Id = UUID | str
MAX_LABEL: int = 300


class EditRefused(ValueError):
    """An edit that cannot be made; the message says why, and holds nothing that was said.

    `field` is what of the edit is at fault, as corrections call it, "" where it is none of it.
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def relabel_node(session_id: Id, node_id: Id, label: str, vector: Vector) -> None:
    """Give a node another label, with that label's vector; slot, links and mentions stay.

    Raises EditRefused for a node that is not there, an empty or too long label, and one that
    another node of the type has.
    """
    node = node_of(session_id, node_id)
    if not label or len(label) > MAX_LABEL:
        raise EditRefused(f"A label has 1 to {MAX_LABEL} characters, not {len(label)}.", "label")
    if label == node.label:
        return
    check_free(node, label=label, node_type=node.node_type)
    KGNode.objects.filter(pk=node.pk).update(label=label)
    NodeVector.objects.update_or_create(
        node=node,
        defaults={"session_id": session_id, "node_type": node.node_type, "embedding": vector},
    )


def retype_node(session_id: Id, node_id: Id, node_type: str, ontology: Ontology) -> None:
    """Make a node one of another type; it leaves its slot, for slots are of one type.

    Raises EditRefused for a node that is not there, a type that the ontology does not have, a label
    that the type has already, and links that may not join a node of this type.
    """
    node = node_of(session_id, node_id)
    if node_type not in ontology.nodes_by_name:
        known = ", ".join(ontology.nodes_by_name)
        said = f"There is no node type {node_type[:60]!r} here; there are {known}."
        raise EditRefused(said, "node_type")
    if node_type == node.node_type:
        return
    check_free(node, label=node.label, node_type=node_type)
    touching = KGEdge.objects.filter(Q(source=node) | Q(target=node), session_id=session_id)
    _check_permitted(node, node_type, ontology)
    KGNode.objects.filter(pk=node.pk).update(
        node_type=node_type, level=ontology.level_of(node_type)
    )
    NodeVector.objects.filter(node=node).update(node_type=node_type)
    SlotMapping.objects.filter(node=node).delete()
    CanonicalEdgeSupport.objects.filter(surface_edge__in=touching).delete()
    tidy_slots(session_id)


def remove_node(session_id: Id, node_id: Id) -> None:
    """Take a node out, with its links and mentions; what it had replaced counts again.

    Raises EditRefused for a node that is not there.
    """
    node_of(session_id, node_id).delete()
    tidy_slots(session_id)


def remove_edge(session_id: Id, edge_id: Id) -> None:
    """Take a link out, with its mentions; without its revision, what was replaced counts again.

    Raises EditRefused for a link that is not there.
    """
    edge = edge_of(session_id, edge_id)
    if edge.edge_type == REVISES:
        revised = KGNode.objects.filter(pk=edge.target_id, superseded_by=edge.source_id)
        revised.update(superseded_by=None)
    edge.delete()
    tidy_slots(session_id)


def take_back_turn(session_id: Id, turn: int, superseded: Mapping[str, str | None]) -> None:
    """Take out whatever a turn, the newest, has added, and undo what it changed of earlier rows.

    `superseded` says what nodes that it changed were superseded by until then, by node id; of
    whatever is gone since, by an edit, nothing comes back.
    """
    mapped = SlotMapping.objects.filter(session_id=session_id, assigned_turn=turn)
    nodes = list(mapped.values_list("node_id", flat=True))
    CanonicalEdgeSupport.objects.filter(
        Q(surface_edge__source__in=nodes) | Q(surface_edge__target__in=nodes),
        session_id=session_id,
    ).delete()
    mapped.delete()
    Mention.objects.filter(session_id=session_id, turn=turn).delete()
    KGEdge.objects.filter(session_id=session_id, first_turn=turn).delete()
    KGNode.objects.filter(session_id=session_id, first_turn=turn).delete()
    there = {str(pk) for pk in KGNode.objects.of(session_id).values_list("pk", flat=True)}
    for node_id, successor in superseded.items():
        KGNode.objects.filter(session_id=session_id, pk=node_id).update(
            superseded_by=successor if successor in there else None
        )
    CanonicalSlot.objects.filter(session_id=session_id, promoted_turn=turn).update(
        status=CanonicalSlot.Status.CANDIDATE, promoted_turn=None
    )
    tidy_slots(session_id)


def node_of(session_id: Id, node_id: Id, field: str = "node") -> KGNode:
    """A node of the session. Raises EditRefused where it is not there."""
    try:
        node = KGNode.objects.filter(session_id=session_id, pk=node_id).first()
    except ValidationError:
        node = None
    if node is None:
        said = "This concept is not in the interview's graph; it may have been removed."
        raise EditRefused(said, field)
    return node


def edge_of(session_id: Id, edge_id: Id) -> KGEdge:
    """A link of the session, with its ends. Raises EditRefused where it is not there."""
    try:
        found = KGEdge.objects.filter(session_id=session_id, pk=edge_id)
        edge = found.select_related("source", "target").first()
    except ValidationError:
        edge = None
    if edge is None:
        said = "This link is not in the interview's graph; it may have been removed."
        raise EditRefused(said, "edge")
    return edge


def check_free(node: KGNode, *, label: str, node_type: str) -> None:
    """Raises EditRefused where another node of this type has the label."""
    same = KGNode.objects.filter(
        session_id=node.session_id, node_type=node_type, label__iexact=label
    )
    if same.exclude(pk=node.pk).exists():
        said = f"Another {node_type} of this interview already has this label."
        raise EditRefused(said, "label" if label != node.label else "node_type")


def _check_permitted(node: KGNode, node_type: str, ontology: Ontology) -> None:
    out = node.outgoing.values_list("edge_type", "target__node_type")
    into = node.incoming.values_list("edge_type", "source__node_type")
    wrong = sum(not ontology.permits(edge, node_type, other) for edge, other in out)
    wrong += sum(not ontology.permits(edge, other, node_type) for edge, other in into)
    if wrong:
        raise EditRefused(
            f"{wrong} of this concept's links may not join a {node_type}: remove them first.",
            "node_type",
        )


def tidy_slots(session_id: Id) -> None:
    """Slots without a node go, and canonical edges without a link; the others are counted anew.

    As `graphs.canonical.support_of` counts: the turns in which a node was said, at least one.
    """
    slots = CanonicalSlot.objects.filter(session_id=session_id)
    slots.filter(mappings__isnull=True).delete()
    CanonicalEdge.objects.filter(session_id=session_id, support__isnull=True).delete()
    said = SlotMapping.objects.filter(session_id=session_id).annotate(
        turns=Greatest(Count("node__mentions__turn", distinct=True), 1)
    )
    support: Counter[UUID] = Counter()
    for slot_id, turns in said.values_list("slot_id", "turns"):
        support[slot_id] += turns
    for slot in slots:
        if slot.support_count != support[slot.pk]:
            slots.filter(pk=slot.pk).update(support_count=support[slot.pk])
