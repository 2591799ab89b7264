"""Signals of one live node: its engagement history, its place in the graph, its type."""

from __future__ import annotations

from graphs.chains import CHAIN_GAPS
from methodologies.signals.base import (
    Known,
    NodeView,
    PairValues,
    SignalInputs,
    SignalWords,
    signal,
)

STAGNATION_TURNS = 3
RECENCY_TURNS = 20
STANCES = ("negative", "neutral", "positive")
NATURES = ("feeling", "fact", "other")
LEVELS_OF_USE = ("none", "low", "medium", "high")


@signal(
    name="graph.node.exhausted",
    scope="node",
    kind="bool",
    summary="Asked about repeatedly, and it gives nothing more",
    words=SignalWords(
        name="exhausted",
        phrases={"false": "branch not exhausted", "true": "branch exhausted"},
        clauses={"false": "this branch is not exhausted", "true": "this branch is exhausted"},
        statements={
            "true": "It was asked about repeatedly and gives nothing more",
            "false": "It has not been asked about until it gave nothing more",
        },
    ),
)
def exhausted(inputs: SignalInputs, at: NodeView) -> bool:
    """Three turns without yield, two running on it, and two thirds of its last answers surface."""
    return at.state is not None and at.state.is_exhausted(inputs.turn)


@signal(
    name="graph.node.exhaustion_score",
    scope="node",
    kind="ratio",
    summary="How used up the concept is as a focus",
    words=SignalWords(
        name="exhaustion",
        phrases={"": "branch worked on", "low": "branch still fresh", "high": "branch worn out"},
        clauses={
            "": "this branch has been worked on",
            "low": "this branch still gives new concepts",
            "high": "this branch gives little more",
        },
    ),
)
def exhaustion_score(inputs: SignalInputs, at: NodeView) -> float:
    """0.4 stagnation, 0.3 focus streak, 0.3 shallow answers; in [0, 1], 0 if never focused."""
    return at.state.exhaustion_score(inputs.turn) if at.state else 0.0


@signal(
    name="graph.node.yield_stagnation",
    scope="node",
    kind="bool",
    summary="Asked about, and nothing new for three turns",
    words=SignalWords(
        name="no yield of late",
        clauses={
            "true": "it has given nothing new of late",
            "false": "it has given something new of late",
        },
        statements={
            "true": "It was asked about, and nothing new has come of it for three turns",
            "false": "It was not asked about, or something new came of it within three turns",
        },
    ),
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
    words=SignalWords(
        name="focus streak",
        clauses={
            "none": "it was not the focus just now",
            "low": "it has only just come up",
            "medium": "it was the focus for two or three turns",
            "high": "it was the focus for four turns or more",
        },
    ),
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
    words=SignalWords(
        name="recency",
        clauses={
            "": "it was talked about not long ago",
            "high": "it was talked about a moment ago",
            "low": "it was long out of sight",
        },
    ),
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
    words=SignalWords(
        name="current focus",
        phrases={"true": "just talked about", "false": "another subject"},
        clauses={
            "true": "it is what the answer was about",
            "false": "it is another subject than the last one",
        },
        statements={
            "true": "The question just answered was about this concept",
            "false": "The question just answered was not about this concept",
        },
    ),
)
def is_current_focus(inputs: SignalInputs, at: NodeView) -> bool:
    """Whether this node, or one of the same slot, was the last question's focus."""
    return at.is_current_focus


@signal(
    name="graph.node.mentioned_now",
    scope="node",
    kind="bool",
    summary="The answer just given speaks of it",
    words=SignalWords(
        name="just mentioned",
        phrases={"": "just mentioned", "true": "just mentioned", "false": "mentioned earlier"},
        clauses={
            "": "the answer has just spoken of it",
            "true": "the answer has just spoken of it",
            "false": "it comes from an earlier answer",
        },
        statements={
            "true": "The answer just given speaks of it",
            "false": "It comes from an earlier answer",
        },
    ),
)
def mentioned_now(inputs: SignalInputs, at: NodeView) -> bool:
    """Whether this answer mentions it, for the first time or again; as a weight 1, else 0.

    "Soft straps, as I said, and no pain": both the old node "soft straps" and the new "no pain"
    have 1, all other nodes 0.
    """
    return at.mentioned_now


@signal(
    name="graph.node.stance",
    scope="node",
    kind="category",
    values=STANCES,
    summary="Whether the respondent speaks for or against it",
    words=SignalWords(
        name="stance",
        clauses={
            "negative": "it is told as something bad",
            "neutral": "it is told as neither good nor bad",
            "positive": "it is told as something good",
        },
    ),
)
def stance(inputs: SignalInputs, at: NodeView) -> str:
    """negative, neutral or positive, as the extraction read it when the concept was first said."""
    return STANCES[at.stance + 1]


@signal(
    name="graph.node.nature",
    scope="node",
    kind="category",
    values=NATURES,
    summary="Whether the concept is a feeling or a bare fact",
    words=SignalWords(
        name="nature",
        clauses={
            "feeling": "it is a feeling",
            "fact": "it is a bare fact",
            "other": "it is neither a feeling nor a bare fact",
        },
    ),
)
def nature(inputs: SignalInputs, at: NodeView) -> str:
    """feeling, fact or other, by what the ontology says of the node's type."""
    found = inputs.ontology.nodes_by_name.get(at.node_type)
    return (found.nature if found else "") or "other"


@signal(
    name="graph.node.is_orphan",
    scope="node",
    kind="bool",
    summary="Nothing is related to it yet",
    words=SignalWords(
        name="orphan",
        phrases={"true": "not linked yet", "false": "linked already"},
        clauses={"true": "it is not linked to anything yet", "false": "it is linked already"},
        statements={
            "true": "Nothing is related to it yet",
            "false": "Something is related to it already",
        },
    ),
)
def is_orphan(inputs: SignalInputs, at: NodeView) -> bool:
    """Whether the node has no live edge."""
    return not at.edge_count


@signal(
    name="graph.node.edge_count",
    scope="node",
    kind="count",
    summary="Relations of the concept",
    words=SignalWords(
        name="links of the concept",
        clauses={"zero": "it is not linked to anything yet", "nonzero": "it is linked already"},
    ),
)
def edge_count(inputs: SignalInputs, at: NodeView) -> int:
    """Live edges at the node, incoming and outgoing; from 0 up."""
    return at.edge_count


@signal(
    name="graph.node.has_outgoing",
    scope="node",
    kind="bool",
    summary="It already leads somewhere",
    words=SignalWords(
        name="leads on",
        phrases={"false": "nothing leads on yet", "true": "leads on already"},
        clauses={
            "false": "nothing leads on from it yet",
            "true": "something already leads on from it",
        },
        statements={"true": "It already leads somewhere", "false": "It leads nowhere yet"},
    ),
)
def has_outgoing(inputs: SignalInputs, at: NodeView) -> bool:
    """Whether a live edge begins at the node."""
    return at.has_outgoing


@signal(
    name="graph.node.has_incoming",
    scope="node",
    kind="bool",
    summary="Something leads to it",
    words=SignalWords(
        name="led up to",
        phrases={"false": "nothing leads to it yet", "true": "led up to already"},
        clauses={"false": "nothing leads to it yet", "true": "something already leads to it"},
        statements={"true": "Something leads to it already", "false": "Nothing leads to it yet"},
    ),
)
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
    words=SignalWords(
        name="gap in its chain",
        phrases={
            "none": "in a complete chain",
            "above": "chain open above",
            "below": "chain open below",
            "both": "chain open at both ends",
        },
        clauses={
            "none": "a complete chain runs through it",
            "above": "no chain from it reaches the top level yet",
            "below": "no chain up to it has a beginning yet",
            "both": "its chain has neither beginning nor end yet",
        },
        statements={
            "none": "A chain from an entry concept to a terminal one runs through it",
            "above": "No chain leads from it to a terminal concept yet",
            "below": "No chain leads from an entry concept to it yet",
            "both": "No chain leads from an entry concept to it, or from it to a terminal one, yet",
        },
    ),
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
    words=SignalWords(
        name="gap in the first chain",
        phrases={
            "none": "some chain is complete",
            "above": "first chain open above",
            "below": "first chain open below",
            "both": "first chain open at both ends",
        },
        clauses={
            "none": "a complete chain is there already",
            "above": "no chain is complete yet, and one up to it has its beginning",
            "below": "no chain is complete yet, and one from it reaches the top",
            "both": "no chain is complete yet, and its own is open at both ends",
        },
        statements={
            "none": "Some chain from an entry concept to a terminal one is complete",
            "above": "No chain is complete yet; one leads to it but not on to a terminal concept",
            "below": "No chain is complete yet; one leads from it to a terminal concept but not "
            "to it",
            "both": "No chain is complete yet, and its own is open at both ends",
        },
    ),
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
    words=SignalWords(
        name="type",
    ),
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
    words=SignalWords(
        name="level",
    ),
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
    words=SignalWords(
        name="same strategy here before",
        clauses={
            "none": "this strategy is new on this concept",
            "low": "this strategy was used on this concept once",
            "medium": "this strategy was used on this concept twice",
            "high": "this strategy was used here three times running",
        },
    ),
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
