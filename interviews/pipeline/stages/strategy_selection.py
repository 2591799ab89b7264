"""Stage 6: which strategy asks about which node next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from interviews.modes.base import Director, led
from interviews.turns.context import TurnView
from interviews.turns.contracts import StateComputationOutput, StrategySelectionOutput


class StrategySelectionStage:
    """Lets the mode's director choose."""

    name: ClassVar[str] = "strategy_selection"
    reads: ClassVar[tuple[type, ...]] = ()
    reads_answer: ClassVar[tuple[type, ...]] = (StateComputationOutput,)
    gives: ClassVar[type] = StrategySelectionOutput
    directs: ClassVar[tuple[str, ...]] = ("choose",)
    opens: ClassVar[bool] = False

    def __init__(self, directors: Mapping[str, Director]) -> None:
        self._directors = directors

    def run(self, context: TurnView) -> StrategySelectionOutput:
        director = self._directors[context.session.mode]
        return director.choose(led(context, director, "choose"))
