"""What an answer was and where it finds the interview: the conditions that the phases know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from interviews.modes.guided.plan import Plan, PlanTopic
from interviews.modes.guided.signal import Band
from interviews.modes.guided.state import DeepenTopic, GuidedState, TopicBudget

MOST_REWORDINGS = 2
"""A topic's questions are put in other words at most this often."""
MOST_OFFERS = 2

Reply = Literal["ACCEPT", "REFUSE", "NEUTRAL"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What an answer was, as far as the phases are concerned.

    `key_sentence` is what is kept of it as an insight, `lead` the respondent's words that an expert
    would follow, "" for none. `remaining_seconds` may be negative; `answers_left` counts the
    answers that `max_turns` leaves after this one.
    """

    score: float
    band: Band
    remaining_seconds: float
    answers_left: int
    closure: bool = False
    not_understood: bool = False
    refused: bool = False
    off_topic: bool = False
    disclosure: bool = False
    lead: str = ""
    key_sentence: str = ""
    reply: Reply = "NEUTRAL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """An answer and where it finds the interview: its own turn is counted already."""

    plan: Plan
    state: GuidedState
    heard: Heard

    @property
    def topic(self) -> PlanTopic:
        """The topic that the answered question was about."""
        return self.plan.topics[self.state.topic_index]

    @property
    def budget(self) -> TopicBudget:
        return self.state.topic_budgets[self.topic.topic_id]

    @property
    def uncovered(self) -> bool:
        """Whether any sub-goal of any topic is left."""
        return bool(self.state.uncovered_topics)

    @property
    def out_of_time(self) -> bool:
        return self.heard.remaining_seconds <= 0

    @property
    def may_reword(self) -> bool:
        """Whether the question was not understood and may be put in other words."""
        asked = self.state.clarification_turns_by_topic.get(self.topic.topic_id, 0)
        return self.heard.not_understood and asked < MOST_REWORDINGS

    @property
    def is_last(self) -> bool:
        return self.state.topic_index == len(self.plan.topics) - 1

    @property
    def is_low(self) -> bool:
        """Whether a low score ends the topic, which has had its least number of turns."""
        return self.heard.band == "LOW" and self.budget.turns_used >= self.budget.min_turns

    @property
    def base_used(self) -> bool:
        return self.budget.turns_used >= self.budget.effective_base

    @property
    def bonus(self) -> bool:
        """Whether a bonus turn is due, and a topic there to give it."""
        return (
            self.heard.band == "HIGH"
            and self.base_used
            and self.budget.turns_used < self.budget.max_turns
            and self.donor is not None
        )

    @property
    def donor(self) -> str | None:
        """The unexplored topic with the highest `max` above `min`, the later one of equals."""
        later = [
            (self.state.topic_budgets[topic.topic_id], topic)
            for topic in self.plan.topics[self.state.topic_index + 1 :]
        ]
        giving = [(b.max_turns, t.order_index, t) for b, t in later if b.max_turns > b.min_turns]
        return max(giving, key=lambda found: found[:2])[2].topic_id if giving else None

    @property
    def stays(self) -> bool:
        """Whether a disclosure is still to be stayed with, and the topic has a turn for it."""
        return (
            self.heard.disclosure
            and not self.state.asked.stays
            and self.budget.turns_used < self.budget.max_turns
        )

    @property
    def brings_back(self) -> bool:
        """Whether the answer left the topic, was not brought back yet, and a turn is there."""
        return (
            self.heard.off_topic
            and not self.heard.refused
            and not self.state.asked.back
            and self.budget.turns_used < self.budget.max_turns
        )

    @property
    def deepening(self) -> DeepenTopic:
        return self.state.deepen[0]

    @property
    def deepened(self) -> bool:
        """Whether the topic that was taken up again has had its turns, or has nothing left."""
        now = self.deepening
        return now.used >= now.limit or not sub_goals_left(self.plan, self.state, now.topic_id)


def sub_goals_left(plan: Plan, state: GuidedState, topic_id: str) -> tuple[str, ...]:
    """A topic's sub-goals that are neither covered nor closed, in order."""
    done = {
        *state.topic_sub_goal_history.get(topic_id, ()),
        *state.closed_sub_goals.get(topic_id, ()),
    }
    return tuple(goal for goal in plan.topic(topic_id).sub_goals if goal not in done)
