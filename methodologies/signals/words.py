"""Signals, weight keys and values as a reader's words.

What is said of a signal stands beside its declaration (:class:`SignalWords`); what is not said
there, or is no signal any more, is named after its key.
"""

from __future__ import annotations

from collections.abc import Sequence

from methodologies.qualifiers import HIGH, LOW, UnknownSignalError, parse_key
from methodologies.signals.base import SignalSpec, Value, load_signals


def human(code: str) -> str:
    """An identifier as words: "strategy_name" becomes "strategy name"."""
    return code.replace("_", " ").strip()


def listing(clauses: Sequence[str]) -> str:
    """Join as in a sentence: "a, b and c"; empty for none."""
    if len(clauses) < 2:
        return "".join(clauses)
    return f"{', '.join(clauses[:-1])} and {clauses[-1]}"


def value_text(value: Value) -> str:
    """A value for reading: yes or no, three digits of a ratio, anything else as it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def signal_name(name: str) -> str:
    """The short name of a signal."""
    spec = load_signals().get(name)
    return (spec.words.name if spec else "") or _bare(name)


def key_name(key: str) -> str:
    """The short name of a weight key; where it has none, the signal's with the qualifier."""
    try:
        parsed = parse_key(key)
    except UnknownSignalError:
        return _bare(key)
    words, qualifier = parsed.spec.words, parsed.qualifier or ""
    if phrase := words.phrases.get(qualifier):
        return phrase
    if parsed.spec.values_from == "node_types" and qualifier:
        return human(qualifier)
    name = signal_name(parsed.spec.name)
    return f"{name}: {human(qualifier)}" if qualifier else name


def clause(key: str) -> str:
    """A weight key as a clause that can follow "because"."""
    try:
        parsed = parse_key(key)
    except UnknownSignalError:
        return f"{_bare(key)} spoke for it"
    spec, qualifier = parsed.spec, parsed.qualifier or ""
    if said := spec.words.clauses.get(qualifier):
        return said
    if spec.values_from == "node_types" and qualifier:
        return f"it is of the type {human(qualifier)}"
    if qualifier:
        return f"{signal_name(spec.name)} was {human(qualifier)}"
    return f"{key_name(key)} spoke for it"


def statement(spec: SignalSpec, value: Value) -> str:
    """Return a signal's reading as a sentence that is true of it, without a full stop.

    For example `graph.node.is_orphan` and False: "Something is related to it already".
    """
    said = str(value).lower() if isinstance(value, bool) else str(value)
    if found := spec.words.statements.get(said):
        return found
    if spec.kind == "bool":
        return spec.summary if value else f"“{spec.summary}” does not hold"
    if spec.kind == "ratio":
        share = float(value)
        band = "low" if share <= LOW else "high" if share >= HIGH else "middling"
        return f"{spec.summary} came out {band}, at {value_text(value)} of 1"
    if spec.kind == "count":
        return f"{spec.summary} came to {value_text(value)}"
    return f"{spec.summary} came out as {value_text(value)}"


def _bare(key: str) -> str:
    """A key without its pool, as words."""
    return human(key.split(".", 1)[-1].replace(".", " "))
