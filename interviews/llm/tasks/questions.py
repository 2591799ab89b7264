"""Ask: the opening, a follow-up, the closing question, and the repair of one that went wrong."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from interviews.acts import Lead
from interviews.llm.tasks.base import Drafts, Task, TaskModel

FocusMode = Literal["recent_node", "summary", "topic"]
AcknowledgeKind = Literal[
    "none",
    "refuses",
    "objects",
    "corrected",
    "not_understood",
    "unclear",
    "drifted",
    "asks",
    "adds_nothing",
    "instructs",
    "disclosed",
]


class Question(TaskModel):
    """One question to the respondent."""

    question: Annotated[str, Field(min_length=1)]


class QuestionDrafts(Drafts):
    """Three questions that could be asked, and which of them is; `pick` counts from 1."""

    candidates: Annotated[tuple[str, ...], Field(min_length=3, max_length=3)]
    reason: str
    pick: Annotated[int, Field(ge=1, le=3)]

    def picked(self) -> Question:
        """Return the question to be asked."""
        return Question(question=self.candidates[self.pick - 1])


class StrategyInput(TaskModel):
    """What the strategy is for and the moves that it may use."""

    name: str
    description: str = ""
    rationale: str = ""
    focus_mode: FocusMode = "recent_node"
    probes: tuple[str, ...] = ()


class FocusInput(TaskModel):
    """The concept that the question is about, with the respondent's own words."""

    label: str
    node_type: str = ""
    level: int | None = None
    terminal: bool = False
    quote: str = ""
    stance: int = 0


class TurnInput(TaskModel):
    """A question and the answer it got."""

    question: str
    answer: str


class AcknowledgeInput(TaskModel):
    """What the last answer asks the interviewer to take up before asking on.

    The kinds are acts of the answer, and besides: "corrected", where an objection says what is
    right; "unclear", where other words for a question did not help; "disclosed", where something
    grave was told and the question goes elsewhere. `quote` is what the respondent had said
    before, or now of something grave. `again` is the last question where it is to be put in other
    words. `study` is what respondents were told of the study.
    """

    kind: AcknowledgeKind = "none"
    quote: str = ""
    again: str = ""
    study: str = ""


class OpeningInputs(TaskModel):
    """What the interview is about. `seed` varies the wording, not the aim."""

    subject: str
    objective: str = ""
    methodology_name: str = ""
    goal: str = ""
    opening_bias: str = ""
    language: str = "en"
    seed: int = 0


class FollowUpInputs(TaskModel):
    """Everything the next question rests on.

    `objective` is what the research wants to know. `focus_exchange` is where the focus was told, if
    that is no longer among the last turns. `beside` are other concepts of the focus's type as they
    were said, for a comparison; `summary_labels` are the main concepts so far in the respondent's
    words; `refused` is what is never to be touched again; `leads` are what of the last answer is
    worth following; `rationale` says line by line what speaks for this strategy; `depth_reached`
    counts the distinct levels met so far on the longest chain; `recent_turns` are the last few,
    `asked_questions` are all.
    """

    subject: str
    objective: str = ""
    methodology_name: str = ""
    goal: str = ""
    strategy: StrategyInput
    focus: FocusInput | None = None
    focus_exchange: TurnInput | None = None
    beside: tuple[str, ...] = ()
    summary_labels: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    leads: tuple[Lead, ...] = ()
    rationale: tuple[str, ...] = ()
    depth_reached: Annotated[int, Field(ge=0)] = 0
    recent_turns: tuple[TurnInput, ...] = ()
    asked_questions: tuple[str, ...] = ()
    acknowledge: AcknowledgeInput = AcknowledgeInput()
    language: str = "en"
    seed: int = 0
    self_selection: bool = False
    """Whether the model drafts three candidates and picks one."""


class ClosingInputs(FollowUpInputs):
    """The last question: as a follow-up, with the reason why the interview closes.

    `chains` are the longest lines of thought, each by its concepts from the ground up.
    """

    reason: str = ""
    chains: tuple[tuple[str, ...], ...] = ()


Problem = Literal[
    "empty",
    "no_question",
    "too_long",
    "leaked_prompt",
    "incomplete",
    "duplicate",
    "not_closing",
    "bare_why",
    "goodbye",
    "contact",
    "promotion",
]
"""What a guard may find wrong with a question; the prompt says what each means."""


class RepairInputs(TaskModel):
    """A question that a guard refused, and what is wrong with it."""

    question: str
    problems: tuple[Problem, ...]
    subject: str = ""
    focus_label: str = ""
    asked_questions: tuple[str, ...] = ()
    language: str = "en"
    seed: int = 0


OPENING_QUESTION = Task(
    name="opening_question",
    role="generation",
    inputs=OpeningInputs,
    output=Question,
    prompt="opening_question.md",
    temperature=0.9,
    max_tokens=1024,
)
FOLLOW_UP_QUESTION = Task(
    name="follow_up_question",
    role="generation",
    inputs=FollowUpInputs,
    output=Question,
    prompt="follow_up_question.md",
    temperature=0.7,
    max_tokens=1024,
    drafts=lambda inputs: QuestionDrafts if inputs.self_selection else None,
)
CLOSING_QUESTION = Task(
    name="closing_question",
    role="generation",
    inputs=ClosingInputs,
    output=Question,
    prompt="closing_question.md",
    temperature=0.7,
    max_tokens=1024,
)
QUESTION_REPAIR = Task(
    name="question_repair",
    role="generation",
    inputs=RepairInputs,
    output=Question,
    prompt="question_repair.md",
    temperature=0.7,
    max_tokens=1024,
)
