"""Leads a guided interview: through its topics by the table of phases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from interviews.llm.tasks.extraction import EXTRACTION
from interviews.modes.base import Ask, Director, QuestionTask
from interviews.modes.common import endings
from interviews.modes.common.reading import extraction_inputs
from interviews.modes.guided import inputs, memory
from interviews.modes.guided.evidence import GuidedEvidence
from interviews.modes.guided.listening import decided, material, remaining_seconds, stood
from interviews.modes.guided.machine import begin
from interviews.modes.guided.situation import sub_goals_left
from interviews.modes.guided.state import GuidedState
from interviews.turns.context import TurnView
from interviews.turns.contracts import Continuation, Focus, StrategySelection, Verdict

OFFER_DECLINED = "offer_declined"
"""The respondent did not want to go on beyond the planned time."""
GUIDE_COVERED = "guide_covered"
"""Every topic had its turns."""
CLOSURE_GUARD = "closure_guard"

_REASONS = {
    "closure": endings.RESPONDENT_ENDED,
    "max_turns": endings.MAX_TURNS,
    "refused": OFFER_DECLINED,
    "twice": OFFER_DECLINED,
}
"""Why an interview ends, by the end of the acting row's name."""


class GuidedDirector(Director):
    """Asks for one sub-goal after the other, and stays where an answer gives much."""

    mode: ClassVar[str] = "guided"

    def opening(self, context: TurnView) -> Ask:
        plan, ref = material(context)
        return inputs.first_question(context, begin(plan, ref))

    def reading(self, context: TurnView) -> Sequence[QuestionTask]:
        """One call: what the answer says, and how it was meant. An offer needs none."""
        if stood(context).phase == "DEEP_OFFER":
            return ()
        guide = context.session.guide
        told = {
            "hears": True,
            "subject": context.subject,
            "objective": guide.research_goal if guide else "",
        }
        return [QuestionTask(EXTRACTION, extraction_inputs(context).model_copy(update=told))]

    def observe(self, context: TurnView) -> GuidedState:
        return decided(context)[0].state

    def choose(self, context: TurnView) -> StrategySelection:
        plan, _ = material(context)
        step, _, signal = decided(context)
        before, state = stood(context), step.state
        answered = plan.topics[before.topic_index]
        budget = state.topic_budgets[answered.topic_id]
        topic = plan.topics[state.topic_index]
        asked = state.asked
        about_topic = asked.aim not in ("offer", "nothing")
        evidence = GuidedEvidence(
            phase=state.phase,
            heard_in=before.phase,
            row=step.row.name,
            status=asked.status,
            topic=topic.topic_id,
            topic_label=topic.label,
            about=answered.label,
            turn_in_topic=state.turn_in_topic,
            turns_used=budget.turns_used,
            base=budget.effective_base,
            most=budget.max_turns,
            score=signal.score,
            band=signal.band,
            bonus=step.row.effect == "bonus",
            donor=step.donor,
            aim=asked.aim,
            sub_goal=asked.sub_goal,
            follows=asked.follows,
            sub_goals_left=len(sub_goals_left(plan, state, topic.topic_id)),
            remaining_seconds=round(remaining_seconds(context, plan)),
        )
        focus = Focus(kind="topic", ref=topic.topic_id, label=topic.label, quote=asked.follows)
        return StrategySelection(
            strategy=asked.status,
            focus=focus if about_topic else None,
            focus_mode="topic",
            closing=False,
            left_alone=frozenset(),
            evidence=evidence,
        )

    def proceed(self, context: TurnView) -> Continuation:
        chosen = context.selection
        evidence = chosen.evidence
        if not isinstance(evidence, GuidedEvidence):
            raise TypeError(f"{type(evidence).__name__} is no evidence of a guided interview")
        ends = evidence.phase == "DATA_COLLECTION"
        rewords = evidence.row.endswith("reworded")
        reason = endings.NOT_UNDERSTOOD if rewords else ""
        if ends:
            ending = (why for end, why in _REASONS.items() if evidence.row.endswith(end))
            reason = next(ending, GUIDE_COVERED)
        return Continuation(
            verdict=Verdict.END if ends else Verdict.CONTINUE,
            reason=reason,
            turns_remaining=endings.turns_remaining(context),
            strategy=chosen.strategy,
            focus=chosen.focus,
            rephrases=rewords,
        )

    def compose(self, context: TurnView) -> Ask:
        return inputs.next_question(context, _observed(context))

    def remember(self, context: TurnView) -> GuidedState:
        """The state, with how the last questions began and how often one tried to end."""
        if context.is_opening:
            plan, ref = material(context)
            state = begin(plan, ref)
        else:
            state = _observed(context)
        asked = context.question.question
        questions = (*context.loaded.asked_questions, *((asked,) if asked else ()))
        closed = CLOSURE_GUARD in context.question.repairs
        return state.model_copy(
            update={
                "recent_bridge_stems": memory.stems(questions),
                "closure_attempts": state.closure_attempts + closed,
            }
        )


def _observed(context: TurnView) -> GuidedState:
    state = context.state.mode_state
    if not isinstance(state, GuidedState):
        raise TypeError(f"{type(state).__name__} is no state of a guided interview")
    return state
