"""What an answer that does something else than answer asks of the interviewer.

Repair in conversation: a refusal closes what it was about for good. What the respondent objects
to, has nothing to add on, or did not understand in several wordings is left alone for the next
question. A question not understood, or met with nothing but a question back, is put in other words,
on the same focus and by the same strategy. What was told of something grave is stayed with, or left
openly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from interviews.acts import LEAVE_OPEN, Act
from interviews.llm.tasks.questions import AcknowledgeInput
from interviews.turns.context import TurnView

_MOVES_ON: frozenset[Act] = frozenset(["objects", "adds_nothing"])

MOST_REPHRASINGS = 2
"""A question is put in other words at most this often running."""

OPENING = "opening"
"""Stands for a strategy where the opening question is put in other words."""

MOST_QUOTED = 14
"""In words; a longer passage is no reminder of what was said."""

_SENTENCES = re.compile(r"(?<=[.!?…])\s+")
_CONTENT = re.compile(r"[^\W\d_]{4,}")
_COMMON = frozenset(
    ["what", "when", "where", "which", "that", "this", "with", "from", "about", "have", "your",
     "does", "would", "could", "there", "them", "they", "their", "then", "than", "been", "were",
     "will", "just", "more", "most", "some", "already", "told", "said", "think", "mean", "means",
     "anything", "something", "else", "come", "comes", "like", "know", "really"]
)  # fmt: skip
"""Words of four letters and more that no point is recognised by."""

SHARED_WORDS = 2
"""An earlier sentence tells a point where it shares this many content words with the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastQuestion:
    """By which strategy the question before this answer was asked, and about which node."""

    strategy: str
    node_id: str | None


def question_to_rephrase(context: TurnView) -> LastQuestion | None:
    """The last question, where it is still to be answered and may be put in other words again."""
    if not _is_open(context) or context.loaded.state.rephrasings >= MOST_REPHRASINGS:
        return None
    previous = context.loaded.previous_focus
    if previous is None:
        return LastQuestion(strategy=OPENING, node_id=None)
    if previous.node_id:
        is_live = context.graph.is_live(previous.node_id)
        if not is_live or context.tracker.is_closed(previous.node_id):
            return None
    return LastQuestion(strategy=previous.strategy, node_id=previous.node_id or None)


def left_alone(context: TurnView) -> frozenset[str]:
    """Live nodes that the next question must not be about.

    Those closed by a refusal, for good; and for this turn the one that the last question was about,
    where the respondent objects, has nothing to add or did not understand in any wording.
    """
    tracker = context.tracker
    moves_on = context.heard.act in _MOVES_ON or (
        _is_open(context) and question_to_rephrase(context) is None
    )
    if not tracker.closed and not moves_on:
        return frozenset()
    return frozenset(
        node.id
        for node in context.graph.live_nodes()
        if tracker.is_closed(node.id) or (moves_on and tracker.is_current_focus(node.id))
    )


def refused_label(context: TurnView) -> str | None:
    """The node that this answer refuses to talk about, None where it refuses none."""
    node_id = context.tracker.previous_focus
    if context.heard.act != "refuses" or node_id is None:
        return None
    return context.graph.nodes[node_id].label


def acknowledgement(context: TurnView) -> AcknowledgeInput:
    """What the next question takes up before it asks: nothing after an ordinary answer."""
    act = context.heard.act
    again = context.loaded.last_question if context.continuation.rephrases else ""
    match act:
        case "objects" if context.graph_update.yielded:
            return AcknowledgeInput(kind="corrected")
        case "objects":
            return AcknowledgeInput(kind="objects", quote=told_before(context))
        case "not_understood" if not again:
            return AcknowledgeInput(kind="unclear")
        case "asks":
            return AcknowledgeInput(kind="asks", again=again, study=context.session.study_text)
        case "refuses" | "drifted" | "adds_nothing" | "not_understood" | "instructs":
            return AcknowledgeInput(kind=act, again=again)
    told = disclosed(context)
    return AcknowledgeInput(kind="disclosed", quote=told) if told else AcknowledgeInput()


def disclosed(context: TurnView) -> str:
    """The grave or intimate thing that the answer told and the next question is not about, or "".

    The question is about it where its focus was said in this answer.
    """
    told = next((lead.quote for lead in context.heard.leads if lead.reason == "personal"), "")
    focus = context.continuation.focus
    if not told or (focus and focus.node_id and said_now(context, focus.node_id)):
        return ""
    return told


def said_now(context: TurnView, node_id: str) -> bool:
    """Whether a node was said, for the first time or again, in this answer."""
    return any(
        mention.turn == context.job.number and mention.node_id == node_id
        for mention in reversed(context.graph.mentions)
    )


def told_before(context: TurnView) -> str:
    """What the respondent said earlier about the point of the last question, "" where not found.

    First what the graph holds of the points that this answer repeats and of the last focus, in
    their words; else the earlier sentence that shares most with the question and the complaint.
    """
    graph, tracker = context.graph, context.tracker
    previous = context.loaded.previous_focus
    points = [merge.into_id for merge in context.graph_update.merges]
    if previous is not None and previous.node_id:
        points.append(previous.node_id)
    for point in points:
        key = tracker.key_of(point)
        for node_id, earlier in reversed(graph.said_before.items()):
            if tracker.key_of(node_id) == key:
                return earlier.quote
    asked = _content_words(f"{context.loaded.last_question} {context.utterance.text}")
    said = [
        sentence
        for exchange in context.loaded.exchanges
        for sentence in _SENTENCES.split(exchange.answer)
        if len(sentence.split()) <= MOST_QUOTED
    ]
    best = max(said, key=lambda sentence: len(asked & _content_words(sentence)), default="")
    return best.strip(" .!…") if len(asked & _content_words(best)) >= SHARED_WORDS else ""


def _is_open(context: TurnView) -> bool:
    """Whether the last question is still to be answered: not understood, or nothing said to it."""
    act = context.heard.act
    return act == "not_understood" or (act in LEAVE_OPEN and not context.graph_update.yielded)


def _content_words(text: str) -> frozenset[str]:
    return frozenset(_CONTENT.findall(text.casefold())) - _COMMON
