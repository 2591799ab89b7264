"""After a handover interview: its summary, and answers to whoever takes over."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from interviews.llm.tasks.base import Task, TaskModel
from interviews.llm.tasks.questions import TurnInput


class HandoverSummaryInputs(TaskModel):
    """The whole conversation and the facts of it."""

    subject: str
    turns: tuple[TurnInput, ...]
    facts: tuple[str, ...] = ()
    language: str = "en"


class HandoverSummaryOutput(TaskModel):
    """A text by topic; a part without anything to tell is empty."""

    decisions: str = ""
    rules: str = ""
    dependencies: str = ""
    risks: str = ""
    history: str = ""


class SourceText(TaskModel):
    """A source by its number, with where it comes from."""

    ref: int
    label: str
    text: str


class AnswerFromSourcesInputs(TaskModel):
    """A question and the sources that are nearest to it, best first."""

    question: str
    sources: Annotated[tuple[SourceText, ...], Field(max_length=12)]
    language: str = "en"


class AnswerFromSourcesOutput(TaskModel):
    """An answer of sentences that each cite sources by number; not found where they do not say."""

    found: bool
    answer: Annotated[str, Field(max_length=3000)] = ""
    refs: Annotated[tuple[int, ...], Field(max_length=12)] = ()


HANDOVER_SUMMARY = Task(
    name="handover_summary",
    role="generation",
    inputs=HandoverSummaryInputs,
    output=HandoverSummaryOutput,
    prompt="handover_summary.md",
    temperature=0.2,
    max_tokens=2048,
)
ANSWER_FROM_SOURCES = Task(
    name="answer_from_sources",
    role="generation",
    inputs=AnswerFromSourcesInputs,
    output=AnswerFromSourcesOutput,
    prompt="answer_from_sources.md",
    temperature=0.2,
    max_tokens=1024,
)
