"""Read the statements of an answer: each with its label, quote, node type and stance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from interviews import nlp
from interviews.llm.providers.offline.asides import adds, after_frame, digressions, is_aside
from interviews.llm.providers.offline.direction import (
    Direction,
    asked_kinds,
    direction_of,
    expected_side,
)
from interviews.llm.providers.offline.ideals import with_ideals
from interviews.llm.providers.offline.lexicon import (
    lemmas,
    listed,
    overlap,
    pattern,
    phrase_pattern,
    plain,
    word_set,
)
from interviews.llm.providers.offline.node_typing import (
    AT_HOME,
    Profile,
    housed,
    profiles,
    type_scores,
)
from interviews.llm.providers.offline.sentiment import polarity, stance
from interviews.llm.providers.offline.times import with_their_times
from interviews.llm.providers.offline.units import Unit, units_of
from interviews.llm.tasks.extraction import ExtractionInputs, LabelledNode
from interviews.nlp import Clause

MOST_STATEMENTS = 12
LEAST_EVIDENCE = 0.5
"""How far a step up is expected by itself, where nothing in the words speaks for it."""

SAME = 0.75
"""From this overlap of lemmas on a label counts as one that is already known."""


@dataclass(slots=True, kw_only=True)
class Statement:
    """A statement of the answer, or a known concept (`clause` −1) that the answer goes on from.

    `scores` say how much speaks for each type; `settled` that the type may no longer change;
    `beside` that it is announced as a further point, not as an answer or a consequence.
    """

    label: str
    node_type: str
    clause: int = -1
    start: int = 0
    end: int = 0
    stance: int = 0
    confidence: float = 0.9
    scores: Mapping[str, float] = field(default_factory=dict)
    settled: bool = False
    anaphoric: bool = False
    leads_to_next: bool = False
    feeling: bool = False
    beside: bool = False

    @property
    def known(self) -> bool:
        """Whether it stands for a concept that is not said in this answer."""
        return self.clause < 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """An answer as clauses and, clause by clause, its statements."""

    clauses: tuple[Clause, ...]
    statements: tuple[Statement, ...]

    def is_event(self, statement: Statement) -> bool:
        """Whether a statement of this answer is told in the past tense."""
        said = self.clauses[statement.clause].text
        return any(token.tag == "VBD" for token in nlp.tokens(said))

    def of(self, clause: int) -> list[Statement]:
        """Return the statements of one clause in the order said."""
        return [s for s in self.statements if s.clause == clause]


def read_statements(inputs: ExtractionInputs) -> Reading:
    """Find the statements of `inputs.answer` and give each the type that fits best."""
    types = profiles(inputs.node_types)
    parts = nlp.clauses(inputs.answer)
    dateless = not any(profile.facets.get("situation") for profile in types)
    parts = with_their_times(parts, inputs.answer, dateless=dateless)
    off_subject = digressions(parts)
    found: list[Statement] = []
    for index, clause in enumerate(parts):
        if clause.sentence in off_subject:
            continue
        start = after_frame(inputs.answer, clause.start, clause.end)
        if is_aside(inputs.answer[start : clause.end]):
            continue
        for unit in units_of(inputs.answer, start, clause.end, subject=inputs.subject):
            if is_aside(unit.label):
                continue
            beside = _is_beside(inputs.answer, clause)
            expected = 0.0 if beside else _expectation(clause, unit, first=not found)
            statement = _statement(inputs, types, clause, index, unit, expected=expected)
            if statement is not None and not _repeats(statement, found):
                statement.beside = beside
                found.append(statement)
        if len(found) >= MOST_STATEMENTS:
            break
    return Reading(clauses=parts, statements=tuple(found[:MOST_STATEMENTS]))


def _statement(
    inputs: ExtractionInputs,
    types: Sequence[Profile],
    clause: Clause,
    index: int,
    unit: Unit,
    *,
    expected: float,
) -> Statement | None:
    if _names_subject(unit.label, inputs.subject):
        return None
    quote = inputs.answer[unit.start : unit.end]
    context = f"{clause.marker} {clause.text}"
    facets = dict(unit.facets)
    if clause.kind == "condition" and clause.grounds:
        facets["situation"] = facets.get("situation", 0.0) + 1.2
    if phrase_pattern(listed("value_frames")).search(plain(context)):
        facets["value"] = facets.get("value", 0.0) + 0.6
    if "feature" in facets and "outcome" in facets:
        # What is brought about is a result; what it is brought about by rather a property.
        brought_about = clause.kind in {"result", "purpose"}
        facets["outcome" if brought_about else "feature"] += 0.4
    facets = with_ideals(facets, clause.text, inputs)
    if unit.anaphoric and "feature" in facets:
        # "that's the peace I look for" says what something comes to, not what it is like.
        facets["outcome"] = facets.get("outcome", 0.0) + 0.6
        facets["value"] = facets.get("value", 0.0) + 0.4
    side = stance(
        quote,
        clause.text,
        expected=expected_side(
            inputs.question,
            inputs.focus.label if inputs.focus else "",
            inputs.answer if inputs.focus else clause.text,
        ),
    )
    if side < 0:
        facets = _with_problem(facets, types, plainly=polarity(quote) < 0)
    for facet, weight in asked_kinds(inputs.question).items():
        facets[facet] = facets.get(facet, 0.0) + weight * expected
    facets = housed(facets, types)
    scores = type_scores(types, label=unit.label, context=context, facets=facets)
    if inputs.focus is not None and not clause.grounds:
        scores = _expecting(inputs, scores, weight=expected)
    known = _known(unit.label, inputs.existing_labels)
    occasion = max(unit.facets, key=lambda name: unit.facets[name]) == "situation"
    if occasion and not any(t.facets.get("situation") for t in types):
        return None  # an occasion, where the ontology has no place for one
    best = max(scores, key=lambda name: scores[name])
    hedged = bool(pattern("hedged").search(plain(clause.text)))
    runner_up = max((s for name, s in scores.items() if name != best), default=0.0)
    return Statement(
        label=known.label if known else unit.label,
        node_type=known.node_type if known else best,
        clause=index,
        start=unit.start,
        end=unit.end,
        stance=side,
        confidence=round(0.9 - 0.2 * hedged - 0.1 * (scores[best] < 1.15 * runner_up), 2),
        scores=scores,
        settled=known is not None,
        anaphoric=unit.anaphoric,
        leads_to_next=unit.leads_to_next,
        feeling=facets.get("feeling", 0.0) >= 1.0,
    )


def _with_problem(
    facets: Mapping[str, float], types: Sequence[Profile], *, plainly: bool
) -> dict[str, float]:
    """Count what the respondent is against as a problem, `plainly` where its own words say so.

    A bad result is a problem rather than a result where the ontology has a place for problems.
    """
    found = {**facets, "problem": facets.get("problem", 0.0) + (1.0 if plainly else 0.7)}
    if "outcome" in found and any(t.facets.get("problem", 0.0) >= AT_HOME for t in types):
        found["outcome"] *= 0.4
    return found


def _is_beside(answer: str, clause: Clause) -> bool:
    """Whether the sentence up to this clause announces a further point."""
    stops = [answer.rfind(mark, 0, clause.start) for mark in ".!?"]
    return adds(answer[max(stops) + 1 : clause.end])


def _expectation(clause: Clause, unit: Unit, *, first: bool) -> float:
    """How surely a statement answers the question."""
    if first:
        return 1.0
    return 0.7 if clause.sentence == 0 or clause.kind or unit.anaphoric else 0.35


def _expecting(
    inputs: ExtractionInputs, scores: dict[str, float], *, weight: float
) -> dict[str, float]:
    """Favour, in the reply to a question that leads up, the types that may follow its focus.

    What answers "what does that give you?" is the next step of the ladder more often than not, and
    what is said after it belongs to the same step or the one above.
    """
    focus = inputs.focus
    if focus is None or direction_of(inputs.question) is not Direction.UP:
        return scores
    levels = {t.name: t.level for t in inputs.node_types}
    here = levels.get(focus.node_type)
    permitted = {
        target
        for edge in inputs.edge_types
        if edge.chain
        for source, target in edge.permitted_connections
        if source == focus.node_type
    }
    favoured = dict(scores)
    for name, score in scores.items():
        level = levels[name]
        if name in permitted:
            evidence = min(1.0, LEAST_EVIDENCE + 3.0 * score)
            favoured[name] += weight * evidence * _step_bonus(here, level)
        elif here is not None and level is not None and level < here:
            favoured[name] = favoured[name] * (1.0 - 0.6 * weight)
    return favoured


def _step_bonus(here: int | None, level: int | None) -> float:
    """The next level up is likeliest, then those above it, then the same."""
    if here is None or level is None or level <= here:
        return 0.0
    return 1.0 if level == here + 1 else 0.8


def _names_subject(label: str, subject: str) -> bool:
    return bool(subject) and bool(said := lemmas(label)) and said <= lemmas(subject)


def _known(label: str, existing: Sequence[LabelledNode]) -> LabelledNode | None:
    said = lemmas(label)
    if not said:
        return None
    scored = [(overlap(said, lemmas(node.label)), -i) for i, node in enumerate(existing)]
    score, position = max(scored, default=(0.0, 0))
    negated = phrase_pattern(("not", "don't", "no", "never", "can't", "doesn't", "without"))
    if score < SAME:
        return None
    node = existing[-position]
    same_polarity = bool(negated.search(plain(label))) == bool(negated.search(plain(node.label)))
    return node if same_polarity and _same_degree(label, node.label) else None


def _same_degree(a: str, b: str) -> bool:
    """Whether two labels agree on more and less, too much and not enough."""
    degrees = ("more", "less", "too", "fewer", "cheap", "expensive")
    left, right = frozenset(plain(a).split()), frozenset(plain(b).split())
    return all((word in left) == (word in right) for word in degrees)


def _repeats(statement: Statement, found: Sequence[Statement]) -> bool:
    key = statement.label.casefold()
    return any(other.label.casefold() == key for other in found) or key in word_set("empty_heads")
