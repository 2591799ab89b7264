"""Stage 3: concepts and relationships out of the answer, and its rating beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from graphs.ontology import Ontology
from interviews.llm.errors import LLMAnswerUnusable, LLMError
from interviews.llm.gateway import Gateway
from interviews.llm.tasks.extraction import ExtractionOutput as Proposed
from interviews.llm.tasks.response_rating import RatingOutput
from interviews.modes.base import Director
from interviews.turns.context import TurnContext
from interviews.turns.contracts import (
    ContextLoadingOutput,
    Dropped,
    ExtractedConcept,
    ExtractedRelationship,
    ExtractionOutput,
    SrlPreprocessingOutput,
    UtteranceSavingOutput,
)

MAX_LABEL = 300


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
        known = {label for label, _ in context.loaded.recent_node_labels}
        return check(
            proposed,
            answer=context.utterance.text,
            ontology=context.methodology.graph_ontology,
            known_labels=known,
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


def check(
    proposed: Proposed,
    *,
    answer: str,
    ontology: Ontology,
    known_labels: set[str],
    ratings: Mapping[str, int],
) -> ExtractionOutput:
    """Return what holds of a proposal; the rest is dropped and says why.

    A concept needs a known type and a quote that is in the answer after folding case and white
    space. A relationship needs two ends that are concepts of this answer or of the graph, and an
    edge type that the ontology permits between them.
    """
    dropped: list[Dropped] = []
    concepts: list[ExtractedConcept] = []
    for concept in proposed.concepts if proposed.extractable else ():
        span = locate(concept.quote, answer)
        reason = (
            f"unknown node type {concept.node_type}"
            if concept.node_type not in ontology.nodes_by_name
            else "the label is empty or too long"
            if not 0 < len(concept.label.strip()) <= MAX_LABEL
            else "the quote is not in the answer"
            if span is None
            else ""
        )
        if reason or span is None:
            dropped.append(Dropped(kind="concept", reason=reason, detail=concept.label))
            continue
        concepts.append(
            ExtractedConcept(
                label=" ".join(concept.label.split()),
                node_type=concept.node_type,
                quote=answer[span[0] : span[1]],
                start=span[0],
                end=span[1],
                confidence=concept.confidence,
                stance=concept.stance,
            )
        )
    relationships: list[ExtractedRelationship] = []
    labels = {concept.label for concept in concepts} | known_labels
    for relation in proposed.relationships if proposed.extractable else ():
        span = locate(relation.quote, answer)
        reason = _why_not(relation.edge_type, relation.source_type, relation.target_type, ontology)
        if not reason and not {relation.source, relation.target} <= labels:
            reason = "an end of the relationship is neither in the answer nor in the graph"
        if not reason and relation.source == relation.target:
            reason = "both ends are the same"
        if not reason and span is None:
            reason = "the quote is not in the answer"
        if reason or span is None:
            detail = f"{relation.source} → {relation.target}"
            dropped.append(Dropped(kind="relationship", reason=reason, detail=detail))
            continue
        relationships.append(
            ExtractedRelationship(
                source=relation.source,
                source_type=relation.source_type,
                target=relation.target,
                target_type=relation.target_type,
                edge_type=relation.edge_type,
                quote=answer[span[0] : span[1]],
                start=span[0],
                end=span[1],
                confidence=relation.confidence,
            )
        )
    return ExtractionOutput(
        extractable=proposed.extractable,
        intent=proposed.intent,
        concepts=tuple(concepts),
        relationships=tuple(relationships),
        dropped=tuple(dropped),
        ratings=ratings,
    )


def _why_not(edge_type: str, source_type: str, target_type: str, ontology: Ontology) -> str:
    if not ontology.permits(edge_type, source_type, target_type):
        if edge_type not in ontology.edges_by_name:
            return f"unknown edge type {edge_type}"
        return f"{edge_type} may not join {source_type} to {target_type}"
    return ""


def locate(quote: str, answer: str) -> tuple[int, int] | None:
    """Return the span of `quote` in `answer` after folding case and white space, None without."""
    words = quote.split()
    if not words:
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), answer, flags=re.IGNORECASE)
    return found.span() if found else None
