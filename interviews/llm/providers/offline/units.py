"""Find the statements of a clause: what is named, done, felt, wanted or judged in it.

Each statement becomes a short label in the respondent's words and a span of the answer. Patterns
are those of spoken English in general; no subject, methodology or type is known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from graphs.language.tagging import tokens
from interviews.llm.providers.offline.asides import is_aside
from interviews.llm.providers.offline.labels import label_of, split_list, strip_fillers
from interviews.llm.providers.offline.lexicon import (
    ReadingRule,
    hits,
    lemma_hits,
    listed,
    pattern,
    phrase_pattern,
    plain,
    reading_rules,
    word_set,
    words_of,
)

MAX_WORDS_OF_SUBJECT = 5
MOST_WORDS_OF_PERSON = 2
PERSONAL = 0.5
"""How far a statement about a person speaks of feelings where nothing practical is in it."""

LEAST_WORDS_BEFORE_SETTING = 3
MOST_ITEMS = 12
"""Items read off one list; nobody names more in one breath."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A statement: its label, its span in the answer, and what kind of statement it may be.

    `facets` weigh the kinds (feature, outcome, feeling …). `anaphoric` marks a statement about
    "it" or "that", which continues whatever was said or asked before.
    """

    label: str
    start: int
    end: int
    facets: dict[str, float] = field(default_factory=dict)
    anaphoric: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternMatch:
    """What a pattern makes of a clause: the span that matters, and the kind of statement.

    `said_from` is where the quote begins: before the span where its subject is a person ("I can").
    """

    start: int
    end: int
    facet: str
    weight: float = 1.0
    prefix: str = ""
    anaphoric: bool = False
    verbal: bool = False
    said_from: int | None = None


_QUOTED_WITH_SUBJECT = frozenset(["feeling", "problem", "outcome", "action", "state"])
"""Kinds whose clause is quoted whole; of what is liked or wanted only the thing is."""


def units_of(text: str, start: int, end: int, *, subject: str = "") -> tuple[Unit, ...]:
    """Return the statements of `text[start:end]`, one clause of an answer.

    `subject` names what the interview is about; its own name as a grammatical subject is like "it".
    """
    start, end = strip_fillers(text, start, end)
    clause = plain(text[start:end])
    if not clause or pattern("generic").fullmatch(clause):
        return ()
    return tuple(
        unit for reading in _read(clause, subject) for unit in _units(text, start, reading)
    )


def _read(clause: str, subject: str) -> Iterator[PatternMatch]:
    if subject and (
        match := re.match(rf"(?:(?:the|my|our|a|your) )?{re.escape(_bare(subject))}\b", clause)
    ):
        # What is said of the subject itself reads as if said of "it".
        rest = clause[match.end() :]
        if rest.strip():
            shift = match.end() - 2
            yield from _shifted(_read("it" + rest, ""), shift)
            return
    if (match := pattern("subject_effect").fullmatch(clause)) and _nominal(match["s"]):
        yield PatternMatch(
            start=match.start("s"),
            end=match.end("s"),
            facet="feature",
            weight=1.0,
        )
        yield from _consequence(clause, match)
        return
    if thing := pattern("with_thing").fullmatch(clause):
        start, end = thing.span("s")
        yield PatternMatch(start=start, end=end, facet="feature")
        yield from _shifted(_read(thing["u"], subject), thing.start("u"))
        return
    if fronted := pattern("fronted").fullmatch(clause):
        if pattern("circumstance").match(clause):  # else a mere date: "on my second visit"
            yield PatternMatch(start=0, end=fronted.end("s"), facet="situation", weight=1.5)
        yield from _shifted(_read(fronted["u"], subject), fronted.start("u"))
        return
    for rule in reading_rules():
        if match := rule.pattern.fullmatch(clause):
            reading = _reading(rule, match)
            if reading.facet == "recurse":
                inner_start, inner_end = strip_fillers(clause, reading.start, reading.end)
                inner = clause[inner_start:inner_end]
                yield from _shifted(_read(inner, subject), inner_start)
            else:
                yield reading
            return
    yield _plain_statement(clause)


def _shifted(readings: Iterator[PatternMatch], by: int) -> Iterator[PatternMatch]:
    return (
        replace(
            r,
            start=r.start + by,
            end=r.end + by,
            said_from=None if r.said_from is None else r.said_from + by,
        )
        for r in readings
    )


def _reading(rule: ReadingRule, match: re.Match[str]) -> PatternMatch:
    return PatternMatch(
        start=match.start("u"),
        end=match.end("u"),
        facet=rule.facet,
        weight=rule.weight,
        prefix=rule.prefix,
        anaphoric=rule.anaphoric,
        verbal=rule.verbal,
        said_from=match.start()
        if rule.facet in _QUOTED_WITH_SUBJECT and pattern("own_subject").match(match.string)
        else None,
    )


def _bare(subject: str) -> str:
    return re.sub(r"^(?:the|my|our|a|an|your) ", "", plain(subject))


def _nominal(subject: str) -> bool:
    words = words_of(subject)
    if words and len(words[0]) > 5 and words[0].endswith("ing"):
        return True
    if not words or words[0] in word_set("no_subject") or len(words) > MAX_WORDS_OF_SUBJECT:
        return False
    if words[-1] in word_set("empty_heads") or words[-1] in {"i", "we", "you", "to", "not"}:
        return False
    tags = [t.tag for t in tokens(subject)]
    if tags and (tags[0].startswith("VB") and not words[0].endswith("ing")):
        return False
    return not any(w in word_set("verbish") for w in words)


def _consequence(clause: str, match: re.Match[str]) -> Iterator[PatternMatch]:
    verb = clause[match.start("v") :]
    shift, said = match.start("v") - 3, f"it {verb}"
    if stated := pattern("means_that").match(verb):
        shift, said = match.start("v") + stated.end(), verb[stated.end() :]
    for reading in _read(said, ""):
        yield replace(next(_shifted(iter([reading]), shift)), anaphoric=False)


def _plain_statement(clause: str) -> PatternMatch:
    tags = [t.tag for t in tokens(clause)]
    copula = pattern("subject_copula").fullmatch(clause)
    if copula and not (copula["c"] == "'s" and _FINITE.intersection(_tags(copula["u"]))):
        facet = "state" if pattern("of_oneself").match(clause) else "feature"
        return PatternMatch(start=0, end=len(clause), facet=facet, weight=0.8)
    finite = any(tag in {"VBZ", "VBP", "VBD", "MD"} for tag in tags[1:])
    verbal = bool(tags) and tags[0].startswith("VB")
    facet = "event" if finite else "outcome" if verbal else "feature"
    return PatternMatch(start=0, end=len(clause), facet=facet, weight=0.7, verbal=verbal)


def _tags(text: str) -> list[str]:
    return [token.tag for token in tokens(text)]


_FINITE = frozenset(["VBZ", "VBP", "VBD", "MD"])


def _units(text: str, offset: int, reading: PatternMatch) -> Iterator[Unit]:
    items = split_list(text, offset + reading.start, offset + reading.end, verbal=reading.verbal)
    for first, stop in islice(items, MOST_ITEMS):
        if is_aside(text[first:stop]):
            continue
        begin = _with_verb(text, offset, first)
        negated = text[begin:stop].lower().startswith("not ")
        prefix = "" if negated else reading.prefix
        label = label_of(text[begin:stop], prefix=prefix)
        if not label:
            continue
        said_from = _with_negation(text, begin, prefix)
        if _said_by_subject(text, offset, reading) and first == offset + reading.start:
            said_from = min(said_from, offset + (reading.said_from or 0))
        yield Unit(
            label=label,
            start=said_from,
            end=_without_setting(text, begin, stop),
            facets=_facets(label, text[said_from:stop], reading),
            anaphoric=reading.anaphoric,
        )


def _without_setting(text: str, begin: int, stop: int) -> int:
    """Return where a statement ends before a non-restrictive clause or a setting put behind it."""
    said = plain(text[begin:stop])
    for name in ("relative", "setting"):
        found = pattern(name).search(said)
        if found and len(said[: found.start()].split()) >= LEAST_WORDS_BEFORE_SETTING:
            said = said[: found.start()]
    return begin + len(said)


def _said_by_subject(text: str, offset: int, reading: PatternMatch) -> bool:
    """Whether nothing but a person and an auxiliary stand before the span ("I can", "you have")."""
    if reading.said_from is None:
        return False
    before = text[offset + reading.said_from : offset + reading.start]
    return len(before.split()) <= MOST_WORDS_OF_PERSON


def _with_verb(text: str, offset: int, begin: int) -> int:
    """Move a start on "it" or a preposition back over the verb: "get into a mood".

    `offset` is where the clause begins.
    """
    if not pattern("needs_verb").match(plain(text[begin : begin + 24])):
        return begin
    verb = pattern("verb_before").search(plain(text[offset:begin]))
    return offset + verb.start("v") if verb else begin


def _with_negation(text: str, begin: int, prefix: str) -> int:
    """Move the quote's start back over the "not" that the label carries."""
    if prefix == "not" and (match := re.search(r"(?:not|n['’]t) $", text[:begin], re.IGNORECASE)):
        return match.start() if match.group().lower().startswith("not") else begin
    return begin


_LISTS = (
    ("feelings", "feeling", 1.0),
    ("manner", "manner", 1.5),
    ("values", "value", 1.2),
    ("problems", "problem", 0.9),
    ("outcomes", "outcome", 0.5),
    ("situations", "situation", 0.6),
    ("solutions", "solution", 0.5),
    ("people", "person", 0.5),
)


def _facets(label: str, quote: str, reading: PatternMatch) -> dict[str, float]:
    """Weigh the kinds of statement by the pattern it was found with and by its words."""
    weights: dict[str, float] = {reading.facet: reading.weight}
    length = max(1, len(words_of(label)))
    for name, facet, weight in _LISTS:
        found = hits(label, name)
        if found:
            share = min(1.0, 2 * sum(len(h.split()) for h in found) / length)
            weights[facet] = weights.get(facet, 0.0) + weight * share
    _add_inner_life(weights, quote)
    if phrase_pattern(listed("value_frames")).search(plain(quote)):
        weights["value"] = weights.get("value", 0.0) + 0.6
    if event := weights.pop("event", 0.0):
        weights["outcome"] = weights.get("outcome", 0.0) + event
        if not pattern("of_oneself").match(plain(quote)):
            weights["feature"] = weights.get("feature", 0.0) + 0.5 * event
    if pattern("being_someone").match(label):
        weights["manner"] = weights.get("manner", 0.0) + 0.9
    if "state" in weights:
        state = weights.pop("state")
        target = "feeling" if "feeling" in weights else "outcome"
        weights[target] = weights.get(target, 0.0) + state
    return weights


def _add_inner_life(weights: dict[str, float], quote: str) -> None:
    """Add what `quote` says of people, and take from what speaks for a property or a result."""
    inner = _inner_life(quote)
    for facet, weight in inner.items():
        weights[facet] = weights.get(facet, 0.0) + weight
    if pattern("spared").match(plain(quote)):  # "less scratching", "no hotel to pay for"
        weights["outcome"] = weights.get("outcome", 0.0) + 0.8
        weights["feature"] = 0.5 * weights.pop("feature", 0.0)
    for facet in ("feature", "outcome"):
        if facet in weights:
            weights[facet] *= 1.0 - 0.4 * min(1.0, inner.get("feeling", 0.0))


def _inner_life(quote: str) -> dict[str, float]:
    """Weigh what a statement says of feelings, thoughts and of how people stand to each other."""
    said = plain(quote)
    emotion = 0.9 * bool(lemma_hits(said, "emotions"))
    thought = 0.5 * bool(lemma_hits(said, "thoughts")) + 0.5 * bool(pattern("i_think").match(said))
    social = 0.7 * bool(lemma_hits(said, "social_acts") or pattern("towards_me").search(said))
    self_image = 0.7 * bool(pattern("self_image").search(said))
    found = {"feeling": min(1.6, emotion + thought + 0.7 * social + self_image), "person": social}
    if not any(found.values()) and pattern("own_subject").match(said):
        # What people do or say that is nothing practical is mostly about them.
        practical = lemma_hits(said, "practical") or lemma_hits(said, "welcome")
        found["feeling"] = 0.0 if practical or lemma_hits(said, "unwelcome") else PERSONAL
    return {facet: weight for facet, weight in found.items() if weight}
