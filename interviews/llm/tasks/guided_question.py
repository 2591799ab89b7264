"""Ask the next question of a guided interview: with all that is known, or the question alone."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from interviews.llm.tasks.base import Task, TaskModel
from interviews.llm.tasks.questions import Question, TurnInput

TopicState = Literal["done", "now", "ahead"]
Aim = Literal["sub_goal", "lead", "probe"]
Style = Literal["brief", "verbose", "formal", "casual", "plain"]


class TopicLine(TaskModel):
    """A topic on the way: how much of it is covered, how rich it was, what stands out of it."""

    label: str
    state: TopicState
    covered: int = 0
    of: int = 0
    engagement: str = ""
    insight: str = ""


class GuidedQuestionOnlyInputs(TaskModel):
    """What a question has to be about, and what was asked before."""

    topic: str
    aim: Aim = "sub_goal"
    sub_goal: str = ""
    follows: str = ""
    angles: tuple[str, ...] = ()
    asked_questions: Annotated[tuple[str, ...], Field(max_length=60)] = ()
    language: str = "en"
    seed: int = 0


class GuidedQuestionInputs(GuidedQuestionOnlyInputs):
    """Everything the next question of a guided interview rests on.

    `minutes_left` are those of the plan, `first` marks the opening, `moves_on` the first question
    of a topic, `rewords` the last question where it is to be put in other words, `recap` what was
    said of a topic that is taken up again. `facts` are points that were told, `knowledge` is a
    researcher's own guide, in whose place `cues` and `signals` stand otherwise. `guidance` says how
    deep to go, `act` how the last answer was meant.
    """

    title: str
    research_goal: str = ""
    phase: Literal["EXPLORE", "DEEPEN"] = "EXPLORE"
    minutes_left: int = 0
    topics: tuple[TopicLine, ...] = ()
    sub_goals_left: int = 0
    first: bool = False
    moves_on: bool = False
    stays: bool = False
    rewords: str = ""
    recap: str = ""
    facts: tuple[str, ...] = ()
    tired: bool = False
    style: Style = "plain"
    knowledge: str = ""
    cues: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()
    score: float | None = None
    guidance: str = ""
    avoid_openings: tuple[str, ...] = ()
    act: str = "answer"
    off_topic: bool = False
    recent_turns: tuple[TurnInput, ...] = ()


GUIDED_QUESTION = Task(
    name="guided_question",
    role="generation",
    inputs=GuidedQuestionInputs,
    output=Question,
    prompt="guided_question.md",
    temperature=0.7,
    max_tokens=1024,
)
GUIDED_QUESTION_AGAIN = Task(
    name="guided_question_again",
    role="generation",
    inputs=GuidedQuestionInputs,
    output=Question,
    prompt="guided_question.md",
    temperature=0.3,
    max_tokens=1024,
)
"""The same once more, closer to the letter, where a guard refused what came."""
GUIDED_QUESTION_ONLY = Task(
    name="guided_question_only",
    role="generation",
    inputs=GuidedQuestionOnlyInputs,
    output=Question,
    prompt="guided_question_only.md",
    temperature=0.3,
    max_tokens=512,
)
