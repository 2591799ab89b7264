"""What a mode of interviewing is: a director, its models, and what a study of it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Protocol

from interviews.llm.tasks.base import Task, TaskModel
from interviews.turns.context import TurnContext
from interviews.turns.contracts import Continuation, ModeState, Move, StrategySelection
from interviews.turns.evidence import Evidence
from interviews.turns.state import StateModel


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


class Need(StrEnum):
    """Whether a study of a mode has a document."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """The documents of a study."""

    methodology: Need = Need.REQUIRED
    concept: Need = Need.REQUIRED


class NoState(StateModel):
    """The state of a mode that keeps nothing beside what every session keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """A way of interviewing. Its package under `interviews/modes` exports one as `MODE`.

    `label` and `purpose` (a sentence) are shown where a study is made. `director` makes the one
    that leads all interviews of a process. `state` is what it keeps of a session between turns and
    `evidence` what its choices rest on; both go through JSON and back without loss.
    """

    name: str
    label: str
    purpose: str
    director: Callable[[], Director]
    evidence: type[Evidence]
    state: type[StateModel] = NoState
    needs: Needs = field(default_factory=Needs)
