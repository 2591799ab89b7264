"""Why a mode chose as it did: what its explanation gives to whoever tells or draws a turn."""

from __future__ import annotations

from dataclasses import dataclass

from methodologies.scoring import Candidate
from methodologies.signals.base import Value


def named(strategy: str, label: str) -> str:
    """A strategy and the concept that it asks about, in words."""
    about = f' on "{label}"' if label else ""
    return f'the strategy "{strategy}"{about}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A weight that acted: what its signal read in this turn, in words and as a value.

    `contribution` is in the unit of scores, negative where it spoke against the candidate;
    `of_node` marks the part that only ranked concepts within a strategy (two-stage selection).
    """

    key: str
    said: str
    value: Value
    weight: float
    contribution: float
    of_node: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A candidate with its node's label, empty for a strategy without a node."""

    candidate: Candidate
    label: str

    def __str__(self) -> str:
        """Return the strategy and what it asks about."""
        return named(self.candidate.strategy, self.label)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """A choice by score.

    `best` are the first valid candidates, best first, the winner among them; `gated` the best of
    those that a gate took out; `considered` counts the valid ones. `closing` is what replaced the
    winner in a turn that had to close. `relaxed` says that every candidate was gated. `grounds` are
    the winner's, strongest first.
    """

    best: tuple[Scored, ...]
    gated: tuple[Scored, ...]
    considered: int
    closing: Scored | None
    relaxed: bool
    grounds: tuple[Ground, ...]

    @property
    def chosen(self) -> Scored:
        """The winner."""
        return self.best[0]

    @property
    def runner_up(self) -> Scored | None:
        """The next best candidate, None where there was only one."""
        return self.best[1] if len(self.best) > 1 else None

    @property
    def margin(self) -> float | None:
        """The lead in final score over the runner-up, None without one."""
        if self.runner_up is None:
            return None
        return self.chosen.candidate.final_score - self.runner_up.candidate.final_score


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """What a scorer multiplied a candidate by, and why in words; no words where it changed nothing.

    `weight` is in (0, 1].
    """

    name: str
    multiplier: float
    weight: float
    said: str = ""

    @property
    def effect(self) -> float:
        """What it made of the score: `multiplier^weight`."""
        return float(self.multiplier**self.weight)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A candidate of a choice by multiplication: `final = base · Π multiplier^weight`.

    `kind` and `ref` say what it would ask about, "" for nothing in particular. `vetoed_by` names
    what ruled it out, `flagged` says that its score is beyond what the factors should come to.
    """

    strategy: str
    tactic: str
    kind: str
    ref: str
    label: str
    base: float
    factors: tuple[Factor, ...]
    final: float
    vetoed_by: str = ""
    flagged: bool = False

    @property
    def steps(self) -> tuple[float, ...]:
        """The score after each factor, in their order; the last one is `final`."""
        scores, score = [], self.base
        for factor in self.factors:
            score *= factor.effect
            scores.append(score)
        return tuple(scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rationale:
    """What a mode tells of a choice of its own; all of it may be left out.

    `standing` follows the choice in a sentence ("first of 38 candidates with a score of 2.06"),
    `sentences` tell how it came about, `refusal` what a refusal of the last question led to,
    `scores` are those of a choice by score, `weighed` the candidates of one by multiplication, the
    chosen one first.
    """

    standing: str = ""
    sentences: tuple[str, ...] = ()
    refusal: str = ""
    scores: Scores | None = None
    weighed: tuple[Weighed, ...] = ()
