"""What was measured and chosen in each turn of an interview, as rows of a table and of charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from interviews.explain.decision import Decision
from interviews.turns.result import TurnResult
from methodologies.signals.words import human, signal_name

SATURATION_MEANS = (
    "Saturation says how far the flow of new concepts has fallen from its peak: 0.00 where an "
    "answer brought as many new ones as any before, 1.00 where the last answer brought none. It is "
    "of this respondent and these questions; it does not say that nothing is left to hear, from "
    "them or from others."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRow:
    """One turn. `saturation` and `newness` are in [0, 1], None where nothing was measured.

    `saturation` is 1 − new concepts ÷ the most that any answer brought; `newness` the turn's share
    of new ones among the concepts that were mentioned.
    """

    number: int
    strategy: str
    focus: str
    phase: str
    added: int
    links: int
    saturation: float | None
    newness: float | None
    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class OverTurns:
    """The turns of an interview, and the names of what was measured of them by key."""

    rows: Sequence[TurnRow]
    signals: Mapping[str, str]

    @property
    def table(self) -> list[tuple[TurnRow, list[float | None]]]:
        """Each row with its signals in order, None where one was not measured."""
        return [(row, [row.figures.get(key) for key in self.signals]) for row in self.rows]

    def data(self) -> dict[str, Any]:
        """The same for the page's charts."""
        return {
            "turns": [row.number for row in self.rows],
            "saturation": [row.saturation for row in self.rows],
            "newness": [row.newness for row in self.rows],
            "strategy": [row.strategy for row in self.rows],
            "focus": [row.focus for row in self.rows],
            "signals": [
                {"name": name, "values": [row.figures.get(key) for row in self.rows]}
                for key, name in self.signals.items()
            ],
        }


def over_turns(
    decisions: Mapping[int, Decision], results: Mapping[int, TurnResult | None]
) -> OverTurns:
    """The turns that heard an answer and can be read, in order."""
    rows = [
        _row(number, decisions[number], result)
        for number, result in sorted(results.items())
        if result is not None and number >= 1 and decisions[number].kind != "failed"
    ]
    keys = sorted({key for row in rows for key in row.figures})
    return OverTurns(rows=rows, signals={key: signal_name(key) for key in keys})


def _row(number: int, decision: Decision, result: TurnResult) -> TurnRow:
    saturation = result.saturation
    return TurnRow(
        number=number,
        strategy=_strategy(decision),
        focus=decision.focus,
        phase=human(decision.phase),
        added=len(result.nodes_added),
        links=len(result.edges_added),
        saturation=saturation.conversation if saturation else None,
        newness=saturation.new_info_rate if saturation else None,
        figures={
            key: float(value)
            for key, value in decision.figures.items()
            if isinstance(value, (int, float))
        },
    )


def _strategy(decision: Decision) -> str:
    asked = decision.strategy and decision.kind != "end"
    return human(decision.strategy) if asked else "no question followed"
