"""When a concept test closes of itself."""

from __future__ import annotations

from interviews.modes.evaluative.coverage import Coverage
from interviews.modes.evaluative.momentum import is_fatigued, level_of
from interviews.modes.evaluative.state import Momentum
from interviews.modes.evaluative.topology import Topology

FATIGUED = "fatigued"
COVERED = "concept_covered"
ENOUGH_COVERED = 0.60
"""Above this ratio a tired respondent is let go."""


def reason_to_close(coverage: Coverage, topology: Topology, momentum: Momentum) -> str:
    """Why the closing question comes now, "" where the interview goes on."""
    if is_fatigued(momentum) and coverage.ratio > ENOUGH_COVERED:
        return FATIGUED
    if coverage.complete and not topology.unexplored and level_of(momentum) == "low":
        return COVERED
    return ""
