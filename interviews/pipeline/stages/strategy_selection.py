"""Stage 6: which strategy asks about which node next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from interviews.modes.base import Director
from interviews.turns.context import TurnContext
from interviews.turns.contracts import StateComputationOutput, StrategySelectionOutput


class StrategySelectionStage:
    """Lets the mode's director choose."""

    name: ClassVar[str] = "strategy_selection"
    reads: ClassVar[tuple[type, ...]] = ()
    reads_answer: ClassVar[tuple[type, ...]] = (StateComputationOutput,)
    gives: ClassVar[type] = StrategySelectionOutput
    opens: ClassVar[bool] = False

    def __init__(self, directors: Mapping[str, Director]) -> None:
        self._directors = directors

    def run(self, context: TurnContext) -> StrategySelectionOutput:
        return self._directors[context.session.mode].choose(context)
