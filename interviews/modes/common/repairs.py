"""What an answer that answers nothing asks of the interviewer: leave it, move on, say it again.

Repair in conversation: a refusal closes what it was about for good; a point told before, or a
question not understood after several wordings, is left alone for the next question; a question
not understood is put in other words, on the same focus and by the same strategy.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from interviews.llm.tasks.questions import AcknowledgeInput
from interviews.turns.context import TurnView

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
    """The last question, where it was not understood and may be put in other words again."""
    if not _not_understood(context) or context.loaded.state.rephrasings >= MOST_REPHRASINGS:
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
    where the respondent had told it before or did not understand in any wording.
    """
    tracker = context.tracker
    moves_on = context.heard.act == "objects" or (
        _not_understood(context) and question_to_rephrase(context) is None
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
    match context.heard.act:
        case "refuses":
            return AcknowledgeInput(kind="refusal")
        case "objects":
            return AcknowledgeInput(kind="already_told", quote=told_before(context))
        case "not_understood" if context.continuation.rephrases:
            return AcknowledgeInput(kind="clarify", quote=context.loaded.last_question)
        case "not_understood":
            return AcknowledgeInput(kind="unclear")
        case _:
            return AcknowledgeInput()


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


def _not_understood(context: TurnView) -> bool:
    return context.heard.act == "not_understood"


def _content_words(text: str) -> frozenset[str]:
    return frozenset(_CONTENT.findall(text.casefold())) - _COMMON
