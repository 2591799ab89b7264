"""Signals of the order of strategies over the turns."""

from __future__ import annotations

from collections import Counter

from methodologies.signals.base import Known, SignalInputs, SignalWords, StrategyValues, signal

FULL_RUN = 5
RECENT_TURNS = 8


@signal(
    name="temporal.strategy_repetition_count",
    scope="strategy",
    kind="ratio",
    summary="How long this strategy has been used without a break",
    words=SignalWords(
        name="same strategy before",
        clauses={
            "": "the same strategy was used just before",
            "low": "the strategy was not used just before",
            "high": "the same strategy was used again and again",
        },
    ),
)
def strategy_repetition_count(inputs: SignalInputs, known: Known) -> StrategyValues:
    """The strategy's trailing run ÷ 5, in [0, 1]; 0 for any strategy but the last used."""
    last, run = inputs.trailing_run
    if last is None:
        return StrategyValues(default=0.0)
    return StrategyValues(default=0.0, values={last: min(run / FULL_RUN, 1.0)})


@signal(
    name="temporal.strategy_share",
    scope="strategy",
    kind="ratio",
    summary="How often this strategy was used lately",
    words=SignalWords(
        name="share of recent turns",
        clauses={
            "": "the strategy was used lately",
            "low": "the strategy was hardly used lately",
            "high": "the strategy was used again and again lately",
        },
    ),
)
def strategy_share(inputs: SignalInputs, known: Known) -> StrategyValues:
    """Uses of the strategy in the last 8 turns ÷ 8, in [0, 1]; sees two that take turns."""
    uses = Counter(inputs.strategy_history[-RECENT_TURNS:])
    shares = {strategy: count / RECENT_TURNS for strategy, count in uses.items()}
    return StrategyValues(default=0.0, values=shares)


@signal(
    name="temporal.turns_since_strategy_change",
    kind="ratio",
    summary="How long the interview has kept to one strategy",
    words=SignalWords(
        name="turns without a change",
        clauses={"": "the strategy has not changed for some turns"},
    ),
)
def turns_since_strategy_change(inputs: SignalInputs, known: Known) -> float:
    """(Trailing run of the last strategy − 1) ÷ 5, in [0, 1]; 0 before the first strategy."""
    _, run = inputs.trailing_run
    return min(max(run - 1, 0) / FULL_RUN, 1.0)


LINE_RUNS = ("1", "2", "3", "4")


@signal(
    name="temporal.line_run",
    kind="count",
    values=LINE_RUNS,
    summary="How many questions running followed one line of the graph",
    words=SignalWords(
        name="questions on one line",
        clauses={
            "zero": "the last question was about no concept",
            "nonzero": "the last questions followed one line",
        },
    ),
)
def line_run(inputs: SignalInputs, known: Known) -> int:
    """Questions running whose focus is that of the question before, or one edge away from it.

    From 0 up; 0 where the last question was about no concept, 1 where it began a line. Asked about
    were A, B, C, and A and B are linked, B and C too: 3. Were B and C not linked: 1.
    """
    return inputs.line_run
