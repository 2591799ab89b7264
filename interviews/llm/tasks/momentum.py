"""Say how engaged one answer is: high, neutral or low."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from interviews.llm.tasks.base import Task, TaskModel, cut_middle, ending
from interviews.llm.tasks.questions import TurnInput

QUESTION_LIMIT = 200
ANSWER_LIMIT = 2_000
MOST_TURNS = 5
"""The last turns that are looked at, the answer's own among them."""

MomentumLevel = Literal["high", "neutral", "low"]


def _neutral_by_other_names(value: object) -> object:
    said = value.strip().lower() if isinstance(value, str) else value
    return "neutral" if said in ("medium", "moderate", "mid") else said


class MomentumInputs(TaskModel):
    """An answer, its question, and the turns before it, oldest first."""

    question: Annotated[str, AfterValidator(lambda text: ending(text, QUESTION_LIMIT))]
    answer: Annotated[str, AfterValidator(lambda text: cut_middle(text, ANSWER_LIMIT))]
    earlier: Annotated[tuple[TurnInput, ...], Field(max_length=MOST_TURNS - 1)] = ()
    language: str = "en"


class MomentumOutput(TaskModel):
    """The level, and why in a few words."""

    level: Annotated[MomentumLevel, BeforeValidator(_neutral_by_other_names)]
    reason: str = ""


MOMENTUM = Task(
    name="momentum",
    role="scoring",
    inputs=MomentumInputs,
    output=MomentumOutput,
    prompt="momentum.md",
    temperature=0.3,
    max_tokens=512,
)
