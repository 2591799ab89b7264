"""Ask about a concept that is shown: for a first reaction, then about elements and thoughts."""

from __future__ import annotations

from typing import Literal

from interviews.llm.tasks.base import Task
from interviews.llm.tasks.questions import (
    FollowUpInputs,
    OpeningInputs,
    Question,
    QuestionDrafts,
)

TargetKind = Literal["element", "node", "tension", "none"]


class ConceptOpeningInputs(OpeningInputs):
    """What is shown, and to what end."""

    stimulus: str = ""


class ConceptQuestionInputs(FollowUpInputs):
    """A question by a strategy and a tactic, on an element, a thought or an odd connection.

    `strategy` carries the strategy's intent as its description. `element` and `other_element` are
    labels in the concept's words; `source`, `target` and `said` those of an odd connection.
    `reaction` is how the respondent took the element so far, "" where nothing is known.
    """

    stimulus: str = ""
    tactic: str
    guidance: str = ""
    about: TargetKind = "none"
    gap: str = ""
    element: str = ""
    other_element: str = ""
    reaction: str = ""
    source: str = ""
    target: str = ""
    said: str = ""


CONCEPT_OPENING = Task(
    name="concept_opening",
    role="generation",
    inputs=ConceptOpeningInputs,
    output=Question,
    prompt="concept_opening.md",
    temperature=0.7,
    max_tokens=512,
)
CONCEPT_QUESTION = Task(
    name="concept_question",
    role="generation",
    inputs=ConceptQuestionInputs,
    output=Question,
    prompt="concept_question.md",
    temperature=0.7,
    max_tokens=1024,
    drafts=lambda inputs: QuestionDrafts if inputs.self_selection else None,
)
