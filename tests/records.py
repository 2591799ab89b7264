"""Records of turns: read from a stored turn, and made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from interviews.acts import Heard
from interviews.models import Turn
from interviews.modes.exploratory.evidence import ExploratoryEvidence
from interviews.record import result_of
from interviews.turns.contracts import Verdict
from interviews.turns.result import (
    EdgeEntry,
    Extracted,
    MergeEntry,
    NodeEntry,
    Saturation,
    Selected,
    TurnResult,
)
from methodologies.scoring import Candidate, Contribution
from methodologies.signals.base import SignalReading, Value


def exploratory(turn: Turn) -> ExploratoryEvidence:
    """The evidence of a stored turn of an exploratory interview."""
    evidence = result_of(turn).evidence
    assert isinstance(evidence, ExploratoryEvidence)
    return evidence


def act_of(turn: Turn) -> str:
    """How the answer of a stored turn was meant."""
    heard = result_of(turn).heard
    assert heard is not None
    return heard.act


def saturation_of(turn: Turn) -> Saturation:
    """The saturation after a stored turn."""
    saturation = result_of(turn).saturation
    assert saturation is not None
    return saturation


def candidate(
    strategy: str,
    node_id: str | None,
    final: float,
    rank: int,
    *,
    parts: Sequence[tuple[str, float, float]] = (),
    base: float | None = None,
    phase: tuple[float, float] = (1.0, 0.0),
    gates: tuple[str, ...] = (),
) -> Candidate:
    """A candidate; `parts` are (weight key, value, weight), `phase` multiplier and bonus."""
    return Candidate(
        strategy=strategy,
        node_id=node_id,
        contributions=tuple(Contribution(key, v, w, v * w) for key, v, w in parts),
        base_score=final if base is None else base,
        phase_multiplier=phase[0],
        phase_bonus=phase[1],
        final_score=final,
        rank=rank,
        gates=gates,
    )


def evidence_for(
    *best: Candidate,
    figures: Mapping[str, Value] | None = None,
    node_figures: Mapping[str, Mapping[str, Value]] | None = None,
    labels: Mapping[str, str] | None = None,
    phase: str = "mid",
    **more: Any,
) -> ExploratoryEvidence:
    """Evidence of a choice among `best`."""
    nodes = {node_id: dict(values) for node_id, values in (node_figures or {}).items()}
    return ExploratoryEvidence.model_validate(
        {
            "phase": phase,
            "closing_allowed": False,
            "reading": SignalReading(global_values=dict(figures or {}), node_values=nodes),
            "first_turns": [1] * len(nodes),
            "strategy_history": [],
            "strategy_uses": {},
            "considered": len(best),
            "best": best,
            "labels": labels or {},
            **more,
        }
    )


def result_for(
    turn: int,
    evidence: ExploratoryEvidence,
    *,
    continuation: Verdict = Verdict.CONTINUE,
    added: tuple[int, int, int] = (0, 0, 0),
    saturation: float = 0.0,
    **more: Any,
) -> TurnResult:
    """A turn's record; `added` are nodes, edges and merges."""
    nodes, edges, merges = added
    chosen = evidence.best[0] if evidence.best else None
    return TurnResult(
        mode="exploratory",
        turn=turn,
        methodology=more.pop("methodology", ""),
        heard=Heard(),
        extracted=Extracted(extractable=True, concepts=nodes, relationships=edges),
        nodes_added=(NodeEntry(id="", label="", node_type="", quote=""),) * nodes,
        edges_added=(EdgeEntry(id="", source="", target="", edge_type="", quote=""),) * edges,
        merges=(MergeEntry(label="", into_id="", into="", tier="exact", similarity=1.0),) * merges,
        saturation=Saturation(
            conversation=saturation,
            chao1_ratio=1.0,
            new_info_rate=0.0,
            is_saturated=False,
            reason="",
            consecutive_zero_yield=0,
            consecutive_shallow=0,
            consecutive_depth_plateau=0,
            prev_max_depth=None,
        ),
        phase=evidence.phase,
        selected=Selected(strategy=chosen.strategy, node_id=chosen.node_id) if chosen else None,
        continuation=continuation,
        evidence=evidence,
        **more,
    )
