"""Moves a guided interview on: a plan, a state and what was heard give the next state. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from interviews.modes.guided.accounts import counted
from interviews.modes.guided.effects import EFFECTS
from interviews.modes.guided.plan import Plan
from interviews.modes.guided.situation import Heard, Situation
from interviews.modes.guided.state import Asked, GuidedState, PlanRef, TopicBudget, TopicName
from interviews.modes.guided.transitions import TRANSITIONS, Transition


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
        topics=tuple(
            TopicName(topic_id=t.topic_id, label=t.label, sub_goals=len(t.sub_goals))
            for t in plan.topics
        ),
    )


def step(plan: Plan, state: GuidedState, heard: Heard) -> Step:
    """Return what follows an answer: its turn is counted, then the first row that holds acts."""
    after = counted(plan, state, heard)
    situation = Situation(plan=plan, state=after, heard=heard)
    row = next(row for row in TRANSITIONS if row.at == state.phase and row.holds(situation))
    donor = situation.donor if row.effect == "bonus" else None
    moved = EFFECTS[row.effect](situation, row.status)
    return Step(state=moved.model_copy(update={"phase": row.to}), row=row, donor=donor)
