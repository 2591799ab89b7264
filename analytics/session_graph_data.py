"""A session's two graphs as the plain data that the page's drawing and replay work from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from analytics.corrections_shown import machine_label
from analytics.levels import Ladder
from analytics.records import SessionRecord
from graphs.domain import Provenance
from graphs.models import KGEdge, Mention
from graphs.ontology import REVISES
from interviews.corrections.machine import MachineReading
from methodologies.signals.words import human

PROVENANCES: Mapping[Provenance | None, str] = {
    "stated": "said",
    "answer_to_probe": "in answer to a question",
    "inferred": "inferred",
}
"""How a page says where a link comes from."""


def graph_data(
    record: SessionRecord, ladder: Ladder, machine: MachineReading | None
) -> dict[str, Any]:
    """Nodes, edges, slots and slot edges, each with the turn in which it appeared.

    `machine` is its own reading where people corrected it; `version` what corrections go out from.
    """
    return {
        "bands": [{"index": b.index, "name": b.name, "colour": b.colour} for b in ladder.bands],
        "version": record.session.graph_version,
        "ontology": {
            "nodes": [(t.name, human(t.name)) for t in record.ontology.node_types],
            "edges": [
                (t.name, human(t.name)) for t in record.ontology.edge_types if t.name != REVISES
            ],
        },
        "nodes": _nodes(record, ladder, machine),
        "edges": _edges(record),
        "slots": _slots(record, ladder),
        "slotEdges": _slot_edges(record),
    }


def revised_turns(record: SessionRecord) -> dict[UUID, int]:
    """In which turn each superseded node was replaced.

    The `revises` edge says it; without one the successor was new in that turn.
    """
    first_turn = {node.pk: node.first_turn for node in record.nodes}
    said = {
        (edge.source_id, edge.target_id): edge.first_turn
        for edge in record.edges
        if edge.edge_type == REVISES
    }
    return {
        node.pk: said.get((node.superseded_by_id, node.pk), first_turn[node.superseded_by_id])
        for node in record.nodes
        if node.superseded_by_id in first_turn
    }


def _nodes(
    record: SessionRecord, ladder: Ladder, machine: MachineReading | None
) -> list[dict[str, Any]]:
    revised = revised_turns(record)
    slots = {mapping.node_id: mapping.slot_id for mapping in record.mappings}
    said: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
    for mention in record.mentions:
        if mention.node_id:
            said[mention.node_id].append(
                {
                    **_place(mention),
                    "tier": mention.tier,
                    "doubtful": mention.doubtful,
                }
            )
    rows = []
    for node in record.nodes:
        band = ladder.of(node.node_type)
        rows.append(
            {
                "id": str(node.pk),
                "label": node.label,
                "kind": node.node_type,
                "type": human(node.node_type),
                "machine": machine_label(machine, node),
                "band": band.index,
                "colour": band.colour,
                "terminal": ladder.is_terminal(node.node_type),
                "turn": node.first_turn,
                "revised": revised.get(node.pk),
                "slot": str(slots[node.pk]) if node.pk in slots else None,
                "said": said[node.pk],
            }
        )
    return rows


def _edges(record: SessionRecord) -> list[dict[str, Any]]:
    said: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
    provenance = record.provenance
    for mention in record.mentions:
        if mention.edge_id:
            said[mention.edge_id].append(
                {**_place(mention), "provenance": PROVENANCES.get(_provenance(mention), "")}
            )
    return [
        {
            "id": str(edge.pk),
            "source": str(edge.source_id),
            "target": str(edge.target_id),
            "kind": edge.edge_type,
            "type": human(edge.edge_type),
            "revises": edge.edge_type == REVISES,
            "turn": edge.first_turn,
            "said": said[edge.pk],
            "provenance": PROVENANCES.get(provenance.get(edge.pk), ""),
        }
        for edge in record.edges
    ]


def _provenance(mention: Mention) -> Provenance | None:
    return cast("Provenance | None", mention.provenance or None)


def _place(mention: Mention) -> dict[str, Any]:
    """Where something was said."""
    return {
        "id": str(mention.pk),
        "turn": mention.turn,
        "quote": mention.quote,
        "utterance": str(mention.utterance_id),
        "start": mention.start,
        "end": mention.end,
    }


def _slots(record: SessionRecord, ladder: Ladder) -> list[dict[str, Any]]:
    rows = []
    for slot in record.slots:
        band = ladder.of(slot.node_type)
        rows.append(
            {
                "id": str(slot.pk),
                "label": human(slot.slot_name),
                "description": slot.description,
                "type": human(slot.node_type),
                "band": band.index,
                "colour": band.colour,
                "terminal": ladder.is_terminal(slot.node_type),
                "turn": slot.first_seen_turn,
                "promoted": slot.promoted_turn,
                "support": slot.support_count,
            }
        )
    return rows


def _slot_edges(record: SessionRecord) -> list[dict[str, Any]]:
    edges: dict[UUID, KGEdge] = {edge.pk: edge for edge in record.edges}
    mapped = {mapping.node_id: mapping.assigned_turn for mapping in record.mappings}
    rows = []
    for canonical in record.canonical_edges:
        behind = [edges[pk] for pk in record.support.get(canonical.pk, ()) if pk in edges]
        turns = [
            max(e.first_turn, mapped.get(e.source_id, 0), mapped.get(e.target_id, 0))
            for e in behind
        ]
        rows.append(
            {
                "id": str(canonical.pk),
                "source": str(canonical.source_id),
                "target": str(canonical.target_id),
                "type": human(canonical.edge_type),
                "turn": min(turns, default=0),
                "support": len(behind),
            }
        )
    return rows
