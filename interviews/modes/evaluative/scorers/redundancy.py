"""Redundancy: the same kind of question about the same thing."""

from __future__ import annotations

from interviews.modes.evaluative.situation import Option, Situation
from methodologies.evaluative import RedundancySpec


def redundancy(option: Option, situation: Situation, spec: RedundancySpec) -> float:
    """`repeated` where one of the last questions by this strategy was about as good as this focus.

    A focus on nothing in particular repeats nothing.
    """
    label = option.target.label
    if not label:
        return 1.0
    before = [
        asked.label
        for asked in situation.asked[-spec.questions :]
        if asked.strategy == option.strategy and asked.label
    ]
    is_repeat = any(situation.cosine(label, other) >= spec.similar for other in before)
    return spec.repeated if is_repeat else 1.0
