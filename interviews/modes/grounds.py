"""What a signal read for a choice, and that reading as a plain sentence."""

from __future__ import annotations

from collections.abc import Mapping

from methodologies.qualifiers import HIGH, LOW
from methodologies.scoring import Candidate
from methodologies.signals.base import SignalReading, SignalSpec, Value

_EITHER: Mapping[str, tuple[str, str]] = {
    "graph.chain_completion.has_complete": (
        "A chain runs from an entry concept to a terminal one",
        "No chain runs from an entry concept to a terminal one yet",
    ),
    "graph.node.exhausted": (
        "It was asked about repeatedly and gives nothing more",
        "It has not been asked about until it gave nothing more",
    ),
    "graph.node.yield_stagnation": (
        "It was asked about, and nothing new has come of it for three turns",
        "It was not asked about, or something new came of it within three turns",
    ),
    "graph.node.is_current_focus": (
        "The question just answered was about this concept",
        "The question just answered was not about this concept",
    ),
    "graph.node.is_orphan": ("Nothing is related to it yet", "Something is related to it already"),
    "graph.node.has_outgoing": ("It already leads somewhere", "It leads nowhere yet"),
    "graph.node.has_incoming": ("Something leads to it already", "Nothing leads to it yet"),
}
"""How a signal that is true or false reads when it is one or the other."""

_ONE_OF: Mapping[str, Mapping[str, str]] = {
    "graph.node.chain_gap": {
        "none": "A chain from an entry concept to a terminal one runs through it",
        "above": "No chain leads from it to a terminal concept yet",
        "below": "No chain leads from an entry concept to it yet",
        "both": "No chain leads from an entry concept to it, or from it to a terminal one, yet",
    },
    "graph.node.first_chain": {
        "none": "Some chain from an entry concept to a terminal one is complete",
        "above": "No chain is complete yet; one leads to it but not on to a terminal concept",
        "below": "No chain is complete yet; one leads from it to a terminal concept but not to it",
        "both": "No chain is complete yet, and its own is open at both ends",
    },
}
"""How a signal with a few values reads for each of them."""


def signal_value(reading: SignalReading, spec: SignalSpec, candidate: Candidate) -> Value | None:
    """What a signal read for a candidate, not what a weight made of it; None where absent."""
    node_id = candidate.node_id or ""
    match spec.scope:
        case "global":
            return reading.global_values.get(spec.name)
        case "node":
            return reading.node_values.get(node_id, {}).get(spec.name)
        case "strategy":
            found = reading.strategy_values.get(spec.name)
            return found.of(candidate.strategy) if found else None
        case "strategy_node":
            pairs = reading.pair_values.get(spec.name)
            return pairs.of(candidate.strategy, node_id) if pairs else None


def value_text(value: Value) -> str:
    """A signal's value for reading: yes or no, three digits of a ratio, anything else as it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def statement(spec: SignalSpec, value: Value) -> str:
    """Return a signal's reading as a sentence that is true of it, without a full stop.

    For example `graph.node.is_orphan` and False: "Something is related to it already".
    """
    if spec.kind == "bool":
        if either := _EITHER.get(spec.name):
            return either[not value]
        return spec.summary if value else f"“{spec.summary}” does not hold"
    if said := _ONE_OF.get(spec.name, {}).get(str(value)):
        return said
    if spec.kind == "ratio":
        share = float(value)
        band = "low" if share <= LOW else "high" if share >= HIGH else "middling"
        return f"{spec.summary} came out {band}, at {value_text(value)} of 1"
    if spec.kind == "count":
        return f"{spec.summary} came to {value_text(value)}"
    return f"{spec.summary} came out as {value_text(value)}"
