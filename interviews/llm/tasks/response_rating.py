"""Rate one answer on six rubrics in a single call."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from interviews.llm.tasks.base import Task, TaskModel, cut

QUESTION_LIMIT = 200
ANSWER_LIMIT = 500

RUBRICS = (
    "response_depth",
    "specificity",
    "certainty",
    "valence",
    "engagement",
    "intellectual_engagement",
)


def _cut_question(text: str) -> str:
    return cut(text, QUESTION_LIMIT)


def _cut_answer(text: str) -> str:
    return cut(text, ANSWER_LIMIT)


class RatingInputs(TaskModel):
    """The question (cut at 200 characters), the answer (cut at 500) and the rubrics' text."""

    question: Annotated[str, AfterValidator(_cut_question)]
    answer: Annotated[str, AfterValidator(_cut_answer)]
    rubrics: str


class Rating(TaskModel):
    """An integer score from 1 (least) to 5 (most), and why."""

    score: Annotated[int, Field(ge=1, le=5)]
    rationale: str = ""


class RatingOutput(TaskModel):
    """One rating a rubric."""

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
    max_tokens=512,
)
