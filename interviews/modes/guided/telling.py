"""What analysts and scripts are told of a guided interview."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from interviews.modes.base import Panel, up_to_max_turns
from interviews.modes.guided.evidence import GuidedEvidence
from interviews.modes.guided.state import GuidedState, TopicName
from interviews.modes.guided.transitions import TRANSITIONS
from interviews.turns.rationale import Rationale
from interviews.turns.result import TurnResult
from interviews.turns.state import SessionState
from methodologies.schema import MethodologySchema

_BY_NAME = {row.name: row for row in TRANSITIONS}
_INTERNAL = frozenset({"plan", "asked", "deepen", "best_scores", "topics", "deepen_turns"})


def explain(result: TurnResult, methodology: MethodologySchema | None) -> Rationale:
    """Why this question: the answer's score, its topic's turns, the row that acted."""
    found = result.evidence
    if not isinstance(found, GuidedEvidence):
        return Rationale(sentences=("A guided interview opens with its first topic.",))
    return Rationale(sentences=tuple(_sentences(found)))


def _sentences(found: GuidedEvidence) -> Iterator[str]:
    if found.heard_in != "DEEP_OFFER":
        yield f"The answer scored {found.score:g}, which is {found.band}."
    if found.heard_in == "EXPLORE":
        yield (
            f'"{found.about}" has used {found.turns_used} turns of a base of {found.base} and '
            f"{found.most} at most; {found.remaining_seconds} seconds of the plan were left."
        )
    row = _BY_NAME.get(found.row)
    if row is not None:
        when = row.when.replace("`", "").rstrip(".")
        yield f"In {row.at} this rule acted: {when}. What follows is {row.to}."
    if found.bonus and found.donor:
        yield f'A bonus turn was granted, which the topic "{found.donor}" gave.'
    match found.aim:
        case "sub_goal":
            yield f'The question is after "{found.sub_goal}" of the topic "{found.topic_label}".'
        case "lead":
            yield f'The question follows what was just said: "{found.follows}".'
        case "probe":
            yield f'Every point of "{found.topic_label}" is covered: it takes another angle.'
        case "offer":
            yield "The respondent was asked whether to go on."
        case _:
            yield "The guided part of the interview was over."


def panel(state: GuidedState, evidence: Sequence[GuidedEvidence]) -> Panel:
    """A row a topic: turns planned and used, points covered, what stands out."""
    return Panel(title="Topics", rows=tuple((t.label, _told(t, state)) for t in state.topics))


def _told(topic: TopicName, state: GuidedState) -> str:
    budget = state.topic_budgets[topic.topic_id]
    covered = len(state.topic_sub_goal_history.get(topic.topic_id, ()))
    closed = len(state.closed_sub_goals.get(topic.topic_id, ()))
    bonus = f", {budget.bonus_turns_granted} of them bonus" if budget.bonus_turns_granted else ""
    alone = f", {closed} left alone" if closed else ""
    deeper = state.deepen_turns.get(topic.topic_id, 0)
    told = [
        f"turns: {budget.turns_used} used{bonus}, {budget.base_turns} planned",
        f"at most {budget.max_turns}",
        *([f"{deeper} more when it was taken up again"] if deeper else ()),
        f"{covered} of {topic.sub_goals} points covered{alone}",
    ]
    if insight := state.topic_key_insights.get(topic.topic_id):
        told.append(f"“{insight}”")
    return " · ".join(told)


def answers_left(*, max_turns: int, answered: int, state: SessionState) -> int:
    """So many answers the budgets still hold, as far as `max_turns` leaves them."""
    most = up_to_max_turns(max_turns=max_turns, answered=answered, state=state)
    if state.mode_state is None:
        return most
    now = GuidedState.model_validate(state.mode_state.data)
    return min(most, max(_planned(now), 1)) if now.topics else most


def _planned(state: GuidedState) -> int:
    if state.phase == "DEEPEN":
        return sum(topic.limit - topic.used for topic in state.deepen)
    if state.phase != "EXPLORE":
        return 0
    ahead = (state.topic_budgets[t.topic_id] for t in state.topics[state.topic_index :])
    return sum(max(budget.effective_base - budget.turns_used, 0) for budget in ahead)


def turn_fields(result: TurnResult) -> Mapping[str, Any]:
    """The turn's `guided`, for scripts."""
    found = result.evidence
    if not isinstance(found, GuidedEvidence):
        return {}
    return {
        "guided": {
            "phase": found.phase,
            "status": found.status,
            "topic": found.topic,
            "turn_in_topic": found.turn_in_topic,
            "turns_used": found.turns_used,
            "score": found.score,
            "band": found.band,
            "bonus": found.bonus,
            "donor": found.donor,
            "sub_goal": found.sub_goal,
            "sub_goals_left": found.sub_goals_left,
            "remaining_seconds": found.remaining_seconds,
            "guards": list(result.repairs),
        }
    }


def session_fields(state: GuidedState) -> Mapping[str, Any]:
    """The interview's plan and where it stands, for scripts."""
    told = state.model_dump(mode="json")
    ref = state.plan
    return {
        "plan": {"number": ref.number, "signature": ref.signature} if ref else None,
        "guided": {name: value for name, value in told.items() if name not in _INTERNAL},
    }
