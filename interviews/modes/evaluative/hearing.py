"""What an answer changes in the mode's state: links, reactions, momentum, tensions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graphs.domain import Mention
from interviews.acts import LEAVE_OPEN
from interviews.llm.tasks.extraction import EXTRACTION
from interviews.llm.tasks.momentum import MOMENTUM
from interviews.llm.tasks.stimulus_reading import (
    STIMULUS_READING,
    ElementReading,
    StimulusReadingOutput,
)
from interviews.modes.common.repairs import left_alone, question_to_rephrase
from interviews.modes.evaluative.elements import Element, elements_of
from interviews.modes.evaluative.mapping import elements_named, mapped
from interviews.modes.evaluative.meaning import cosine
from interviews.modes.evaluative.momentum import after
from interviews.modes.evaluative.state import (
    Asked,
    EvaluativeState,
    Link,
    Momentum,
    Quoted,
    Reaction,
    Tension,
)
from interviews.modes.evaluative.survey import coverage_now, standings
from interviews.modes.evaluative.tension import End, tensions_in
from interviews.turns.context import TurnView

MOST_QUOTED = 300
"""In characters; a longer answer is cut where it stands for a reaction."""

Span = tuple[int, int]


def elements_in(context: TurnView) -> tuple[Element, ...]:
    """The elements of the interview's concept. Raises DocumentMissing without a concept."""
    return elements_of(context.concept.elements)


def state_before(context: TurnView) -> EvaluativeState:
    """The mode's state before the answer; an empty one where none was kept yet."""
    found = context.loaded.mode_state
    return found if isinstance(found, EvaluativeState) else EvaluativeState()


def observed(context: TurnView) -> EvaluativeState:
    """The mode's state after the answer."""
    before, elements = state_before(context), elements_in(context)
    reading = context.extraction.replies.get(STIMULUS_READING) or StimulusReadingOutput()
    links = (*before.links, *_links(context, before, reading.readings, elements))
    known = {element.id for element in elements}
    said = mentions_now(context)
    state = before.model_copy(
        update={
            "links": links,
            "reactions": (*before.reactions, *_reactions(context, before, reading, known)),
            "quotes": (*before.quotes, *_quotes(context, links, said)),
            "momentum": _momentum(context, before),
            "tensions": (*before.tensions, *_tensions(context, before)),
            "flagged": tuple(dict.fromkeys((*before.flagged, *_flagged(reading, context)))),
            "disclaimed": _disclaimed(context, before),
            "refused": _refused(context, before),
            "asked": _answered(context, before, unknown=reading.unknown),
            "barren": _barren(context, before),
        }
    )
    return state.model_copy(
        update={"standings": standings(coverage_now(context.graph, state, elements))}
    )


def mentions_now(context: TurnView) -> list[Mention]:
    """The mentions of nodes in this answer."""
    return [m for m in context.graph.mentions if m.turn == context.job.number and m.node_id]


def answers(context: TurnView) -> bool:
    """Whether the answer answers anything: who only asks back is not counted as tired or empty."""
    return context.heard.act not in LEAVE_OPEN or context.graph_update.yielded


# -- elements --------------------------------------------------------------------------------------
def _links(
    context: TurnView,
    before: EvaluativeState,
    readings: Sequence[ElementReading],
    elements: Sequence[Element],
) -> Iterator[Link]:
    """The links that this answer adds: as it was read, by words, or for new nodes by meaning."""
    seen = {(link.node_id, link.element) for link in before.links}
    linked = {link.node_id for link in before.links}
    for mention in mentions_now(context):
        node_id = mention.node_id or ""
        stated = [
            reading.element_mapping
            for reading in readings
            if reading.element_mapping and overlaps(span_of(reading.quote, context), mention)
        ]
        names = (context.graph.nodes[node_id].label, mention.quote)
        for element, by in mapped(mention.label, names, elements, stated=stated, cosine=cosine):
            if (node_id, element) in seen or (by == "meaning" and node_id in linked):
                continue
            seen.add((node_id, element))
            linked.add(node_id)
            yield Link(node_id=node_id, element=element, by=by)


def _reactions(
    context: TurnView, before: EvaluativeState, reading: StimulusReadingOutput, known: set[str]
) -> Iterator[Reaction]:
    """The reactions of this answer, one an element and reaction, in the order of the answer."""
    turn, answer = context.job.number, context.utterance.text
    seen: set[tuple[str, str]] = set()
    for found in reading.readings:
        element, reaction = found.element_mapping, found.reaction
        if element is None or element not in known or reaction is None:
            continue
        span = span_of(found.quote, context)
        if span is None or (element, reaction) in seen:
            continue
        seen.add((element, reaction))
        yield Reaction(element=element, reaction=reaction, quote=answer[slice(*span)], turn=turn)
    asked = asked_element(before, context)
    if asked in known and reading.reaction and asked not in {element for element, _ in seen}:
        yield Reaction(
            element=asked, reaction=reading.reaction, quote=answer[:MOST_QUOTED], turn=turn
        )


def asked_element(state: EvaluativeState, context: TurnView) -> str:
    """The element that the answered question was about, "" where it was about none."""
    last = last_asked(state, context)
    return last.ref if last is not None and last.kind == "element" else ""


def last_asked(state: EvaluativeState, context: TurnView) -> Asked | None:
    """The answered question; None for the opening and the closing one."""
    if context.loaded.state.closing_reason or not state.asked:
        return None
    return state.asked[-1]


def _quotes(context: TurnView, links: Sequence[Link], said: Sequence[Mention]) -> Iterator[Quoted]:
    """What was said now about each element."""
    of_node: dict[str, list[str]] = {}
    for link in links:
        of_node.setdefault(link.node_id, []).append(link.element)
    found = [(e, m.quote) for m in said for e in of_node.get(m.node_id or "", ())]
    for element, quote in dict.fromkeys(found):
        yield Quoted(element=element, turn=context.job.number, quote=quote)


def _flagged(reading: StimulusReadingOutput, context: TurnView) -> Iterator[str]:
    """The nodes that were read as ambiguous."""
    for found in reading.readings:
        if found.ambiguous:
            span = span_of(found.quote, context)
            said = mentions_now(context)
            yield from (m.node_id for m in said if m.node_id and overlaps(span, m))


def opened_elements(context: TurnView, state: EvaluativeState) -> frozenset[str]:
    """The elements that a lead of this answer touches: named in it, or by a node said in it."""
    found: set[str] = set()
    elements = elements_in(context)
    for lead in context.heard.leads:
        found |= {element.id for element in elements_named([lead.quote], elements)}
        span = span_of(lead.quote, context)
        touched = {m.node_id for m in mentions_now(context) if overlaps(span, m)}
        found |= {link.element for link in state.links if link.node_id in touched}
    return frozenset(found)


# -- the respondent --------------------------------------------------------------------------------
def _momentum(context: TurnView, before: EvaluativeState) -> Momentum:
    """The momentum with this answer; neutral where nobody could say."""
    if not answers(context):
        return before.momentum
    told = context.extraction.replies.get(MOMENTUM)
    return after(before.momentum, told.level if told else "neutral")


def _disclaimed(context: TurnView, before: EvaluativeState) -> tuple[str, ...]:
    """The nodes that are played down, until the respondent comes back to them unasked."""
    graph, answer = context.graph, context.utterance.text
    said, now = mentions_now(context), set[str]()
    for text in context.heard.disclaimed:
        now |= {node.id for node in graph.called(text)[:1]}
        start = answer.find(text)
        span = (start, start + len(text)) if start >= 0 else None
        now |= {m.node_id for m in said if m.node_id and overlaps(span, m)}
    last = last_asked(before, context)
    unasked = {m.node_id for m in said} - {last.ref if last else ""}
    kept = {node_id for node_id in before.disclaimed if node_id not in unasked}
    return tuple(sorted(node_id for node_id in kept | now if graph.is_live(node_id)))


def _refused(context: TurnView, before: EvaluativeState) -> tuple[str, ...]:
    """The elements that the respondent does not want to talk about, for good."""
    asked = asked_element(before, context)
    if context.heard.act != "refuses" or not asked or asked in before.refused:
        return before.refused
    return (*before.refused, asked)


def left_alone_now(context: TurnView, state: EvaluativeState) -> frozenset[str]:
    """Nodes and elements that the next question must not be about.

    For good what was refused, until they come back to it what was disclaimed, and for this turn
    what they object to, have nothing to add on, or did not understand in any wording.
    """
    act, asked = context.heard.act, asked_element(state, context)
    stuck = act == "not_understood" and question_to_rephrase(context) is None
    moves_on = act in ("objects", "adds_nothing") or stuck
    elements = {*state.refused, *([asked] if asked and moves_on else [])}
    return left_alone(context) | frozenset(state.disclaimed) | elements


# -- what the answer brought -----------------------------------------------------------------------
def _answered(context: TurnView, before: EvaluativeState, *, unknown: bool) -> tuple[Asked, ...]:
    """The questions, the last with what its answer brought."""
    last, update = last_asked(before, context), context.graph_update
    if last is None:
        return before.asked
    ceiling = unknown or context.heard.act in ("refuses", "adds_nothing")
    brought = last.model_copy(
        update={
            "unknown": last.unknown or ceiling,
            "nodes": last.nodes + len(update.nodes_added) + len(update.revived),
            "edges": last.edges + len(update.edges_added),
        }
    )
    return (*before.asked[:-1], brought)


def _barren(context: TurnView, before: EvaluativeState) -> int:
    if not answers(context):
        return before.barren
    update = context.graph_update
    return 0 if update.nodes_added or update.revived else before.barren + 1


def _tensions(context: TurnView, before: EvaluativeState) -> Iterator[Tension]:
    """What the answer states and the ontology does not permit."""
    proposed = context.extraction.replies.get(EXTRACTION)
    if proposed is None or not proposed.extractable:
        return iter(())

    def known(label: str) -> End | None:
        found = context.graph.called(label)
        node = found[0] if found else None
        return End(id=node.id, label=node.label, node_type=node.node_type) if node else None

    return tensions_in(
        proposed.relationships,
        answer=context.utterance.text,
        ontology=context.ontology,
        known=known,
        before=before.tensions,
        turn=context.job.number,
    )


# -- stretches -------------------------------------------------------------------------------------
def span_of(quote: str, context: TurnView) -> Span | None:
    """Where a quote stands in the answer after folding case and white space, None where not."""
    words = r"\s+".join(map(re.escape, quote.split()))
    found = re.search(words, context.utterance.text, flags=re.IGNORECASE) if words else None
    return found.span() if found else None


def overlaps(span: Span | None, mention: Mention) -> bool:
    """Whether a stretch and a mention share at least half of the shorter one."""
    if span is None:
        return False
    start, end = span
    shared = min(end, mention.end) - max(start, mention.start)
    return shared > 0 and 2 * shared >= min(end - start, mention.end - mention.start)
