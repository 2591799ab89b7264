"""Leads a concept test: through its elements, and from there where the respondent's thoughts go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from interviews.llm.tasks.extraction import EXTRACTION
from interviews.llm.tasks.momentum import MOMENTUM, MOST_TURNS, MomentumInputs
from interviews.llm.tasks.questions import TurnInput
from interviews.llm.tasks.stimulus_reading import (
    STIMULUS_READING,
    ElementInput,
    StimulusReadingInputs,
)
from interviews.modes.base import Ask, Director, QuestionTask
from interviews.modes.common import endings
from interviews.modes.common.focus import focus_on
from interviews.modes.common.reading import extraction_inputs
from interviews.modes.evaluative import questions
from interviews.modes.evaluative.choosing import choose
from interviews.modes.evaluative.closing import reason_to_close
from interviews.modes.evaluative.evidence import EvaluativeEvidence, ScoredEntry, evidence_of
from interviews.modes.evaluative.hearing import (
    asked_element,
    elements_in,
    left_alone_now,
    mentions_now,
    observed,
    opened_elements,
    state_before,
)
from interviews.modes.evaluative.meaning import cosine
from interviews.modes.evaluative.momentum import level_of
from interviews.modes.evaluative.scorers.reflection_mode import reflects
from interviews.modes.evaluative.situation import Situation, steps_to_terminal
from interviews.modes.evaluative.state import Asked, EvaluativeState
from interviews.modes.evaluative.survey import coverage_now, open_tensions, topology_now
from interviews.turns.context import TurnView
from interviews.turns.contracts import Continuation, Focus, StrategySelection, Verdict
from methodologies.evaluative import Rules, rules_with

CLOSING = "closing"
"""Stands for a strategy where the last question is asked."""


class EvaluativeDirector(Director):
    """Chooses among what applies by nine scorers, and asks for reactions to what is shown."""

    mode: ClassVar[str] = "evaluative"

    def opening(self, context: TurnView) -> Ask:
        return questions.opening(context)

    def reading(self, context: TurnView) -> Sequence[QuestionTask]:
        """The graph and how the answer was meant, the elements, and momentum, side by side."""
        state = state_before(context)
        elements = tuple(
            ElementInput(id=e.id, label=e.label, aliases=e.aliases) for e in elements_in(context)
        )
        extraction = extraction_inputs(context).model_copy(
            update={
                "hears": True,
                "unusual": True,
                "objective": context.concept.research_objective,
            }
        )
        reading = StimulusReadingInputs(
            answer=context.utterance.text,
            question=context.loaded.last_question,
            subject=context.subject,
            elements=elements,
            asked_element=asked_element(state, context),
            language=context.session.language,
        )
        engaged = MomentumInputs(
            question=context.loaded.last_question,
            answer=context.utterance.text,
            earlier=tuple(
                TurnInput(question=e.question, answer=e.answer)
                for e in context.loaded.exchanges[-(MOST_TURNS - 1) :]
            ),
            language=context.session.language,
        )
        return [
            QuestionTask(EXTRACTION, extraction),
            QuestionTask(STIMULUS_READING, reading),
            QuestionTask(MOMENTUM, engaged),
        ]

    def observe(self, context: TurnView) -> EvaluativeState:
        return observed(context)

    def choose(self, context: TurnView) -> StrategySelection:
        state, rules = _observed(context), rules_of(context)
        situation = situation_of(context, state, rules)
        evidence = evidence_of(
            choose(situation, rules),
            situation,
            state,
            turn=context.job.number,
            rules=rules.checksum,
            said={m.node_id or "" for m in mentions_now(context)},
        )
        refused = asked_element(state, context) if context.heard.act == "refuses" else ""
        if refused in situation.elements:
            label = situation.elements[refused].label
            evidence = evidence.model_copy(update={"refused": label})
        focus = focus_of(context, evidence.chosen)
        return StrategySelection(
            strategy=evidence.chosen.strategy,
            focus=focus,
            focus_mode="recent_node" if focus else "topic",
            closing=False,
            left_alone=frozenset(n for n in situation.left_alone if n in situation.nodes),
            evidence=evidence,
        )

    def proceed(self, context: TurnView) -> Continuation:
        verdict, reason = self._verdict(context)
        strategy, focus = context.selection.strategy, context.selection.focus
        rephrases = reason in endings.PUT_AGAIN
        if rephrases:
            strategy, focus = put_again(context)
        elif verdict is Verdict.CLOSE:
            strategy, focus = CLOSING, None
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
        state, graph = _observed(context), context.graph
        coverage = coverage_now(graph, state, elements_in(context))
        shape = topology_now(graph, state, context.ontology)
        if reason := reason_to_close(coverage, shape, state.momentum):
            return Verdict.CLOSE, reason
        if endings.last_before_limit(context):
            return Verdict.CLOSE, endings.MAX_TURNS
        return endings.rephrasing(context) or (Verdict.CONTINUE, "")

    def compose(self, context: TurnView) -> Ask:
        if context.continuation.verdict is Verdict.CLOSE:
            return questions.closing(context)
        if context.continuation.rephrases:
            return questions.again(context, _observed(context))
        return questions.following(context, _observed(context), chosen_in(context))

    def remember(self, context: TurnView) -> EvaluativeState:
        """What was observed, with the question that is asked now."""
        if context.is_opening:
            return EvaluativeState()
        state, decided = _observed(context), context.continuation
        if decided.verdict is not Verdict.CONTINUE or decided.rephrases:
            return state
        chosen = chosen_in(context)
        asked = Asked(
            turn=context.job.number,
            strategy=chosen.strategy,
            group=chosen.group,
            tactic=chosen.tactic,
            kind=chosen.kind,
            ref=chosen.ref,
            other=chosen.other,
            label=chosen.label,
            gap=chosen.gap,
        )
        return state.model_copy(update={"asked": (*state.asked, asked)})


def rules_of(context: TurnView) -> Rules:
    """What this interview is scored by."""
    return rules_with(context.methodology.evaluative)


def situation_of(context: TurnView, state: EvaluativeState, rules: Rules) -> Situation:
    """Where the interview stands after the answer."""
    graph, ontology = context.graph, context.ontology
    elements = {element.id: element for element in elements_in(context)}
    complete = bool(context.state.graph_state.has_complete_chain)
    return Situation(
        elements=elements,
        coverage=coverage_now(graph, state, tuple(elements.values())),
        topology=topology_now(graph, state, ontology),
        nodes={node.id: node for node in graph.live_nodes()},
        tensions=tuple(open_tensions(graph, state)),
        momentum=level_of(state.momentum),
        asked=tuple(
            asked.model_copy(update={"ref": graph.successor(asked.ref)})
            if asked.kind == "node"
            else asked
            for asked in state.asked
        ),
        left_alone=left_alone_now(context, state),
        opened=opened_elements(context, state),
        steps=steps_to_terminal(ontology),
        complete_chain=complete,
        barren=state.barren,
        reflects=reflects(
            complete_chain=complete, barren=state.barren, spec=rules.scorers.reflection_mode
        ),
        cosine=cosine,
    )


def focus_of(context: TurnView, chosen: ScoredEntry | Asked) -> Focus | None:
    """What the question is about, as the turn's record and its wording need it."""
    if chosen.kind is None:
        return None
    if chosen.kind == "node":
        return focus_on(context, context.graph.successor(chosen.ref))
    return Focus(kind=chosen.kind, ref=chosen.ref, label=chosen.label[:200])


def put_again(context: TurnView) -> tuple[str, Focus | None]:
    """Strategy and focus of the last question, where it is put in other words."""
    asked = _observed(context).asked
    if not asked:
        return "opening", None
    return asked[-1].strategy, focus_of(context, asked[-1])


def chosen_in(context: TurnView) -> ScoredEntry:
    """What stage 6 chose."""
    evidence = context.selection.evidence
    if not isinstance(evidence, EvaluativeEvidence):
        raise TypeError(f"{type(evidence).__name__} is no evidence of a concept test")
    return evidence.chosen


def _observed(context: TurnView) -> EvaluativeState:
    state = context.state.mode_state
    if not isinstance(state, EvaluativeState):
        raise TypeError(f"{type(state).__name__} is no state of a concept test")
    return state
