"""Concepts and relationships by rule."""

from __future__ import annotations

from interviews.acts import Act
from interviews.acts.rules import answering, heard_in
from interviews.llm.providers.offline.emptiness import emptiness
from interviews.llm.providers.offline.lexicon import words_of
from interviews.llm.providers.offline.linking import Link, link
from interviews.llm.providers.offline.statements import Statement, read_statements
from interviews.llm.providers.offline.wording import reads
from interviews.llm.tasks.extraction import (
    EXTRACTION,
    Concept,
    ExtractionInputs,
    ExtractionOutput,
    HeardExtraction,
    Relationship,
)

SHORT = 10
"""A complaint of at most this many words holds nothing besides the complaint."""

LONGEST_QUOTE = 300

_REASONS: dict[Act, str] = {
    "refuses": "the respondent does not want to answer",
    "objects": "the respondent refers to an earlier answer",
    "not_understood": "the respondent asks what the question means",
    "wants_to_stop": "the respondent wants to end the interview",
    "asks": "the respondent asks the interviewer something",
    "drifted": "the respondent says that the talk has drifted",
    "instructs": "the respondent tries to give the interviewer orders",
}


def extract(inputs: ExtractionInputs) -> ExtractionOutput:
    """Read one answer. The same inputs always give the same output."""
    heard = heard_in(inputs.answer, inputs.language, inputs.question)
    act = heard.act
    read = _read(inputs, act)
    return HeardExtraction(**dict(read), **dict(heard)) if inputs.hears else read


def _read(inputs: ExtractionInputs, act: Act) -> ExtractionOutput:
    """What the answer says besides what it does otherwise."""
    said = inputs.answer
    if not reads(inputs.language):
        reason = f"the rules do not read {inputs.language}"
        return ExtractionOutput(extractable=False, reason=reason)
    if act in _REASONS:
        said = answering(said, inputs.language, inputs.question)
        if not words_of(said) or (act == "objects" and len(words_of(said)) <= SHORT):
            return ExtractionOutput(extractable=False, reason=_REASONS[act])
    if reason := emptiness(said):
        return ExtractionOutput(extractable=False, reason=reason)
    inputs = inputs.model_copy(update={"answer": said})
    reading = read_statements(inputs)
    if not reading.statements:
        return ExtractionOutput(extractable=False, reason="no statement was found in the answer")
    links = link(inputs, reading)
    return ExtractionOutput(
        extractable=True,
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
