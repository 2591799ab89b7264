"""The plan of a guided interview: how many turns a topic may have, and what to listen for in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from interviews.llm.tasks.guided_plan import TopicIntelligence
from interviews.modes.guided.texts import texts
from methodologies.schema import GuideSchema

LOGIC_VERSION = "2"
"""Raised where plans of one guide would come out otherwise; it is part of the signature."""
SECONDS_PER_TURN = 45
LEAST_BASE = 2
MIN_TURNS = 1
MORE_THAN_BASE = 2
MOST_DEEPENING = 2
LEAST_DEEPENING = 1
SUB_GOALS_WITHOUT = 3
"""A topic without sub-goals gets this many."""

Turns = Annotated[int, Field(strict=True, ge=1, le=200)]
Line = Annotated[str, Field(min_length=1, max_length=300)]
Lines = Annotated[tuple[Line, ...], Field(max_length=12)]


class PlanPart(BaseModel):
    """Base of a plan's parts: frozen, and unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PlanTopic(PlanPart):
    """A topic with its budget of turns and what a model made of it before any interview."""

    topic_id: str
    label: Line
    order_index: int
    sub_goals: Annotated[tuple[Line, ...], Field(min_length=1, max_length=8)]
    min_turns: Turns
    base_turns: Turns
    max_turns: Turns
    interpretation_cues: Lines = ()
    significance_signals: Lines = ()
    probe_angles: Lines = ()

    @model_validator(mode="after")
    def _is_in_order(self) -> Self:
        if not self.min_turns <= self.base_turns <= self.max_turns:
            raise ValueError(
                f"topic {self.topic_id}: expected min_turns ≤ base_turns ≤ max_turns, found "
                f"{self.min_turns}, {self.base_turns}, {self.max_turns}"
            )
        if len(set(self.sub_goals)) < len(self.sub_goals):
            raise ValueError(f"topic {self.topic_id}: expected each sub-goal once")
        return self


class PlanMeta(PlanPart):
    """What the budgets were worked out from; times in seconds but for `max_duration_mins`."""

    generated_at: str
    plan_logic_version: str = LOGIC_VERSION
    max_duration_mins: int
    total_time_sec: int
    seconds_per_turn: int = SECONDS_PER_TURN
    total_turns: int
    topics_signature: str


class Explore(PlanPart):
    """The topics in the order in which they are taken up."""

    topics: Annotated[tuple[PlanTopic, ...], Field(min_length=1, max_length=12)]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        names = [topic.topic_id for topic in self.topics]
        if len(set(names)) < len(names):
            raise ValueError("expected each topic_id once")
        return self


class Deepen(PlanPart):
    """How many turns a topic may have when it is taken up again."""

    max_turns_per_topic: int = MOST_DEEPENING
    fallback_turns: int = LEAST_DEEPENING


class Intelligence(PlanPart):
    """Whether a model has thought about the topics (not asked yet while waiting); `message` says
    why not.
    """

    status: Literal["ready", "waiting", "missing", "edited"] = "ready"
    message: str = ""


class Plan(PlanPart):
    """A plan; it never changes, a new one gets the next number."""

    version: Literal[2] = 2
    meta: PlanMeta
    explore: Explore
    deepen: Deepen = Deepen()
    intelligence: Intelligence = Intelligence()

    @property
    def topics(self) -> tuple[PlanTopic, ...]:
        return self.explore.topics

    def topic(self, topic_id: str) -> PlanTopic:
        """A topic by its id. Raises KeyError."""
        for topic in self.topics:
            if topic.topic_id == topic_id:
                return topic
        raise KeyError(topic_id)


def minutes_of(guide: GuideSchema, time_budget_minutes: int | None) -> int:
    """How long an interview is planned for: the study's time budget, else the guide's duration."""
    return time_budget_minutes or guide.max_duration_minutes


def signature_of(guide: GuideSchema, language: str, minutes: int) -> str:
    """SHA-256 (hex) of what a plan is made from: topics, duration, goal, language, logic."""
    made_from = {
        "topics": [topic.model_dump(mode="json") for topic in guide.topics],
        "max_duration_minutes": minutes,
        "research_goal": guide.research_goal,
        "language": language,
        "logic_version": LOGIC_VERSION,
    }
    text = json.dumps(made_from, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def budgets(minutes: int, topics: int) -> tuple[int, int, int]:
    """Turns in all, and base and most turns a topic, for so many minutes and topics.

    15 minutes and 4 topics: (20, 5, 7); 10 minutes and 8 topics: (13, 2, 4).
    """
    total = minutes * 60 // SECONDS_PER_TURN
    base_turns = max(LEAST_BASE, total // topics)
    return total, base_turns, base_turns + MORE_THAN_BASE


def make_plan(
    guide: GuideSchema,
    *,
    language: str,
    minutes: int,
    made_at: str,
    thought: Sequence[TopicIntelligence] | None,
    intelligence: Intelligence | None = None,
) -> Plan:
    """Return the plan of a guide in an interview's language.

    `thought` is what a model made of the topics, None where there is none; `intelligence` says why.
    `made_at` is a time in ISO 8601.
    """
    by_topic: Mapping[str, TopicIntelligence] = {part.topic_id: part for part in thought or ()}
    total, base_turns, most = budgets(minutes, len(guide.topics))
    topics = []
    for place, topic in enumerate(guide.topics):
        known = by_topic.get(topic.id, TopicIntelligence(topic_id=topic.id))
        topics.append(
            PlanTopic(
                topic_id=topic.id,
                label=topic.label,
                order_index=place,
                sub_goals=topic.sub_goals or _three(known.sub_goals, topic.label, language),
                min_turns=MIN_TURNS,
                base_turns=base_turns,
                max_turns=most,
                interpretation_cues=known.interpretation_cues,
                significance_signals=known.significance_signals,
                probe_angles=known.probe_angles,
            )
        )
    return Plan(
        meta=PlanMeta(
            generated_at=made_at,
            max_duration_mins=minutes,
            total_time_sec=minutes * 60,
            total_turns=total,
            topics_signature=signature_of(guide, language, minutes),
        ),
        explore=Explore(topics=tuple(topics)),
        intelligence=intelligence or Intelligence(),
    )


def _three(found: Sequence[str], label: str, language: str) -> tuple[str, ...]:
    usual = (text.format(topic=label) for text in texts(language).sub_goals)
    return tuple(dict.fromkeys((*found, *usual)))[:SUB_GOALS_WITHOUT]
