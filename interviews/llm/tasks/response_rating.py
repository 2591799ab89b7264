"""Rate one answer on six rubrics, and hear how it was meant, in a single call."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from interviews.acts import Heard
from interviews.llm.tasks.base import Task, TaskModel, cut_middle, ending

QUESTION_LIMIT = 200
ANSWER_LIMIT = 2_000

RUBRICS = (
    "response_depth",
    "specificity",
    "certainty",
    "valence",
    "engagement",
    "intellectual_engagement",
)


def _cut_question(text: str) -> str:
    return ending(text, QUESTION_LIMIT)


def _cut_answer(text: str) -> str:
    return cut_middle(text, ANSWER_LIMIT)


class RatingInputs(TaskModel):
    """An answer with its question, and the rubrics' text.

    Of a long question the last 200 characters are kept, where it asks; of a long answer 2,000, half
    of them from each end. `objective` is what the research wants to know.
    """

    question: Annotated[str, AfterValidator(_cut_question)]
    answer: Annotated[str, AfterValidator(_cut_answer)]
    rubrics: str
    subject: str = ""
    objective: str = ""
    language: str = "en"


class Rating(TaskModel):
    """An integer score from 1 (least) to 5 (most), and why."""

    score: Annotated[int, Field(ge=1, le=5)]
    rationale: str = ""


class RatingOutput(TaskModel, Heard):
    """One rating a rubric, and how the answer was meant."""

    response_depth: Rating
    specificity: Rating
    certainty: Rating
    valence: Rating
    engagement: Rating
    intellectual_engagement: Rating

    def scores(self) -> dict[str, int]:
        """Return the six scores by rubric name, 1–5."""
        return {name: getattr(self, name).score for name in RUBRICS}


RESPONSE_RATING = Task(
    name="response_rating",
    role="scoring",
    inputs=RatingInputs,
    output=RatingOutput,
    prompt="response_rating.md",
    temperature=0.3,
    max_tokens=1024,
)
