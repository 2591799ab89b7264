"""Branch health: a branch that was followed long enough is left for another."""

from __future__ import annotations

from interviews.modes.evaluative.situation import Option, Situation
from methodologies.evaluative import BranchHealthSpec


def branch_health(option: Option, situation: Situation, spec: BranchHealthSpec) -> float:
    """After `stale` questions running of depth: less of it and of isolates, more breadth."""
    lately = situation.asked[-spec.stale :]
    if len(lately) < spec.stale or any(asked.group != "depth" for asked in lately):
        return 1.0
    if option.strategy == "connect_isolate":
        return spec.connect_isolate
    return {"depth": spec.depth, "breadth": spec.breadth}.get(option.group, 1.0)
