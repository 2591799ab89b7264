"""Read how one answer takes a concept: which elements it is about, and how they are received."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field

from interviews.llm.tasks.base import Task, TaskModel

ReactionKind = Literal["positive", "negative", "neutral", "skeptical", "curious"]
REACTIONS: tuple[ReactionKind, ...] = get_args(ReactionKind)
MOST_READINGS = 30


def _known_reaction(value: object) -> object:
    """An unknown reaction is none, never an error."""
    said = value.strip().lower() if isinstance(value, str) else value
    said = "skeptical" if said == "sceptical" else said
    return said if said in REACTIONS else None


class ElementInput(TaskModel):
    """An element of the concept."""

    id: str
    label: str
    aliases: tuple[str, ...] = ()


class StimulusReadingInputs(TaskModel):
    """An answer with its question, the concept's elements, and the one that was asked about."""

    answer: str
    question: str = ""
    subject: str = ""
    elements: tuple[ElementInput, ...]
    asked_element: str = ""
    language: str = "en"


class ElementReading(TaskModel):
    """A stretch of the answer: the element that it is about, if any, and how that is taken.

    `element_mapping` is an element's id; an unknown one is treated as none. `ambiguous` where it
    could mean several things.
    """

    quote: Annotated[str, Field(min_length=1)]
    element_mapping: str | None = None
    reaction: Annotated[ReactionKind | None, BeforeValidator(_known_reaction)] = None
    ambiguous: bool = False


class StimulusReadingOutput(TaskModel):
    """What an answer says about the elements.

    `reaction` is the reaction to the element that was asked about, where the answer shows one as a
    whole; `unknown` says that the respondent does not know or cannot say.
    """

    readings: Annotated[tuple[ElementReading, ...], Field(max_length=MOST_READINGS)] = ()
    reaction: Annotated[ReactionKind | None, BeforeValidator(_known_reaction)] = None
    unknown: bool = False


STIMULUS_READING = Task(
    name="stimulus_reading",
    role="extraction",
    inputs=StimulusReadingInputs,
    output=StimulusReadingOutput,
    prompt="stimulus_reading.md",
    temperature=0.3,
    max_tokens=2048,
)
