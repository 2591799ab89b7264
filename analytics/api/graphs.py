"""What was understood of an interview, for programs: both graphs and the slots."""

from __future__ import annotations

from collections import defaultdict
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from analytics.api.base import ApiView, session_for
from graphs.models import (
    CanonicalEdge,
    CanonicalEdgeSupport,
    CanonicalSlot,
    KGEdge,
    KGNode,
    Mention,
    SlotMapping,
)
from graphs.provenance import by_edge


class MentionShape(serializers.Serializer[Any]):
    """Where it was said: `quote` is what stands from `start` to `end` of the utterance."""

    id = serializers.UUIDField()
    utterance = serializers.IntegerField(help_text="The utterance's sequence number.")
    turn = serializers.IntegerField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    quote = serializers.CharField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()


class NodeShape(serializers.Serializer[Any]):
    """A concept in the respondent's words; superseded ones are not live any more."""

    id = serializers.UUIDField()
    label = serializers.CharField()  # type: ignore[assignment]
    node_type = serializers.CharField()
    level = serializers.IntegerField(allow_null=True)
    stance = serializers.IntegerField()
    confidence = serializers.FloatField()
    superseded_by = serializers.UUIDField(allow_null=True)
    first_turn = serializers.IntegerField()
    mentions = MentionShape(many=True)


class EdgeShape(serializers.Serializer[Any]):
    """A relation between two nodes, and where it comes from."""

    id = serializers.UUIDField()
    source = serializers.UUIDField()  # type: ignore[assignment]
    target = serializers.UUIDField()
    edge_type = serializers.CharField()
    confidence = serializers.FloatField()
    first_turn = serializers.IntegerField()
    provenance = serializers.CharField(allow_null=True)
    mentions = MentionShape(many=True)


class GraphShape(serializers.Serializer[Any]):
    """The surface graph; `version` is raised with every change."""

    session = serializers.UUIDField()
    version = serializers.IntegerField()
    nodes = NodeShape(many=True)
    edges = EdgeShape(many=True)


class MemberShape(serializers.Serializer[Any]):
    """A node of a slot; `similarity` in [0, 1]."""

    id = serializers.UUIDField()
    label = serializers.CharField()  # type: ignore[assignment]
    similarity = serializers.FloatField()


class SlotShape(serializers.Serializer[Any]):
    """A canonical concept that paraphrases share."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    node_type = serializers.CharField()
    status = serializers.ChoiceField(choices=CanonicalSlot.Status.choices)
    support_count = serializers.IntegerField()
    first_seen_turn = serializers.IntegerField()
    promoted_turn = serializers.IntegerField(allow_null=True)
    nodes = MemberShape(many=True)


class CanonicalEdgeShape(serializers.Serializer[Any]):
    """An edge between slots, with the surface edges behind it."""

    id = serializers.UUIDField()
    source = serializers.UUIDField()  # type: ignore[assignment]
    target = serializers.UUIDField()
    edge_type = serializers.CharField()
    support = serializers.ListField(child=serializers.UUIDField())


class CanonicalShape(serializers.Serializer[Any]):
    """The canonical graph."""

    session = serializers.UUIDField()
    version = serializers.IntegerField()
    slots = SlotShape(many=True)
    edges = CanonicalEdgeShape(many=True)


class SlotsShape(serializers.Serializer[Any]):
    """The slots of an interview, in the order in which they were first seen."""

    results = SlotShape(many=True)


class GraphView(ApiView):
    """`/api/sessions/{id}/graph/`: the surface graph with its quotes."""

    @extend_schema(responses=GraphShape)
    def get(self, request: Request, pk: UUID) -> Response:
        """Read the surface graph."""
        session = session_for(request, pk)
        by_node, of_edge, known = _mentions(pk)
        nodes = KGNode.objects.filter(session_id=pk).order_by("first_turn", "position", "pk")
        edges = KGEdge.objects.filter(session_id=pk).order_by("first_turn", "created_at", "pk")
        told = {
            "session": pk,
            "version": session.graph_version,
            "nodes": [_node(node, by_node[node.pk]) for node in nodes],
            "edges": [_edge(edge, of_edge[edge.pk], known.get(edge.pk)) for edge in edges],
        }
        return Response(GraphShape(told).data)


class CanonicalView(ApiView):
    """`/api/sessions/{id}/canonical-graph/`: slots and their edges."""

    @extend_schema(responses=CanonicalShape)
    def get(self, request: Request, pk: UUID) -> Response:
        """Read the canonical graph."""
        session = session_for(request, pk)
        behind: dict[UUID, list[UUID]] = defaultdict(list)
        pairs = CanonicalEdgeSupport.objects.filter(session_id=pk).order_by("pk")
        for canonical, surface in pairs.values_list("canonical_edge_id", "surface_edge_id"):
            behind[canonical].append(surface)
        edges = [
            {
                "id": edge.pk,
                "source": edge.source_id,
                "target": edge.target_id,
                "edge_type": edge.edge_type,
                "support": behind[edge.pk],
            }
            for edge in CanonicalEdge.objects.filter(session_id=pk).order_by("pk")
        ]
        told = {
            "session": pk,
            "version": session.graph_version,
            "slots": _slots(pk),
            "edges": edges,
        }
        return Response(CanonicalShape(told).data)


class SlotsView(ApiView):
    """`/api/sessions/{id}/slots/`: the canonical slots, each with its nodes."""

    @extend_schema(responses=SlotsShape)
    def get(self, request: Request, pk: UUID) -> Response:
        """Read the slots."""
        session_for(request, pk)
        return Response(SlotsShape({"results": _slots(pk)}).data)


def _mentions(pk: UUID) -> tuple[Any, Any, Any]:
    of_node, of_edge = defaultdict(list), defaultdict(list)
    rows = list(
        Mention.objects.filter(session_id=pk)
        .select_related("utterance")
        .order_by("turn", "start", "end", "pk")
    )
    for mention in rows:
        told = {
            "id": mention.pk,
            "utterance": mention.utterance.sequence,
            "turn": mention.turn,
            "label": mention.label,
            "quote": mention.quote,
            "start": mention.start,
            "end": mention.end,
        }
        if mention.node_id:
            of_node[mention.node_id].append(told)
        else:
            of_edge[mention.edge_id].append(told)
    known = by_edge((mention.edge_id, mention.provenance or None) for mention in rows)  # type: ignore[misc]
    return of_node, of_edge, known


def _node(node: KGNode, mentions: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": node.pk,
        "label": node.label,
        "node_type": node.node_type,
        "level": node.level,
        "stance": node.stance,
        "confidence": node.confidence,
        "superseded_by": node.superseded_by_id,
        "first_turn": node.first_turn,
        "mentions": mentions,
    }


def _edge(edge: KGEdge, mentions: list[dict[str, Any]], provenance: str | None) -> dict[str, Any]:
    return {
        "id": edge.pk,
        "source": edge.source_id,
        "target": edge.target_id,
        "edge_type": edge.edge_type,
        "confidence": edge.confidence,
        "first_turn": edge.first_turn,
        "provenance": provenance,
        "mentions": mentions,
    }


def _slots(pk: UUID) -> list[dict[str, Any]]:
    members: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
    mapped = SlotMapping.objects.filter(session_id=pk).select_related("node")
    for one in mapped.order_by("assigned_turn", "pk"):
        node = {"id": one.node_id, "label": one.node.label, "similarity": one.similarity}
        members[one.slot_id].append(node)
    return [
        {
            "id": slot.pk,
            "name": slot.slot_name,
            "description": slot.description,
            "node_type": slot.node_type,
            "status": slot.status,
            "support_count": slot.support_count,
            "first_seen_turn": slot.first_seen_turn,
            "promoted_turn": slot.promoted_turn,
            "nodes": members[slot.pk],
        }
        for slot in CanonicalSlot.objects.filter(session_id=pk).order_by(
            "first_seen_turn", "slot_name"
        )
    ]
