"""Was that sensible to take up? A choice held against what two readers wrote before it was made.

A choice is told in the readers' own terms (:class:`Taken`): the labels that its focus stands for,
the stretches of the answer in which the focus was said, or a question without a focus (TOPIC,
CLOSE). A reader's label decides before a LEAD: that overlaps a stretch of the focus, and of two
entries of one kind that contradict each other the one that says senseless.

Of both readers together a choice is **sensible** where at least one names it and none calls it
senseless, and **senseless** where at least one says so and none names it as sensible. What is left
was named by nobody, or is disputed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from interviews.bench.listening_models import (
    CLOSE,
    LEAD,
    TOPIC,
    CodedConcept,
    CodedInterview,
    CodedTurn,
    Judgement,
)
from interviews.pipeline.grounding import locate

Span = tuple[int, int]
"""Characters of an answer, end exclusive."""

HALF = 0.5
"""Two spans are about the same where they share at least half of the shorter one."""


class Sense(StrEnum):
    """What readers make of a choice."""

    SENSIBLE = "sensible"
    SENSELESS = "senseless"
    DISPUTED = "disputed"
    UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What a question takes up: `labels` of the coder's concepts, or TOPIC or CLOSE alone.

    `stretches` are the spans of this answer in which it was said, none where it is older.
    """

    labels: tuple[str, ...] = ()
    stretches: tuple[Span, ...] = ()

    @property
    def of_last_answer(self) -> bool:
        """Whether it was said in this answer."""
        return bool(self.stretches)


def overlaps(one: Span, other: Span) -> bool:
    """Whether two spans share at least half of the shorter one."""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return shared > 0 and shared >= HALF * min(one[1] - one[0], other[1] - other[0])


def likeness(one: Span, other: Span) -> float:
    """Characters in both ÷ characters in either, in [0, 1]."""
    shared = max(min(one[1], other[1]) - max(one[0], other[0]), 0)
    return shared / ((one[1] - one[0]) + (other[1] - other[0]) - shared)


def nearest_label(span: Span, turn: CodedTurn) -> str | None:
    """The coded concept of the turn whose quote is most like `span`, None where none overlaps."""
    quoted = [(concept, locate(concept.quote, turn.answer)) for concept in turn.extraction.concepts]
    near = [
        (likeness(span, quote), concept.label)
        for concept, quote in quoted
        if quote is not None and overlaps(span, quote)
    ]
    return max(near, default=(0.0, None), key=lambda found: found[0])[1]


# -- verdicts --------------------------------------------------------------------------------------
def one_reader(taken: Taken, judgement: Judgement, answer: str) -> Sense:
    """What one reader wrote about it; unnamed where nothing."""
    for says in (_by_label, _by_lead):
        if says(taken, judgement.senseless, answer):
            return Sense.SENSELESS
        if says(taken, judgement.sensible, answer):
            return Sense.SENSIBLE
    return Sense.UNNAMED


def _by_label(taken: Taken, entries: Sequence[str], answer: str) -> bool:
    return bool(set(taken.labels) & set(entries))


def _by_lead(taken: Taken, entries: Sequence[str], answer: str) -> bool:
    leads = [locate(e.removeprefix(LEAD), answer) for e in entries if e.startswith(LEAD)]
    return any(lead and overlaps(lead, said) for lead in leads for said in taken.stretches)


def both_readers(verdicts: Iterable[Sense]) -> Sense:
    """What all readers' verdicts come to; see the module."""
    said = set(verdicts)
    if {Sense.SENSIBLE, Sense.SENSELESS} <= said:
        return Sense.DISPUTED
    for verdict in (Sense.SENSIBLE, Sense.SENSELESS):
        if verdict in said:
            return verdict
    return Sense.UNNAMED


# -- trivial rules ---------------------------------------------------------------------------------
def newest_concept(interview: CodedInterview, turn: int) -> Taken:
    """Of the concepts that came last, the surest, and of several the one said last."""
    known: set[str] = set()
    newest: list[tuple[CodedConcept, int]] = []
    for said in interview.turns[:turn]:
        fresh = [c for c in said.extraction.concepts if c.label not in known]
        newest = [(concept, said.turn) for concept in fresh] or newest
        known |= {concept.label for concept in fresh}
    if not newest:
        return Taken(labels=(TOPIC,))
    surest = max(concept.confidence for concept, _ in newest)
    concept, when = [pair for pair in newest if pair[0].confidence == surest][-1]
    said_now = [
        locate(c.quote, interview.turns[turn - 1].answer)
        for c in interview.turns[turn - 1].extraction.concepts
        if c.label == concept.label and when == turn
    ]
    return Taken(labels=(concept.label,), stretches=tuple(span for span in said_now if span))


def first_lead(interview: CodedInterview, turn: int) -> Taken:
    """The coder's best lead; the subject where there is none."""
    coded = interview.turns[turn - 1]
    span = locate(coded.rating.leads[0].quote, coded.answer) if coded.rating.leads else None
    if span is None:
        return Taken(labels=(TOPIC,))
    label = nearest_label(span, coded)
    return Taken(labels=(label,) if label else (), stretches=(span,))


def topic(interview: CodedInterview, turn: int) -> Taken:
    """Always the subject."""
    return Taken(labels=(TOPIC,))


BASELINES = {
    "newest_concept": newest_concept,
    "first_lead": first_lead,
    "topic": topic,
}
"""Rules that listen to nothing but one thing; the engine has to beat the first of them."""


# -- agreement -------------------------------------------------------------------------------------
def agreement(turns: Iterable[tuple[tuple[str, ...], Judgement, Judgement]]) -> dict[str, Any]:
    """How far two readers agree, over turns of (labels known by then, one, the other).

    `kappa` is Cohen's over each label, TOPIC and CLOSE of each turn in three classes (sensible,
    senseless, unnamed), `jaccard` the mean share of what both name as sensible in what either
    names, `shared` the share of turns with anything sensible in common, and `contradicted` the
    share of entries that one calls sensible and the other senseless. LEAD: entries are left out.
    """
    pairs: Counter[tuple[Sense, Sense]] = Counter()
    jaccards: list[float] = []
    for labels, one, other in turns:
        entries = (*labels, TOPIC, CLOSE)
        pairs.update((_class(entry, one), _class(entry, other)) for entry in entries)
        first, second = ({e for e in j.sensible if e in entries} for j in (one, other))
        if first | second:
            jaccards.append(len(first & second) / len(first | second))
    contradicted = pairs[Sense.SENSIBLE, Sense.SENSELESS]
    contradicted += pairs[Sense.SENSELESS, Sense.SENSIBLE]
    return {
        "turns": len(jaccards),
        "kappa": _rounded(_kappa(pairs)),
        "jaccard": _rounded(sum(jaccards) / len(jaccards)) if jaccards else None,
        "shared": _rounded(sum(j > 0 for j in jaccards) / len(jaccards)) if jaccards else None,
        "contradicted": _rounded(contradicted / pairs.total()) if pairs else None,
    }


def _class(entry: str, judgement: Judgement) -> Sense:
    if entry in judgement.sensible:
        return Sense.SENSIBLE
    return Sense.SENSELESS if entry in judgement.senseless else Sense.UNNAMED


def _kappa(pairs: Counter[tuple[Sense, Sense]]) -> float | None:
    """(p - e) ÷ (1 - e) of observed and expected agreement; None where it says nothing."""
    whole = pairs.total()
    if not whole:
        return None
    first: Counter[Sense] = Counter()
    second: Counter[Sense] = Counter()
    for (one, other), times in pairs.items():
        first[one] += times
        second[other] += times
    observed = sum(times for (one, other), times in pairs.items() if one is other) / whole
    expected = sum(first[verdict] * second[verdict] for verdict in Sense) / whole**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def labels_by(interview: CodedInterview) -> Iterator[tuple[str, ...]]:
    """The labels that are known after each answer, in the order in which they came."""
    for turn in interview.turns:
        yield tuple(interview.types_by(turn.turn))
