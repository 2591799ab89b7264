"""Scores every strategy that applies and takes the best: base times what nine scorers give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from interviews.modes.evaluative.scorers import multipliers
from interviews.modes.evaluative.situation import Option, Situation, Target
from interviews.modes.evaluative.strategies import options_in
from interviews.modes.evaluative.tactics import tactic_for
from methodologies.evaluative import Rules, StrategyName, TacticSpec

MOST_RUNNING = 3
"""A strategy runs so many times at most while another applies."""
FLAGGED_ABOVE = 10.0
MAX_RUN = "max_run"
"""What vetoes a strategy that ran as often as it may."""
FALLBACK: StrategyName = "introduce_seed"
TIE_DECIMALS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A scored option: `final = base · Π multiplier^weight`.

    `vetoed_by` names the scorer that gave 0, or `max_run`; "" for what may be asked. `flagged`
    marks a score above 10.
    """

    option: Option
    tactic: TacticSpec
    base: float
    multipliers: Mapping[str, float]
    weights: Mapping[str, float]
    final: float
    vetoed_by: str = ""

    @property
    def flagged(self) -> bool:
        """Whether the scorers pushed it beyond what they should."""
        return self.final > FLAGGED_ABOVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The candidates, best first, the chosen one first of all.

    `all_vetoed` says that no candidate may be asked and a seed takes their place.
    """

    candidates: tuple[Candidate, ...]
    all_vetoed: bool = False

    @property
    def chosen(self) -> Candidate:
        """The winner."""
        return self.candidates[0]


def choose(situation: Situation, rules: Rules) -> Choice:
    """Score all that applies and rank it.

    Equal scores are told apart by base, fewer uses, name, and the order of a strategy's own foci.
    """
    found = [
        scored
        for option in options_in(situation, rules.strategies)
        if (scored := _scored(option, situation, rules)) is not None
    ]
    ranked = sorted(_without_long_runs(found, situation), key=_order(situation))
    if ranked and not ranked[0].vetoed_by:
        return Choice(candidates=tuple(ranked))
    seed = _seed(ranked, situation, rules)
    others = [candidate for candidate in ranked if candidate.option.strategy != FALLBACK]
    return Choice(candidates=(seed, *others), all_vetoed=True)


def final_of(base: float, given: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """`base · Π multiplier^weight`."""
    return base * prod(float(value ** weights[name]) for name, value in given.items())


def _scored(option: Option, situation: Situation, rules: Rules) -> Candidate | None:
    """The option with its tactic and score; None where each of its tactics was the last one."""
    spec = rules.strategies[option.strategy]
    tactic = tactic_for(option.target, spec.tactics, situation.asked)
    return _candidate(option, tactic, situation, rules) if tactic is not None else None


def _candidate(option: Option, tactic: TacticSpec, situation: Situation, rules: Rules) -> Candidate:
    base = rules.strategies[option.strategy].base
    given, weights = multipliers(option, situation, rules.scorers), rules.weights()
    return Candidate(
        option=option,
        tactic=tactic,
        base=base,
        multipliers=given,
        weights=weights,
        final=final_of(base, given, weights),
        vetoed_by=next((name for name, value in given.items() if value == 0), ""),
    )


def _without_long_runs(found: Sequence[Candidate], situation: Situation) -> Iterable[Candidate]:
    """Veto what was asked three times running, while something else may be asked."""
    last = [asked.strategy for asked in situation.asked[-MOST_RUNNING:]]
    ran = last[0] if len(last) == MOST_RUNNING and len(set(last)) == 1 else ""
    another = any(c.option.strategy != ran and not c.vetoed_by for c in found)
    for candidate in found:
        if another and candidate.option.strategy == ran and not candidate.vetoed_by:
            yield replace(candidate, vetoed_by=MAX_RUN)
        else:
            yield candidate


Key = tuple[bool, float, float, int, str]


def _order(situation: Situation) -> Callable[[Candidate], Key]:
    uses = situation.uses

    def key(candidate: Candidate) -> Key:
        name = candidate.option.strategy
        score = round(candidate.final, TIE_DECIMALS)
        return (bool(candidate.vetoed_by), -score, -candidate.base, uses.get(name, 0), name)

    return key


def _seed(ranked: Sequence[Candidate], situation: Situation, rules: Rules) -> Candidate:
    """New ground, where nothing else may be asked."""
    known = next((c for c in ranked if c.option.strategy == FALLBACK), None)
    if known is not None:
        return known
    spec = rules.strategies[FALLBACK]
    option = Option(strategy=FALLBACK, group=spec.group, target=Target())
    tactic = tactic_for(option.target, spec.tactics, situation.asked) or spec.tactics[0]
    return _candidate(option, tactic, situation, rules)
