"""Builds the inputs of language-model tasks out of a turn's context."""

from __future__ import annotations

from collections.abc import Callable

from interviews.llm.tasks.extraction import (
    EdgeTypeInput,
    ExtractionInputs,
    LabelledNode,
    NodeTypeInput,
    RelationshipExampleInput,
)
from interviews.llm.tasks.questions import (
    AcknowledgeInput,
    ClosingInputs,
    FocusInput,
    FollowUpInputs,
    SignalInput,
    StrategyInput,
    TurnInput,
)
from interviews.turns.context import TurnContext
from interviews.turns.contracts import Focus
from methodologies.qualifiers import parse_key
from methodologies.schema import MethodologySchema
from methodologies.scoring import Candidate, Contribution
from methodologies.signals.base import SignalReading, SignalSpec, Value

RECENT_TURNS = 4
SUMMARY_LABELS = 5
SIGNALS_IN_PROMPT = 5


def extraction_inputs(context: TurnContext) -> ExtractionInputs:
    """The answer, its question, the ontology, and what is already in the graph."""
    methodology, loaded, session = context.methodology, context.loaded, context.session
    ontology, focus = methodology.ontology, loaded.previous_focus
    node = context.graph.nodes.get(focus.node_id) if focus and focus.node_id else None
    return ExtractionInputs(
        answer=context.utterance.text,
        question=loaded.last_question,
        language=session.language,
        subject=session.concept.subject,
        methodology_name=methodology.method.name,
        goal=methodology.method.goal,
        node_types=_node_types(methodology),
        edge_types=tuple(
            EdgeTypeInput(
                name=e.name,
                description=e.description,
                permitted_connections=e.permitted_connections,
                chain=e.chain,
            )
            for e in ontology.edges
        ),
        guidelines=ontology.extraction_guidelines,
        relationship_examples=tuple(
            RelationshipExampleInput(**example.model_dump())
            for example in ontology.relationship_examples
        ),
        extractability_criteria=dict(ontology.extractability_criteria),
        concept_naming_convention=ontology.concept_naming_convention,
        existing_labels=tuple(
            LabelledNode(label=label, node_type=node_type)
            for label, node_type in loaded.recent_node_labels
        ),
        focus=LabelledNode(label=node.label, node_type=node.node_type) if node else None,
        discourse_relations=context.srl.discourse_relations,
        predicate_frames=context.srl.srl_frames,
    )


def _node_types(methodology: MethodologySchema) -> tuple[NodeTypeInput, ...]:
    return tuple(
        NodeTypeInput(
            name=n.name,
            level=n.level,
            terminal=n.terminal,
            description=n.description,
            examples=n.examples,
            cues=n.cues,
        )
        for n in methodology.ontology.nodes
    )


def follow_up_inputs(context: TurnContext) -> FollowUpInputs:
    """Strategy, focus and the grounds of the choice, for the next question."""
    return FollowUpInputs(**_common(context))


def closing_inputs(context: TurnContext) -> ClosingInputs:
    """As a follow-up, with the reason why the interview closes."""
    return ClosingInputs(**_common(context), reason=context.continuation.reason)


def _common(context: TurnContext) -> dict[str, object]:
    session, continuation = context.session, context.continuation
    methodology = context.methodology
    strategy = methodology.strategies_by_name[continuation.strategy]
    return {
        "subject": session.concept.subject,
        "methodology_name": methodology.method.name,
        "goal": methodology.method.goal,
        "strategy": StrategyInput(
            name=strategy.name,
            description=strategy.description,
            rationale=strategy.rationale,
            focus_mode=strategy.focus_mode,
            probes=strategy.probes,
        ),
        "focus": _focus(continuation.focus),
        "summary_labels": summary_labels(context),
        "signals": _signals(context),
        "rationale": rationale(context),
        "depth_reached": context.state.graph_state.longest_chain_length,
        "recent_turns": recent_turns(context),
        "asked_questions": context.loaded.asked_questions,
        "acknowledge": _acknowledge(context),
        "language": session.language,
        "seed": turn_seed(context),
    }


def _focus(focus: Focus | None) -> FocusInput | None:
    if focus is None:
        return None
    return FocusInput(
        label=focus.label,
        node_type=focus.node_type,
        level=focus.level,
        terminal=focus.terminal,
        quote=focus.quote,
        stance=focus.stance,
    )


def summary_labels(context: TurnContext) -> tuple[str, ...]:
    """The best-connected live concepts, in the respondent's words, for a summary."""
    degree = context.graph.degree()
    live = sorted(context.graph.live_nodes(), key=lambda n: (-degree.get(n.id, 0), n.first_turn))
    return tuple(node.label for node in live[:SUMMARY_LABELS])


def recent_turns(context: TurnContext) -> tuple[TurnInput, ...]:
    """The last exchanges, this turn's included, oldest first."""
    earlier = context.loaded.exchanges[-(RECENT_TURNS - 1) :]
    now = TurnInput(question=context.loaded.last_question, answer=context.utterance.text)
    return (*(TurnInput(question=e.question, answer=e.answer) for e in earlier), now)


def turn_seed(context: TurnContext) -> int:
    """Varies the wording from turn to turn; the same when a turn is thought about again."""
    return context.session.seed * 1000 + context.job.number


def rationale(context: TurnContext) -> tuple[str, ...]:
    """Why the strategy was chosen, strongest ground first, in the signals' own words."""
    return tuple(
        f"{signal.meaning}: {signal.value}"
        for signal in _carrying(context, lambda part: part.contribution)
    )


def _signals(context: TurnContext) -> tuple[SignalInput, ...]:
    """The signals that weighed most in the choice, with their values and meanings."""
    return _carrying(context, lambda part: abs(part.contribution))


def _carrying(
    context: TurnContext, force: Callable[[Contribution], float]
) -> tuple[SignalInput, ...]:
    """The signals behind the chosen candidate's weights of positive force, strongest first."""
    selection = context.selection
    chosen: dict[str, SignalInput] = {}
    for part in sorted(selection.ranking.chosen.contributions, key=force, reverse=True):
        spec = parse_key(part.key).spec
        value = signal_value(selection.reading, spec, selection.ranking.chosen)
        if force(part) > 0 and value is not None:
            found = SignalInput(name=spec.name, value=value_text(value), meaning=spec.summary)
            chosen.setdefault(spec.name, found)
    return tuple(chosen.values())[:SIGNALS_IN_PROMPT]


def signal_value(reading: SignalReading, spec: SignalSpec, candidate: Candidate) -> Value | None:
    """What a signal read for a candidate, not what a weight made of it; None where absent."""
    node_id = candidate.node_id or ""
    match spec.scope:
        case "global":
            return reading.global_values.get(spec.name)
        case "node":
            return reading.node_values.get(node_id, {}).get(spec.name)
        case "strategy":
            found = reading.strategy_values.get(spec.name)
            return found.of(candidate.strategy) if found else None
        case "strategy_node":
            pairs = reading.pair_values.get(spec.name)
            return pairs.of(candidate.strategy, node_id) if pairs else None


def value_text(value: Value) -> str:
    """A signal's value for reading: yes or no, three digits of a ratio, anything else as it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _acknowledge(context: TurnContext) -> AcknowledgeInput:
    intent = context.extraction.intent
    if intent in ("refusal", "already_told", "clarify"):
        return AcknowledgeInput(kind=intent)
    return AcknowledgeInput()
