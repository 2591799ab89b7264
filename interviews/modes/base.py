"""What a mode of interviewing is: a director, its models, and what a study of it needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Protocol, runtime_checkable

from interviews.guards import ADAPTIVE, GuardProfile
from interviews.llm.tasks.base import Task, TaskModel
from interviews.llm.tasks.questions import Problem
from interviews.turns.blocks import Block
from interviews.turns.context import SessionSnapshot, TurnView
from interviews.turns.contracts import (
    ContextLoadingOutput,
    Continuation,
    ContinuationOutput,
    ExtractionOutput,
    GraphUpdateOutput,
    QuestionGenerationOutput,
    SlotDiscoveryOutput,
    SrlPreprocessingOutput,
    StateComputationOutput,
    StrategySelection,
    StrategySelectionOutput,
    UtteranceSavingOutput,
)
from interviews.turns.evidence import Evidence
from interviews.turns.rationale import Rationale
from interviews.turns.result import TurnResult
from interviews.turns.state import ModeState, SessionState
from methodologies.schema import MethodologySchema


@dataclass(frozen=True, slots=True)
class QuestionTask:
    """A language-model task with the inputs for this turn."""

    task: Task[Any, Any]
    inputs: TaskModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """What is asked for in the place of a refused draft: calls, one after the other, and a name."""

    name: str
    calls: tuple[QuestionTask, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """The next question: a call that words it, or fixed `text`; one of them and not both.

    `profile` says what the question has to satisfy; `repeats` are questions asked before that it
    may be; `spoken` are words that may stand in it although they look internal, such as file names
    and identifiers. `block` is shown with the question. `retry` says what to ask for where guards
    refuse a draft for these problems; by default it is repaired once. Where nothing that was worded
    may be asked, the first of `fixed` that was not asked is, before the last resort. Raises
    ValueError for both or neither.
    """

    call: QuestionTask | None = None
    text: str = ""
    profile: GuardProfile = ADAPTIVE
    repeats: tuple[str, ...] = ()
    spoken: tuple[str, ...] = ()
    block: Block | None = None
    retry: Callable[[Sequence[Problem]], Retry] | None = None
    fixed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.call is None) is not bool(self.text.strip()):
            raise ValueError("a question is fixed text or a call that words it")


SAID = (ContextLoadingOutput, UtteranceSavingOutput, SrlPreprocessingOutput)
READ = (*SAID, ExtractionOutput, GraphUpdateOutput, SlotDiscoveryOutput)
CHOSEN = (*READ, StateComputationOutput, StrategySelectionOutput)
"""What there is to read after stage 2.5, 4.5 and 6."""


class Director(ABC):
    """Leads an interview: what to read in an answer, what to ask about next, when to stop.

    `reads` declares which contracts each method reads; it sees no others. A director keeps nothing
    of an interview in itself: it is one for all interviews of a process.
    """

    mode: ClassVar[str]
    reads: ClassVar[Mapping[str, tuple[type, ...]]] = {
        "opening": (ContextLoadingOutput,),
        "reading": SAID,
        "observe": READ,
        "choose": (*READ, StateComputationOutput),
        "proceed": CHOSEN,
        "compose": (*CHOSEN, ContinuationOutput),
        "remember": (*CHOSEN, ContinuationOutput, QuestionGenerationOutput),
    }

    @abstractmethod
    def opening(self, context: TurnView) -> Ask:
        """Return the question of turn 0, before there is any answer."""

    def reading(self, context: TurnView) -> Sequence[QuestionTask]:
        """Return what stage 3 asks models about the answer; nothing by default."""
        return ()

    def observe(self, context: TurnView) -> ModeState:
        """Return the mode's state after the answer; called by stage 5, unchanged by default."""
        return context.loaded.mode_state

    @abstractmethod
    def choose(self, context: TurnView) -> StrategySelection:
        """Return the strategy and the focus of the next question; called by stage 6."""

    @abstractmethod
    def proceed(self, context: TurnView) -> Continuation:
        """Return whether to go on, close or end; called by stage 7."""

    @abstractmethod
    def compose(self, context: TurnView) -> Ask:
        """Return the next question; called by stage 8, where there is to be one."""

    def remember(self, context: TurnView) -> ModeState:
        """Return the state that the next turn starts from; called by stage 10, on turn 0 too.

        By default what was observed, and on turn 0, where nothing is observed, an empty state.
        """
        return context.loaded.mode_state if context.is_opening else context.state.mode_state


def led(context: TurnView, director: Director, method: str) -> TurnView:
    """The turn as a method of a director may read it."""
    return context.reading(director.reads[method], by=f"{director.mode}.{method}")


class Need(StrEnum):
    """Whether a study of a mode has a document."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """The documents of a study; `stimulus`: whether its concept must have one, with elements."""

    methodology: Need = Need.REQUIRED
    concept: Need = Need.REQUIRED
    guide: Need = Need.NONE
    stimulus: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """How a study of a mode is run where neither it nor its starter says otherwise.

    `methodology` is the name of the shipped one that a study file may leave out; a study has
    `most_turns` answers at most. `extension_minutes` are offered once when the time budget is used
    up, unless the mode makes an offer of its own: then it `offers_time` not.
    """

    max_turns: int = 15
    most_turns: int = 60
    methodology: str = ""
    slots: bool = True
    rating: bool = True
    extension_minutes: int = 0
    offers_time: bool = True


class ModeStore(Protocol):
    """What a mode keeps in tables of its own: plans, backlogs, whatever is too large for a state.

    A store knows the database; its module is imported by :attr:`Mode.store` alone, so that the mode
    itself stays pure.
    """

    def load(self, session: SessionSnapshot, turn: int) -> object:
        """Return the turn's `material`, in at most two queries; before any stage runs."""
        ...

    def save(self, context: TurnView) -> None:
        """Write what the turn changed, inside its one commit: it stays only if the turn does."""
        ...

    def withdraw(self, session_id: str, turn: int) -> None:
        """Undo what `save` wrote with the newest turn: its answer is taken back."""
        ...


@runtime_checkable
class ReportingStore(ModeStore, Protocol):
    """A store that tells scripts of an interview what its tables hold of it."""

    def report(self, session_id: str) -> Mapping[str, Any]:
        """Keys of the whole interview in `interview --json`, beside the common ones."""
        ...


class AnswersLeft(Protocol):
    """Says how many answers may still come after `answered` of them, at least 0."""

    def __call__(self, *, max_turns: int, answered: int, state: SessionState) -> int: ...


def up_to_max_turns(*, max_turns: int, answered: int, state: SessionState) -> int:
    """As many as `max_turns` leaves."""
    return max(max_turns - answered, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """What a mode tells analysts of a whole interview: a title, and rows of a name and a text."""

    title: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """A way of interviewing. Its package under `interviews/modes` exports one as `MODE`.

    `label` and `purpose` (a sentence) are shown where a study is made. `director` makes the one
    that leads all interviews of a process. `state` is what it keeps of a session between turns and
    `evidence` what its choices rest on; both go through JSON and back without loss. `needs` are the
    documents of a study, `defaults` its settings where it has none of its own.

    What a mode may bring besides: `answers_left` (how many answers are still taken), `store` (makes
    the one that reads and writes tables of its own), `explanation` (of the record of a turn, given
    the methodology where it can be read: why the mode chose so), `panel` (of its state, and of the
    evidence of all turns, in order), `turn_fields` (of a turn's record, beside the common keys of
    `interview --json`; they replace none) and `session_fields` (the same of the whole interview, of
    its state).
    """

    name: str
    label: str
    purpose: str
    director: Callable[[], Director]
    evidence: type[Evidence]
    state: type[ModeState] = ModeState
    needs: Needs = Needs()
    defaults: Defaults = Defaults()
    answers_left: AnswersLeft = up_to_max_turns
    store: Callable[[], ModeStore] | None = None
    explanation: Callable[[TurnResult, MethodologySchema | None], Rationale] | None = None
    panel: Callable[[Any, Sequence[Any]], Panel] | None = None
    turn_fields: Callable[[TurnResult], Mapping[str, Any]] | None = None
    session_fields: Callable[[Any], Mapping[str, Any]] | None = None
