"""What a concept test asks: the inputs of the tasks that word its questions."""

from __future__ import annotations

from heapq import nsmallest

from interviews.llm.tasks.concept_questions import (
    CONCEPT_OPENING,
    CONCEPT_QUESTION,
    ConceptOpeningInputs,
    ConceptQuestionInputs,
)
from interviews.llm.tasks.questions import (
    CLOSING_QUESTION,
    ClosingInputs,
    FocusInput,
    StrategyInput,
    TurnInput,
)
from interviews.modes.base import Ask, QuestionTask
from interviews.modes.common.repairs import acknowledgement
from interviews.modes.evaluative.evidence import ScoredEntry
from interviews.modes.evaluative.hearing import elements_in
from interviews.modes.evaluative.state import Asked, EvaluativeState
from interviews.turns.blocks import Block, stimulus
from interviews.turns.context import TurnView
from interviews.turns.contracts import Focus
from methodologies.evaluative import Rules, rules_with

RECENT_TURNS = 4
SUMMARY_LABELS = 6
LAST_WORD = StrategyInput(
    name="closing", description="Leave the last word to the respondent.", focus_mode="summary"
)


def shown(context: TurnView) -> Block | None:
    """The stimulus as a card beside the opening."""
    found = context.concept.stimulus
    if found is None:
        return None
    return stimulus(text=found.text, image=found.image or "", alt=found.image_alt)


def stimulus_text(context: TurnView) -> str:
    """What respondents read, with the image in words."""
    found = context.concept.stimulus
    return " ".join(part for part in (found.text, found.image_alt) if part) if found else ""


def opening(context: TurnView) -> Ask:
    """Ask for a first reaction, with the stimulus beside the question."""
    method = context.methodology.method
    inputs = ConceptOpeningInputs(
        subject=context.subject,
        objective=context.concept.research_objective,
        methodology_name=method.name,
        goal=method.goal,
        stimulus=stimulus_text(context),
        language=context.session.language,
        seed=context.session.seed,
    )
    return Ask(call=QuestionTask(CONCEPT_OPENING, inputs), block=shown(context))


def following(context: TurnView, state: EvaluativeState, chosen: ScoredEntry) -> Ask:
    """The question that carries out what was chosen."""
    return _about(context, state, chosen, chosen.guidance)


def again(context: TurnView, state: EvaluativeState) -> Ask:
    """The last question in other words; the opening, where it was the last."""
    if state.asked:
        last = state.asked[-1]
        guidance = _guidance(rules_with(context.methodology.evaluative), last)
        return _about(context, state, last, guidance)
    spec = rules_with(context.methodology.evaluative).strategies["introduce_seed"]
    first = Asked(turn=0, strategy="introduce_seed", group=spec.group, tactic=spec.tactics[0].name)
    return _about(context, state, first, spec.tactics[0].guidance)


def closing(context: TurnView) -> Ask:
    """The last word."""
    inputs = ClosingInputs(
        **_common(context), strategy=LAST_WORD, reason=context.continuation.reason
    )
    return Ask(call=QuestionTask(CLOSING_QUESTION, inputs))


def _guidance(rules: Rules, last: Asked) -> str:
    spec = next((s for name, s in rules.strategies.items() if name == last.strategy), None)
    tactics = spec.tactics if spec else ()
    return next((tactic.guidance for tactic in tactics if tactic.name == last.tactic), "")


def _about(
    context: TurnView, state: EvaluativeState, chosen: ScoredEntry | Asked, guidance: str
) -> Ask:
    rules = rules_with(context.methodology.evaluative)
    elements = {element.id: element for element in elements_in(context)}
    element, other = elements.get(chosen.ref), elements.get(chosen.other)
    tension = next((t for t in state.tensions if t.id == chosen.ref), None)
    reaction = state.reaction_to(chosen.ref)
    intent = next((s.intent for n, s in rules.strategies.items() if n == chosen.strategy), "")
    inputs = ConceptQuestionInputs(
        **_common(context),
        strategy=StrategyInput(name=chosen.strategy, description=intent),
        focus=_focus(context.continuation.focus),
        stimulus=stimulus_text(context),
        tactic=chosen.tactic,
        guidance=guidance,
        about=chosen.kind or "none",
        gap=chosen.gap or "",
        element=element.label if element and chosen.kind == "element" else "",
        other_element=other.label if other else "",
        reaction=reaction.reaction if reaction and chosen.kind == "element" else "",
        source=tension.source if tension else "",
        target=tension.target if tension else "",
        said=tension.quote if tension else "",
        leads=context.heard.leads,
        self_selection=context.session.selects_question,
    )
    spoken = tuple(name for e in elements.values() for name in e.names)
    return Ask(call=QuestionTask(CONCEPT_QUESTION, inputs), spoken=spoken)


def _common(context: TurnView) -> dict[str, object]:
    """What every question rests on."""
    method = context.methodology.method
    now = TurnInput(question=context.loaded.last_question, answer=context.utterance.text)
    earlier = context.loaded.exchanges[-(RECENT_TURNS - 1) :]
    return {
        "subject": context.subject,
        "objective": context.concept.research_objective,
        "methodology_name": method.name,
        "goal": method.goal,
        "summary_labels": _main_points(context),
        "refused": _refused(context),
        "recent_turns": (
            *(TurnInput(question=e.question, answer=e.answer) for e in earlier),
            now,
        ),
        "asked_questions": context.loaded.asked_questions,
        "acknowledge": acknowledgement(context),
        "language": context.session.language,
        "seed": context.session.seed * 1000 + context.job.number,
    }


def _focus(focus: Focus | None) -> FocusInput | None:
    if focus is None or focus.kind != "node":
        return None
    return FocusInput(
        label=focus.label,
        node_type=focus.node_type,
        level=focus.level,
        terminal=focus.terminal,
        quote=focus.quote,
        stance=focus.stance,
    )


def _main_points(context: TurnView) -> tuple[str, ...]:
    """The best-connected live concepts that were not refused, in the respondent's words."""
    degree = context.graph.degree()
    best = nsmallest(
        SUMMARY_LABELS,
        context.tracker.open_nodes(context.graph),
        key=lambda node: (-degree.get(node.id, 0), node.first_turn),
    )
    return tuple(node.label for node in best)


def _refused(context: TurnView) -> tuple[str, ...]:
    """Nodes and elements that the respondent refused to talk about, for good."""
    nodes = (n.label for n in context.graph.live_nodes() if context.tracker.is_closed(n.id))
    state = context.state.mode_state
    refused = state.refused if isinstance(state, EvaluativeState) else ()
    return (*nodes, *(e.label for e in elements_in(context) if e.id in refused))
