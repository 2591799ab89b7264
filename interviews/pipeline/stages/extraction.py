"""Stage 3: what the director reads the answer with, and the graph's part of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from graphs.domain import Node
from interviews.llm.errors import LLMAnswerUnusable, LLMError, LLMTruncated
from interviews.llm.gateway import Gateway, Reply
from interviews.llm.tasks.extraction import EXTRACTION, ExtractionInputs
from interviews.llm.tasks.extraction import ExtractionOutput as Proposed
from interviews.llm.tasks.response_rating import RESPONSE_RATING
from interviews.modes.base import Director, QuestionTask, led
from interviews.pipeline.grounding import grounded
from interviews.pipeline.halves import halves_of, joined
from interviews.pipeline.hearing import heard_of, orders_in
from interviews.turns.context import TurnView
from interviews.turns.contracts import (
    ContextLoadingOutput,
    ExtractionOutput,
    SrlPreprocessingOutput,
    UtteranceSavingOutput,
)
from interviews.turns.replies import Replies


class ExtractionStage:
    """Runs the director's reading tasks side by side and hands on every reply by its task.

    Two of them, where the director asks for them, are read here as well. Of the graph extraction
    only what the ontology and the answer bear out is kept; where the model declines to read the
    answer, or cannot put it into the schema, nothing is read off it. Where what it reads does not
    fit its limit, the answer is read in two halves. Where the response rating
    fails, the turn goes on without ratings. What becomes of a mode's own tasks is its director's to
    say.
    """

    name: ClassVar[str] = "extraction"
    reads: ClassVar[tuple[type, ...]] = (ContextLoadingOutput,)
    reads_answer: ClassVar[tuple[type, ...]] = (UtteranceSavingOutput, SrlPreprocessingOutput)
    gives: ClassVar[type] = ExtractionOutput
    directs: ClassVar[tuple[str, ...]] = ("reading",)
    opens: ClassVar[bool] = False

    def __init__(self, directors: Mapping[str, Director], gateway: Gateway) -> None:
        self._directors = directors
        self._gateway = gateway

    def run(self, context: TurnView) -> ExtractionOutput:
        director = self._directors[context.session.mode]
        replies = self._replies(context, director.reading(led(context, director, "reading")))
        rating = replies.get(RESPONSE_RATING)
        answer, known = context.utterance.text, partial(_known, context)
        language = context.session.language
        heard = heard_of(
            replies, answer, question=context.loaded.last_question, language=language, known=known
        )
        read = grounded(
            _proposed(replies),
            answer=answer,
            ontology=context.ontology,
            known=known,
            heard=heard,
            orders=orders_in(heard, answer, language),
            ratings=rating.scores() if rating else {},
            joined=context.srl.discourse_relations,
        )
        return replace(read, replies=replies)

    def _replies(self, context: TurnView, calls: Sequence[QuestionTask]) -> Replies:
        if not calls:
            return Replies()
        replies = self._gateway.run_all(
            [(call.task, call.inputs) for call in calls],
            payer=context.session,
            log=context.calls,
            deadline=context.deadline,
            stand_in=False,
        )
        return Replies(
            (call.task.name, self._settled(context, call, reply))
            for call, reply in zip(calls, replies, strict=True)
        )

    def _settled(self, context: TurnView, call: QuestionTask, reply: Reply) -> Reply:
        """What was answered; by halves what was cut off, by the rules what failed."""
        if not isinstance(reply, LLMError):
            return reply
        if isinstance(reply, LLMTruncated) and isinstance(call.inputs, ExtractionInputs):
            read = self._in_halves(context, call.inputs)
            if read is not None:
                return read
        after = reply.outcome
        stands_in: Reply | None = self._gateway.stand_in(
            call.task, call.inputs, log=context.calls, after=after
        )
        return stands_in or reply

    def _in_halves(self, context: TurnView, inputs: ExtractionInputs) -> Proposed | None:
        """What the two halves of an answer say; None where it cannot be halved or is not read."""
        whole = {"discourse_relations": (), "predicate_frames": ()}
        halves = [
            inputs.model_copy(update={"answer": half, **whole})
            for half in halves_of(inputs.answer) or ()
        ]
        replies = self._gateway.run_all(
            [(EXTRACTION, half) for half in halves],
            payer=context.session,
            log=context.calls,
            deadline=context.deadline,
        )
        read = [reply for reply in replies if isinstance(reply, Proposed)]
        return joined(read[0], read[1]) if len(read) > 1 else next(iter(read), None)


def _proposed(replies: Replies) -> Proposed:
    """What the extraction proposes; nothing where it was not asked or the answer is not to be read.

    Trying again would end the same way for an answer that the model declines or only garbles, and
    one answer must not end an interview: it stays in the transcript, and the call's row says what
    went wrong. Other errors are raised.
    """
    error = replies.error(EXTRACTION)
    if isinstance(error, LLMAnswerUnusable):
        return Proposed(extractable=False, reason=error.outcome)
    if error is not None:
        raise error
    return replies.get(EXTRACTION) or Proposed(extractable=False, reason="not asked")


def _known(context: TurnView, label: str) -> list[Node]:
    """The live nodes that a label stands for: the one that the question was about comes first."""
    focus = context.loaded.previous_focus
    asked_about = context.graph.successor(focus.node_id) if focus and focus.node_id else None
    return sorted(context.graph.called(label), key=lambda node: node.id != asked_about)
