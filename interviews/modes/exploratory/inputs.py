"""Builds the inputs of the tasks that word an exploratory question."""

from __future__ import annotations

from heapq import nsmallest

from graphs.paths import longest_paths
from interviews.llm.tasks.questions import (
    ClosingInputs,
    FocusInput,
    FollowUpInputs,
    StrategyInput,
    TurnInput,
)
from interviews.modes.common.reading import objective_of
from interviews.modes.common.repairs import acknowledgement
from interviews.modes.exploratory.evidence import evidence_of, ranking_of
from interviews.turns.context import TurnView
from interviews.turns.contracts import Focus
from methodologies.qualifiers import parse_key
from methodologies.schema import MethodologySchema
from methodologies.signals.words import statement

RECENT_TURNS = 4
SUMMARY_LABELS = 8
GROUNDS_IN_PROMPT = 5
LABELS_BESIDE = 4
CHAINS_AT_LAST = 2


def follow_up_inputs(context: TurnView) -> FollowUpInputs:
    """Strategy, focus and the grounds of the choice, for the next question."""
    return FollowUpInputs(**_common(context), self_selection=context.session.selects_question)


def closing_inputs(context: TurnView) -> ClosingInputs:
    """As a follow-up, with the reason why the interview closes."""
    return ClosingInputs(
        **_common(context),
        reason=context.continuation.reason,
        chains=longest_chains(context),
    )


def _common(context: TurnView) -> dict[str, object]:
    """What a question rests on; one put in other words has no grounds of this turn's scoring."""
    session, continuation = context.session, context.continuation
    methodology, scored = context.methodology, not continuation.rephrases
    return {
        "subject": context.subject,
        "objective": objective_of(context),
        "methodology_name": methodology.method.name,
        "goal": methodology.method.said_in(session.language).goal,
        "strategy": _strategy(methodology, continuation.strategy),
        "focus": _focus(continuation.focus),
        "focus_exchange": focus_exchange(context),
        "beside": beside(context),
        "summary_labels": summary_labels(context),
        "refused": refused(context),
        "leads": context.heard.leads,
        "rationale": rationale(context) if scored else (),
        "depth_reached": depth_reached(context),
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


def focus_exchange(context: TurnView) -> TurnInput | None:
    """Where the focus was told, None while that is among the last turns."""
    focus = context.continuation.focus
    quote = focus.quote.casefold() if focus else ""
    if not quote or any(quote in turn.answer.casefold() for turn in recent_turns(context)):
        return None
    return next(
        (
            TurnInput(question=told.question, answer=told.answer)
            for told in reversed(context.loaded.exchanges)
            if quote in told.answer.casefold()
        ),
        None,
    )


def refused(context: TurnView) -> tuple[str, ...]:
    """What the respondent refused to talk about, for good."""
    tracker = context.tracker
    return tuple(n.label for n in context.graph.live_nodes() if tracker.is_closed(n.id))


def depth_reached(context: TurnView) -> int:
    """Distinct levels on the longest chain; its steps where the ontology has no levels."""
    chain, nodes = context.state.graph_state.longest_chain, context.graph.nodes
    if not context.ontology.levels:
        return len(chain)
    return len({nodes[node_id].level for node_id in chain} - {None})


def longest_chains(context: TurnView) -> tuple[tuple[str, ...], ...]:
    """The two longest chains without a common concept, by their labels; nothing refused."""
    graph, successors = context.graph, context.state.chains.successors
    left = [node.id for node in context.tracker.open_nodes(graph)]
    found: list[tuple[str, ...]] = []
    for _ in range(CHAINS_AT_LAST):
        inside = frozenset(left)
        within = {
            source: [target for target in targets if target in inside]
            for source, targets in successors.items()
            if source in inside
        }
        path = longest_paths(left, within).path
        if len(path) > 1:
            found.append(tuple(graph.nodes[node_id].label for node_id in path))
        left = [node_id for node_id in left if node_id not in path]
    return tuple(found)


def rationale(context: TurnView) -> tuple[str, ...]:
    """What speaks for the choice, strongest ground first, in sentences that are true of it."""
    reading, candidate = evidence_of(context).reading, ranking_of(context).chosen
    grounds: dict[str, str] = {}
    for part in sorted(candidate.contributions, key=lambda p: p.contribution, reverse=True):
        spec = parse_key(part.key).spec
        value = reading.value(spec, candidate.strategy, candidate.node_id)
        if part.contribution > 0 and value is not None:
            grounds.setdefault(spec.name, statement(spec, value))
    return tuple(grounds.values())[:GROUNDS_IN_PROMPT]
