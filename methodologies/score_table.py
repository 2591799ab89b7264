"""The scores of all (strategy, node) pairs of a turn, by one matrix product.

A table has a row for each strategy, in tie order (used less, then by name), and a column for each
node, oldest first, after column 0, which stands for "no node". So a pair's position in the table
already says who wins a tie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from methodologies.columns import Mask, SignalColumns
from methodologies.qualifiers import WeightKey, parse_key
from methodologies.schema import MethodologySchema, Phase, StrategySpec
from methodologies.signals.base import SignalReading

Matrix = NDArray[np.float64]


class NodeRef(NamedTuple):
    """A live node that may become the focus; `order` ranks nodes of the same first turn."""

    id: str
    first_turn: int
    order: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A strategy, its parsed weights, and what the phase does to its score."""

    spec: StrategySpec
    weights: tuple[tuple[WeightKey, float], ...]
    multiplier: float
    bonus: float


@dataclass(slots=True, kw_only=True)
class ScoreTable:
    """All pairs. `exists` marks those that the strategies' node binding asks for, `blocked` those
    that a gate takes out.

    `final` holds the scores after the phase. In two-stage selection they come from session-wide
    weights only and `node_score` holds the node's part; in joint selection it is 0.
    """

    rows: tuple[Row, ...]
    nodes: tuple[NodeRef, ...]
    two_stage: bool
    literal: bool
    columns: SignalColumns
    exists: Mask
    final: Matrix
    node_score: Matrix
    blocked: Mask
    gates: list[tuple[str, int | None, Mask]] = field(default_factory=list)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.nodes) + 1

    def block(self, reason: str, mask: Mask, row: int | None = None) -> None:
        """Take pairs out, of one row or of the table, and remember why."""
        if bool(np.any(mask)):
            self.blocked[slice(None) if row is None else row] |= mask
            self.gates.append((reason, row, mask))

    def reasons(self, row: int, column: int) -> tuple[str, ...]:
        """Why a pair was taken out; empty where it was not."""
        return tuple(
            reason
            for reason, only, mask in self.gates
            if (mask[row, column] if only is None else only == row and mask[column])
        )

    def where_rows(self, flags: Sequence[bool]) -> Mask:
        """A mask of whole rows."""
        return np.repeat(np.array(flags, np.bool_)[:, None], self.shape[1], axis=1)


def build_table(
    methodology: MethodologySchema,
    reading: SignalReading,
    phase: Phase,
    nodes: Sequence[NodeRef],
    uses: Mapping[str, int],
) -> ScoreTable:
    """Score every pair; `uses` counts each strategy's uses in the session."""
    rows = _rows(methodology, phase, uses)
    ordered = tuple(sorted(nodes, key=attrgetter("first_turn", "order", "id")))
    shape = (len(rows), len(ordered) + 1)
    table = ScoreTable(
        rows=rows,
        nodes=ordered,
        two_stage=methodology.selection == "two_stage",
        literal=methodology.phase_rule == "literal",
        columns=SignalColumns(reading=reading, node_ids=[node.id for node in ordered]),
        exists=np.zeros(shape, np.bool_),
        blocked=np.zeros(shape, np.bool_),
        final=np.zeros(shape),
        node_score=np.zeros(shape),
    )
    for i, row in enumerate(rows):
        table.exists[i, 1:] = row.spec.node_binding == "required"
        table.exists[i, 0] = row.spec.node_binding == "none"
    if table.two_stage:
        base = _scores(table, [key for key in _keys(rows) if not key.spec.node_scoped])
        table.node_score = _scores(table, [key for key in _keys(rows) if key.spec.node_scoped])
    else:
        base = _scores(table, _keys(rows))
    table.final = _phased_rows(base, rows, literal=table.literal)
    return table


def phased(base: float, multiplier: float, bonus: float, *, literal: bool = False) -> float:
    """Apply a phase to one score: multiply it (a negative one: divide), then add the bonus.

    `literal` multiplies always. A weight of 0 leaves the bonus.
    """
    if base < 0 < multiplier and not literal:
        return base / multiplier + bonus
    return base * multiplier + bonus


def _rows(methodology: MethodologySchema, phase: Phase, uses: Mapping[str, int]) -> tuple[Row, ...]:
    settings = methodology.phases.get(phase)
    return tuple(
        Row(
            spec=spec,
            weights=tuple((parse_key(key), w) for key, w in spec.signal_weights.items()),
            multiplier=settings.signal_weights.get(spec.name, 1.0) if settings else 1.0,
            bonus=settings.phase_bonuses.get(spec.name, 0.0) if settings else 0.0,
        )
        for spec in sorted(methodology.strategies, key=lambda s: (uses.get(s.name, 0), s.name))
    )


def _keys(rows: Sequence[Row]) -> list[WeightKey]:
    """Every distinct weight key, by name: the order of the file must not matter."""
    found = {key.text: key for row in rows for key, _ in row.weights}
    return [found[text] for text in sorted(found)]


def _scores(table: ScoreTable, keys: Sequence[WeightKey]) -> Matrix:
    """Σ weight × amount of these keys for all pairs.

    What is the same for all strategies goes through the matrix product; the few signals that
    belong to a strategy are added to its row.
    """
    shared = [key for key in keys if key.spec.scope in ("global", "node")]
    own = {key.text for key in keys} - {key.text for key in shared}
    place = {key.text: i for i, key in enumerate(shared)}
    weights = np.zeros((len(table.rows), len(shared)))
    amounts = np.zeros((len(shared), table.shape[1]))
    for i, key in enumerate(shared):
        amounts[i] = table.columns.of(key, "").amounts
    for i, row in enumerate(table.rows):
        for key, weight in row.weights:
            if key.text in place:
                weights[i, place[key.text]] = weight
    # Not `@`: for matrices of this size a threaded BLAS spends its time waiting for busy cores.
    scores: Matrix = np.einsum("sk,kn->sn", weights, amounts)
    for i, row in enumerate(table.rows):
        for key, weight in row.weights:
            if key.text in own:
                scores[i] += weight * table.columns.of(key, row.spec.name).amounts
    return scores


def _phased_rows(base: Matrix, rows: Sequence[Row], *, literal: bool) -> Matrix:
    """:func:`phased` for the whole table."""
    multiplier = np.array([row.multiplier for row in rows])[:, None]
    bonus = np.array([row.bonus for row in rows])[:, None]
    scaled = base * multiplier
    if not literal:
        divisor = np.where(multiplier > 0, multiplier, 1.0)
        scaled = np.where((base < 0) & (multiplier > 0), base / divisor, scaled)
    phased_scores: Matrix = scaled + bonus
    return phased_scores
