"""Runs the stages of a turn over its context. Knows no Django and no stage by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from interviews.errors import PipelineError, PipelineOrderError, StageFailed
from interviews.turns.context import TurnContext, TurnView


class Stage(Protocol):
    """One step of a turn.

    `reads` are the contracts it needs on every turn, `reads_answer` those it needs where there is
    an answer, `gives` the contract it returns; it gets a view of the turn that shows it no others.
    `directs` are the methods of a mode's director that it calls. A stage with `opens` also runs on
    turn 0, which has no answer.
    """

    name: ClassVar[str]
    reads: ClassVar[tuple[type, ...]]
    reads_answer: ClassVar[tuple[type, ...]]
    directs: ClassVar[tuple[str, ...]]
    gives: ClassVar[type]
    opens: ClassVar[bool]

    def run(self, context: TurnView) -> Any: ...


Observer = Callable[[TurnContext, str], None]
"""Called with the context and a stage's name after that stage's contract is on the context."""


Follower = Callable[[TurnContext, object], None]
"""Called with the context and a contract as soon as that contract is on the context."""


class Reader(Protocol):
    """A mode's director, as far as its reading is concerned: by method, the contracts it needs."""

    mode: ClassVar[str]
    reads: ClassVar[Mapping[str, tuple[type, ...]]]


OPENING_ONLY = frozenset({"opening"})
"""Methods of a director that are called on turn 0 alone; all others want an answer."""


def compile_pipeline(
    stages: Sequence[Stage], directors: Sequence[Reader] = ()
) -> tuple[Stage, ...]:
    """Prove that stages and directors find what they read, with and without an answer.

    Raises PipelineOrderError naming the reader and the contract that nobody gave before it.
    """
    for opening in (False, True):
        given: set[type] = set()
        for stage in stages:
            if opening and not stage.opens:
                continue
            for reader, contracts in _readers(stage, directors, opening=opening):
                for contract in contracts:
                    if contract not in given:
                        raise PipelineOrderError(
                            f"{reader} reads {contract.__name__}, which no stage before it gives"
                            f"{' on the opening turn' if opening else ''}"
                        )
            if stage.gives in given:
                raise PipelineOrderError(f"{stage.gives.__name__} is given twice")
            given.add(stage.gives)
    return tuple(stages)


def _readers(
    stage: Stage, directors: Sequence[Reader], *, opening: bool
) -> Iterator[tuple[str, tuple[type, ...]]]:
    """Who reads what in a stage, by name: the stage, and the directors' methods that it calls."""
    yield f"stage {stage.name}", _declared(stage, opening=opening)
    for director in directors:
        for method in stage.directs:
            if opening == (method in OPENING_ONLY):
                yield f"{director.mode}.{method}", director.reads[method]


def _declared(stage: Stage, *, opening: bool) -> tuple[type, ...]:
    return stage.reads if opening else stage.reads + stage.reads_answer


class Engine:
    """Runs a compiled pipeline; `clock` is in seconds, `observe` may raise to stop a turn.

    `directors` are those that the stages may call, `follow` hears of every contract.
    """

    def __init__(
        self,
        stages: Sequence[Stage],
        *,
        clock: Callable[[], float],
        observe: Observer = lambda context, stage: None,
        follow: Follower = lambda context, contract: None,
        directors: Sequence[Reader] = (),
    ) -> None:
        self._stages = compile_pipeline(stages, directors)
        self._follow = follow
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
                declared = _declared(stage, opening=context.is_opening)
                contract = stage.run(context.reading(declared, by=f"stage {stage.name}"))
            except PipelineError:
                raise
            except Exception as error:
                raise StageFailed(stage=stage.name, turn_id=context.job.turn_id) from error
            if not isinstance(contract, stage.gives):
                raise PipelineOrderError(
                    f"stage {stage.name} gave {type(contract).__name__}, not {stage.gives.__name__}"
                )
            context.record(contract)
            self._follow(context, contract)
            context.stage_ms[stage.name] = round((self._clock() - started) * 1000, 2)
            self._observe(context, stage.name)
        return context
