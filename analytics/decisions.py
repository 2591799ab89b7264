"""A turn's decision as its page shows it: clauses, bars and chips made of what was decided.

Reads no stored record itself: what a turn decided is told by the interpreter alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from analytics.waterfall import Waterfall, waterfalls
from interviews.explain.decision import Decision, Kind
from interviews.explain.sentences import reason_of, stand_ins
from interviews.turns.rationale import Scored, Scores
from methodologies.scoring import Candidate, Contribution
from methodologies.signals.base import Value
from methodologies.signals.words import clause, human, key_name, listing, signal_name, value_text

REASONS_TOLD = 3
PHASES: Mapping[str, str] = {"early": "early", "mid": "middle", "late": "late"}
CHIP_ORDER = (
    "llm.response_depth",
    "llm.engagement",
    "llm.certainty",
    "llm.specificity",
    "llm.valence",
    "llm.intellectual_engagement",
    "llm.global_response_trend",
    "meta.conversation.saturation",
    "meta.conversation.velocity_saturation",
    "meta.canonical.saturation",
    "meta.interview.phase",
    "graph.max_depth",
    "graph.chain_completion.ratio",
    "graph.orphan_count",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One weight's part in a score; `share` in [0, 1] is its size beside the largest shown."""

    key: str
    name: str
    value: str
    weight: float
    contribution: float
    share: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A candidate of a choice as the page lists it. `gates` say what ruled it out, if anything."""

    title: str
    final: float
    base: float
    phase_effect: float
    phase_terms: str
    gates: tuple[str, ...]
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """What was measured at a turn."""

    key: str
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """What the turn decided, as clauses (`because`, `against`), bars and numbers.

    `winner` is the candidate that was followed, `runner_up` the best of the others; `sentences` are
    the mode's own, where it does not choose by score, and what models failed to do. A mode that
    multiplies has its candidates as `waterfalls`, the chosen one first.
    """

    kind: Kind
    strategy: str = ""
    focus: str = ""
    phase: str = ""
    because: str = ""
    against: str = ""
    reason: str = ""
    sentences: tuple[str, ...] = ()
    winner: Option | None = None
    runner_up: Option | None = None
    options: tuple[Option, ...] = ()
    bars: tuple[Bar, ...] = ()
    phase_share: float = 0.0
    chips: tuple[Chip, ...] = ()
    focus_chips: tuple[Chip, ...] = ()
    waterfalls: tuple[Waterfall, ...] = ()


def why(decision: Decision) -> Why:
    """Present a decision; what its mode does not tell is left out."""
    rationale, scores = decision.rationale, decision.rationale.scores
    told = () if scores else rationale.sentences
    shown = Why(
        kind=decision.kind,
        strategy=human(decision.strategy),
        focus=decision.focus,
        phase=PHASES.get(decision.phase, human(decision.phase)),
        reason=reason_of(decision.reason) if decision.reason else "",
        sentences=(*told, *stand_ins(decision.degraded)),
        chips=tuple(_chips(decision.figures)),
        focus_chips=tuple(_chips(decision.focus_figures)),
        waterfalls=waterfalls(rationale.weighed),
    )
    return _with_scores(shown, decision, scores) if scores else shown


def _with_scores(shown: Why, decision: Decision, scores: Scores) -> Why:
    followed = _followed(decision, scores)
    others = [found for found in scores.best if found is not followed]
    if followed is None:
        return replace(shown, options=tuple(_option(found) for found in scores.best))
    parts = followed.candidate.contributions
    winner = _option(followed)
    bars, phase_share = _bars(winner)
    rest = tuple(_option(found) for found in others)
    return replace(
        shown,
        because=listing(_clauses(parts, sign=1)),
        against=listing(_clauses(parts, sign=-1)),
        winner=winner,
        runner_up=rest[0] if rest else None,
        options=tuple(_option(found) for found in _listed(scores, followed)),
        bars=bars,
        phase_share=phase_share,
    )


def _followed(decision: Decision, scores: Scores) -> Scored | None:
    """The candidate that was asked by, which a closing turn need not have ranked first."""
    among = (*([scores.closing] if scores.closing else []), *scores.best)
    for found in among:
        asked = (found.candidate.strategy, found.candidate.node_id or "")
        if asked == (decision.strategy, decision.focus_id):
            return found
    return None


def _listed(scores: Scores, followed: Scored) -> tuple[Scored, ...]:
    return scores.best if followed in scores.best else (followed, *scores.best)


def _option(scored: Scored) -> Option:
    found = scored.candidate
    title = human(found.strategy)
    return Option(
        title=f"{title} → {scored.label}" if scored.label else title,
        final=found.final_score,
        base=found.base_score,
        phase_effect=found.final_score - found.base_score,
        phase_terms=_phase_terms(found),
        gates=tuple(human(gate) for gate in found.gates),
        bars=tuple(_bar(part) for part in found.contributions),
    )


def _phase_terms(found: Candidate) -> str:
    sign = "÷" if found.phase_divided and found.phase_multiplier != 1 else "×"
    return f"{sign}{found.phase_multiplier:g} {found.phase_bonus:+g}"


def _bar(part: Contribution) -> Bar:
    return Bar(
        key=part.key,
        name=key_name(part.key),
        value=_shown(part.value),
        weight=part.weight,
        contribution=part.contribution,
    )


def _clauses(parts: Sequence[Contribution], *, sign: int) -> list[str]:
    telling = [part for part in parts if sign * part.contribution > 0]
    telling.sort(key=lambda part: -abs(part.contribution))
    found = dict.fromkeys(clause(part.key) for part in telling)
    return list(found)[:REASONS_TOLD]


def _bars(winner: Option) -> tuple[tuple[Bar, ...], float]:
    """Contributions that act, largest first, and the share of the phase's effect beside them."""
    acting = sorted(winner.bars, key=lambda bar: -abs(bar.contribution))
    acting = [bar for bar in acting if bar.contribution]
    sizes = [abs(bar.contribution) for bar in acting] + [abs(winner.phase_effect)]
    scale = max(sizes)
    if not scale:
        return (), 0.0
    bars = tuple(replace(bar, share=abs(bar.contribution) / scale) for bar in acting)
    return bars, abs(winner.phase_effect) / scale


def _chips(figures: Mapping[str, Value]) -> Iterator[Chip]:
    order = [key for key in CHIP_ORDER if key in figures]
    for key in order + sorted(figures.keys() - set(order)):
        yield Chip(key=key, name=signal_name(key), value=_shown(figures[key]))


def _shown(value: Value) -> str:
    return human(value_text(value))
