"""Answer a researcher's question from what respondents said, in quotes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from interviews.llm.tasks.base import Task, TaskModel

QuoteRole = Literal["supporting", "contradicting", "uncertain"]
MOST_SOURCES = 12


class SaidText(TaskModel):
    """An answer of a respondent by its number, with the question before it where there is one."""

    ref: int
    text: str
    question: str = ""


class StudyAnswerInputs(TaskModel):
    """A question and the answers that are nearest to it, best first."""

    question: str
    sources: Annotated[tuple[SaidText, ...], Field(max_length=MOST_SOURCES)]
    language: str = "en"


class CitedQuote(TaskModel):
    """Words of a source, and what they are to the answer."""

    ref: int
    quote: Annotated[str, Field(max_length=600)]
    role: QuoteRole


class StudyAnswerOutput(TaskModel):
    """Sentences that each cite sources by number, and the quotes that they rest on."""

    found: bool
    answer: Annotated[str, Field(max_length=3000)] = ""
    quotes: Annotated[tuple[CitedQuote, ...], Field(max_length=MOST_SOURCES)] = ()


STUDY_ANSWER = Task(
    name="study_answer",
    role="generation",
    inputs=StudyAnswerInputs,
    output=StudyAnswerOutput,
    prompt="study_answer.md",
    temperature=0.2,
    max_tokens=1536,
)
