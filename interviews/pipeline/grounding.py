"""What of an extraction holds: the part that the answer, the graph and the ontology bear out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from graphs.domain import Node, fold
from graphs.ontology import Ontology
from interviews.acts import Heard
from interviews.llm.tasks.extraction import Concept, Relationship
from interviews.llm.tasks.extraction import ExtractionOutput as Proposed
from interviews.nlp import DiscourseRelation, Kind
from interviews.turns.contracts import (
    Dropped,
    ExtractedConcept,
    ExtractedRelationship,
    ExtractionOutput,
)

MAX_LABEL = 300

FORWARD: frozenset[Kind] = frozenset(["result", "purpose"])
"""Connectives that run as a chain does. "Because" is none of them: it gives the benefit of a thing
as often as its ground ("I like it heavy because the heat spreads")."""

TURNED = "turned round: the words lead the other way"

Known = Callable[[str], Sequence[Node]]
"""A label → the live nodes of the session that it stands for, the one asked about first."""

Span = tuple[int, int]

_End = tuple[str, str]
"""Label and node type of an end of a relationship, as the answer or the graph has them."""


def grounded(
    proposed: Proposed,
    *,
    answer: str,
    ontology: Ontology,
    known: Known,
    heard: Heard,
    orders: Sequence[Span],
    ratings: Mapping[str, int],
    joined: Sequence[DiscourseRelation] = (),
) -> ExtractionOutput:
    """Return what holds of a proposal; the rest is dropped and says why.

    A concept needs a known type and a quote that is in the answer after folding case and white
    space. A relationship needs two ends that are concepts of this answer or of the graph, compared
    after folding, and an edge type that the ontology permits between them. One that the respondent
    denies is dropped as well: it leaves a trace, not an edge. One that runs against a connective
    of `joined` between its ends ("so", "which means") is turned round where the ontology permits
    it. `orders` are the spans of the answer that try to instruct the interviewer; nothing in them
    is a concept.
    """
    dropped: list[Dropped] = []
    concepts: list[ExtractedConcept] = []
    relationships: list[ExtractedRelationship] = []
    for concept in proposed.concepts if proposed.extractable else ():
        held = _concept(concept, answer, ontology, orders)
        if isinstance(held, str):
            dropped.append(Dropped(kind="concept", reason=held, detail=concept.label))
        else:
            concepts.append(held)
    for relation in proposed.relationships if proposed.extractable else ():
        found = _relationship(relation, answer, ontology, concepts, known)
        if isinstance(found, str):
            detail = f"{relation.source} → {relation.target}"
            dropped.append(Dropped(kind="relationship", reason=found, detail=detail))
            continue
        if _against(found, concepts, joined) and not _why_not(
            found.edge_type, found.target_type, found.source_type, ontology
        ):
            detail = f"{found.source} → {found.target}"
            dropped.append(Dropped(kind="relationship", reason=TURNED, detail=detail))
            found = _turned(found)
        relationships.append(found)
    return ExtractionOutput(
        extractable=proposed.extractable,
        heard=heard,
        concepts=tuple(concepts),
        relationships=tuple(relationships),
        dropped=tuple(dropped),
        ratings=ratings,
    )


def _concept(
    concept: Concept, answer: str, ontology: Ontology, orders: Sequence[Span]
) -> ExtractedConcept | str:
    """The concept with the place of its quote, or why it does not hold."""
    if concept.node_type not in ontology.nodes_by_name:
        return f"unknown node type {concept.node_type}"
    if not 0 < len(concept.label.strip()) <= MAX_LABEL:
        return "the label is empty or too long"
    span = locate(concept.quote, answer)
    if span is None:
        return "the quote is not in the answer"
    if any(start < span[1] and span[0] < end for start, end in orders):
        return "it is an order to the interviewer"
    return ExtractedConcept(
        label=" ".join(concept.label.split()),
        node_type=concept.node_type,
        quote=answer[slice(*span)],
        start=span[0],
        end=span[1],
        confidence=concept.confidence,
        stance=concept.stance,
    )


def _relationship(
    relation: Relationship,
    answer: str,
    ontology: Ontology,
    concepts: Sequence[ExtractedConcept],
    known: Known,
) -> ExtractedRelationship | str:
    """The relationship between the ends as they are known, or why it does not hold."""
    source = _end(relation.source, relation.source_type, concepts, known)
    target = _end(relation.target, relation.target_type, concepts, known)
    if source is None or target is None:
        return "an end of the relationship is neither in the answer nor in the graph"
    if reason := _why_not(relation.edge_type, source[1], target[1], ontology):
        return reason
    if (fold(source[0]), source[1]) == (fold(target[0]), target[1]):
        return "both ends are the same"
    span = locate(relation.quote, answer)
    if span is None:
        return "the quote is not in the answer"
    if relation.denied:
        return "the respondent denies it"
    return ExtractedRelationship(
        source=source[0],
        source_type=source[1],
        target=target[0],
        target_type=target[1],
        edge_type=relation.edge_type,
        quote=answer[slice(*span)],
        start=span[0],
        end=span[1],
        confidence=relation.confidence,
    )


def _against(
    relation: ExtractedRelationship,
    concepts: Sequence[ExtractedConcept],
    joined: Sequence[DiscourseRelation],
) -> bool:
    """Whether connectives lead from the relationship's target to its source, and none back."""
    sources, targets = (
        [c for c in concepts if (c.label, c.node_type) == end]
        for end in (
            (relation.source, relation.source_type),
            (relation.target, relation.target_type),
        )
    )
    forward = [one for one in joined if one.kind in FORWARD]
    return _leads(targets, sources, forward) and not _leads(sources, targets, forward)


def _leads(
    one: Sequence[ExtractedConcept],
    other: Sequence[ExtractedConcept],
    joined: Sequence[DiscourseRelation],
) -> bool:
    return any(
        any(r.first.start <= c.start and c.end <= r.first.end for c in one)
        and any(r.second.start <= c.start and c.end <= r.second.end for c in other)
        for r in joined
    )


def _turned(relation: ExtractedRelationship) -> ExtractedRelationship:
    return replace(
        relation,
        source=relation.target,
        source_type=relation.target_type,
        target=relation.source,
        target_type=relation.source_type,
    )


def _end(
    label: str, node_type: str, concepts: Sequence[ExtractedConcept], known: Known
) -> _End | None:
    """What a label stands for, of the type that was named if there is one; None for nothing.

    What this answer says comes before what the graph knows.
    """
    said = [(c.label, c.node_type) for c in concepts if fold(c.label) == fold(label)]
    ends = [*said, *((node.label, node.node_type) for node in known(label))]
    return next((end for end in ends if end[1] == node_type), ends[0] if ends else None)


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
