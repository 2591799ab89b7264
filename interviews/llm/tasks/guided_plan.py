"""Think about the topics of a guide before any interview: what to listen for, where to probe."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from interviews.llm.tasks.base import Task, TaskModel

Line = Annotated[str, Field(min_length=1, max_length=300)]
Lines = Annotated[tuple[Line, ...], Field(max_length=6)]


class PlannedTopic(TaskModel):
    """A topic as the guide has it."""

    topic_id: str
    label: str
    sub_goals: tuple[str, ...] = ()


class GuidedPlanInputs(TaskModel):
    """A guide: what it wants to know, about what, in which order and language."""

    title: str
    research_goal: str
    language: str = "en"
    topics: Annotated[tuple[PlannedTopic, ...], Field(min_length=1, max_length=12)]


class TopicIntelligence(TaskModel):
    """What was made of one topic; the sub-goals serve a topic that has none of its own.

    `interpretation_cues` say how to read what is said, `significance_signals` what is worth going
    into, `probe_angles` where a further question can come from.
    """

    topic_id: str
    sub_goals: Lines = ()
    interpretation_cues: Lines = ()
    significance_signals: Lines = ()
    probe_angles: Lines = ()


class GuidedPlanOutput(TaskModel):
    """One entry a topic."""

    topics: tuple[TopicIntelligence, ...]


GUIDED_PLAN = Task(
    name="guided_plan",
    role="generation",
    inputs=GuidedPlanInputs,
    output=GuidedPlanOutput,
    prompt="guided_plan.md",
    temperature=0.3,
    max_tokens=4096,
)
