"""Read the statements of an answer: each with its label, quote, node type and stance.

The fitted reader marks them and weighs their types; rules give it their evidence, and each
statement its label in the respondent's words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from interviews.llm.providers.offline.evidence import RuleEvidence
from interviews.llm.providers.offline.lexicon import (
    lemmas,
    overlap,
    pattern,
    phrase_pattern,
    plain,
    word_set,
)
from interviews.llm.providers.offline.reader.reading import (
    FOCUS,
    Evidence,
    Found,
    Related,
    likeliest,
    read,
)
from interviews.llm.tasks.extraction import ExtractionInputs, LabelledNode

MOST_STATEMENTS = 12

SAME = 0.75
"""From this overlap of lemmas on a label counts as one that is already known."""

FULL = 3
"""So many lemmas make a known label unmistakable inside a longer statement."""

DOUBTFUL = 0.5
"""A type that is less probable than this takes a little off a statement's confidence."""


@dataclass(slots=True, kw_only=True)
class Statement:
    """A statement of the answer, or the concept (no span) that its question was about.

    `types` say how probable each type is; `settled` that the type may no longer change.
    """

    label: str
    node_type: str
    start: int = 0
    end: int = 0
    stance: int = 0
    confidence: float = 0.9
    types: Mapping[str, float] = field(default_factory=dict)
    settled: bool = False

    @property
    def known(self) -> bool:
        """Whether it stands for a concept that is not said in this answer."""
        return self.start == self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """The statements of an answer in the order said, and which of them lead to which."""

    statements: tuple[Statement, ...]
    related: tuple[tuple[Statement, Statement, Related], ...]


def read_statements(inputs: ExtractionInputs) -> ReadAnswer:
    """Find the statements of `inputs.answer`, and which of them and of the focus are related."""
    rules = RuleEvidence(inputs)
    evidence = Evidence(profiles=[p.facets for p in rules.types], figures=rules.figures)
    marked = read(inputs, evidence)
    by_position: dict[int, Statement] = {}
    following = [*(found.start for found in marked.found[1:]), len(inputs.answer)]
    for position, (found, limit) in enumerate(zip(marked.found, following, strict=False)):
        statement = _statement(inputs, rules, found)
        if statement is None or len(by_position) == MOST_STATEMENTS:
            continue
        if statement.end > limit:
            continue  # "I want to" is the beginning of what comes next, and says nothing by itself
        same = next((s for s in by_position.values() if _same_label(s, statement)), None)
        by_position[position] = same or statement
    statements = list(dict.fromkeys(map(id, by_position.values())))
    ordered = {id(s): s for s in by_position.values()}
    if inputs.focus is not None:
        by_position[FOCUS] = next(
            (s for s in by_position.values() if _repeats(s.label, inputs.focus.label)),
            Statement(label=inputs.focus.label, node_type=inputs.focus.node_type, settled=True),
        )
    return ReadAnswer(
        statements=tuple(ordered[key] for key in statements),
        related=tuple(
            (by_position[r.source], by_position[r.target], r)
            for r in marked.related
            if r.source in by_position and r.target in by_position
        ),
    )


def _statement(inputs: ExtractionInputs, rules: RuleEvidence, found: Found) -> Statement | None:
    span = rules.statement(found.start, found.end)
    label = rules.label(*span) if span else ""
    if span is None or not label or label.casefold() in word_set("empty_heads"):
        return None
    if _names_subject(label, inputs.subject):
        return None
    known = _known(label, inputs.answer[slice(*span)], inputs.existing_labels)
    clause = rules.clause_of(found.start)
    hedged = clause is not None and bool(pattern("hedged").search(plain(clause.text)))
    doubtful = max(found.types.values()) < DOUBTFUL
    return Statement(
        label=known.label if known else label,
        node_type=known.node_type if known else likeliest(found.types),
        start=span[0],
        end=span[1],
        stance=found.stance,
        confidence=round(0.9 - 0.2 * hedged - 0.1 * doubtful, 2),
        types=found.types,
        settled=known is not None,
    )


def _same_label(a: Statement, b: Statement) -> bool:
    return a.label.casefold() == b.label.casefold()


def _repeats(label: str, focus: str) -> bool:
    """Whether a statement says the focus again: relations then hang on its own words."""
    return label.casefold() == focus.casefold() or overlap(lemmas(label), lemmas(focus)) >= 0.99


def _names_subject(label: str, subject: str) -> bool:
    return bool(subject) and bool(said := lemmas(label)) and said <= lemmas(subject)


def _known(label: str, quote: str, existing: Sequence[LabelledNode]) -> LabelledNode | None:
    said = lemmas(label)
    if not said:
        return None
    quoted = lemmas(quote)
    scored = [(_closeness(said, quoted, lemmas(n.label)), -i) for i, n in enumerate(existing)]
    score, position = max(scored, default=(0.0, 0))
    negated = phrase_pattern(("not", "don't", "no", "never", "can't", "doesn't", "without"))
    if score < SAME:
        return None
    node = existing[-position]
    same_polarity = bool(negated.search(plain(label))) == bool(negated.search(plain(node.label)))
    return node if same_polarity and _same_degree(label, node.label) else None


def _closeness(said: frozenset[str], quoted: frozenset[str], known: frozenset[str]) -> float:
    """Return the overlap of two labels; 1 where a known label is said with a little besides."""
    if len(known) >= FULL and known <= quoted and len(quoted) <= 2 * len(known):
        return 1.0
    return overlap(said, known)


def _same_degree(a: str, b: str) -> bool:
    """Whether two labels agree on more and less, too much and not enough."""
    degrees = ("more", "less", "too", "fewer", "cheap", "expensive")
    left, right = frozenset(plain(a).split()), frozenset(plain(b).split())
    return all((word in left) == (word in right) for word in degrees)
