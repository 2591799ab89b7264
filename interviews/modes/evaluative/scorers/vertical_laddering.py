"""Vertical laddering: upwards, the more so the nearer the end of the ladder is."""

from __future__ import annotations

from interviews.modes.evaluative.situation import Option, Situation
from methodologies.evaluative import VerticalLadderingSpec


def vertical_laddering(option: Option, situation: Situation, spec: VerticalLadderingSpec) -> float:
    """For depth alone, by the permitted chain steps from the focus's type to a terminal one."""
    if option.group != "depth":
        return 1.0
    match situation.steps.get(option.target.node_type):
        case 1:
            return spec.one_step
        case 2:
            return spec.two_steps
        case _:
            return spec.depth
