"""Decide the doubtful matches of one answer: does a new label name what a known one names?"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from interviews.llm.tasks.base import Task, TaskModel

MOST_PAIRS = 12
"""One call decides this many; an answer hardly ever brings more doubtful labels."""


class DoubtfulPair(TaskModel):
    """A label of this answer and the known one that is near to it, each with words it came from."""

    number: Annotated[int, Field(ge=1)]
    node_type: str
    label: str
    quote: str = ""
    known_label: str
    known_quote: str = ""


class MatchAdjudicationInputs(TaskModel):
    """All doubtful pairs of one answer."""

    subject: str = ""
    pairs: Annotated[tuple[DoubtfulPair, ...], Field(min_length=1, max_length=MOST_PAIRS)]


class PairVerdict(TaskModel):
    """Whether the two labels of the pair with this number are one concept."""

    number: int
    same: bool


class MatchAdjudicationOutput(TaskModel):
    """One verdict a pair; a pair without one stays as it is."""

    verdicts: tuple[PairVerdict, ...]


MATCH_ADJUDICATION = Task(
    name="match_adjudication",
    role="scoring",
    inputs=MatchAdjudicationInputs,
    output=MatchAdjudicationOutput,
    prompt="match_adjudication.md",
    temperature=0.3,
    max_tokens=512,
)
