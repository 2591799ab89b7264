"""Why a question was asked: the stored decision trace of a turn, made readable.

Reads plain values and knows no database, so that it is told and tested by numbers alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from interviews.explain_words import reason_of
from methodologies.signals.base import Value
from methodologies.signals.words import clause, human, key_name, signal_name, value_text

Kind = Literal["opening", "choice", "closing", "end", "waiting", "failed"]

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
class Contribution:
    """weight · value of one signal; `share` in [0, 1] is its size beside the largest shown."""

    key: str
    name: str
    value: str
    weight: float | None
    contribution: float
    share: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A (strategy, node) pair as it was scored. `gates` names what ruled it out, if anything."""

    strategy: str
    node_id: str
    label: str
    final: float
    base: float
    multiplier: float
    bonus: float
    rank: int
    gates: tuple[str, ...]
    contributions: tuple[Contribution, ...]

    @property
    def title(self) -> str:
        """Strategy and focus, or the strategy alone where it asks about no node."""
        return f"{human(self.strategy)} → {self.label}" if self.label else human(self.strategy)

    @property
    def phase_effect(self) -> float:
        """What multiplier and bonus of the phase added to the base score."""
        return self.final - self.base

    @property
    def phase_terms(self) -> str:
        """The phase's multiplier and bonus; a negative score may have been divided instead."""
        divided = (
            self.base < 0
            and self.multiplier > 0
            and abs(self.base / self.multiplier + self.bonus - self.final) < 1e-6
        )
        sign = "÷" if divided and self.multiplier != 1 else "×"
        return f"{sign}{self.multiplier:g} {self.bonus:+g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A signal's value at a turn."""

    key: str
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the turn decided, as sentences (`because`, `against`), bars and numbers."""

    kind: Kind
    strategy: str = ""
    focus: str = ""
    phase: str = ""
    because: str = ""
    against: str = ""
    reason: str = ""
    winner: Candidate | None = None
    runner_up: Candidate | None = None
    candidates: tuple[Candidate, ...] = ()
    ruled_out: int = 0
    bars: tuple[Contribution, ...] = ()
    phase_share: float = 0.0
    chips: tuple[Chip, ...] = ()
    focus_chips: tuple[Chip, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTrace:
    """The fields of a turn's row that say what it decided."""

    number: int
    status: str
    strategy: str
    focus_node_id: str
    focus_label: str
    phase: str
    continuation: str
    continuation_reason: str
    signals: Mapping[str, Any]
    node_signals: Mapping[str, Any]
    decomposition: Sequence[Mapping[str, Any]]


def decision_of(trace: TurnTrace) -> Decision:
    """Read a turn's trace; incomplete traces give what they hold."""
    candidates = tuple(
        sorted((_candidate(row) for row in trace.decomposition), key=lambda c: c.rank)
    )
    winner = _winner(trace, candidates)
    open_ones = [c for c in candidates if not c.gates and c is not winner]
    bars, phase_share = _bars(winner)
    own = trace.node_signals.get(trace.focus_node_id, {}) if trace.focus_node_id else {}
    contributions = winner.contributions if winner else ()
    return Decision(
        kind=_kind(trace),
        strategy=human(trace.strategy),
        focus=trace.focus_label,
        phase=PHASES.get(trace.phase, trace.phase),
        because=listing(_clauses(contributions, positive=True)),
        against=listing(_clauses(contributions, positive=False)),
        reason=reason_of(trace.continuation_reason) if trace.continuation_reason else "",
        winner=winner,
        runner_up=open_ones[0] if winner and open_ones else None,
        candidates=candidates,
        ruled_out=sum(bool(c.gates) for c in candidates),
        bars=bars,
        phase_share=phase_share,
        chips=tuple(_chips(trace.signals)),
        focus_chips=tuple(_chips(own)) if isinstance(own, Mapping) else (),
    )


def listing(clauses: Sequence[str]) -> str:
    """Join as in a sentence: "a, b and c"; empty for none."""
    if len(clauses) < 2:
        return "".join(clauses)
    return f"{', '.join(clauses[:-1])} and {clauses[-1]}"


def _shown(value: Value) -> str:
    return human(value_text(value))


def _kind(trace: TurnTrace) -> Kind:
    if trace.status == "failed":
        return "failed"
    if trace.status != "done":
        return "waiting"
    if trace.number == 0:
        return "opening"
    continuation = trace.continuation.lower()
    if continuation == "end":
        return "end"
    return "closing" if continuation == "close" else "choice"


def _candidate(row: Mapping[str, Any]) -> Candidate:
    final = _number(row.get("final"))
    return Candidate(
        strategy=str(row.get("strategy") or ""),
        node_id=str(row.get("node_id") or ""),
        label=str(row.get("label") or ""),
        final=final,
        base=_number(row.get("base"), final),
        multiplier=_number(row.get("phase_multiplier"), 1.0),
        bonus=_number(row.get("phase_bonus")),
        rank=int(_number(row.get("rank"))),
        gates=tuple(human(str(gate)) for gate in row.get("gates") or ()),
        contributions=tuple(_contribution(part) for part in row.get("contributions") or ()),
    )


def _contribution(part: Mapping[str, Any]) -> Contribution:
    key = str(part.get("key", ""))
    weight = part.get("weight")
    return Contribution(
        key=key,
        name=key_name(key),
        value=_shown(part.get("value", 0.0)),
        weight=_number(weight) if weight is not None else None,
        contribution=_number(part.get("contribution")),
    )


def _winner(trace: TurnTrace, candidates: Sequence[Candidate]) -> Candidate | None:
    """The candidate that was followed, which a closing override need not be the best of."""
    for candidate in candidates:
        if candidate.strategy == trace.strategy and candidate.node_id == trace.focus_node_id:
            return candidate
    return None


def _clauses(contributions: Sequence[Contribution], *, positive: bool) -> list[str]:
    sign = 1 if positive else -1
    telling = [c for c in contributions if sign * c.contribution > 0]
    telling.sort(key=lambda c: -abs(c.contribution))
    found = dict.fromkeys(clause(c.key) for c in telling)
    return list(found)[:REASONS_TOLD]


def _bars(winner: Candidate | None) -> tuple[tuple[Contribution, ...], float]:
    """Contributions that act, largest first, and the share of the phase's effect beside them."""
    if winner is None:
        return (), 0.0
    acting = [c for c in winner.contributions if c.contribution]
    acting.sort(key=lambda c: -abs(c.contribution))
    scale = max([abs(c.contribution) for c in acting] + [abs(winner.phase_effect)], default=0.0)
    if not scale:
        return (), 0.0
    bars = tuple(
        Contribution(
            key=c.key,
            name=c.name,
            value=c.value,
            weight=c.weight,
            contribution=c.contribution,
            share=abs(c.contribution) / scale,
        )
        for c in acting
    )
    return bars, abs(winner.phase_effect) / scale


def _chips(signals: Mapping[str, Any]) -> Iterator[Chip]:
    flat = dict(_flat(signals))
    order = [key for key in CHIP_ORDER if key in flat]
    for key in order + sorted(flat.keys() - set(order)):
        if flat[key] is not None:
            yield Chip(key=key, name=signal_name(key), value=_shown(flat[key]))


def _flat(signals: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested values under dotted keys; lists are no reading matter and stay out."""
    for key, value in signals.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        elif not isinstance(value, list):
            yield f"{prefix}{key}", value


def _number(value: object, default: float = 0.0) -> float:
    """A stored number, or `default` where there is none."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    return default
