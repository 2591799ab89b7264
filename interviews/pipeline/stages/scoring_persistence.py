"""Stage 10: the session's new state and the trace of this turn's decision, ready to be written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import ClassVar

from interviews.modes.base import Director, led
from interviews.modes.registry import stored_state
from interviews.pipeline.trace import turn_result
from interviews.turns.context import TurnView
from interviews.turns.contracts import (
    ContextLoadingOutput,
    ContinuationOutput,
    ExtractionOutput,
    GraphUpdateOutput,
    QuestionGenerationOutput,
    ResponseSavingOutput,
    ScoringPersistenceOutput,
    SlotDiscoveryOutput,
    SrlPreprocessingOutput,
    StateComputationOutput,
    StrategySelectionOutput,
    UtteranceSavingOutput,
    Verdict,
)
from interviews.turns.state import (
    HISTORY_KEPT,
    CounterState,
    FocusEntry,
    SessionState,
    VelocityState,
)


class ScoringPersistenceStage:
    """Folds the turn into the session's state; the engine's caller writes it all at once."""

    name: ClassVar[str] = "scoring_persistence"
    reads: ClassVar[tuple[type, ...]] = (
        ContextLoadingOutput,
        QuestionGenerationOutput,
        ResponseSavingOutput,
    )
    reads_answer: ClassVar[tuple[type, ...]] = (
        UtteranceSavingOutput,
        SrlPreprocessingOutput,
        ExtractionOutput,
        GraphUpdateOutput,
        SlotDiscoveryOutput,
        StateComputationOutput,
        StrategySelectionOutput,
        ContinuationOutput,
    )
    gives: ClassVar[type] = ScoringPersistenceOutput
    directs: ClassVar[tuple[str, ...]] = ("remember",)
    opens: ClassVar[bool] = True

    def __init__(self, directors: Mapping[str, Director]) -> None:
        self._directors = directors

    def run(self, context: TurnView) -> ScoringPersistenceOutput:
        return ScoringPersistenceOutput(
            state=self._next_state(context),
            tracker_state=context.tracker.to_dict(),
            result=turn_result(context),
        )

    def _next_state(self, context: TurnView) -> SessionState:
        """What every session keeps, and what its mode keeps beside it."""
        director = self._directors[context.session.mode]
        remembered = director.remember(led(context, director, "remember"))
        state = context.loaded.state if context.is_opening else _after_answer(context)
        kept = stored_state(context.session.mode, remembered)
        return state.model_copy(update={"mode_state": kept})


def _after_answer(context: TurnView) -> SessionState:
    before, computed = context.loaded.state, context.state
    continuation, turn = context.continuation, context.job.number
    if continuation.verdict is Verdict.END:
        asked = before
    else:
        focus, strategy = continuation.focus, continuation.strategy
        entry = FocusEntry(
            turn=turn,
            kind=focus.kind if focus else None,
            ref=focus.ref if focus else "",
            label=focus.label if focus else "",
            strategy=strategy,
        )
        asked = before.model_copy(update={"focus_history": (*before.focus_history, entry)})
        if not continuation.rephrases:
            uses = before.strategy_uses
            asked = asked.model_copy(
                update={
                    "strategy_history": (*before.strategy_history, strategy)[-HISTORY_KEPT:],
                    "strategy_uses": {**uses, strategy: uses.get(strategy, 0) + 1},
                }
            )
    closing = continuation.verdict is Verdict.CLOSE
    return asked.model_copy(
        update={
            "depth_history": computed.depth_history,
            "velocity": VelocityState(**asdict(computed.velocity)),
            "counters": CounterState(**asdict(computed.counters)),
            "closing_reason": continuation.reason if closing else before.closing_reason,
            "rephrasings": before.rephrasings + 1 if continuation.rephrases else 0,
        }
    )
