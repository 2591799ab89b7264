"""Stage 7: whether to go on, to close, or to end; settles what the next question is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from interviews.modes.base import Director
from interviews.turns.context import TurnContext
from interviews.turns.contracts import (
    ContinuationOutput,
    StateComputationOutput,
    StrategySelectionOutput,
    Verdict,
)


class ContinuationStage:
    """Takes the director's verdict and tells the tracker which node the question will be about.

    The tracker learns the focus here, not in stage 6, because closing overrides what was chosen
    there, and credit must go to the node that is really asked about. A question that is put in
    other words is none more: the tracker hears nothing of it.
    """

    name: ClassVar[str] = "continuation"
    reads: ClassVar[tuple[type, ...]] = ()
    reads_answer: ClassVar[tuple[type, ...]] = (StateComputationOutput, StrategySelectionOutput)
    gives: ClassVar[type] = ContinuationOutput
    opens: ClassVar[bool] = False

    def __init__(self, directors: Mapping[str, Director]) -> None:
        self._directors = directors

    def run(self, context: TurnContext) -> ContinuationOutput:
        continuation = self._directors[context.session.mode].proceed(context)
        if continuation.verdict is not Verdict.END and not continuation.rephrases:
            focus = continuation.focus
            context.tracker.update_focus(
                focus.node_id if focus else None, context.job.number, continuation.strategy
            )
        return continuation
