"""Read the files of a handover: what is in a passage, what a file is for, what to ask about it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from interviews.llm.tasks.base import Task, TaskModel

FindingKind = Literal[
    "artefact",
    "formula",
    "threshold",
    "constant",
    "person",
    "system",
    "decision",
    "open_question",
    "gap",
]
"""What can be found in a passage; a gap is what is missing in it: a constant without a value, a
section that is not finished, somebody who alone knows, a rule that is applied by hand."""
Priority = Literal["P0", "P1"]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Value = Annotated[str, Field(max_length=300)]


class DeepDiveInputs(TaskModel):
    """A passage with its file and place."""

    file: str
    kind: str
    place: str
    text: str


class FindingInPassage(TaskModel):
    """Something found; the quote stands in the passage word for word."""

    kind: FindingKind
    name: Name
    value: Value = ""
    quote: Annotated[str, Field(min_length=1, max_length=600)]


class DeepDiveOutput(TaskModel):
    """Everything found in one passage."""

    findings: Annotated[tuple[FindingInPassage, ...], Field(max_length=60)] = ()


class KnownFinding(TaskModel):
    """A finding by its number, with its file and place."""

    ref: int
    file: str
    kind: str
    name: str
    value: str = ""
    place: str
    quote: str = ""


class FileSummaryInputs(TaskModel):
    """A file: how it begins and what was found in it."""

    file: str
    kind: str
    beginning: str
    findings: tuple[KnownFinding, ...] = ()


class FileSummaryOutput(TaskModel):
    """What the file is for, in at most 60 words."""

    purpose: Annotated[str, Field(max_length=600)]


class BacklogInputs(TaskModel):
    """A file's purpose and findings."""

    file: str
    purpose: str
    findings: tuple[KnownFinding, ...]
    language: str = "en"


class QuestionToAsk(TaskModel):
    """A question about the finding `ref`."""

    ref: int
    text: Annotated[str, Field(min_length=1, max_length=500)]
    priority: Priority


class BacklogOutput(TaskModel):
    """What only the author can tell of this file."""

    questions: Annotated[tuple[QuestionToAsk, ...], Field(max_length=200)] = ()


class FileLine(TaskModel):
    """A file and what it is for."""

    file: str
    purpose: str


class OpenQuestion(TaskModel):
    """A question of the backlog and the numbers of the findings that it is about."""

    question_id: str
    text: str
    refs: tuple[int, ...] = ()


class ReconcileInputs(TaskModel):
    """All files, what was found in them, and the questions about them."""

    files: tuple[FileLine, ...]
    findings: tuple[KnownFinding, ...]
    questions: tuple[OpenQuestion, ...] = ()
    language: str = "en"


class Conflict(TaskModel):
    """Findings that cannot all be right, what they are about, and the question to ask."""

    about: Name
    refs: Annotated[tuple[int, ...], Field(min_length=2, max_length=8)]
    question: Annotated[str, Field(min_length=1, max_length=500)]


class AnsweredByFile(TaskModel):
    """A question that the finding `ref`, of another file, answers."""

    question_id: str
    ref: int


class ReconcileOutput(TaskModel):
    """The whole in at most 400 words, contradictions between places, and what files answer."""

    summary: Annotated[str, Field(max_length=4000)]
    conflicts: Annotated[tuple[Conflict, ...], Field(max_length=60)] = ()
    answered: Annotated[tuple[AnsweredByFile, ...], Field(max_length=200)] = ()


DEEP_DIVE = Task(
    name="deep_dive",
    role="extraction",
    inputs=DeepDiveInputs,
    output=DeepDiveOutput,
    prompt="deep_dive.md",
    temperature=0.2,
    max_tokens=4096,
)
FILE_SUMMARY = Task(
    name="file_summary",
    role="generation",
    inputs=FileSummaryInputs,
    output=FileSummaryOutput,
    prompt="file_summary.md",
    temperature=0.2,
    max_tokens=512,
)
BACKLOG = Task(
    name="backlog",
    role="generation",
    inputs=BacklogInputs,
    output=BacklogOutput,
    prompt="backlog.md",
    temperature=0.2,
    max_tokens=4096,
)
RECONCILE = Task(
    name="reconcile",
    role="generation",
    inputs=ReconcileInputs,
    output=ReconcileOutput,
    prompt="reconcile.md",
    temperature=0.2,
    max_tokens=4096,
)
