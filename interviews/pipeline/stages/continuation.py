"""Stage 7: whether to go on, to close, or to end; settles what the next question is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from interviews.modes.base import Director, led
from interviews.turns.context import TurnView
from interviews.turns.contracts import (
    ContinuationOutput,
    StateComputationOutput,
    StrategySelectionOutput,
)


class ContinuationStage:
    """Takes the director's verdict."""

    name: ClassVar[str] = "continuation"
    reads: ClassVar[tuple[type, ...]] = ()
    reads_answer: ClassVar[tuple[type, ...]] = (StateComputationOutput, StrategySelectionOutput)
    gives: ClassVar[type] = ContinuationOutput
    directs: ClassVar[tuple[str, ...]] = ("proceed",)
    opens: ClassVar[bool] = False

    def __init__(self, directors: Mapping[str, Director]) -> None:
        self._directors = directors

    def run(self, context: TurnView) -> ContinuationOutput:
        director = self._directors[context.session.mode]
        return director.proceed(led(context, director, "proceed"))
