"""The exploratory mode: signals and weights decide which node to ask about next, and how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import ClassVar

from interviews.llm.tasks.extraction import EXTRACTION
from interviews.llm.tasks.questions import (
    CLOSING_QUESTION,
    FOLLOW_UP_QUESTION,
    OPENING_QUESTION,
    OpeningInputs,
)
from interviews.llm.tasks.response_rating import RESPONSE_RATING, RatingInputs
from interviews.modes import inputs as build
from interviews.modes.base import QuestionTask
from interviews.modes.repairs import left_alone, question_to_rephrase
from interviews.turns.context import TurnContext
from interviews.turns.contracts import (
    Continuation,
    Focus,
    ModeState,
    Move,
    StrategySelection,
    Verdict,
)
from methodologies.schema import Phase
from methodologies.scoring import NodeRef, Ranking, rank
from methodologies.signals.base import SignalInputs, SignalReading
from methodologies.signals.detection import detect
from methodologies.signals.meta import interview_phase

REASON_MAX_TURNS = "max_turns_reached"
REASON_CLOSING_STRATEGY = "closing_strategy"
REASON_RESPONDENT = "respondent_ended"
REASON_TIME = "time_used_up"
REASON_NOT_UNDERSTOOD = "not_understood"


class ExploratoryDirector:
    """Leads an interview by its methodology's weights. `now` gives the time, aware."""

    mode: ClassVar[str] = "exploratory"

    def __init__(self, *, now: Callable[[], datetime], rubrics: str) -> None:
        self._now = now
        self._rubrics = rubrics

    def opening(self, context: TurnContext) -> Move:
        session, method = context.session, context.methodology.method
        return Move(
            strategy="opening",
            task=OPENING_QUESTION,
            inputs=OpeningInputs(
                subject=session.concept.subject,
                objective=session.concept.research_objective,
                methodology_name=method.name,
                goal=method.goal,
                opening_bias=method.opening_bias,
                language=session.language,
                seed=session.seed,
            ),
        )

    def reading(self, context: TurnContext) -> Sequence[QuestionTask]:
        return [
            QuestionTask(EXTRACTION, build.extraction_inputs(context)),
            QuestionTask(
                RESPONSE_RATING,
                RatingInputs(
                    question=context.loaded.last_question,
                    answer=context.utterance.text,
                    rubrics=self._rubrics,
                ),
            ),
        ]

    def observe(self, context: TurnContext) -> ModeState:
        """Honour a refusal: the node it was about is not asked about again in this session."""
        focus = context.tracker.previous_focus
        if context.extraction.intent == "refusal" and focus is not None:
            context.tracker.close_focus(focus)
            return ModeState(data={"closed_focus": focus})
        return ModeState()

    def choose(self, context: TurnContext) -> StrategySelection:
        methodology, turn = context.methodology, context.job.number
        computed, before = context.state, context.loaded.state
        boundaries = methodology.phase_boundaries
        limits = (boundaries.early_until, boundaries.late_from) if boundaries else None
        phase = interview_phase(turn, context.session.max_turns, limits)
        changes = context.slots.changes
        reading = detect(
            [name for names in methodology.signals.values() for name in names],
            SignalInputs(
                graph=context.graph,
                ontology=methodology.graph_ontology,
                graph_state=computed.graph_state,
                chains=computed.chains,
                canonical_state=computed.canonical_graph_state,
                tracker=context.tracker,
                ratings=context.extraction.ratings,
                depth_history=computed.depth_history,
                strategy_history=before.strategy_history,
                velocity=computed.velocity,
                new_node_count=len(context.graph_update.nodes_added),
                new_slot_count=len(changes.created) if changes is not None else None,
                turn=turn,
                max_turns=context.session.max_turns,
                phase_boundaries=limits,
                focus_yielded=context.graph_update.yielded,
            ),
        )
        closing_allowed = phase == "late" or computed.saturation_reason is not None
        spared = left_alone(context)
        ranking = _rank(
            context, reading, phase=phase, closing_allowed=closing_allowed, spared=spared
        )
        chosen = ranking.chosen
        strategy = methodology.strategies_by_name[chosen.strategy]
        return StrategySelection(
            strategy=chosen.strategy,
            focus=focus_on(context, chosen.node_id),
            focus_mode=strategy.focus_mode,
            phase=phase,
            closing=strategy.generates_closing_question,
            closing_allowed=closing_allowed,
            left_alone=spared,
            reading=reading,
            ranking=ranking,
        )

    def proceed(self, context: TurnContext) -> Continuation:
        turn, limit = context.job.number, context.session.max_turns
        selection = context.selection
        verdict, reason = self._verdict(context)
        strategy, focus = selection.strategy, selection.focus
        rephrases = reason == REASON_NOT_UNDERSTOOD
        if rephrases and (last := question_to_rephrase(context)):
            strategy, focus = last.strategy, focus_on(context, last.node_id)
        elif verdict is Verdict.CLOSE and not selection.closing:
            closing = _rank(
                context,
                selection.reading,
                phase=selection.phase,
                closing_allowed=selection.closing_allowed,
                spared=selection.left_alone,
                closing_only=True,
            ).chosen
            strategy, focus = closing.strategy, focus_on(context, closing.node_id)
        return Continuation(
            verdict=verdict,
            reason=reason,
            turns_remaining=max(limit - turn, 0),
            strategy=strategy,
            focus=focus,
            rephrases=rephrases,
        )

    def _verdict(self, context: TurnContext) -> tuple[Verdict, str]:
        turn, limit = context.job.number, context.session.max_turns
        if context.loaded.state.closing_reason:
            return Verdict.END, context.loaded.state.closing_reason
        if context.extraction.intent == "end":
            return Verdict.END, REASON_RESPONDENT
        if self._time_is_up(context):
            return Verdict.END, REASON_TIME
        if turn >= limit:
            return Verdict.END, REASON_MAX_TURNS
        if context.state.saturation_reason is not None:
            return Verdict.CLOSE, context.state.saturation_reason
        if turn >= limit - 1:
            return Verdict.CLOSE, REASON_MAX_TURNS
        if question_to_rephrase(context):
            return Verdict.CONTINUE, REASON_NOT_UNDERSTOOD
        if context.selection.closing:
            return Verdict.CLOSE, REASON_CLOSING_STRATEGY
        return Verdict.CONTINUE, ""

    def _time_is_up(self, context: TurnContext) -> bool:
        budget = context.session.time_budget_minutes
        if budget is None:
            return False
        return self._now() - context.session.started_at >= timedelta(minutes=budget)

    def compose(self, context: TurnContext) -> QuestionTask:
        if context.continuation.verdict is Verdict.CLOSE:
            return QuestionTask(CLOSING_QUESTION, build.closing_inputs(context))
        return QuestionTask(FOLLOW_UP_QUESTION, build.follow_up_inputs(context))


def _rank(
    context: TurnContext,
    reading: SignalReading,
    *,
    phase: Phase,
    closing_allowed: bool,
    spared: frozenset[str],
    closing_only: bool = False,
) -> Ranking:
    """Score every strategy on every live node but those that are to be spared."""
    before, live = context.loaded.state, list(context.graph.live_nodes())
    return rank(
        context.methodology,
        reading,
        phase=phase,
        nodes=[NodeRef(node.id, node.first_turn, order) for order, node in enumerate(live)],
        strategy_history=before.strategy_history,
        strategy_uses=before.strategy_uses,
        closing_allowed=closing_allowed,
        closed_nodes=spared,
        closing_only=closing_only,
    )


def focus_on(context: TurnContext, node_id: str | None) -> Focus | None:
    """The node as a question needs it: label, level, and the respondent's latest words for it."""
    if node_id is None:
        return None
    node = context.graph.nodes[node_id]
    return Focus(
        node_id=node.id,
        label=node.label,
        node_type=node.node_type,
        level=node.level,
        terminal=context.methodology.graph_ontology.is_terminal(node.node_type),
        stance=node.stance,
        quote=context.graph.latest_quote(node_id) or node.label,
    )
