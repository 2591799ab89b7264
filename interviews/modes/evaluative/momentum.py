"""How engaged a respondent is over the turns, and whether they have tired."""

from __future__ import annotations

from collections.abc import Mapping

from interviews.modes.evaluative.state import Level, Momentum

VALUES: Mapping[Level, float] = {"high": 1.0, "neutral": 0.5, "low": 0.0}
KEPT = 0.7
"""Of the score before; the answer's value makes up the rest."""
TIRED_BELOW = 0.3
TIRED_AFTER = 3
"""Lows running, or turns running with a score below that."""
LEVELS_KEPT = 30


def after(before: Momentum, level: Level) -> Momentum:
    """The momentum with one more answer: `score = 0.7 · before + 0.3 · value`."""
    score = KEPT * before.score + (1 - KEPT) * VALUES[level]
    return Momentum(
        levels=(*before.levels, level)[-LEVELS_KEPT:],
        score=score,
        consecutive_low=before.consecutive_low + 1 if level == "low" else 0,
        low_scores=before.low_scores + 1 if score < TIRED_BELOW else 0,
    )


def level_of(momentum: Momentum) -> Level:
    """The last answer's level; neutral before any."""
    return momentum.levels[-1] if momentum.levels else "neutral"


def is_fatigued(momentum: Momentum) -> bool:
    """Whether three answers running were low, or the score was below 0.3 for three turns."""
    return momentum.consecutive_low >= TIRED_AFTER or momentum.low_scores >= TIRED_AFTER
