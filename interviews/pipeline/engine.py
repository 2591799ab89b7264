"""Runs the stages of a turn over its context. Knows no Django and no stage by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol

from interviews.errors import PipelineError, PipelineOrderError, StageFailed
from interviews.turns.context import TurnContext


class Stage(Protocol):
    """One step of a turn.

    `reads` are the contracts it needs on every turn, `reads_answer` those it needs where there is
    an answer, `gives` the contract it returns. A stage with `opens` also runs on turn 0, which has
    no answer.
    """

    name: ClassVar[str]
    reads: ClassVar[tuple[type, ...]]
    reads_answer: ClassVar[tuple[type, ...]]
    gives: ClassVar[type]
    opens: ClassVar[bool]

    def run(self, context: TurnContext) -> Any: ...


Observer = Callable[[TurnContext, str], None]
"""Called with the context and a stage's name after that stage's contract is on the context."""


def compile_pipeline(stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """Prove that every stage finds what it reads, with and without an answer.

    Raises PipelineOrderError naming the stage and the contract that nobody gave before it.
    """
    for opening in (False, True):
        given: set[type] = set()
        for stage in stages:
            if opening and not stage.opens:
                continue
            needed = stage.reads if opening else stage.reads + stage.reads_answer
            for contract in needed:
                if contract not in given:
                    raise PipelineOrderError(
                        f"stage {stage.name} reads {contract.__name__}, "
                        f"which no stage before it gives {'on the opening turn' if opening else ''}"
                    )
            if stage.gives in given:
                raise PipelineOrderError(f"{stage.gives.__name__} is given twice")
            given.add(stage.gives)
    return tuple(stages)


class Engine:
    """Runs a compiled pipeline; `clock` is in seconds, `observe` may raise to stop a turn."""

    def __init__(
        self,
        stages: Sequence[Stage],
        *,
        clock: Callable[[], float],
        observe: Observer = lambda context, stage: None,
    ) -> None:
        self._stages = compile_pipeline(stages)
        self._clock = clock
        self._observe = observe

    def run(self, context: TurnContext) -> TurnContext:
        """Run every stage in order and return the context with all contracts on it.

        Raises StageFailed with the cause where a stage raises something unforeseen; pipeline
        errors pass through as they are.
        """
        for stage in self._stages:
            if context.is_opening and not stage.opens:
                continue
            started = self._clock()
            try:
                contract = stage.run(context)
            except PipelineError:
                raise
            except Exception as error:
                raise StageFailed(stage=stage.name, turn_id=context.job.turn_id) from error
            if not isinstance(contract, stage.gives):
                raise PipelineOrderError(
                    f"stage {stage.name} gave {type(contract).__name__}, not {stage.gives.__name__}"
                )
            context.record(contract)
            context.stage_ms[stage.name] = round((self._clock() - started) * 1000, 2)
            self._observe(context, stage.name)
        return context
