"""The nine scorers, a pure function a module; each gives one multiplier.

1 changes nothing, below 1 speaks against a candidate, above 1 for it, and 0 rules it out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from interviews.modes.evaluative.scorers.branch_health import branch_health
from interviews.modes.evaluative.scorers.coverage_quality import coverage_quality
from interviews.modes.evaluative.scorers.knowledge_ceiling import knowledge_ceiling
from interviews.modes.evaluative.scorers.momentum_alignment import momentum_alignment
from interviews.modes.evaluative.scorers.recency_diversity import recency_diversity
from interviews.modes.evaluative.scorers.redundancy import redundancy
from interviews.modes.evaluative.scorers.reflection_mode import reflection_mode
from interviews.modes.evaluative.scorers.schema_tension_readiness import schema_tension_readiness
from interviews.modes.evaluative.scorers.vertical_laddering import vertical_laddering
from interviews.modes.evaluative.situation import Option, Situation
from methodologies.evaluative import ScorersSpec

Scorer = Callable[[Option, Situation, ScorersSpec], float]

ALL: Mapping[str, Scorer] = {
    "redundancy": lambda option, now, spec: redundancy(option, now, spec.redundancy),
    "knowledge_ceiling": lambda option, now, spec: knowledge_ceiling(
        option, now, spec.knowledge_ceiling
    ),
    "momentum_alignment": lambda option, now, spec: momentum_alignment(
        option, now, spec.momentum_alignment
    ),
    "recency_diversity": lambda option, now, spec: recency_diversity(
        option, now, spec.recency_diversity
    ),
    "vertical_laddering": lambda option, now, spec: vertical_laddering(
        option, now, spec.vertical_laddering
    ),
    "branch_health": lambda option, now, spec: branch_health(option, now, spec.branch_health),
    "coverage_quality": lambda option, now, spec: coverage_quality(
        option, now, spec.coverage_quality
    ),
    "schema_tension_readiness": lambda option, now, spec: schema_tension_readiness(
        option, now, spec.schema_tension_readiness
    ),
    "reflection_mode": lambda option, now, spec: reflection_mode(option, now, spec.reflection_mode),
}


def multipliers(option: Option, situation: Situation, spec: ScorersSpec) -> dict[str, float]:
    """What each scorer multiplies this option by."""
    return {name: scorer(option, situation, spec) for name, scorer in ALL.items()}
