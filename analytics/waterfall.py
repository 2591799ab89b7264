"""A choice by multiplication as its page shows it: from base to final, a step for each factor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from interviews.turns.rationale import Factor, Weighed
from methodologies.signals.words import human

UNCHANGED = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A factor: what it multiplied by, the score after it, and where its bar stands.

    `left` and `width` are shares of the largest score on the way, in percent, as a drawing needs
    them; `way` says whether it raised the score, lowered it or left it.
    """

    name: str
    multiplier: float
    weight: float
    effect: float
    score: float
    said: str
    way: str
    left: str
    width: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waterfall:
    """A candidate: its title, base, steps and final score; `ruled_out` names what vetoed it."""

    title: str
    tactic: str
    base: float
    base_width: str
    steps: tuple[Step, ...]
    final: float
    final_width: str
    ruled_out: str
    flagged: bool


def waterfalls(weighed: Sequence[Weighed]) -> tuple[Waterfall, ...]:
    """Every candidate from base to final, in the order given; each on its own scale."""
    return tuple(_waterfall(found) for found in weighed)


def _waterfall(found: Weighed) -> Waterfall:
    scores = (found.base, *found.steps)
    scale = max(scores) or 1.0
    title = human(found.strategy)
    return Waterfall(
        title=f"{title} → {found.label}" if found.label else title,
        tactic=human(found.tactic),
        base=found.base,
        base_width=_percent(found.base, scale),
        steps=tuple(
            _step(factor, before, after, scale)
            for factor, before, after in zip(found.factors, scores, scores[1:], strict=False)
        ),
        final=found.final,
        final_width=_percent(found.final, scale),
        ruled_out=human(found.vetoed_by),
        flagged=found.flagged,
    )


def _step(factor: Factor, before: float, after: float, scale: float) -> Step:
    change = factor.effect - 1
    return Step(
        name=human(factor.name),
        multiplier=factor.multiplier,
        weight=factor.weight,
        effect=factor.effect,
        score=after,
        said=factor.said,
        way="stays" if abs(change) < UNCHANGED else "up" if change > 0 else "down",
        left=_percent(min(before, after), scale),
        width=_percent(abs(after - before), scale),
    )


def _percent(value: float, scale: float) -> str:
    return f"{100 * value / scale:.1f}"
