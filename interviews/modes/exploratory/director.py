"""The exploratory mode: signals and weights decide which node to ask about next, and how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from graphs.domain import Mention, SessionGraph
from interviews.llm.tasks.base import Task, TaskModel
from interviews.llm.tasks.questions import (
    CLOSING_QUESTION,
    FOLLOW_UP_QUESTION,
    OPENING_QUESTION,
    OpeningInputs,
)
from interviews.modes.base import Ask, Director, QuestionTask
from interviews.modes.common import endings
from interviews.modes.common.focus import focus_on
from interviews.modes.common.reading import objective_of, reading_tasks
from interviews.modes.common.repairs import left_alone, question_to_rephrase, refused_label
from interviews.modes.exploratory import inputs as build
from interviews.modes.exploratory import listening
from interviews.modes.exploratory.evidence import (
    ExploratoryEvidence,
    closing_ranking_of,
)
from interviews.modes.exploratory.state import ExploratoryState
from interviews.turns.context import TurnView
from interviews.turns.contracts import (
    Continuation,
    StrategySelection,
    Verdict,
)
from interviews.turns.state import ModeState
from interviews.wording.languages import RULES_READ
from methodologies.gates import bars_of, signals_of_gates
from methodologies.signals.base import SignalInputs
from methodologies.signals.detection import detect
from methodologies.signals.meta import interview_phase

CLOSING_STRATEGY = "closing_strategy"
"""The reason of an interview that closes because a closing strategy scored highest."""

SATURATED_TURNS = 2
"""The closing question is asked after as many turns in which nothing answered a saturation."""


class ExploratoryDirector(Director):
    """Leads an interview by its methodology's weights."""

    mode: ClassVar[str] = "exploratory"

    def opening(self, context: TurnView) -> Ask:
        session, method = context.session, context.methodology.method
        said = method.said_in(session.language)
        return _ask(
            OPENING_QUESTION,
            OpeningInputs(
                subject=context.subject,
                objective=objective_of(context),
                methodology_name=method.name,
                goal=said.goal,
                opening_bias=said.opening_bias,
                language=session.language,
                seed=session.seed,
            ),
        )

    def reading(self, context: TurnView) -> Sequence[QuestionTask]:
        return reading_tasks(context)

    def choose(self, context: TurnView) -> StrategySelection:
        methodology, turn = context.methodology, context.job.number
        computed, before = context.state, context.loaded.state
        boundaries = methodology.phase_boundaries
        limits = (boundaries.early_until, boundaries.late_from) if boundaries else None
        phase = interview_phase(turn, context.session.max_turns, limits)
        changes = context.slots.changes
        listed = {name for names in methodology.signals.values() for name in names}
        heard, mode_state = context.heard, listening.state_after(context)
        exchange = listening.exchange_of(context)
        mentions = listening.mentions_now(context)
        leads = listening.leads_of(heard.leads, context.utterance.text, mentions)
        reading = detect(
            sorted(listed | signals_of_gates(methodology)),
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
                act=heard.act,
                leads=leads,
                disclaimed=frozenset(mode_state.disclaimed),
                off_track=exchange.off_track,
                line_run=listening.line_run(context),
            ),
        )
        evidence = ExploratoryEvidence(
            phase=phase,
            closing_allowed=phase == "late" or _saturation(context) is not None,
            reading=reading,
            first_turns=tuple(node.first_turn for node in context.graph.live_nodes()),
            last_said=_last_said(context.graph, mentions),
            bars=tuple(bars_of(exchange, methodology)),
            strategy_history=before.strategy_history,
            strategy_uses=before.strategy_uses,
            refused=refused_label(context),
        )
        resting = left_alone(context)
        chosen = evidence.ranked(methodology, left_alone=resting).chosen
        strategy = methodology.strategies_by_name[chosen.strategy]
        return StrategySelection(
            strategy=chosen.strategy,
            focus=focus_on(context, chosen.node_id),
            focus_mode=strategy.focus_mode,
            closing=strategy.generates_closing_question,
            left_alone=resting,
            evidence=evidence,
        )

    def proceed(self, context: TurnView) -> Continuation:
        selection = context.selection
        verdict, reason = self._verdict(context)
        strategy, focus = selection.strategy, selection.focus
        rephrases = reason in endings.PUT_AGAIN
        if rephrases and (last := question_to_rephrase(context)):
            strategy, focus = last.strategy, focus_on(context, last.node_id)
        elif verdict is Verdict.CLOSE and not selection.closing:
            closing = closing_ranking_of(context).chosen
            strategy, focus = closing.strategy, focus_on(context, closing.node_id)
        return Continuation(
            verdict=verdict,
            reason=reason,
            turns_remaining=endings.turns_remaining(context),
            strategy=strategy,
            focus=focus,
            rephrases=rephrases,
        )

    def _verdict(self, context: TurnView) -> tuple[Verdict, str]:
        if over := endings.ending(context):
            return Verdict.END, over
        if (reason := _saturation(context)) and _unanswered(context):
            return Verdict.CLOSE, reason
        if endings.last_before_limit(context):
            return Verdict.CLOSE, endings.MAX_TURNS
        if again := endings.rephrasing(context):
            return again
        if context.selection.closing:
            return Verdict.CLOSE, CLOSING_STRATEGY
        return Verdict.CONTINUE, ""

    def observe(self, context: TurnView) -> ModeState:
        return listening.observed(context)

    def remember(self, context: TurnView) -> ModeState:
        return ExploratoryState() if context.is_opening else listening.remembered(context)

    def compose(self, context: TurnView) -> Ask:
        if context.continuation.verdict is Verdict.CLOSE:
            return _ask(CLOSING_QUESTION, build.closing_inputs(context))
        return _ask(FOLLOW_UP_QUESTION, build.follow_up_inputs(context))


def _saturation(context: TurnView) -> str | None:
    """Why nothing more is to be learned, if so; what was never read has not been exhausted."""
    unread = context.session.language not in RULES_READ and not context.graph.nodes
    return None if unread else context.state.saturation_reason


def _unanswered(context: TurnView) -> bool:
    """Whether the interview has been saturated for two turns and nothing new answered that."""
    since = listening.state_after(context).saturated_since
    return since is not None and context.job.number - since >= SATURATED_TURNS


def _last_said(graph: SessionGraph, mentions: Sequence[Mention]) -> tuple[int, ...]:
    """For each live node how late it was mentioned last, from 1 for what was never said again."""
    earlier = {node_id: place for place, node_id in enumerate(graph.said_before, start=1)}
    now = sorted((m.start, m.node_id) for m in mentions if m.node_id)
    places = earlier | {node_id: len(earlier) + n for n, (_, node_id) in enumerate(now, start=1)}
    return tuple(places.get(node.id, 1) for node in graph.live_nodes())


def _ask(task: Task[Any, Any], inputs: TaskModel) -> Ask:
    return Ask(call=QuestionTask(task, inputs))
