"""Signals that sum up others or the course of the interview."""

from __future__ import annotations

from typing import get_args

from methodologies.schema import Phase
from methodologies.signals.base import Known, NodeView, SignalInputs, SignalWords, signal


def interview_phase(turn: int, max_turns: int, boundaries: tuple[int, int] | None = None) -> Phase:
    """Return early, mid or late.

    The last fifth of the turns, at least two beside the last one, is late: of 15 turns the 12th is
    the first late one, and two of them are free before the closing question has to be asked. The
    first tenth of the turns, at least two, is early. Explicit `boundaries` are (last early turn,
    first late turn). Late wins where both hold.
    """
    tenth_rounded_half_up = (2 * max_turns + 10) // 20
    fifth_rounded_half_up = (2 * max_turns + 5) // 10
    late = max(2, max_turns - max(2, fifth_rounded_half_up))
    early_until, late_from = boundaries or (max(2, tenth_rounded_half_up), late)
    if turn >= late_from:
        return "late"
    return "early" if turn <= early_until else "mid"


@signal(
    name="meta.interview.phase",
    kind="category",
    values=get_args(Phase),
    summary="Where in the interview this turn stands",
    words=SignalWords(
        name="phase",
        clauses={
            "early": "the interview is young",
            "mid": "the interview is in its middle",
            "late": "the interview is near its end",
        },
    ),
)
def phase(inputs: SignalInputs, known: Known) -> str:
    """early, mid or late, by turn and number of turns or by the methodology's own boundaries."""
    return interview_phase(inputs.turn, inputs.max_turns, inputs.phase_boundaries)


@signal(
    name="meta.conversation.saturation",
    kind="ratio",
    summary="How far the flow of new concepts has fallen from its peak",
    words=SignalWords(
        name="saturation",
        clauses={
            "": "little new is coming up",
            "low": "new concepts keep coming up",
            "high": "little new is coming up",
        },
    ),
)
def conversation_saturation(inputs: SignalInputs, known: Known) -> float:
    """1 − new nodes ÷ peak, in [0, 1]; 0 while nothing was ever new."""
    peak = inputs.velocity.surface_peak
    return 1 - min(inputs.new_node_count / peak, 1.0) if peak > 0 else 0.0


@signal(
    name="meta.conversation.velocity_saturation",
    kind="ratio",
    summary="Saturation from slowing growth, density and elapsed turns",
    words=SignalWords(
        name="slowing down",
        clauses={
            "": "new concepts are coming more slowly",
            "low": "new concepts keep coming",
            "high": "new concepts have nearly stopped coming",
        },
    ),
)
def velocity_saturation(inputs: SignalInputs, known: Known) -> float:
    """0.60 slowdown + 0.25 edges per node (full at 2) + 0.15 turn (full at 15); in [0, 1].

    Slowdown is 1 − mean growth ÷ peak. A first story above the peak's cap counts as no slowdown.
    """
    velocity, state = inputs.velocity, inputs.graph_state
    slowdown = 1 - min(velocity.surface_ewma / max(velocity.surface_peak, 1.0), 1.0)
    density = min(state.edge_count / state.node_count, 2.0) / 2 if state.node_count else 0.0
    return 0.60 * slowdown + 0.25 * density + 0.15 * min(inputs.turn / 15, 1.0)


@signal(
    name="meta.canonical.saturation",
    kind="ratio",
    summary="Share of new concepts that only rephrase known ones",
    words=SignalWords(
        name="slot saturation",
        clauses={
            "": "new words repeat known concepts",
            "low": "new words bring new concepts",
            "high": "new words repeat known concepts",
        },
    ),
)
def canonical_saturation(inputs: SignalInputs, known: Known) -> float | None:
    """1 − new slots, candidates included ÷ new nodes, in [0, 1].

    Absent where slots are off or the turn brought no new node.
    """
    if inputs.new_slot_count is None or not inputs.new_node_count:
        return None
    return 1 - min(inputs.new_slot_count / inputs.new_node_count, 1.0)


@signal(
    name="meta.node.opportunity",
    scope="node",
    kind="category",
    values=("exhausted", "probe_deeper", "fresh"),
    summary="What the concept is good for next",
    requires=("graph.node.exhausted", "graph.node.is_current_focus", "llm.response_depth"),
    words=SignalWords(
        name="opportunity",
        phrases={
            "fresh": "more to learn",
            "probe_deeper": "rich answer to probe",
            "exhausted": "little more to learn",
        },
        clauses={
            "fresh": "there is more to learn about it",
            "probe_deeper": "a rich answer left more to ask about it",
            "exhausted": "there is little more to learn about it",
        },
    ),
)
def opportunity(inputs: SignalInputs, at: NodeView) -> str:
    """exhausted; probe_deeper on a deep answer about it that gave no node or edge; else fresh."""
    if at.known["graph.node.exhausted"]:
        return "exhausted"
    deep = at.known["llm.response_depth"] == "deep"
    if at.known["graph.node.is_current_focus"] and deep and not inputs.focus_yielded:
        return "probe_deeper"
    return "fresh"
