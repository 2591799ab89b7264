"""Signals of the whole graph: its size, its depth, its chains, and the canonical graph's."""

from __future__ import annotations

from math import fsum

from methodologies.signals.base import Known, SignalInputs, SignalWords, signal


@signal(
    name="graph.node_count",
    kind="count",
    summary="Concepts in the graph",
    words=SignalWords(
        name="concepts",
    ),
)
def node_count(inputs: SignalInputs, known: Known) -> int:
    """Live nodes; from 0 up."""
    return inputs.graph_state.node_count


@signal(
    name="graph.edge_count",
    kind="count",
    summary="Relations in the graph",
    words=SignalWords(
        name="links",
    ),
)
def edge_count(inputs: SignalInputs, known: Known) -> int:
    """Edges whose two nodes are live; from 0 up."""
    return inputs.graph_state.edge_count


@signal(
    name="graph.orphan_count",
    kind="count",
    summary="Concepts that nothing is related to",
    words=SignalWords(
        name="orphans",
        clauses={"nonzero": "some concepts hang loose"},
    ),
)
def orphan_count(inputs: SignalInputs, known: Known) -> int:
    """Live nodes without live edges; from 0 up."""
    return inputs.graph_state.orphan_count


@signal(
    name="graph.max_depth",
    kind="ratio",
    summary="How far the deepest chain climbs the ladder",
    words=SignalWords(
        name="max depth",
        clauses={
            "": "the interview has gone deep already",
            "low": "the interview is still close to the surface",
            "high": "the interview has gone deep already",
        },
    ),
)
def max_depth(inputs: SignalInputs, known: Known) -> float:
    """Levels climbed on the deepest chain as a share of the ladder; 0 for one level, 1 for all."""
    return inputs.graph_state.max_depth


@signal(
    name="graph.avg_depth",
    kind="ratio",
    summary="How deep the concepts stand on average",
    words=SignalWords(
        name="average depth",
    ),
)
def avg_depth(inputs: SignalInputs, known: Known) -> float:
    """Mean over live nodes of the depth of the deepest chain that ends there; in [0, 1]."""
    return inputs.graph_state.avg_depth


@signal(
    name="graph.chain_completion.ratio",
    kind="ratio",
    summary="Share of entry concepts from which a terminal concept is reached",
    needs_terminal=True,
    words=SignalWords(
        name="chains complete",
        clauses={
            "low": "few chains reach the top level yet",
            "high": "most chains reach the top level",
        },
    ),
)
def chain_completion_ratio(inputs: SignalInputs, known: Known) -> float | None:
    """Complete chains ÷ entry nodes, in [0, 1]; absent where the ontology has no terminal."""
    return inputs.graph_state.chain_completion_ratio


@signal(
    name="graph.chain_completion.has_complete",
    kind="bool",
    summary="Whether any chain runs from an entry concept to a terminal one",
    needs_terminal=True,
    words=SignalWords(
        name="a complete chain",
        phrases={"false": "no complete chain yet", "true": "complete chain there"},
        clauses={
            "false": "no chain has reached the top level yet",
            "true": "a chain already reaches the top level",
        },
        statements={
            "true": "A chain runs from an entry concept to a terminal one",
            "false": "No chain runs from an entry concept to a terminal one yet",
        },
    ),
)
def has_complete_chain(inputs: SignalInputs, known: Known) -> bool | None:
    """Whether the completion ratio is above 0; absent where the ontology has no terminal."""
    return inputs.graph_state.has_complete_chain


@signal(
    name="graph.canonical_concept_count",
    kind="count",
    summary="Concepts that paraphrases share",
    words=SignalWords(
        name="slots",
    ),
)
def canonical_concept_count(inputs: SignalInputs, known: Known) -> int | None:
    """Active slots; from 0 up; absent where slots are off."""
    return inputs.canonical_state.concept_count if inputs.canonical_state else None


@signal(
    name="graph.canonical_edge_density",
    kind="count",
    summary="Relations per canonical concept",
    words=SignalWords(
        name="slot density",
    ),
)
def canonical_edge_density(inputs: SignalInputs, known: Known) -> float | None:
    """Canonical edges ÷ active slots, unbounded, 0 without slots; absent where slots are off."""
    return inputs.canonical_state.edge_density if inputs.canonical_state else None


@signal(
    name="graph.canonical_exhaustion_score",
    kind="ratio",
    summary="How used up the canonical concepts are that were asked about",
    words=SignalWords(
        name="slots exhausted",
    ),
)
def canonical_exhaustion_score(inputs: SignalInputs, known: Known) -> float | None:
    """Mean exhaustion score of active slots focused at least once, 0 without any; in [0, 1].

    Absent where slots are off.
    """
    if inputs.canonical_state is None:
        return None
    slots = inputs.graph.slots
    scores = [
        state.exhaustion_score(inputs.turn)
        for key, state in inputs.histories.items()
        if state.focus_count and key in slots and slots[key].status == "active"
    ]
    return fsum(scores) / len(scores) if scores else 0.0
