"""The scores of all (strategy, node) pairs of a turn, by one matrix product.

A table has a row for each strategy, in tie order (used less, then by name), and a column for each
node, oldest first, after column 0, which stands for "no node". Where no node was mentioned later, a
pair's position in the table says who wins a tie.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from methodologies.columns import Mask, Matrix, SignalColumns
from methodologies.qualifiers import WeightKey, parse_key
from methodologies.schema import MethodologySchema, Phase, StrategySpec
from methodologies.signals.base import SignalReading


class NodeRef(NamedTuple):
    """A live node that may become the focus; `order` ranks nodes of the same first turn.

    `last_said` is greater the later the node was mentioned last; 0 where that is not known.
    """

    id: str
    first_turn: int
    order: int = 0
    last_said: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A strategy, its parsed weights, and what the phase does to its score."""

    spec: StrategySpec
    weights: tuple[tuple[WeightKey, float], ...]
    multiplier: float
    bonus: float


class Amounts:
    """What weight keys amount to for a pair; most are the same for all strategies and are worked
    out together, by view (see :class:`SignalColumns`).
    """

    def __init__(self, columns: SignalColumns, keys: Iterable[WeightKey]) -> None:
        self.columns = columns
        shared = [key for key in keys if key.spec.scope in ("global", "node")]
        self.by_view = columns.by_view(shared)
        self.place = {key.text: i for i, key in enumerate(shared)}
        self._of_view: dict[int, list[float]] = {}

    def acting(self, row: Row, column: int) -> Iterator[tuple[WeightKey, float, float]]:
        """The keys of a strategy that act at one position, with their weights and amounts.

        Most of them do not act in a given turn.
        """
        view = int(self.columns.places[column])
        shared = self._of_view.get(view)
        if shared is None:
            shared = self._of_view[view] = self.by_view[:, view].tolist()
        for key, weight in row.weights:
            if (place := self.place.get(key.text)) is not None:
                amount = shared[place]
            else:
                amount = float(self.columns.own(key, row.spec.name)[column])
            if weight * amount != 0:
                yield key, weight, amount


@dataclass(slots=True, kw_only=True)
class ScoreTable:
    """All pairs. `exists` marks those that the strategies' node binding asks for, `blocked` those
    that a gate takes out.

    `final` holds the scores after the phase. In two-stage selection they come from session-wide
    weights only and `node_score` holds the node's part; in joint selection it is 0. `last_said`
    says by column which node was mentioned later, 0 for no node.
    """

    rows: tuple[Row, ...]
    nodes: tuple[NodeRef, ...]
    two_stage: bool
    literal: bool
    amounts: Amounts
    exists: Mask
    final: Matrix
    node_score: Matrix
    last_said: NDArray[np.intp]
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
    rows, two_stage = _rows(methodology, phase, uses), methodology.selection == "two_stage"
    ordered = tuple(sorted(nodes, key=attrgetter("first_turn", "order", "id")))
    shape = (len(rows), len(ordered) + 1)
    columns = SignalColumns(reading=reading, node_ids=[node.id for node in ordered])
    amounts = Amounts(columns, _keys(rows))
    table = ScoreTable(
        rows=rows,
        nodes=ordered,
        two_stage=two_stage,
        literal=methodology.phase_rule == "literal",
        amounts=amounts,
        exists=np.zeros(shape, np.bool_),
        blocked=np.zeros(shape, np.bool_),
        final=_phased_rows(
            _scores(rows, amounts, of_nodes=False if two_stage else None),
            rows,
            literal=methodology.phase_rule == "literal",
        ),
        node_score=_scores(rows, amounts, of_nodes=True) if two_stage else np.zeros(shape),
        last_said=np.array([0, *(node.last_said for node in ordered)], np.intp),
    )
    for i, row in enumerate(rows):
        table.exists[i, 1:] = row.spec.node_binding == "required"
        table.exists[i, 0] = row.spec.node_binding == "none"
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


def _scores(rows: Sequence[Row], amounts: Amounts, *, of_nodes: bool | None) -> Matrix:
    """Σ weight × amount for all pairs: of a node's keys, of all others, or (None) of every key.

    What is the same for all strategies goes through the matrix product; the few signals that
    belong to a strategy are added to its row.
    """
    weights = np.zeros((len(rows), len(amounts.place)))
    own: list[tuple[int, WeightKey, float]] = []
    for i, row in enumerate(rows):
        for key, weight in row.weights:
            if of_nodes is not None and key.spec.node_scoped is not of_nodes:
                continue
            if (place := amounts.place.get(key.text)) is None:
                own.append((i, key, weight))
            else:
                weights[i, place] = weight
    # Not `@`: for matrices of this size a threaded BLAS spends its time waiting for busy cores.
    by_view = np.einsum("sk,kv->sv", weights, amounts.by_view)
    scores: Matrix = by_view[:, amounts.columns.places]
    for i, key, weight in own:
        scores[i] += weight * amounts.columns.own(key, rows[i].spec.name)
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
