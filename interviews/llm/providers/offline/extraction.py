"""Concepts and relationships by rule."""

from __future__ import annotations

from interviews.llm.providers.offline.intent import emptiness, intent_of
from interviews.llm.providers.offline.lexicon import words_of
from interviews.llm.providers.offline.linking import Link, link
from interviews.llm.providers.offline.statements import Statement, read_statements
from interviews.llm.tasks.extraction import (
    EXTRACTION,
    Concept,
    ExtractionInputs,
    ExtractionOutput,
    Relationship,
)

SHORT = 10
"""A complaint of at most this many words holds nothing besides the complaint."""

LONGEST_QUOTE = 300

_REASONS = {
    "refusal": "the respondent does not want to answer",
    "already_told": "the respondent refers to an earlier answer",
    "clarify": "the respondent asks what the question means",
    "end": "the respondent wants to end the interview",
}


def extract(inputs: ExtractionInputs) -> ExtractionOutput:
    """Read one answer. The same inputs always give the same output."""
    intent = intent_of(inputs.answer, inputs.language)
    if intent != "answer" and (intent != "already_told" or len(words_of(inputs.answer)) <= SHORT):
        return ExtractionOutput(extractable=False, reason=_REASONS[intent], intent=intent)
    if reason := emptiness(inputs.answer):
        return ExtractionOutput(extractable=False, reason=reason, intent=intent)
    reading = read_statements(inputs)
    if not reading.statements:
        return ExtractionOutput(
            extractable=False, reason="no statement was found in the answer", intent=intent
        )
    links = link(inputs, reading)
    return ExtractionOutput(
        extractable=True,
        intent=intent,
        concepts=tuple(_concept(inputs.answer, s) for s in reading.statements),
        relationships=tuple(_relationship(inputs.answer, found) for found in links),
    )


def _concept(answer: str, statement: Statement) -> Concept:
    return Concept(
        label=statement.label,
        node_type=statement.node_type,
        quote=answer[statement.start : statement.end],
        confidence=statement.confidence,
        stance=statement.stance,
    )


def _relationship(answer: str, link: Link) -> Relationship:
    said = [end for end in (link.source, link.target) if not end.known]
    start, end = min(s.start for s in said), max(s.end for s in said)
    if end - start > LONGEST_QUOTE:
        start, end = said[-1].start, said[-1].end
    return Relationship(
        source=link.source.label,
        source_type=link.source.node_type,
        target=link.target.label,
        target_type=link.target.node_type,
        edge_type=link.edge_type,
        quote=answer[start:end],
        confidence=link.confidence,
    )


RULES = {EXTRACTION.name: extract}
