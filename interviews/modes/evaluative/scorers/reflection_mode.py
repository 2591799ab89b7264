"""Reflection mode: once a chain is complete and nothing new comes, new ground is opened."""

from __future__ import annotations

from interviews.modes.evaluative.situation import Option, Situation
from methodologies.evaluative import ReflectionModeSpec


def reflects(*, complete_chain: bool, barren: int, spec: ReflectionModeSpec) -> bool:
    """Whether a chain is complete and the last answers brought no node."""
    return complete_chain and barren >= spec.answers


def reflection_mode(option: Option, situation: Situation, spec: ReflectionModeSpec) -> float:
    """Less depth and more seeds while the interview reflects."""
    if not reflects(complete_chain=situation.complete_chain, barren=situation.barren, spec=spec):
        return 1.0
    return {"depth": spec.depth, "seed": spec.seed}.get(option.group, 1.0)
