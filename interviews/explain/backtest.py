"""Recorded turns ranked again under another methodology, from their stored signals alone.

No model is asked and nothing is stored: a turn of an exploratory interview keeps every signal of
its choice, so another weighting can be tried on it. What the record does not hold is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from interviews.models import Session, Turn
from interviews.modes.exploratory.evidence import ExploratoryEvidence
from interviews.modes.registry import label_of
from interviews.record import UnreadableTurn, result_of
from interviews.turns.result import TurnResult
from methodologies.gates import signals_of_gates
from methodologies.registry import methodology_of
from methodologies.schema import MethodologySchema
from methodologies.scoring import Candidate, NoCandidateError, Ranking
from methodologies.signals.base import plan_signals
from methodologies.signals.meta import interview_phase

TIPPED = 3
LOOKED_AT = 400
"""Candidates among which the other choice is looked for, best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What was chosen, or would be: a strategy on a node or on none, with its final score."""

    strategy: str
    node_id: str | None
    label: str
    final: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tip:
    """A weight key's part in the lead of the new choice over the old one, then and now."""

    key: str
    was: float
    would_be: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A turn where the choice would differ; `margin` is by how much the new choice leads."""

    session: str
    turn: int
    was: Choice
    would_be: Choice
    margin: float
    tipped_by: tuple[Tip, ...]


@dataclass(slots=True, kw_only=True)
class Backtest:
    """What came of it; `reasons` say why turns are not comparable, with how many there are."""

    turns: int = 0
    compared: int = 0
    same: int = 0
    changed: list[Change] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=dict)

    @property
    def not_comparable(self) -> int:
        return sum(self.reasons.values())


def backtest(methodology: MethodologySchema, sessions: Iterable[Session]) -> Backtest:
    """Rank every turn of the sessions that was chosen by scores again under `methodology`."""
    found = Backtest()
    for session in sessions:
        pinned = session.methodology_version
        held_by = methodology_of(pinned) if pinned is not None else None
        for turn in session.turns.filter(status=Turn.Status.DONE, number__gte=1).order_by("number"):
            found.turns += 1
            compared = _compared(turn, session, held_by, methodology)
            if isinstance(compared, str):
                found.reasons[compared] = found.reasons.get(compared, 0) + 1
                continue
            found.compared += 1
            if compared is None:
                found.same += 1
            else:
                found.changed.append(compared)
    return found


def _compared(
    turn: Turn, session: Session, held_by: MethodologySchema | None, other: MethodologySchema
) -> Change | str | None:
    """The change, None where the choice is the same, or why the two cannot be compared."""
    try:
        result = result_of(turn)
    except UnreadableTurn as error:
        return str(error)
    evidence = result.evidence
    if not isinstance(evidence, ExploratoryEvidence) or held_by is None:
        return f"the mode {label_of(result.mode)} does not choose by scores that can be compared"
    lacking = sorted(_signals(other) - _signals(held_by))
    if lacking:
        return f"the record lacks {', '.join(lacking)}"
    return _change(turn, result, evidence, session, held_by, other)


def _signals(methodology: MethodologySchema) -> frozenset[str]:
    """Every signal that its turns read."""
    listed = {name for names in methodology.signals.values() for name in names}
    names = tuple(sorted(listed | signals_of_gates(methodology)))
    return frozenset(spec.name for spec in plan_signals(names))


def _change(
    turn: Turn,
    result: TurnResult,
    evidence: ExploratoryEvidence,
    session: Session,
    held_by: MethodologySchema,
    other: MethodologySchema,
) -> Change | str | None:
    bounds = other.phase_boundaries
    limits = (bounds.early_until, bounds.late_from) if bounds else None
    phase = interview_phase(turn.number, session.max_turns, limits)
    try:
        after = evidence.ranked_in(phase, other, left_alone=result.left_alone)
    except NoCandidateError as error:
        return str(error)
    before = evidence.ranked(held_by, left_alone=result.left_alone)
    was, would_be = before.chosen, after.chosen
    if _same(was, would_be):
        return None
    old = _found(after, was)
    return Change(
        session=str(session.pk),
        turn=turn.number,
        was=_choice(was, evidence),
        would_be=_choice(would_be, evidence),
        margin=would_be.final_score - (old.final_score if old else 0.0),
        tipped_by=_tips(
            lead_before=_lead(_found(before, would_be), was), lead_after=_lead(would_be, old)
        ),
    )


def _same(one: Candidate, other: Candidate) -> bool:
    return (one.strategy, one.node_id) == (other.strategy, other.node_id)


def _found(ranking: Ranking, wanted: Candidate) -> Candidate | None:
    return next((c for c in ranking.top(LOOKED_AT) if _same(c, wanted)), None)


def _lead(first: Candidate | None, second: Candidate | None) -> dict[str, float]:
    """By how much the first leads the second, by weight key."""
    parts: dict[str, float] = {}
    for candidate, sign in ((first, 1), (second, -1)):
        if candidate is None:
            continue
        for part in (*candidate.contributions, *candidate.node_contributions):
            parts[part.key] = parts.get(part.key, 0.0) + sign * part.contribution
    return parts


def _tips(*, lead_before: dict[str, float], lead_after: dict[str, float]) -> tuple[Tip, ...]:
    """The keys whose part in the lead changed most."""
    keys = lead_before.keys() | lead_after.keys()
    tips = [
        Tip(key=key, was=lead_before.get(key, 0.0), would_be=lead_after.get(key, 0.0))
        for key in sorted(keys)
    ]
    tips.sort(key=lambda tip: -abs(tip.would_be - tip.was))
    return tuple(tip for tip in tips[:TIPPED] if tip.would_be != tip.was)


def _choice(candidate: Candidate, evidence: ExploratoryEvidence) -> Choice:
    return Choice(
        strategy=candidate.strategy,
        node_id=candidate.node_id,
        label=evidence.labels.get(candidate.node_id or "", ""),
        final=candidate.final_score,
    )


def as_json(change: Change) -> dict[str, Any]:
    """A change as scripts read it."""
    return {
        "session": change.session,
        "turn": change.turn,
        "was": _as_json(change.was),
        "would_be": _as_json(change.would_be),
        "margin": change.margin,
        "tipped_by": [
            {"key": tip.key, "was": tip.was, "would_be": tip.would_be} for tip in change.tipped_by
        ],
    }


def _as_json(choice: Choice) -> dict[str, Any]:
    return {"strategy": choice.strategy, "node_id": choice.node_id, "final": choice.final}


def reasons_of(found: Backtest) -> Sequence[tuple[str, int]]:
    """Why turns are not comparable, the most frequent first."""
    return sorted(found.reasons.items(), key=lambda item: (-item[1], item[0]))
