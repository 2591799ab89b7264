"""Propose the parts of a stimulus that respondents are to be heard on."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from interviews.llm.tasks.base import Task, TaskModel
from methodologies.schema import ElementKind

MOST_ELEMENTS = 20
MOST_TEXT = 4000
"""Characters of a stimulus."""


class ElementProposalInputs(TaskModel):
    """The text that respondents are to be shown."""

    text: Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]
    language: str = "en"


class ProposedElement(TaskModel):
    """A part of the text: what it is called, what it is, and the words that stand for it.

    `quote` is copied from the text. `connects_to` are ids of other proposals that this one is said
    to bring about, or to come from; `priority` 1 is asked about first.
    """

    id: Annotated[str, Field(min_length=1, max_length=60)]
    label: Annotated[str, Field(min_length=1, max_length=200)]
    aliases: Annotated[tuple[str, ...], Field(max_length=8)] = ()
    kind: ElementKind = "other"
    priority: Annotated[int, Field(ge=1, le=3)] = 2
    connects_to: Annotated[tuple[str, ...], Field(max_length=MOST_ELEMENTS)] = ()
    quote: Annotated[str, Field(min_length=1, max_length=1000)]


class ElementProposalOutput(TaskModel):
    """The elements in the order of the text."""

    elements: Annotated[tuple[ProposedElement, ...], Field(max_length=MOST_ELEMENTS)] = ()


ELEMENT_PROPOSAL = Task(
    name="element_proposal",
    role="extraction",
    inputs=ElementProposalInputs,
    output=ElementProposalOutput,
    prompt="element_proposal.md",
    temperature=0.3,
    max_tokens=4096,
)
