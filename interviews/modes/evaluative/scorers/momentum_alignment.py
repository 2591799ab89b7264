"""Momentum alignment: depth for who is engaged, something else for who is not."""

from __future__ import annotations

from interviews.modes.evaluative.situation import Option, Situation
from methodologies.evaluative import MomentumAlignmentSpec


def momentum_alignment(option: Option, situation: Situation, spec: MomentumAlignmentSpec) -> float:
    """By the level of the last answer and the strategy's class; 1 elsewhere."""
    match situation.momentum, option.group:
        case "low", "depth":
            return spec.low_depth
        case "low", "breadth" | "seed":
            return spec.low_elsewhere
        case "high", "depth":
            return spec.high_depth
        case _:
            return 1.0
