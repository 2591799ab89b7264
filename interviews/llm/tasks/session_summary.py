"""Sum up a finished interview for the researcher."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from interviews.llm.tasks.base import Task, TaskModel
from interviews.llm.tasks.questions import TurnInput


class SummaryConcept(TaskModel):
    """A concept of the session; `mentions` says how often it came up."""

    label: str
    node_type: str
    stance: int = 0
    mentions: int = 1
    quote: str = ""


class SummaryInputs(TaskModel):
    """The interview: its turns, its concepts, and its chains from the concrete to the abstract."""

    subject: str
    methodology_name: str = ""
    goal: str = ""
    turns: tuple[TurnInput, ...] = ()
    concepts: tuple[SummaryConcept, ...] = ()
    chains: tuple[tuple[str, ...], ...] = ()
    language: str = "en"


class SummaryOutput(TaskModel):
    """A short text, what stands out, what is still open, and quotes that bear it out."""

    summary: str
    key_points: Annotated[tuple[str, ...], Field(max_length=8)] = ()
    open_points: Annotated[tuple[str, ...], Field(max_length=5)] = ()
    quotes: Annotated[tuple[str, ...], Field(max_length=5)] = ()


SESSION_SUMMARY = Task(
    name="session_summary",
    role="generation",
    inputs=SummaryInputs,
    output=SummaryOutput,
    prompt="session_summary.md",
    temperature=0.7,
    max_tokens=1024,
)
