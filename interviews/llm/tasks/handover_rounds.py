"""A round of a handover interview: which question, in which words, what the answer tells."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from interviews.llm.tasks.base import Task, TaskModel
from interviews.llm.tasks.questions import Question, TurnInput

Confidence = Literal["high", "medium", "low"]
Sentence = Annotated[str, Field(min_length=1, max_length=600)]


class OpenLine(TaskModel):
    """A question that is open."""

    question_id: str
    text: str
    priority: Literal["P0", "P1"]


class SelectQuestionInputs(TaskModel):
    """What is open, the most urgent first, and what was said last."""

    open_questions: tuple[OpenLine, ...]
    recent_turns: tuple[TurnInput, ...] = ()
    language: str = "en"


class SelectQuestionOutput(TaskModel):
    """The question to ask next."""

    selected_question_id: str


class SourceLine(TaskModel):
    """Words of a file and their place."""

    file: str
    place: str
    quote: str


class RephraseInputs(TaskModel):
    """Everything that the next question rests on.

    `corpus` is what is known of the files, cut short; `turns` are the whole conversation; `first`
    marks the first question, `rewords` how often this one was put in other words already, counting
    this time; `act` is how the last answer was meant; `about` names what the question is about.
    """

    raw_question: str
    about: str = ""
    summary: str = ""
    corpus: str = ""
    sources: tuple[SourceLine, ...] = ()
    turns: tuple[TurnInput, ...] = ()
    files: tuple[str, ...] = ()
    remaining: int = 0
    first: bool = False
    rewords: int = 0
    act: str = "answer"
    follow_up: bool = False
    language: str = "en"


class ExtractFactsInputs(TaskModel):
    """A question, what it is about, its answer, and names that the files know already."""

    question: str
    about: str = ""
    answer: str
    known: tuple[str, ...] = ()
    language: str = "en"


class DiscoveredQuestion(TaskModel):
    """A question that an answer raises; `about` names what nobody had told of before."""

    text: Annotated[str, Field(min_length=1, max_length=500)]
    about: Annotated[str, Field(max_length=200)] = ""
    priority: Literal["P0", "P1"] = "P1"


class ExtractFactsOutput(TaskModel):
    """Facts that stand alone, how complete the answer is, and what it leaves to ask."""

    facts: Annotated[tuple[Sentence, ...], Field(max_length=20)] = ()
    confidence: Confidence
    follow_up: Annotated[str, Field(max_length=500)] | None = None
    discovered_questions: Annotated[tuple[DiscoveredQuestion, ...], Field(max_length=5)] = ()


SELECT_QUESTION = Task(
    name="select_question",
    role="generation",
    inputs=SelectQuestionInputs,
    output=SelectQuestionOutput,
    prompt="select_question.md",
    temperature=0.2,
    max_tokens=256,
)
REPHRASE = Task(
    name="rephrase",
    role="generation",
    inputs=RephraseInputs,
    output=Question,
    prompt="rephrase.md",
    temperature=0.2,
    max_tokens=512,
)
EXTRACT_FACTS = Task(
    name="extract_facts",
    role="extraction",
    inputs=ExtractFactsInputs,
    output=ExtractFactsOutput,
    prompt="extract_facts.md",
    temperature=0.2,
    max_tokens=2048,
)
