"""Stage 3: concepts and relationships out of the answer, and its rating beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from graphs.domain import Node
from interviews.llm.errors import LLMAnswerUnusable, LLMError
from interviews.llm.gateway import Gateway
from interviews.llm.tasks.extraction import ExtractionOutput as Proposed
from interviews.llm.tasks.response_rating import RatingOutput
from interviews.modes.base import Director
from interviews.pipeline.grounding import grounded
from interviews.turns.context import TurnContext
from interviews.turns.contracts import (
    ContextLoadingOutput,
    ExtractionOutput,
    SrlPreprocessingOutput,
    UtteranceSavingOutput,
)


class ExtractionStage:
    """Asks the model to read the answer and keeps only what the ontology and the answer bear out.

    The response rating runs side by side; where it fails the turn goes on without ratings. Where
    the model declines to read the answer, or cannot put it into the schema, nothing is read off it.
    """

    name: ClassVar[str] = "extraction"
    reads: ClassVar[tuple[type, ...]] = (ContextLoadingOutput,)
    reads_answer: ClassVar[tuple[type, ...]] = (UtteranceSavingOutput, SrlPreprocessingOutput)
    gives: ClassVar[type] = ExtractionOutput
    opens: ClassVar[bool] = False

    def __init__(self, directors: Mapping[str, Director], gateway: Gateway) -> None:
        self._directors = directors
        self._gateway = gateway

    def run(self, context: TurnContext) -> ExtractionOutput:
        calls = self._directors[context.session.mode].reading(context)
        replies = self._gateway.run_all(
            [(call.task, call.inputs) for call in calls],
            payer=context.session,
            log=context.calls,
            deadline=context.deadline,
        )
        proposed = next((r for r in replies if isinstance(r, Proposed)), None)
        if proposed is None:
            proposed = _nothing_read(next(r for r in replies if isinstance(r, LLMError)))
        rating = next((r for r in replies if isinstance(r, RatingOutput)), None)
        return grounded(
            proposed,
            answer=context.utterance.text,
            ontology=context.methodology.graph_ontology,
            known=lambda label: _known(context, label),
            ratings=rating.scores() if rating else {},
        )


def _nothing_read(error: LLMError) -> Proposed:
    """Nothing read from an answer that the model declines or only garbles; other errors are raised.

    Trying again would end the same way, and one answer must not end an interview: it stays in the
    transcript, and the call's row says what went wrong.
    """
    if not isinstance(error, LLMAnswerUnusable):
        raise error
    return Proposed(extractable=False, reason=error.outcome)


def _known(context: TurnContext, label: str) -> list[Node]:
    """The live nodes that a label stands for: the one that the question was about comes first."""
    focus = context.loaded.previous_focus
    asked_about = context.graph.successor(focus.node_id) if focus and focus.node_id else None
    return sorted(context.graph.called(label), key=lambda node: node.id != asked_about)
