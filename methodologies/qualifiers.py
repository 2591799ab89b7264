"""Weight keys: a signal's name, alone or with a qualifier that asks one thing of its value.

`llm.engagement` weighs the value itself, `llm.engagement.high` whether it is high. This is the one
place that says which qualifiers a signal answers to and what they mean:

- ratio: plain, `low` (up to 0.25), `high` (0.75 and more), `mid` (between);
- bool: plain, `true`, `false`;
- count: `zero`, `nonzero`; a level also its number;
- category: each of its values; one that stands for a ratio also `low`, `mid`, `high`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from graphs.ontology import Ontology
from methodologies.signals.base import SignalSpec, Value, load_signals

LOW, HIGH = 0.25, 0.75

_BANDS: dict[str, Callable[[float], bool]] = {
    "low": lambda value: value <= LOW,
    "mid": lambda value: LOW < value < HIGH,
    "high": lambda value: value >= HIGH,
}


class UnknownSignalError(KeyError):
    """A weight key names no registered signal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightKey:
    """A parsed weight key; `qualifier` is None for the plain signal."""

    text: str
    spec: SignalSpec
    qualifier: str | None = None

    def amount(self, value: Value | None) -> float:
        """What a weight is multiplied by: the value of a plain signal, else 1 or 0.

        An absent value (None) amounts to 0.
        """
        if value is None:
            return 0.0
        if self.qualifier is None:
            return float(value)
        return float(_matches(self.spec, self.qualifier, value))


@lru_cache(maxsize=4096)
def parse_key(text: str) -> WeightKey:
    """Split a weight key into signal and qualifier; raises UnknownSignalError.

    A signal's own name wins over a shorter name with a qualifier.
    """
    registry = load_signals()
    if spec := registry.get(text):
        return WeightKey(text=text, spec=spec)
    name, _, qualifier = text.rpartition(".")
    if spec := registry.get(name):
        return WeightKey(text=text, spec=spec, qualifier=qualifier)
    raise UnknownSignalError(text)


def qualifiers_of(spec: SignalSpec, ontology: Ontology) -> tuple[str, ...]:
    """The qualifiers that a signal answers to under this ontology."""
    if spec.kind == "ratio":
        return tuple(_BANDS)
    if spec.kind == "bool":
        return ("true", "false")
    named = (*spec.values, *_ontology_values(spec, ontology))
    if spec.kind == "count":
        return ("zero", "nonzero", *named)
    return (*named, *(_BANDS if spec.ordinal else ()))


def takes_plain_weight(spec: SignalSpec) -> bool:
    """Whether the value itself can be weighed: only what lies in [0, 1] can."""
    return spec.kind in ("ratio", "bool")


def _ontology_values(spec: SignalSpec, ontology: Ontology) -> tuple[str, ...]:
    if spec.values_from == "node_types":
        return tuple(node_type.name for node_type in ontology.node_types)
    if spec.values_from == "levels":
        return tuple(str(level) for level in ontology.levels)
    return ()


def _matches(spec: SignalSpec, qualifier: str, value: Value) -> bool:
    if spec.kind == "ratio":
        return _BANDS[qualifier](float(value)) if qualifier in _BANDS else False
    if spec.kind == "bool":
        return qualifier == ("true" if value else "false")
    if spec.kind == "count" and qualifier in ("zero", "nonzero"):
        return (value != 0) is (qualifier == "nonzero")
    if spec.ordinal and qualifier in _BANDS:
        return _BANDS[qualifier](spec.ordinal[str(value)])
    return qualifier == str(value)
