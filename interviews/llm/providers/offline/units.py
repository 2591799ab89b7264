"""Find the statements of a clause: what is named, done, felt, wanted or judged in it.

Each statement becomes a short label in the respondent's words and a span of the answer. Patterns
are those of spoken English in general; no subject, methodology or type is known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from interviews.llm.providers.offline.asides import is_aside
from interviews.llm.providers.offline.labels import label_of, split_list, strip_fillers
from interviews.llm.providers.offline.lexicon import (
    ReadingRule,
    hits,
    listed,
    pattern,
    phrase_pattern,
    plain,
    reading_rules,
    word_set,
    words_of,
)
from interviews.nlp import tokens

MAX_WORDS_OF_SUBJECT = 5
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
    leads_to_next: bool = False
    """The next unit of the clause is brought about by this one ("the belt | takes the weight")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a pattern makes of a clause: the span that matters, and the kind of statement."""

    start: int
    end: int
    facet: str
    weight: float = 1.0
    prefix: str = ""
    anaphoric: bool = False
    leads_to_next: bool = False
    verbal: bool = False


def units_of(text: str, start: int, end: int, *, subject: str = "") -> tuple[Unit, ...]:
    """Return the statements of `text[start:end]`, one clause of an answer.

    `subject` names what the interview is about; its own name as a grammatical subject is like "it".
    """
    start, end = strip_fillers(text, start, end)
    clause = plain(text[start:end])
    if not clause or pattern("generic").fullmatch(clause):
        return ()
    found: list[Unit] = []
    for reading in _read(clause, subject):
        found.extend(_units(text, start, reading))
    return tuple(_mend_last(found))


def is_generic(text: str, start: int, end: int) -> bool:
    """Whether the clause says something about "it" without saying what ("it's important to me")."""
    start, end = strip_fillers(text, start, end)
    return bool(pattern("generic").fullmatch(plain(text[start:end])))


def _read(clause: str, subject: str) -> Iterator[Reading]:
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
        yield Reading(
            start=match.start("s"),
            end=match.end("s"),
            facet="feature",
            weight=1.0,
            leads_to_next=True,
        )
        yield from _consequence(clause, match)
        return
    if thing := pattern("with_thing").fullmatch(clause):
        start, end = thing.span("s")
        yield Reading(start=start, end=end, facet="feature", leads_to_next=True)
        yield from _shifted(_read(thing["u"], subject), thing.start("u"))
        return
    if fronted := pattern("fronted").fullmatch(clause):
        yield Reading(start=0, end=fronted.end("s"), facet="situation", weight=1.5)
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


def _shifted(readings: Iterator[Reading], by: int) -> Iterator[Reading]:
    return (replace(r, start=r.start + by, end=r.end + by) for r in readings)


def _reading(rule: ReadingRule, match: re.Match[str]) -> Reading:
    return Reading(
        start=match.start("u"),
        end=match.end("u"),
        facet=rule.facet,
        weight=rule.weight,
        prefix=rule.prefix,
        anaphoric=rule.anaphoric,
        verbal=rule.verbal,
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


def _consequence(clause: str, match: re.Match[str]) -> Iterator[Reading]:
    verb = clause[match.start("v") :]
    shift, said = match.start("v") - 3, f"it {verb}"
    if stated := pattern("means_that").match(verb):
        shift, said = match.start("v") + stated.end(), verb[stated.end() :]
    for reading in _read(said, ""):
        yield replace(
            reading, start=reading.start + shift, end=reading.end + shift, anaphoric=False
        )


def _plain_statement(clause: str) -> Reading:
    if pattern("subject_copula").fullmatch(clause):
        return Reading(start=0, end=len(clause), facet="feature", weight=0.8)
    tags = [t.tag for t in tokens(clause)]
    finite = any(tag in {"VBZ", "VBP", "VBD", "MD"} for tag in tags[1:])
    verbal = bool(tags) and tags[0].startswith("VB")
    facet = "event" if finite else "outcome" if verbal else "feature"
    return Reading(start=0, end=len(clause), facet=facet, weight=0.7, verbal=verbal)


def _units(text: str, offset: int, reading: Reading) -> Iterator[Unit]:
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
        yield Unit(
            label=label,
            start=_with_negation(text, begin, prefix),
            end=stop,
            facets=_facets(label, text[begin:stop], reading),
            anaphoric=reading.anaphoric,
            leads_to_next=reading.leads_to_next,
        )


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


def _mend_last(found: list[Unit]) -> list[Unit]:
    """A subject whose consequence was empty leads nowhere."""
    if found and found[-1].leads_to_next:
        found[-1] = replace(found[-1], leads_to_next=False)
    return found


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


def _facets(label: str, quote: str, reading: Reading) -> dict[str, float]:
    """Weigh the kinds of statement by the pattern it was found with and by its words."""
    weights: dict[str, float] = {reading.facet: reading.weight}
    length = max(1, len(words_of(label)))
    for name, facet, weight in _LISTS:
        found = hits(label, name)
        if found:
            share = min(1.0, 2 * sum(len(h.split()) for h in found) / length)
            weights[facet] = weights.get(facet, 0.0) + weight * share
    if phrase_pattern(listed("value_frames")).search(plain(quote)):
        weights["value"] = weights.get("value", 0.0) + 0.6
    if event := weights.pop("event", 0.0):
        weights["outcome"] = weights.get("outcome", 0.0) + event
        if not pattern("of_oneself").match(plain(quote)):
            weights["feature"] = weights.get("feature", 0.0) + event
    if pattern("being_someone").match(label):
        weights["manner"] = weights.get("manner", 0.0) + 0.9
    if "state" in weights:
        state = weights.pop("state")
        target = "feeling" if "feeling" in weights else "outcome"
        weights[target] = weights.get(target, 0.0) + state
    return weights
