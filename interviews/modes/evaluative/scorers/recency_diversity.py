"""Recency diversity: another way of asking than in the last questions."""

from __future__ import annotations

from interviews.modes.evaluative.situation import Option, Situation
from methodologies.evaluative import RecencyDiversitySpec


def recency_diversity(option: Option, situation: Situation, spec: RecencyDiversitySpec) -> float:
    """`repeated` to the power of how many of the last questions were by this strategy."""
    lately = situation.asked[-spec.turns :]
    return spec.repeated ** sum(asked.strategy == option.strategy for asked in lately)
