"""Signals of one live node: its engagement history, its place in the graph, its type."""

from __future__ import annotations

from graphs.chains import CHAIN_GAPS
from methodologies.signals.base import Known, NodeView, PairValues, SignalInputs, signal

STAGNATION_TURNS = 3
RECENCY_TURNS = 20
LEVELS_OF_USE = ("none", "low", "medium", "high")


@signal(
    name="graph.node.exhausted",
    scope="node",
    kind="bool",
    summary="Asked about repeatedly, and it gives nothing more",
)
def exhausted(inputs: SignalInputs, at: NodeView) -> bool:
    """Three turns without yield, two running on it, and two thirds of its last answers surface."""
    return at.state is not None and at.state.is_exhausted(inputs.turn)


@signal(
    name="graph.node.exhaustion_score",
    scope="node",
    kind="ratio",
    summary="How used up the concept is as a focus",
)
def exhaustion_score(inputs: SignalInputs, at: NodeView) -> float:
    """0.4 stagnation, 0.3 focus streak, 0.3 shallow answers; in [0, 1], 0 if never focused."""
    return at.state.exhaustion_score(inputs.turn) if at.state else 0.0


@signal(
    name="graph.node.yield_stagnation",
    scope="node",
    kind="bool",
    summary="Asked about, and nothing new for three turns",
)
def yield_stagnation(inputs: SignalInputs, at: NodeView) -> bool:
    """Focused at least once and at least 3 turns since it last yielded a node or an edge."""
    state = at.state
    return (
        state is not None
        and state.focus_count > 0
        and state.turns_since_last_yield(inputs.turn) >= STAGNATION_TURNS
    )


@signal(
    name="graph.node.focus_streak",
    scope="node",
    kind="category",
    values=LEVELS_OF_USE,
    summary="How long the interview has stayed on this concept",
)
def focus_streak(inputs: SignalInputs, at: NodeView) -> str:
    """Turns running on the current focus: 1 low, 2–3 medium, 4 and more high; others none."""
    streak = at.state.current_focus_streak if at.state and at.is_current_focus else 0
    return LEVELS_OF_USE[0 if streak < 1 else 1 if streak < 2 else 2 if streak < 4 else 3]


@signal(
    name="graph.node.recency_score",
    scope="node",
    kind="ratio",
    summary="How recently the concept was asked about",
)
def recency_score(inputs: SignalInputs, at: NodeView) -> float:
    """1 if the answered question was about it, falling to 0 over 20 turns; 0 if never focused."""
    elapsed = at.state.turns_since_last_focus(inputs.turn) if at.state else None
    return 0.0 if elapsed is None else max(0.0, 1 - elapsed / RECENCY_TURNS)


@signal(
    name="graph.node.is_current_focus",
    scope="node",
    kind="bool",
    summary="The question just answered was about this concept",
)
def is_current_focus(inputs: SignalInputs, at: NodeView) -> bool:
    """Whether this node, or one of the same slot, was the last question's focus."""
    return at.is_current_focus


@signal(
    name="graph.node.is_orphan", scope="node", kind="bool", summary="Nothing is related to it yet"
)
def is_orphan(inputs: SignalInputs, at: NodeView) -> bool:
    """Whether the node has no live edge."""
    return not at.edge_count


@signal(
    name="graph.node.edge_count", scope="node", kind="count", summary="Relations of the concept"
)
def edge_count(inputs: SignalInputs, at: NodeView) -> int:
    """Live edges at the node, incoming and outgoing; from 0 up."""
    return at.edge_count


@signal(
    name="graph.node.has_outgoing", scope="node", kind="bool", summary="It already leads somewhere"
)
def has_outgoing(inputs: SignalInputs, at: NodeView) -> bool:
    """Whether a live edge begins at the node."""
    return at.has_outgoing


@signal(name="graph.node.has_incoming", scope="node", kind="bool", summary="Something leads to it")
def has_incoming(inputs: SignalInputs, at: NodeView) -> bool:
    """Whether a live edge ends at the node."""
    return at.has_incoming


@signal(
    name="graph.node.chain_gap",
    scope="node",
    kind="category",
    values=CHAIN_GAPS,
    summary="What a chain through the concept still lacks",
    needs_terminal=True,
)
def chain_gap(inputs: SignalInputs, at: NodeView) -> str | None:
    """Above: it reaches no terminal concept; below: no entry concept leads to it; both, none.

    Absent where the ontology has no terminal.
    """
    return at.chain_gap if inputs.ontology.terminal_types else None


@signal(
    name="graph.node.first_chain",
    scope="node",
    kind="category",
    values=CHAIN_GAPS,
    summary="What the first complete chain still lacks at the concept",
    needs_terminal=True,
)
def first_chain(inputs: SignalInputs, at: NodeView) -> str | None:
    """The gap of a chain through it while no chain of the interview is complete, then none.

    Absent where the ontology has no terminal.
    """
    gap = at.chain_gap if inputs.ontology.terminal_types else None
    return "none" if gap and inputs.graph_state.has_complete_chain else gap


@signal(
    name="graph.node.type",
    scope="node",
    kind="category",
    values_from="node_types",
    summary="Node type of the concept",
)
def node_type(inputs: SignalInputs, at: NodeView) -> str:
    """Name of the node type in the methodology's ontology."""
    return at.node_type


@signal(
    name="graph.node.level",
    scope="node",
    kind="count",
    values_from="levels",
    summary="Level of the concept on the ladder",
)
def level(inputs: SignalInputs, at: NodeView) -> int | None:
    """Ontology level of the node's type, 1 the concrete end; absent for a type without one."""
    return at.level


@signal(
    name="technique.node.strategy_repetition",
    scope="strategy_node",
    kind="category",
    values=LEVELS_OF_USE,
    summary="How often running this strategy was used on this concept",
)
def strategy_repetition(inputs: SignalInputs, known: Known) -> PairValues:
    """The strategy's trailing run on the node: 0 none, 1 low, 2 medium, 3 and more high."""
    values = {}
    for node_id, key in inputs.state_keys.items():
        state = inputs.histories.get(key)
        if state is not None and state.last_strategy_used and state.consecutive_same_strategy > 0:
            run = min(state.consecutive_same_strategy, 3)
            values[state.last_strategy_used, node_id] = LEVELS_OF_USE[run]
    return PairValues(default="none", values=values)
