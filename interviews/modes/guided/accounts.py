"""What an answer counts for: its turn, its sub-goal, its topic's score and insight."""

from __future__ import annotations

from interviews.modes.guided.plan import Plan
from interviews.modes.guided.signal import INSIGHT_FROM
from interviews.modes.guided.situation import Heard, Situation, sub_goals_left
from interviews.modes.guided.state import GuidedState


def counted(plan: Plan, state: GuidedState, heard: Heard) -> GuidedState:
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
        had = state.deepen_turns.get(now.topic_id, 0)
        return covered.model_copy(
            update=used
            | {
                "deepen": (now.model_copy(update={"used": now.used + 1}), *state.deepen[1:]),
                "deepen_turns": state.deepen_turns | {now.topic_id: had + 1},
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
