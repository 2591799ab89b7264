"""Builds the inputs of the tasks that word an exploratory question."""

from __future__ import annotations

from collections.abc import Callable
from heapq import nsmallest

from interviews.llm.tasks.questions import (
    ClosingInputs,
    FocusInput,
    FollowUpInputs,
    SignalInput,
    StrategyInput,
    TurnInput,
)
from interviews.modes.common.repairs import acknowledgement
from interviews.modes.exploratory.evidence import evidence_of, ranking_of
from interviews.turns.context import TurnView
from interviews.turns.contracts import Focus
from methodologies.qualifiers import parse_key
from methodologies.schema import MethodologySchema
from methodologies.scoring import Contribution
from methodologies.signals.words import value_text

RECENT_TURNS = 4
SUMMARY_LABELS = 8
SIGNALS_IN_PROMPT = 5
LABELS_BESIDE = 4


def follow_up_inputs(context: TurnView) -> FollowUpInputs:
    """Strategy, focus and the grounds of the choice, for the next question."""
    return FollowUpInputs(**_common(context), self_selection=context.session.selects_question)


def closing_inputs(context: TurnView) -> ClosingInputs:
    """As a follow-up, with the reason why the interview closes."""
    return ClosingInputs(**_common(context), reason=context.continuation.reason)


def _common(context: TurnView) -> dict[str, object]:
    """What a question rests on; one put in other words has no grounds of this turn's scoring."""
    session, continuation = context.session, context.continuation
    methodology, scored = context.methodology, not continuation.rephrases
    return {
        "subject": context.subject,
        "methodology_name": methodology.method.name,
        "goal": methodology.method.goal,
        "strategy": _strategy(methodology, continuation.strategy),
        "focus": _focus(continuation.focus),
        "beside": beside(context),
        "summary_labels": summary_labels(context),
        "signals": _signals(context) if scored else (),
        "rationale": rationale(context) if scored else (),
        "depth_reached": context.state.graph_state.longest_chain_length,
        "recent_turns": recent_turns(context),
        "asked_questions": context.loaded.asked_questions,
        "acknowledge": acknowledgement(context),
        "language": session.language,
        "seed": turn_seed(context),
    }


def _strategy(methodology: MethodologySchema, name: str) -> StrategyInput:
    """A strategy as a prompt needs it; the opening, which is none, by the methodology's bias."""
    strategy = methodology.strategies_by_name.get(name)
    if strategy is None:
        return StrategyInput(
            name=name, description=methodology.method.opening_bias, focus_mode="topic"
        )
    return StrategyInput(
        name=strategy.name,
        description=strategy.description,
        rationale=strategy.rationale,
        focus_mode=strategy.focus_mode,
        probes=strategy.probes,
    )


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


def summary_labels(context: TurnView) -> tuple[str, ...]:
    """The best-connected live concepts, in the respondent's words, for a summary.

    What the respondent refused to talk about is not given back either.
    """
    degree = context.graph.degree()
    best = nsmallest(
        SUMMARY_LABELS,
        context.tracker.open_nodes(context.graph),
        key=lambda node: (-degree.get(node.id, 0), node.first_turn),
    )
    return tuple(node.label for node in best)


def beside(context: TurnView) -> tuple[str, ...]:
    """What was said of other live concepts of the focus's type, if not refused; latest first."""
    focus, graph = context.continuation.focus, context.graph
    if focus is None:
        return ()
    alike = [
        _as_named(graph.latest_quote(node.id), node.label)
        for node in context.tracker.open_nodes(graph)
        if node.node_type == focus.node_type and node.id != focus.node_id
    ]
    return tuple(alike[::-1][:LABELS_BESIDE])


def _as_named(quote: str, label: str) -> str:
    """The words that were last said of a concept where they name it, with its capitals."""
    return quote if label.casefold() in quote.casefold() else label


def recent_turns(context: TurnView) -> tuple[TurnInput, ...]:
    """The last exchanges, this turn's included, oldest first."""
    earlier = context.loaded.exchanges[-(RECENT_TURNS - 1) :]
    now = TurnInput(question=context.loaded.last_question, answer=context.utterance.text)
    return (*(TurnInput(question=e.question, answer=e.answer) for e in earlier), now)


def turn_seed(context: TurnView) -> int:
    """Varies the wording from turn to turn; the same when a turn is thought about again."""
    return context.session.seed * 1000 + context.job.number


def rationale(context: TurnView) -> tuple[str, ...]:
    """Why the strategy was chosen, strongest ground first, in the signals' own words."""
    return tuple(
        f"{signal.meaning}: {signal.value}"
        for signal in _carrying(context, lambda part: part.contribution)
    )


def _signals(context: TurnView) -> tuple[SignalInput, ...]:
    """The signals that weighed most in the choice, with their values and meanings."""
    return _carrying(context, lambda part: abs(part.contribution))


def _carrying(context: TurnView, force: Callable[[Contribution], float]) -> tuple[SignalInput, ...]:
    """The signals behind the chosen candidate's weights of positive force, strongest first."""
    reading, candidate = evidence_of(context).reading, ranking_of(context).chosen
    chosen: dict[str, SignalInput] = {}
    for part in sorted(candidate.contributions, key=force, reverse=True):
        spec = parse_key(part.key).spec
        value = reading.value(spec, candidate.strategy, candidate.node_id)
        if force(part) > 0 and value is not None:
            found = SignalInput(name=spec.name, value=value_text(value), meaning=spec.summary)
            chosen.setdefault(spec.name, found)
    return tuple(chosen.values())[:SIGNALS_IN_PROMPT]
