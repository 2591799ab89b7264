"""The record of a turn, made from what its stages gave."""

from __future__ import annotations

from dataclasses import asdict, fields

from graphs.domain import Edge, Node, SessionGraph
from graphs.metrics import CanonicalGraphState, GraphState
from graphs.provenance import strongest
from interviews.turns.context import TurnView
from interviews.turns.evidence import Evidence
from interviews.turns.result import (
    CanonicalFigures,
    DroppedEntry,
    EdgeEntry,
    Extracted,
    GraphComparison,
    GraphFigures,
    MergeEntry,
    NodeEntry,
    Saturation,
    Selected,
    SlotEntries,
    SlotMapping,
    TurnResult,
)


def turn_result(context: TurnView) -> TurnResult:
    """What a turn came to; of the opening, what became of its question."""
    if context.is_opening:
        return TurnResult(
            mode=context.session.mode,
            turn=0,
            methodology=context.session.methodology_version,
            repairs=context.question.repairs,
            degraded=context.calls.degraded,
        )
    extraction, update = context.extraction, context.graph_update
    computed, continuation, selection = context.state, context.continuation, context.selection
    graph, focus = context.graph, selection.focus
    evidence = selection.evidence.recorded(context)
    return TurnResult(
        mode=evidence.mode,
        turn=context.job.number,
        methodology=context.session.methodology_version,
        heard=extraction.heard,
        extracted=Extracted(
            extractable=extraction.extractable,
            concepts=len(extraction.concepts),
            relationships=len(extraction.relationships),
        ),
        ratings=dict(extraction.ratings),
        nodes_added=tuple(node_entry(node, graph) for node in update.nodes_added),
        edges_added=tuple(edge_entry(edge, graph) for edge in update.edges_added),
        revived=tuple(node_entry(node, graph) for node in update.revived),
        merges=tuple(MergeEntry(**asdict(merge)) for merge in update.merges),
        dropped=tuple(
            DroppedEntry(**asdict(drop)) for drop in (*extraction.dropped, *update.dropped)
        ),
        slots=_slots(context),
        notes=(
            *(note for note in (context.srl.note, context.slots.note) if note),
            *sorted(flag.value for flag in context.flags),
        ),
        graph_state=surface_figures(computed.graph_state),
        canonical_graph=(
            CanonicalFigures(**asdict(computed.canonical_graph_state))
            if computed.canonical_graph_state
            else None
        ),
        graph_comparison=compare(computed.graph_state, computed.canonical_graph_state),
        saturation=_saturation(context, evidence),
        phase=evidence.phase,
        selected=Selected(
            strategy=selection.strategy,
            node_id=focus.node_id if focus else None,
            label=focus.label if focus else "",
        ),
        left_alone=tuple(n.id for n in graph.live_nodes() if n.id in selection.left_alone),
        overridden=context.overridden,
        continuation=continuation.verdict,
        reason=continuation.reason,
        repairs=context.question.repairs,
        degraded=context.calls.degraded,
        evidence=evidence,
    )


def node_entry(node: Node, graph: SessionGraph) -> NodeEntry:
    """A node with its latest quote."""
    return NodeEntry(
        id=node.id,
        label=node.label,
        node_type=node.node_type,
        quote=graph.latest_quote(node.id),
    )


def edge_entry(edge: Edge, graph: SessionGraph) -> EdgeEntry:
    """An edge by its labels, with its latest quote and the best evidence for it."""
    said = [mention for mention in graph.mentions if mention.edge_id == edge.id]
    return EdgeEntry(
        id=edge.id,
        source=graph.nodes[edge.source_id].label,
        target=graph.nodes[edge.target_id].label,
        edge_type=edge.edge_type,
        quote=said[-1].quote if said else "",
        provenance=strongest(mention.provenance for mention in said),
    )


def surface_figures(state: GraphState) -> GraphFigures:
    """The surface graph's state; of its longest chain the length, for the graph has the chain."""
    names = [part.name for part in fields(state) if part.name != "longest_chain"]
    return GraphFigures(**{name: getattr(state, name) for name in names})


def compare(surface: GraphState, canonical: CanonicalGraphState | None) -> GraphComparison | None:
    """How much the canonical graph condenses the surface graph; None where slots are off.

    `node_reduction` and `edge_reduction` are 1 − canonical ÷ surface, 0 for an empty graph.
    """
    if canonical is None:
        return None
    concepts = canonical.concept_count + canonical.candidate_count
    return GraphComparison(
        node_reduction=1 - concepts / surface.node_count if surface.node_count else 0.0,
        edge_reduction=1 - canonical.edge_count / surface.edge_count if surface.edge_count else 0.0,
        surface_orphans=surface.orphan_count,
        canonical_orphans=canonical.orphan_count,
    )


def _slots(context: TurnView) -> SlotEntries:
    changes = context.slots.changes
    if changes is None:
        return SlotEntries()
    return SlotEntries(
        created=tuple(slot.slot_name for slot in changes.created),
        updated=tuple(slot.slot_name for slot in changes.updated),
        promoted=tuple(
            slot.slot_name for slot in changes.updated if slot.promoted_turn == context.job.number
        ),
        mapped=tuple(
            SlotMapping(
                node=context.graph.nodes[mapping.node_id].label,
                slot=context.graph.slots[mapping.slot_id].slot_name,
                similarity=mapping.similarity,
            )
            for mapping in changes.mapped
        ),
    )


def _saturation(context: TurnView, evidence: Evidence) -> Saturation:
    computed, figures = context.state, evidence.figures()
    metrics = computed.saturation
    return Saturation(
        conversation=_share(figures.get("meta.conversation.saturation")),
        velocity=_share(figures.get("meta.conversation.velocity_saturation")),
        canonical=_share(figures.get("meta.canonical.saturation")),
        chao1_ratio=metrics.chao1_ratio,
        new_info_rate=metrics.new_info_rate,
        is_saturated=metrics.is_saturated,
        reason=metrics.reason or "",
        **asdict(computed.counters),
    )


def _share(figure: object) -> float | None:
    return figure if isinstance(figure, float) else None
