"""The view that a session's methodology has of it, made from the session's record."""

from __future__ import annotations

from analytics.method_views import Link, MethodView, Said, method_view
from analytics.records import SessionRecord
from graphs.ontology import REVISES


def view_of(record: SessionRecord) -> MethodView | None:
    """What stands of the graph now, as the methodology lays it out; None where it has no view."""
    places: dict[str, tuple[int, int]] = {}
    for mention in record.mentions:
        if mention.node_id:
            places.setdefault(str(mention.node_id), (mention.turn, mention.start))
    concepts = [
        Said(
            id=str(node.pk),
            label=node.label,
            kind=node.node_type,
            turn=node.first_turn,
            order=places.get(str(node.pk), (node.first_turn, 0)),
        )
        for node in record.nodes
        if node.superseded_by_id is None
    ]
    links = [
        Link(source=str(edge.source_id), target=str(edge.target_id), kind=edge.edge_type)
        for edge in record.edges
        if edge.edge_type != REVISES
    ]
    return method_view(record.ontology, concepts, links)
