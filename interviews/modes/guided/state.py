"""Where a guided interview stands: small enough to be written with every turn."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le
from pydantic import Field

from interviews.turns.state import ModeState, StateModel

Phase = Literal["EXPLORE", "DEEP_OFFER", "DEEPEN", "DATA_COLLECTION"]
Status = Literal[
    "exploring",
    "exploring_deep",
    "transition",
    "deepening",
    "deep_offer_ask",
    "data_collection_consent",
]
"""What the next question does; that of DATA_COLLECTION is asked by what follows every mode."""
Aim = Literal["sub_goal", "lead", "probe", "offer", "nothing"]
"""What a question is after: the next sub-goal, something just said, an angle of the topic, …"""

Score = Annotated[float, Ge(0), Le(1)]
"""Of an answer, or the mean of several."""


class PlanRef(StateModel):
    """The plan that the interview is pinned to."""

    id: int
    number: int
    signature: str


class TopicBudget(StateModel):
    """Turns of a topic while exploring; `turns_used` counts answers, bonus turns among them."""

    min_turns: int
    base_turns: int
    max_turns: int
    turns_used: int = 0
    bonus_turns_granted: int = 0

    @property
    def effective_base(self) -> int:
        """The base, which a topic that gave turns away may not reach any more."""
        return min(self.base_turns, self.max_turns)


class DeepenTopic(StateModel):
    """A topic to be taken up again, for at most `limit` turns."""

    topic_id: str
    limit: int
    used: int = 0


class Asked(StateModel):
    """The question that waits for its answer.

    `sub_goal` is the one that its answer covers, None where it is after something else. `follows`
    are the respondent's words that it takes up. `recap` marks the first question about a topic that
    is taken up again. `rewords` counts how often it was put in other words, `stays` marks one that
    stays with a disclosure, and `back` one that brings the respondent back to the topic.
    """

    status: Status = "exploring"
    aim: Aim = "sub_goal"
    sub_goal: str | None = None
    follows: str = ""
    recap: bool = False
    rewords: int = 0
    stays: bool = False
    back: bool = False


class TopicName(StateModel):
    """A topic of the plan, as analysts read it; `sub_goals` counts them."""

    topic_id: str
    label: str
    sub_goals: int


class GuidedState(ModeState):
    """The state after an answer and the question that follows it.

    `topics` are those of the plan in order. `topic_sub_goal_history` are sub-goals that an answer
    covered, `closed_sub_goals` those that are left alone (refused, or understood in no wording).
    `topic_engagement_scores` are mean scores of the answers while exploring, `best_scores` the
    highest of each topic, from which its key insight comes. `deepen` are the topics that are taken
    up again, the current one first, `deepen_turns` the answers that each had so.
    """

    plan: PlanRef | None = None
    phase: Phase = "EXPLORE"
    topic_index: int = 0
    turn_in_topic: int = 0
    topic_budgets: dict[str, TopicBudget] = Field(default={})
    turns_used_total: int = 0
    turns_budget_total: int = 0
    topic_sub_goal_history: dict[str, tuple[str, ...]] = Field(default={})
    closed_sub_goals: dict[str, tuple[str, ...]] = Field(default={})
    uncovered_topics: tuple[str, ...] = ()
    topic_engagement_scores: dict[str, Score] = Field(default={})
    best_scores: dict[str, Score] = Field(default={})
    topic_key_insights: dict[str, str] = Field(default={})
    last_signal_score: Score = 0.0
    deep_accepted: bool | None = None
    extension_offer_attempts: int = 0
    recent_bridge_stems: tuple[str, ...] = ()
    closure_attempts: int = 0
    clarification_turns_by_topic: dict[str, int] = Field(default={})
    force_early_closure_from_user: bool = False
    deepen: tuple[DeepenTopic, ...] = ()
    deepen_turns: dict[str, int] = Field(default={})
    topics: tuple[TopicName, ...] = ()
    asked: Asked = Asked()
