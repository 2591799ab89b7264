"""What rules find in a statement: its label, and what speaks for each node type.

The kinds of statement that its wording shows, the cues and examples of the ontology, what the
question asked for, and the step up that an answer to a laddering question is likely to take.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from interviews import nlp
from interviews.llm.providers.offline.asides import after_frame, digressions, is_aside
from interviews.llm.providers.offline.bounds import (
    completed,
    needed_before,
    to_its_end,
    with_its_negation,
)
from interviews.llm.providers.offline.direction import (
    Direction,
    asked_kinds,
    direction_of,
    expected_side,
)
from interviews.llm.providers.offline.ideals import with_ideals
from interviews.llm.providers.offline.labels import label_of
from interviews.llm.providers.offline.lexicon import (
    listed,
    phrase_pattern,
    plain,
    word_set,
    words_of,
)
from interviews.llm.providers.offline.node_typing import (
    AT_HOME,
    Profile,
    housed,
    profiles,
    type_scores,
)
from interviews.llm.providers.offline.sentiment import polarity, stance
from interviews.llm.providers.offline.units import Unit, units_of
from interviews.llm.tasks.extraction import ExtractionInputs
from interviews.nlp import Clause

LEAST_EVIDENCE = 0.5
"""How far a step up is expected by itself, where nothing in the words speaks for it."""


class RuleEvidence:
    """The rules' view of one answer; spans are characters of it."""

    def __init__(self, inputs: ExtractionInputs) -> None:
        self._inputs = inputs
        self.types = profiles(inputs.node_types)
        self._clauses = nlp.clauses(inputs.answer)
        self._led_away = digressions(self._clauses)

    def clause_of(self, start: int) -> Clause | None:
        """Return the clause that a character stands in, or the nearest; None without clauses."""
        return min(
            self._clauses,
            key=lambda c: (not c.start <= start < c.end, abs(c.start - start)),
            default=None,
        )

    def statement(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the span without the frame before it, with its "not" and what its end asks for.

        None for talk about the talk.
        """
        answer = self._inputs.answer
        clause = self.clause_of(start)
        start = min(after_frame(answer, start, end), end)
        if clause is not None and clause.start <= start < clause.end:
            start = with_its_negation(answer, clause.start, start)
        if not _says_something(answer[start:end], _ENDINGS):
            return None
        end = completed(answer, start, end)
        if clause is not None and clause.start <= start < clause.end:
            end = to_its_end(answer, start, end, clause.end)
        if is_aside(answer[start:end]) or not _says_something(answer[start:end], _NOTHING_YET):
            return None
        if clause is not None and (clause.sentence in self._led_away or is_aside(clause.text)):
            return None
        return start, end

    def label(self, start: int, end: int) -> str:
        """Return a short label for a span in the respondent's words, "" where it says nothing."""
        answer = self._inputs.answer
        units = units_of(answer, start, end, subject=self._inputs.subject)
        if len(units) != 1:
            return label_of(answer[start:end])
        label = units[0].label
        said = plain(answer[start:end])
        needed = needed_before(said, said.rfind(label.casefold()))
        return label if needed is None else label_of(answer[start + needed : end]) or label

    def figures(self, start: int, end: int) -> list[tuple[float, float, float]]:
        """Return for each type its score, that as a share of the best, and 1 for the best."""
        clause = self.clause_of(start)
        if clause is None:
            return [(0.0, 0.0, 0.0) for _ in self.types]
        scores = self._scores(clause, self._unit(start, end))
        best = max(scores.values())
        return [
            (score, score / (best or 1.0), float(score == best))
            for score in (scores[profile.name] for profile in self.types)
        ]

    def _unit(self, start: int, end: int) -> Unit:
        """Read a span as one statement: as its longest part where the rules see several."""
        answer = self._inputs.answer
        units = units_of(answer, start, end, subject=self._inputs.subject)
        unit = max(units, key=lambda u: u.end - u.start, default=None)
        label = label_of(answer[start:end])
        if unit is None:
            return Unit(label=label or answer[start:end], start=start, end=end)
        return replace(unit, label=label or unit.label, start=start, end=end)

    def _scores(self, clause: Clause, unit: Unit) -> dict[str, float]:
        inputs, types = self._inputs, self.types
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
        if self._side(quote, clause) < 0:
            facets = _with_problem(facets, types, plainly=polarity(quote) < 0)
        expected = _expectation(clause, unit)
        for facet, weight in asked_kinds(inputs.question).items():
            facets[facet] = facets.get(facet, 0.0) + weight * expected
        scores = type_scores(types, label=unit.label, context=context, facets=housed(facets, types))
        return scores if clause.grounds else _expecting(inputs, scores, weight=expected)

    def _side(self, quote: str, clause: Clause) -> int:
        focus = self._inputs.focus
        around = self._inputs.answer if focus else clause.text
        expected = expected_side(self._inputs.question, focus.label if focus else "", around)
        return stance(quote, clause.text, expected=expected)


def _says_something(said: str, nothing: Set[str]) -> bool:
    """Whether there is more to a stretch than pronouns, auxiliaries ("there's") and `nothing`.

    When or where it was, by itself, says nothing either; a day or an hour of its own may.
    """
    words = words_of(plain(said).replace("'", " "))
    mere = _MERE_TIME_OR_PLACE.fullmatch(" ".join(words))
    return mere is None and bool(set(words) - word_set("stop_words") - nothing)


_MERE_TIME_OR_PLACE = re.compile(
    r"once|twice|then|now|later|years|months|weeks|days|hours|minutes"
    r"|(?:\w+ ){0,2}(?:year|month|week|day|hour|minute)s? (?:later|ago|earlier|afterwards)"
    r"|on the (?:last|first|next|same|second|third) (?:day|morning|afternoon|evening|night)"
    r"|(?:(?:up|down|over|out|in|back|right) )?(?:there|here)"
    r"|(?:at|during|after|before) (?:the|my|our) (?:funeral|wedding|party|meeting|time|moment"
    r"|beginning|end|start|weekend|holidays?|night|evening|morning|afternoon|day|week|breakfast"
    r"|lunch|dinner)"
    r"|in (?:spring|summer|autumn|winter)"
)
_ENDINGS = frozenset(["s", "d", "m", "t", "ll", "re", "ve"])
_NOTHING_YET = _ENDINGS | frozenset(
    ["haven", "hasn", "hadn", "don", "doesn", "didn", "isn", "wasn", "aren", "weren", "couldn",
     "wouldn", "won", "nearly", "almost", "hardly", "barely", "want", "wanted", "need", "needed"]
)  # fmt: skip
"""What says nothing where nothing follows: "I haven't", "nearly", "I want"."""


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


def _expectation(clause: Clause, unit: Unit) -> float:
    """How surely a statement answers the question."""
    if clause.sentence == 0:
        return 1.0
    return 0.7 if clause.kind or unit.anaphoric else 0.35


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
