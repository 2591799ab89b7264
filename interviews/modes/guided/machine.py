"""The phases of a guided interview: one table says what follows an answer.

Pure: a plan, a state and what was heard give the next state. The table is drawn into
`docs/reference/guided.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from interviews.modes.guided.plan import Plan, PlanTopic
from interviews.modes.guided.signal import INSIGHT_FROM, Band
from interviews.modes.guided.state import (
    Aim,
    Asked,
    DeepenTopic,
    GuidedState,
    Phase,
    PlanRef,
    Status,
    TopicBudget,
)

MOST_REWORDINGS = 2
"""A topic's questions are put in other words at most this often."""
MOST_OFFERS = 2
DEEPEN_TWICE_FROM = 0.3
NEVER_EXPLORED = 0.5
"""The mean score that a topic counts with when nothing was asked about it yet."""

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
    def deepening(self) -> DeepenTopic:
        return self.state.deepen[0]

    @property
    def deepened(self) -> bool:
        """Whether the topic that was taken up again has had its turns, or has nothing left."""
        now = self.deepening
        return now.used >= now.limit or not sub_goals_left(self.plan, self.state, now.topic_id)


Effect = Literal["reword", "stay", "bonus", "same", "next", "offer", "deepen", "on", "end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """A row of the table: of a phase's rows the first whose condition holds acts.

    `when` tells the condition in words, `status` is the next question's, `effect` what it is.
    """

    name: str
    at: Phase
    when: str
    holds: Callable[[Situation], bool]
    to: Phase
    status: Status
    effect: Effect


def _row(
    name: str,
    way: tuple[Phase, Phase],
    when: str,
    holds: Callable[[Situation], bool],
    what: tuple[Status, Effect],
) -> Transition:
    return Transition(
        name=name, at=way[0], to=way[1], when=when, holds=holds, status=what[0], effect=what[1]
    )


_OVER: tuple[Status, Effect] = ("data_collection_consent", "end")


def _ends_anywhere(phase: Phase, short: str) -> tuple[Transition, Transition]:
    """What ends every phase: the respondent's wish, and `max_turns`."""
    return (
        _row(
            f"{short}_closure",
            (phase, "DATA_COLLECTION"),
            "the respondent wants to stop",
            lambda s: s.heard.closure,
            _OVER,
        ),
        _row(
            f"{short}_max_turns",
            (phase, "DATA_COLLECTION"),
            "`max_turns` answers were given",
            lambda s: s.heard.answers_left <= 0,
            _OVER,
        ),
    )


TRANSITIONS: tuple[Transition, ...] = (
    *_ends_anywhere("EXPLORE", "explore"),
    _row(
        "explore_reworded",
        ("EXPLORE", "EXPLORE"),
        "not understood, fewer than 2 rewordings in this topic: the same sub-goal, no turn used",
        lambda s: s.may_reword,
        ("exploring", "reword"),
    ),
    _row(
        "explore_time_offer",
        ("EXPLORE", "DEEP_OFFER"),
        "the time is used up and a sub-goal is left",
        lambda s: s.out_of_time and s.uncovered,
        ("deep_offer_ask", "offer"),
    ),
    _row(
        "explore_time_over",
        ("EXPLORE", "DATA_COLLECTION"),
        "the time is used up and nothing is left",
        lambda s: s.out_of_time,
        _OVER,
    ),
    _row(
        "explore_disclosure",
        ("EXPLORE", "EXPLORE"),
        "a disclosure that was not stayed with yet, used < max: stay with it for one question",
        lambda s: s.stays,
        ("exploring", "stay"),
    ),
    _row(
        "explore_low",
        ("EXPLORE", "EXPLORE"),
        "LOW, used ≥ min, not the last topic",
        lambda s: s.is_low and not s.is_last,
        ("transition", "next"),
    ),
    _row(
        "explore_bonus",
        ("EXPLORE", "EXPLORE"),
        "HIGH, base ≤ used < max, and a later topic can give a turn",
        lambda s: s.bonus,
        ("exploring_deep", "bonus"),
    ),
    _row(
        "explore_base",
        ("EXPLORE", "EXPLORE"),
        "used ≥ base, not the last topic",
        lambda s: s.base_used and not s.is_last,
        ("transition", "next"),
    ),
    _row(
        "explore_last_left",
        ("EXPLORE", "DEEPEN"),
        "the last topic is done (LOW and used ≥ min, or used ≥ base) and a sub-goal is left",
        lambda s: (s.is_low or s.base_used) and s.uncovered,
        ("deepening", "deepen"),
    ),
    _row(
        "explore_last_covered",
        ("EXPLORE", "DATA_COLLECTION"),
        "the last topic is done and nothing is left",
        lambda s: s.is_low or s.base_used,
        _OVER,
    ),
    _row(
        "explore_same",
        ("EXPLORE", "EXPLORE"),
        "otherwise: the same topic",
        lambda s: True,
        ("exploring", "same"),
    ),
    *_ends_anywhere("DEEP_OFFER", "offer"),
    _row(
        "offer_accepted",
        ("DEEP_OFFER", "DEEPEN"),
        "ACCEPT",
        lambda s: s.heard.reply == "ACCEPT",
        ("deepening", "deepen"),
    ),
    _row(
        "offer_refused",
        ("DEEP_OFFER", "DATA_COLLECTION"),
        "REFUSE",
        lambda s: s.heard.reply == "REFUSE",
        _OVER,
    ),
    _row(
        "offer_unclear_twice",
        ("DEEP_OFFER", "DATA_COLLECTION"),
        "NEUTRAL for the second time",
        lambda s: s.state.extension_offer_attempts >= MOST_OFFERS,
        _OVER,
    ),
    _row(
        "offer_unclear",
        ("DEEP_OFFER", "DEEP_OFFER"),
        "NEUTRAL: the offer is made once more",
        lambda s: True,
        ("deep_offer_ask", "offer"),
    ),
    *_ends_anywhere("DEEPEN", "deepen"),
    _row(
        "deepen_reworded",
        ("DEEPEN", "DEEPEN"),
        "not understood, fewer than 2 rewordings in this topic: the same sub-goal, no turn used",
        lambda s: s.may_reword,
        ("deepening", "reword"),
    ),
    _row(
        "deepen_same",
        ("DEEPEN", "DEEPEN"),
        "used < limit and a sub-goal of the topic is left",
        lambda s: not s.deepened,
        ("deepening", "same"),
    ),
    _row(
        "deepen_next",
        ("DEEPEN", "DEEPEN"),
        "the topic is done and another one is to be taken up",
        lambda s: len(s.state.deepen) > 1,
        ("deepening", "on"),
    ),
    _row(
        "deepen_done",
        ("DEEPEN", "DATA_COLLECTION"),
        "the last topic to be taken up is done",
        lambda s: True,
        _OVER,
    ),
)
"""Of the rows of a phase the first whose condition holds acts. DATA_COLLECTION has none: what
follows the last answer is the same in every mode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What an answer led to: the next state, the row that acted, and who gave a bonus turn."""

    state: GuidedState
    row: Transition
    donor: str | None = None


def begin(plan: Plan, ref: PlanRef) -> GuidedState:
    """The state of an interview whose first question is about the first topic's first sub-goal."""
    budgets = {
        topic.topic_id: TopicBudget(
            min_turns=topic.min_turns, base_turns=topic.base_turns, max_turns=topic.max_turns
        )
        for topic in plan.topics
    }
    return GuidedState(
        plan=ref,
        topic_budgets=budgets,
        turns_budget_total=plan.meta.total_turns,
        uncovered_topics=tuple(budgets),
        turn_in_topic=1,
        asked=Asked(sub_goal=plan.topics[0].sub_goals[0]),
    )


def step(plan: Plan, state: GuidedState, heard: Heard) -> Step:
    """Return what follows an answer: its turn is counted, then the first row that holds acts."""
    counted = _counted(plan, state, heard)
    situation = Situation(plan=plan, state=counted, heard=heard)
    row = next(row for row in TRANSITIONS if row.at == state.phase and row.holds(situation))
    donor = situation.donor if row.effect == "bonus" else None
    moved = _EFFECTS[row.effect](situation, row)
    return Step(state=moved.model_copy(update={"phase": row.to}), row=row, donor=donor)


def sub_goals_left(plan: Plan, state: GuidedState, topic_id: str) -> tuple[str, ...]:
    """A topic's sub-goals that are neither covered nor closed, in order."""
    done = {
        *state.topic_sub_goal_history.get(topic_id, ()),
        *state.closed_sub_goals.get(topic_id, ()),
    }
    return tuple(goal for goal in plan.topic(topic_id).sub_goals if goal not in done)


# -- what an answer counts for ---------------------------------------------------------------------
def _counted(plan: Plan, state: GuidedState, heard: Heard) -> GuidedState:
    """The state with the answer's turn, sub-goal and score in its books."""
    heard_last = state.model_copy(update={"last_signal_score": heard.score})
    situation = Situation(plan=plan, state=state, heard=heard)
    if state.phase == "DEEP_OFFER":
        accepted = {"ACCEPT": True, "REFUSE": False, "NEUTRAL": state.deep_accepted}[heard.reply]
        return heard_last.model_copy(
            update={
                "deep_accepted": accepted,
                "force_early_closure_from_user": heard.closure,
            }
        )
    topic_id = situation.topic.topic_id
    if heard.closure:
        return heard_last.model_copy(update={"force_early_closure_from_user": True})
    if situation.may_reword:
        return heard_last
    covered = _with_sub_goal(plan, heard_last, heard, topic_id)
    used = {"turns_used_total": state.turns_used_total + 1}
    if state.phase == "DEEPEN":
        now = state.deepen[0]
        return covered.model_copy(
            update=used
            | {
                "deepen": (now.model_copy(update={"used": now.used + 1}), *state.deepen[1:]),
            }
        )
    return covered.model_copy(update=used | _scored(state, heard, topic_id))


def _with_sub_goal(plan: Plan, state: GuidedState, heard: Heard, topic_id: str) -> GuidedState:
    """The asked sub-goal covered, closed where it was refused or not understood, or left open."""
    goal = state.asked.sub_goal
    if goal is None or (heard.off_topic and not (heard.refused or heard.not_understood)):
        return state
    closed = heard.refused or heard.not_understood
    name = "closed_sub_goals" if closed else "topic_sub_goal_history"
    before: dict[str, tuple[str, ...]] = getattr(state, name)
    after = state.model_copy(update={name: before | {topic_id: (*before.get(topic_id, ()), goal)}})
    left = tuple(t.topic_id for t in plan.topics if sub_goals_left(plan, after, t.topic_id))
    return after.model_copy(update={"uncovered_topics": left})


def _scored(state: GuidedState, heard: Heard, topic_id: str) -> dict[str, object]:
    """The topic's turn, mean score and insight while exploring."""
    budget = state.topic_budgets[topic_id]
    used = budget.turns_used + 1
    mean = state.topic_engagement_scores.get(topic_id, 0.0)
    changes: dict[str, object] = {
        "topic_budgets": state.topic_budgets
        | {topic_id: budget.model_copy(update={"turns_used": used})},
        "topic_engagement_scores": state.topic_engagement_scores
        | {topic_id: round(mean + (heard.score - mean) / used, 6)},
    }
    if heard.score >= INSIGHT_FROM and heard.score > state.best_scores.get(topic_id, 0.0):
        changes["best_scores"] = state.best_scores | {topic_id: heard.score}
        changes["topic_key_insights"] = state.topic_key_insights | {topic_id: heard.key_sentence}
    return changes


# -- what is asked next ----------------------------------------------------------------------------
def _reworded(s: Situation, row: Transition) -> GuidedState:
    asked, counts = s.state.asked, s.state.clarification_turns_by_topic
    topic_id = s.topic.topic_id
    again = asked.model_copy(update={"rewords": asked.rewords + 1, "status": row.status})
    return s.state.model_copy(
        update={
            "asked": again,
            "clarification_turns_by_topic": counts | {topic_id: counts.get(topic_id, 0) + 1},
        }
    )


def _stayed(s: Situation, row: Transition) -> GuidedState:
    follows = s.heard.lead or s.heard.key_sentence
    return _asks(s.state, Asked(status=row.status, aim="lead", follows=follows, stays=True))


def _with_bonus(s: Situation, row: Transition) -> GuidedState:
    """A turn more for this topic, at the donor's cost; it follows a lead where there is one."""
    topic_id, donor = s.topic.topic_id, s.donor
    if donor is None:  # the row's condition asks for one
        raise AssertionError("a bonus turn needs a donor")
    budgets = s.state.topic_budgets
    mine, theirs = budgets[topic_id], budgets[donor]
    state = s.state.model_copy(
        update={
            "topic_budgets": budgets
            | {
                topic_id: mine.model_copy(
                    update={"bonus_turns_granted": mine.bonus_turns_granted + 1}
                ),
                donor: theirs.model_copy(update={"max_turns": theirs.max_turns - 1}),
            }
        }
    )
    if s.heard.lead:
        return _asks(state, Asked(status=row.status, aim="lead", follows=s.heard.lead))
    return _asks(state, _about(s, topic_id, row.status))


def _same(s: Situation, row: Transition) -> GuidedState:
    """A lead is followed where the budget leaves a turn for every sub-goal that is open."""
    if s.state.phase == "EXPLORE" and s.heard.lead:
        spare = s.budget.effective_base - s.budget.turns_used
        if spare > len(sub_goals_left(s.plan, s.state, s.topic.topic_id)):
            return _asks(s.state, Asked(status=row.status, aim="lead", follows=s.heard.lead))
    return _asks(s.state, _about(s, s.topic.topic_id, row.status))


def _next_topic(s: Situation, row: Transition) -> GuidedState:
    place = s.state.topic_index + 1
    state = s.state.model_copy(update={"topic_index": place, "turn_in_topic": 0})
    return _asks(state, _about(s, s.plan.topics[place].topic_id, row.status))


def _offered(s: Situation, row: Transition) -> GuidedState:
    attempts = s.state.extension_offer_attempts + 1
    return s.state.model_copy(
        update={
            "extension_offer_attempts": attempts,
            "asked": Asked(status=row.status, aim="offer"),
        }
    )


def _deepened(s: Situation, row: Transition) -> GuidedState:
    """Take up what is left: the best told first, then the most left, then in order."""
    scores = s.state.topic_engagement_scores

    def rank(topic_id: str) -> tuple[float, int, int]:
        left = len(sub_goals_left(s.plan, s.state, topic_id))
        return -scores.get(topic_id, NEVER_EXPLORED), -left, s.plan.topic(topic_id).order_index

    queue = tuple(
        DeepenTopic(topic_id=topic_id, limit=_limit(s, topic_id))
        for topic_id in sorted(s.state.uncovered_topics, key=rank)
    )
    return _taken_up(s, s.state.model_copy(update={"deepen": queue}), row)


def _limit(s: Situation, topic_id: str) -> int:
    """So many turns a topic gets when it is taken up again."""
    deepen = s.plan.deepen
    mean = s.state.topic_engagement_scores.get(topic_id, NEVER_EXPLORED)
    left = len(sub_goals_left(s.plan, s.state, topic_id))
    return min(
        deepen.max_turns_per_topic
        if mean >= DEEPEN_TWICE_FROM and left > deepen.fallback_turns
        else deepen.fallback_turns,
        left,
    )


def _on(s: Situation, row: Transition) -> GuidedState:
    return _taken_up(s, s.state.model_copy(update={"deepen": s.state.deepen[1:]}), row)


def _taken_up(s: Situation, state: GuidedState, row: Transition) -> GuidedState:
    topic = s.plan.topic(state.deepen[0].topic_id)
    moved = state.model_copy(update={"topic_index": topic.order_index, "turn_in_topic": 0})
    asked = _about(s, topic.topic_id, row.status)
    return _asks(moved, asked.model_copy(update={"recap": True}))


def _ended(s: Situation, row: Transition) -> GuidedState:
    return s.state.model_copy(update={"asked": Asked(status=row.status, aim="nothing")})


def _about(s: Situation, topic_id: str, status: Status) -> Asked:
    """A question for the topic's next open sub-goal, an angle of the topic where none is left."""
    left = sub_goals_left(s.plan, s.state, topic_id)
    aim: Aim = "sub_goal" if left else "probe"
    return Asked(status=status, aim=aim, sub_goal=left[0] if left else None)


def _asks(state: GuidedState, asked: Asked) -> GuidedState:
    return state.model_copy(update={"asked": asked, "turn_in_topic": state.turn_in_topic + 1})


_EFFECTS: dict[Effect, Callable[[Situation, Transition], GuidedState]] = {
    "reword": _reworded,
    "stay": _stayed,
    "bonus": _with_bonus,
    "same": _same,
    "next": _next_topic,
    "offer": _offered,
    "deepen": _deepened,
    "on": _on,
    "end": _ended,
}
