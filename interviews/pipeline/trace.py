"""A turn as JSON: what was added, and why the next question was chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import Any

from graphs.domain import Edge, Node, SessionGraph
from graphs.metrics import CanonicalGraphState, GraphState
from interviews.modes.exploratory.evidence import evidence_of, ranking_of
from interviews.turns.context import TurnView
from interviews.turns.contracts import Verdict
from methodologies.scoring import Candidate

TRACE_VERSION = 3
"""Version 2 had what nodes read in `reading`, version 1 each live node as an object in `nodes`."""
CANDIDATES_KEPT = 20
GATED_KEPT = 10


def candidate_entry(candidate: Candidate, label: str) -> dict[str, Any]:
    """One scored (strategy, node) pair with what acted in it; `label` is its node's, or empty."""
    return {
        "strategy": candidate.strategy,
        "node_id": candidate.node_id,
        "label": label,
        "rank": candidate.rank,
        "final": candidate.final_score,
        "base": candidate.base_score,
        "phase_multiplier": candidate.phase_multiplier,
        "phase_bonus": candidate.phase_bonus,
        "gates": list(candidate.gates),
        "contributions": [part._asdict() for part in candidate.contributions],
        "node_score": candidate.node_score,
        "node_contributions": [part._asdict() for part in candidate.node_contributions],
    }


def candidate_entries(candidates: Iterable[Candidate], graph: SessionGraph) -> list[dict[str, Any]]:
    """Candidates with the labels that their nodes have in `graph`."""
    return [
        candidate_entry(found, graph.nodes[found.node_id].label if found.node_id else "")
        for found in candidates
    ]


def decision_trace(context: TurnView, reading: Mapping[str, Any]) -> dict[str, Any]:
    """What an exploratory choice was made from and what came next to it.

    `reading` is what the turn's signals read, as JSON. With the turn's signals, those of every live
    node included, and the methodology version the trace is enough to rank all candidates again: its
    own `reading` holds the signals of strategies and pairs, `first_turns` when each live node, in
    the order of the turn's signals, was first said. `margin` is the winner's final score − the
    runner-up's, None without one.
    """
    selection, evidence, ranking = context.selection, evidence_of(context), ranking_of(context)
    best = ranking.top(2)
    return {
        "schema_version": TRACE_VERSION,
        "methodology_version": context.session.methodology_version,
        "phase": evidence.phase,
        "reading": {part: reading[part] for part in ("strategies", "pairs")},
        "first_turns": list(evidence.first_turns),
        "strategy_history": list(evidence.strategy_history),
        "strategy_uses": dict(evidence.strategy_uses),
        "closed_nodes": [
            node.id for node in context.graph.live_nodes() if node.id in selection.left_alone
        ],
        "closing_allowed": evidence.closing_allowed,
        "refused": evidence.refused,
        "relaxed": ranking.relaxed,
        "candidates": len(ranking),
        "runner_up": (
            {"strategy": best[1].strategy, "node_id": best[1].node_id, "final": best[1].final_score}
            if len(best) > 1
            else None
        ),
        "margin": best[0].final_score - best[1].final_score if len(best) > 1 else None,
        "gated": candidate_entries(ranking.top_gated(GATED_KEPT), context.graph),
    }


def turn_result(context: TurnView, reading: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a turn came to: extraction, additions, merges, graph states, and their comparison.

    `reading` is what its signals read, as JSON.
    """
    extraction, update = context.extraction, context.graph_update
    computed, continuation = context.state, context.continuation
    graph, turn = context.graph, context.job.number
    return {
        "extracted": {
            "intent": extraction.intent,
            "extractable": extraction.extractable,
            "concepts": len(extraction.concepts),
            "relationships": len(extraction.relationships),
        },
        "ratings": dict(extraction.ratings),
        "nodes_added": [node_entry(node, graph) for node in update.nodes_added],
        "edges_added": [edge_entry(edge, graph) for edge in update.edges_added],
        "revived": [node_entry(node, graph) for node in update.revived],
        "merges": [asdict(merge) for merge in update.merges],
        "dropped": [asdict(drop) for drop in (*extraction.dropped, *update.dropped)],
        "slots": _slots(context),
        "notes": [
            *(note for note in (context.srl.note, context.slots.note) if note),
            *sorted(flag.value for flag in context.flags),
        ],
        "graph_state": graph_entry(computed.graph_state),
        "canonical_graph": (
            asdict(computed.canonical_graph_state) if computed.canonical_graph_state else None
        ),
        "graph_comparison": compare(computed.graph_state, computed.canonical_graph_state),
        "phase": context.selection.evidence.phase,
        "selected": {
            "strategy": context.selection.strategy,
            "node_id": context.selection.focus.node_id if context.selection.focus else None,
        },
        "overridden": continuation.verdict is Verdict.CLOSE and not context.selection.closing,
        "continuation": continuation.verdict.value,
        "reason": continuation.reason,
        "turn": turn,
        "repairs": list(context.question.repairs),
        "degraded": degraded_entries(context),
        "trace": decision_trace(context, reading),
    }


def degraded_entries(context: TurnView) -> list[dict[str, str]]:
    """The turn's tasks that were not answered by whom they were meant for, and why."""
    return [asdict(found) for found in context.calls.degraded]


def node_entry(node: Node, graph: SessionGraph) -> dict[str, Any]:
    """A node with its latest quote."""
    return {
        "id": node.id,
        "label": node.label,
        "node_type": node.node_type,
        "quote": graph.latest_quote(node.id),
    }


def edge_entry(edge: Edge, graph: SessionGraph) -> dict[str, Any]:
    """An edge by its labels, with its latest quote."""
    quote = next((m.quote for m in reversed(graph.mentions) if m.edge_id == edge.id), "")
    return {
        "id": edge.id,
        "source": graph.nodes[edge.source_id].label,
        "target": graph.nodes[edge.target_id].label,
        "edge_type": edge.edge_type,
        "quote": quote,
    }


def graph_entry(state: GraphState) -> dict[str, Any]:
    """The surface graph's state; of its longest chain the length, for the graph has the chain."""
    names = [part.name for part in fields(state) if part.name != "longest_chain"]
    return {name: getattr(state, name) for name in names}


def compare(surface: GraphState, canonical: CanonicalGraphState | None) -> dict[str, Any] | None:
    """How much the canonical graph condenses the surface graph; None where slots are off.

    `node_reduction` and `edge_reduction` are 1 − canonical ÷ surface, 0 for an empty graph.
    """
    if canonical is None:
        return None
    concepts = canonical.concept_count + canonical.candidate_count
    return {
        "node_reduction": 1 - concepts / surface.node_count if surface.node_count else 0.0,
        "edge_reduction": 1 - canonical.edge_count / surface.edge_count
        if surface.edge_count
        else 0.0,
        "surface_orphans": surface.orphan_count,
        "canonical_orphans": canonical.orphan_count,
    }


def _slots(context: TurnView) -> dict[str, Any]:
    changes = context.slots.changes
    if changes is None:
        return {"created": [], "updated": [], "promoted": [], "mapped": []}
    return {
        "created": [slot.slot_name for slot in changes.created],
        "updated": [slot.slot_name for slot in changes.updated],
        "promoted": [
            slot.slot_name for slot in changes.updated if slot.promoted_turn == context.job.number
        ],
        "mapped": [
            {
                "node": context.graph.nodes[mapping.node_id].label,
                "slot": context.graph.slots[mapping.slot_id].slot_name,
                "similarity": mapping.similarity,
            }
            for mapping in changes.mapped
        ],
    }
