"""What is asked next: the effect of each row of the table on the state."""

from __future__ import annotations

from collections.abc import Callable

from interviews.modes.guided.situation import Situation, sub_goals_left
from interviews.modes.guided.state import Aim, Asked, DeepenTopic, GuidedState, Status
from interviews.modes.guided.transitions import Effect

DEEPEN_TWICE_FROM = 0.3
NEVER_EXPLORED = 0.5
"""The mean score that a topic counts with when nothing was asked about it yet."""


def _reworded(s: Situation, status: Status) -> GuidedState:
    asked, counts = s.state.asked, s.state.clarification_turns_by_topic
    topic_id = s.topic.topic_id
    again = asked.model_copy(update={"rewords": asked.rewords + 1, "status": status})
    return s.state.model_copy(
        update={
            "asked": again,
            "clarification_turns_by_topic": counts | {topic_id: counts.get(topic_id, 0) + 1},
        }
    )


def _stayed(s: Situation, status: Status) -> GuidedState:
    follows = s.heard.lead or s.heard.key_sentence
    return _asks(s.state, Asked(status=status, aim="lead", follows=follows, stays=True))


def _back(s: Situation, status: Status) -> GuidedState:
    asked = _about(s, s.topic.topic_id, status)
    return _asks(s.state, asked.model_copy(update={"back": True}))


def _with_bonus(s: Situation, status: Status) -> GuidedState:
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
        return _asks(state, Asked(status=status, aim="lead", follows=s.heard.lead))
    return _asks(state, _about(s, topic_id, status))


def _same(s: Situation, status: Status) -> GuidedState:
    """A lead is followed where the budget leaves a turn for every sub-goal that is open."""
    if s.state.phase == "EXPLORE" and s.heard.lead:
        spare = s.budget.effective_base - s.budget.turns_used
        if spare > len(sub_goals_left(s.plan, s.state, s.topic.topic_id)):
            return _asks(s.state, Asked(status=status, aim="lead", follows=s.heard.lead))
    return _asks(s.state, _about(s, s.topic.topic_id, status))


def _next_topic(s: Situation, status: Status) -> GuidedState:
    place = s.state.topic_index + 1
    state = s.state.model_copy(update={"topic_index": place, "turn_in_topic": 0})
    return _asks(state, _about(s, s.plan.topics[place].topic_id, status))


def _offered(s: Situation, status: Status) -> GuidedState:
    attempts = s.state.extension_offer_attempts + 1
    return s.state.model_copy(
        update={
            "extension_offer_attempts": attempts,
            "asked": Asked(status=status, aim="offer"),
        }
    )


def _deepened(s: Situation, status: Status) -> GuidedState:
    """Take up what is left: the best told first, then the most left, then in order."""
    scores = s.state.topic_engagement_scores

    def rank(topic_id: str) -> tuple[float, int, int]:
        left = len(sub_goals_left(s.plan, s.state, topic_id))
        return -scores.get(topic_id, NEVER_EXPLORED), -left, s.plan.topic(topic_id).order_index

    queue = tuple(
        DeepenTopic(topic_id=topic_id, limit=_limit(s, topic_id))
        for topic_id in sorted(s.state.uncovered_topics, key=rank)
    )
    return _taken_up(s, s.state.model_copy(update={"deepen": queue}), status)


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


def _on(s: Situation, status: Status) -> GuidedState:
    return _taken_up(s, s.state.model_copy(update={"deepen": s.state.deepen[1:]}), status)


def _taken_up(s: Situation, state: GuidedState, status: Status) -> GuidedState:
    topic = s.plan.topic(state.deepen[0].topic_id)
    moved = state.model_copy(update={"topic_index": topic.order_index, "turn_in_topic": 0})
    asked = _about(s, topic.topic_id, status)
    return _asks(moved, asked.model_copy(update={"recap": True}))


def _ended(s: Situation, status: Status) -> GuidedState:
    return s.state.model_copy(update={"asked": Asked(status=status, aim="nothing")})


def _about(s: Situation, topic_id: str, status: Status) -> Asked:
    """A question for the topic's next open sub-goal, an angle of the topic where none is left."""
    left = sub_goals_left(s.plan, s.state, topic_id)
    aim: Aim = "sub_goal" if left else "probe"
    return Asked(status=status, aim=aim, sub_goal=left[0] if left else None)


def _asks(state: GuidedState, asked: Asked) -> GuidedState:
    return state.model_copy(update={"asked": asked, "turn_in_topic": state.turn_in_topic + 1})


EFFECTS: dict[Effect, Callable[[Situation, Status], GuidedState]] = {
    "reword": _reworded,
    "stay": _stayed,
    "back": _back,
    "bonus": _with_bonus,
    "same": _same,
    "next": _next_topic,
    "offer": _offered,
    "deepen": _deepened,
    "on": _on,
    "end": _ended,
}
"""By the name that the table gives them."""
