"""Rules that weights must not break: what takes a strategy, a node or a pair of them out.

What keeps nodes and strategies apart in one turn comes as :class:`Bar`s, plain data that can be
stored and applied again. What a strategy says of itself (`valid_when`, `suits`) and what the phase
and the run of strategies forbid is read off the methodology. A gate touches no score; the trace
names it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from methodologies.columns import Mask
from methodologies.qualifiers import WeightKey, parse_key
from methodologies.schema import MethodologySchema, Suits
from methodologies.score_table import ScoreTable

SUITS = {
    "types": "graph.node.type",
    "levels": "graph.node.level",
    "stances": "graph.node.stance",
    "natures": "graph.node.nature",
}
"""The signal that each field of :class:`Suits` speaks of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Takes pairs out, for a `reason` in the form "kind: detail".

    Those of `strategies`, of all where there are none named, on `nodes`. With `others` the nodes
    are those that are spared, and all others are taken out. Where `nodes` is None the strategies
    are taken out altogether, those without a node too.
    """

    reason: str
    strategies: tuple[str, ...] = ()
    nodes: tuple[str, ...] | None = None
    others: bool = False


def signals_of_gates(methodology: MethodologySchema) -> frozenset[str]:
    """The signals that gates read, whether they are listed or not."""
    return frozenset(
        signal
        for strategy in methodology.strategies
        for field, signal in SUITS.items()
        if getattr(strategy.suits, field)
    )


def apply_gates(
    table: ScoreTable,
    methodology: MethodologySchema,
    *,
    phase: str,
    bars: Iterable[Bar],
    left_alone: Collection[str],
    closing_allowed: bool,
    closing_only: bool,
    strategy_history: Sequence[str],
) -> None:
    """Take out of the table what may not be chosen; the run of strategies is judged last."""
    _conditions(table)
    _unsuited(table)
    _phase(table, phase)
    if left_alone:
        reason = "left alone: refused, told before or not understood"
        _bar(table, Bar(reason=reason, nodes=tuple(left_alone)))
    for bar in bars:
        _bar(table, bar)
    _closing(table, allowed=closing_allowed, only=closing_only)
    _run(table, strategy_history, methodology.max_run)


def _conditions(table: ScoreTable) -> None:
    for i, row in enumerate(table.rows):
        for text, expected in row.spec.valid_when.items():
            key = parse_key(text)
            mask = ~table.amounts.columns.holds(key, row.spec.name, expected=expected)
            table.block(f"valid_when: {text} must be {str(expected).lower()}", mask, row=i)


def _unsuited(table: ScoreTable) -> None:
    for i, row in enumerate(table.rows):
        if row.spec.node_binding == "none":
            continue
        for field, keys in _wanted(row.spec.suits):
            holds = [table.amounts.columns.holds(key, row.spec.name, expected=True) for key in keys]
            table.block(f"suits: not for {field} like this", ~np.logical_or.reduce(holds), row=i)


@cache
def _wanted(suits: Suits) -> tuple[tuple[str, tuple[WeightKey, ...]], ...]:
    return tuple(
        (field, tuple(parse_key(f"{signal}.{value}") for value in getattr(suits, field)))
        for field, signal in SUITS.items()
        if getattr(suits, field)
    )


def _phase(table: ScoreTable, phase: str) -> None:
    zero = table.where_rows([row.multiplier == 0 for row in table.rows])
    table.block(f"phase: weight 0 in {phase}", zero)


def _bar(table: ScoreTable, bar: Bar) -> None:
    chosen = [not bar.strategies or row.spec.name in bar.strategies for row in table.rows]
    mask = table.where_rows(chosen)
    if bar.nodes is not None:
        named = frozenset(bar.nodes)
        out = np.zeros(table.shape[1], np.bool_)
        out[1:] = [(node.id in named) is not bar.others for node in table.nodes]
        mask &= out
    table.block(bar.reason, mask)


def _closing(table: ScoreTable, *, allowed: bool, only: bool) -> None:
    closing = [row.spec.generates_closing_question for row in table.rows]
    if only:
        others = table.where_rows([not flag for flag in closing])
        table.block("closing: this turn has to close the interview", others)
    elif not allowed:
        mask = table.where_rows(closing)
        table.block("closing: neither in the late phase nor saturated", mask)


def _run(table: ScoreTable, history: Sequence[str], max_run: int) -> None:
    """Let a strategy wait that ran `max_run` turns while another, non-closing one could be used."""
    recent = history[-max_run:]
    if len(recent) < max_run or len(set(recent)) > 1:
        return
    running = [row.spec.name == recent[0] for row in table.rows]
    usable: Mask = np.asarray((table.exists & ~table.blocked).any(axis=1))
    if any(
        usable[i] and not running[i] and not row.spec.generates_closing_question
        for i, row in enumerate(table.rows)
    ):
        table.block(f"max_run: used {max_run} turns running", table.where_rows(running))


# -- what the exchange bars ------------------------------------------------------------------------
MOST_LADDERING = 3
"""Laddering questions running on one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What of the exchange so far bars strategies and nodes; nodes by their ids.

    `refused_by` is the strategy whose question was refused just now, `resting` what lies beside
    what was refused lately, `finished` lines to which nothing was to be added. `line` holds the
    nodes at most one edge from the last focus, it among them, and `laddered` counts the laddering
    questions running on it. `topped` are the nodes above which something is known, or nothing can
    be. `opened` says that the answer gave a new node or a lead, and `mentioned` what it spoke of.
    """

    refused_by: str = ""
    resting: frozenset[str] = frozenset()
    finished: frozenset[str] = frozenset()
    disclaimed: frozenset[str] = frozenset()
    line: frozenset[str] = frozenset()
    laddered: int = 0
    topped: frozenset[str] = frozenset()
    opened: bool = False
    line_finished: bool = False
    mentioned: frozenset[str] = frozenset()
    off_track: bool = False


def bars_of(exchange: Exchange, methodology: MethodologySchema) -> Iterator[Bar]:
    """The bars of a turn.

    - A strategy that was refused rests one turn, what lies beside the refused node two.
    - Lines to which nothing was to be added are finished.
    - What was played down or denied is not laddered, and no line more than three times running.
    - Nothing is laddered down while nothing is known above it.
    - An older node waits while the answer opened something and its line is not finished.
    - Where the talk has left its subject, the next question is about that and no node.
    """
    laddering = tuple(s.name for s in methodology.strategies if s.ladders)
    down = tuple(s.name for s in methodology.strategies if s.ladders == "down")
    if exchange.refused_by:
        yield Bar(
            reason="refused: the strategy that was refused rests", strategies=(exchange.refused_by,)
        )
    yield from _on("refused: it lies beside what was refused", exchange.resting)
    yield from _on("finished: there was nothing to add", exchange.finished)
    if laddering:
        reason = "disclaimed: what was played down is not laddered"
        yield from _on(reason, exchange.disclaimed, laddering)
        if exchange.laddered >= MOST_LADDERING:
            reason = f"line: {MOST_LADDERING} laddering questions running followed it"
            yield from _on(reason, exchange.line, laddering)
    if down:
        yield Bar(
            reason="order: nothing is known above it yet",
            strategies=down,
            nodes=tuple(sorted(exchange.topped)),
            others=True,
        )
    if exchange.off_track:
        yield Bar(reason="off track: back to the subject", nodes=(), others=True)
    elif exchange.opened and not exchange.line_finished:
        yield Bar(
            reason="going back: the answer opened something",
            nodes=tuple(sorted(exchange.mentioned)),
            others=True,
        )


def _on(reason: str, nodes: Collection[str], strategies: tuple[str, ...] = ()) -> Iterator[Bar]:
    if nodes:
        yield Bar(reason=reason, strategies=strategies, nodes=tuple(sorted(nodes)))
