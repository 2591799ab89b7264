"""What differs between modes of interviewing, behind one protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from interviews.llm.tasks.base import Task, TaskModel
from interviews.turns.context import TurnContext
from interviews.turns.contracts import Continuation, ModeState, Move, StrategySelection


@dataclass(frozen=True, slots=True)
class QuestionTask:
    """A language-model task with the inputs for this turn."""

    task: Task[Any, Any]
    inputs: TaskModel


class Director(Protocol):
    """Leads an interview: what to read in an answer, what to ask about next, when to stop."""

    mode: ClassVar[str]

    def opening(self, context: TurnContext) -> Move:
        """Return the move of turn 0, before there is any answer."""
        ...

    def reading(self, context: TurnContext) -> Sequence[QuestionTask]:
        """Return what stage 3 asks the model about the answer, extraction first."""
        ...

    def observe(self, context: TurnContext) -> ModeState:
        """Return what the mode has learnt from the answer; called by stage 5."""
        ...

    def choose(self, context: TurnContext) -> StrategySelection:
        """Return the strategy and the focus of the next question; called by stage 6."""
        ...

    def proceed(self, context: TurnContext) -> Continuation:
        """Return whether to go on, close or end; called by stage 7."""
        ...

    def compose(self, context: TurnContext) -> QuestionTask:
        """Return the task that words the next question; called by stage 8."""
        ...
