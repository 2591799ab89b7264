"""Which strategy to use next, and on which concept: weights × signals → a ranking.

The score of a (strategy, node) pair is the sum of weight × amount over the strategy's weight keys.
The phase then multiplies and adds: `final = score · phase_weight + phase_bonus`, where a negative
score is divided by the phase weight instead, so that favouring a strategy never pushes it down
(`phase_rule: literal` multiplies always). Gates take pairs out without touching their score
(:mod:`methodologies.gates`). Ties go to the node mentioned last, then to the strategy used less in
this session, then to its name, then to the older node; a strategy without a node comes after those
with one. Scores that agree to nine decimals are equal, so that rounding decides nothing.

`selection: joint` ranks pairs on all weights. `selection: two_stage` ranks strategies on their
session-wide weights and then, for strategies bound to a node, nodes on the node-scoped weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from methodologies.columns import Mask
from methodologies.gates import Bar, apply_gates
from methodologies.schema import MethodologySchema, Phase
from methodologies.score_table import NodeRef, ScoreTable, build_table, phased
from methodologies.signals.base import SignalReading

__all__ = [
    "Bar",
    "Candidate",
    "Contribution",
    "NoCandidateError",
    "NodeRef",
    "Ranking",
    "phased",
    "rank",
]

Positions = NDArray[np.intp]

TIE_DECIMALS = 9
_LOOKED_AT = 20
"""A turn looks at the winner, at the runner-up, and then at this many."""


class NoCandidateError(ValueError):
    """No strategy can be asked at all; a validated methodology never comes to this."""


class Contribution(NamedTuple):
    """One weight key's part in a score: `contribution` = `weight` × `value`.

    `value` is the signal's value for a plain key, else 1 where the qualifier matches and 0 where
    not; 0 where the signal is absent.
    """

    key: str
    value: float
    weight: float
    contribution: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A strategy, on a node or without one, with everything that made its place.

    `contributions` are those that are not 0, and `base_score` their sum from left to right, to the
    last bit. In two-stage selection these are the session-wide weights only; the node's part stands
    in `node_contributions`, which sum to `node_score`. `rank` counts from 1 over valid candidates;
    gated ones follow them. `gates` says why it may not be chosen, as "kind: detail".
    """

    strategy: str
    node_id: str | None
    contributions: tuple[Contribution, ...]
    base_score: float
    phase_multiplier: float
    phase_bonus: float
    final_score: float
    rank: int
    gates: tuple[str, ...] = ()
    node_contributions: tuple[Contribution, ...] = ()
    node_score: float = 0.0

    @property
    def phase_divided(self) -> bool:
        """Whether the phase divided a negative score instead of multiplying it."""
        base, multiplier = self.base_score, self.phase_multiplier
        return base < 0 < multiplier and self.final_score == base / multiplier + self.phase_bonus


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Candidates of one turn, best first; each is worked out when it is first looked at.

    `relaxed` is true where every candidate was gated and the best was taken nevertheless: its
    `gates` say what was overridden.
    """

    relaxed: bool
    _table: ScoreTable
    _valid: Mask
    _gated: Mask
    _order: list[np.intp] = field(default_factory=list)
    _best: list[Candidate] = field(default_factory=list)

    def __len__(self) -> int:
        """Number of valid candidates, at least 1."""
        return int(np.count_nonzero(self._valid))

    @property
    def chosen(self) -> Candidate:
        """The winner."""
        return self.top(1)[0]

    @property
    def runner_up(self) -> Candidate | None:
        """The next best candidate, None where there is only one."""
        best = self.top(2)
        return best[1] if len(best) > 1 else None

    @property
    def gated(self) -> tuple[Candidate, ...]:
        """Every candidate that a gate took out, best first."""
        return self.top_gated(int(np.count_nonzero(self._gated)))

    def top(self, n: int) -> tuple[Candidate, ...]:
        """The `n` best valid candidates."""
        if len(self._order) < n:
            self._order[:] = _first(self._table, self._valid, max(n, _LOOKED_AT))
        for flat in self._order[len(self._best) : n]:
            self._best.append(_candidate(self._table, flat, len(self._best) + 1))
        return tuple(self._best[:n])

    def top_gated(self, n: int) -> tuple[Candidate, ...]:
        """The `n` best of those that a gate took out."""
        places = enumerate(_first(self._table, self._gated, n), start=len(self) + 1)
        return tuple(_candidate(self._table, flat, place) for place, flat in places)


def rank(
    methodology: MethodologySchema,
    reading: SignalReading,
    *,
    phase: Phase,
    nodes: Sequence[NodeRef] = (),
    strategy_history: Sequence[str] = (),
    strategy_uses: Mapping[str, int] | None = None,
    closing_allowed: bool = False,
    left_alone: Collection[str] = frozenset(),
    closing_only: bool = False,
    bars: Iterable[Bar] = (),
) -> Ranking:
    """Score and rank all strategies on all nodes.

    `nodes` are the live nodes, `strategy_history` the strategies of earlier turns (oldest first),
    `strategy_uses` their counts where the history does not reach back to the first turn,
    `left_alone` the foci that the respondent refused. Closing strategies compete where
    `closing_allowed`; with `closing_only` nothing else does, for a turn that has to close. `bars`
    are what the exchange takes out.

    The order of strategies, nodes and weights changes nothing. Where all candidates are gated,
    strategies that need no node are taken regardless of their conditions and the phase (see
    :attr:`Ranking.relaxed`). Raises NoCandidateError where there is none of those either.
    """
    uses = Counter(strategy_history) if strategy_uses is None else strategy_uses
    table = build_table(methodology, reading, phase, nodes, uses)
    apply_gates(
        table,
        methodology,
        phase=phase,
        bars=bars,
        left_alone=left_alone,
        closing_allowed=closing_allowed,
        closing_only=closing_only,
        strategy_history=strategy_history,
    )
    valid = table.exists & ~table.blocked
    relaxed = not bool(valid.any())
    if relaxed:
        valid = _last_resort(table, closing_only=closing_only)
        table.exists |= valid
    if not bool(valid.any()):
        kind = "closing" if closing_only else "non-closing"
        raise NoCandidateError(
            f"methodology {methodology.method.name} has no {kind} strategy without a node"
        )
    return Ranking(
        relaxed=relaxed,
        _table=table,
        _valid=valid,
        _gated=table.exists & ~valid,
    )


def _last_resort(table: ScoreTable, *, closing_only: bool) -> Mask:
    """Strategies that can be asked without a node, gated or not; a closing one always can."""
    mask = np.zeros(table.shape, np.bool_)
    for i, row in enumerate(table.rows):
        if row.spec.generates_closing_question is closing_only:
            mask[i, 0] = closing_only or row.spec.node_binding == "none"
    return mask


# -- order and candidates --------------------------------------------------------------------------
def _first(table: ScoreTable, wanted: Mask, n: int) -> Positions:
    """Flat positions of the `n` best wanted pairs, best first; among equals the node mentioned last
    comes first, then the table's own order decides.

    Only those are put in order that score as much as the n-th: there may be thousands of pairs.
    """
    flat = np.flatnonzero(wanted)
    final = np.round(table.final.ravel()[flat], TIE_DECIMALS)
    if 0 < n < len(flat):
        among = final >= np.partition(final, len(flat) - n)[len(flat) - n]
        flat, final = flat[among], final[among]
    row, column = np.divmod(flat, table.shape[1])
    said = table.last_said[column]
    if not table.two_stage:
        return flat[np.lexsort((column, row, -said, -final))][:n]
    node_score = np.round(table.node_score.ravel()[flat], TIE_DECIMALS)
    return flat[np.lexsort((column, -said, -node_score, row, -final))][:n]


def _candidate(table: ScoreTable, flat: np.intp, place: int) -> Candidate:
    i, column = divmod(int(flat), table.shape[1])
    row = table.rows[i]
    parts: list[Contribution] = []
    node_parts: list[Contribution] = []
    for key, weight, value in table.amounts.acting(row, column):
        part = Contribution(key.text, value, weight, weight * value)
        (node_parts if table.two_stage and key.spec.node_scoped else parts).append(part)
    base = float(sum(part.contribution for part in parts))
    return Candidate(
        strategy=row.spec.name,
        node_id=table.nodes[column - 1].id if column else None,
        contributions=tuple(parts),
        base_score=base,
        phase_multiplier=row.multiplier,
        phase_bonus=row.bonus,
        final_score=phased(base, row.multiplier, row.bonus, literal=table.literal),
        rank=place,
        gates=table.reasons(i, column),
        node_contributions=tuple(node_parts),
        node_score=float(sum(part.contribution for part in node_parts)),
    )
