"""The elements of a stimulus by rules: its clauses, told apart by general words of descriptions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from interviews.llm.tasks.element_proposal import (
    ELEMENT_PROPOSAL,
    MOST_ELEMENTS,
    ElementProposalInputs,
    ElementProposalOutput,
    ProposedElement,
)
from interviews.nlp import Clause, clauses
from interviews.wording.languages import DEFAULT
from methodologies.schema import ElementKind

MOST_LABEL_WORDS = 10
MOST_QUOTE = 1000
MOST_NAME_WORDS = 4
_KINDS: tuple[ElementKind, ...] = ("price", "visual", "benefit", "feature")
"""In the order in which their words decide."""
_EDGES = ' \t\r\n,.;:!?…-–—•*·|"“”„»«()[]#'
_PREDICATES = (
    r"costs?|comes|is|are|has|have|keeps?|makes?|helps?|lets?|saves?|gives?|contains?|includes?"
    r"|needs?|works?|tastes?|lasts?|fits?|can|will|froths?|costa|è|ha|contiene|fa|dura|aiuta"
)
_CUT = re.compile(
    r"\n|[;•|]|,\s+(?:and\s+|e\s+)?(?=\S+\s+\S)|\s+(?=(?:that|which)\s+\w+)|\s[-–—]\s|:\s"
    rf"|\s+(?:and|e|ed)\s+(?=(?:{_PREDICATES})\b)"
)
"""Where a clause goes on with something else: a list, a relative clause, another predicate."""
_LEAST_WORDS = 2
"""A comma cuts only between parts of so many words, so that a list of single words stays one."""
_CAPITALISED = re.compile(r"[A-ZÀ-Þ][\w'’&.-]*")
_QUOTED = re.compile(r"^[\"“„«].+[\"”“»]$")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A stretch of the text: where it stands, which sentence it is of, and how it is joined."""

    start: int
    end: int
    sentence: int
    follows: bool = False


def element_proposal(inputs: ElementProposalInputs) -> ElementProposalOutput:
    """Propose every clause of the text, at most twenty; the same text always gives the same."""
    words = _words(inputs.language)
    found: list[ProposedElement] = []
    reasons: dict[int, str] = {}
    headline: int | None = None
    for part in _parts(inputs.text):
        quote = inputs.text[part.start : min(part.end, part.start + MOST_QUOTE)].rstrip()
        label = _label(quote, words)
        if not label or len(found) == MOST_ELEMENTS:
            continue
        if any(label.casefold() == element.label.casefold() for element in found):
            continue
        kind = _kind(quote, label, part, words)
        reason = reasons.get(part.sentence)
        if headline is None and kind != "name":
            headline = part.sentence
        element = ProposedElement(
            id=_unique(slug(label), {element.id for element in found}),
            label=label,
            aliases=tuple(words["aliases"].get(kind, ())),
            kind=kind,
            priority=_priority(kind, in_headline=part.sentence == headline),
            connects_to=(reason,) if kind == "benefit" and reason else (),
            quote=quote,
        )
        found.append(element)
        if kind in ("feature", "claim"):
            reasons[part.sentence] = element.id
    return ElementProposalOutput(elements=tuple(found))


def slug(label: str, most: int = 40) -> str:
    """A label as an id: lower-case letters, digits and underscores, beginning with a letter."""
    plain = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    while len(name) > most:
        shorter, _, _ = name.rpartition("_")
        name = shorter or name[:most]
    return name if name[:1].isalpha() else f"element_{name}".strip("_")


def _unique(name: str, taken: set[str]) -> str:
    number, found = 2, name
    while found in taken:
        number, found = number + 1, f"{name}_{number}"
    return found


def _parts(text: str) -> Iterator[_Part]:
    for clause in clauses(text):
        begin = clause.start
        for cut in _CUT.finditer(text, clause.start, clause.end):
            both = (text[begin : cut.start()], text[cut.end() : clause.end])
            if min(len(side.split()) for side in both) < _LEAST_WORDS and "," in cut.group():
                continue
            yield from _trimmed(text, begin, cut.start(), clause, first=begin == clause.start)
            begin = cut.end()
        yield from _trimmed(text, begin, clause.end, clause, first=begin == clause.start)


def _trimmed(text: str, start: int, end: int, clause: Clause, *, first: bool) -> Iterator[_Part]:
    while start < end and text[start] in _EDGES:
        start += 1
    while end > start and text[end - 1] in _EDGES:
        end -= 1
    if any(character.isalnum() for character in text[start:end]):
        follows = first and clause.kind in ("purpose", "result")
        yield _Part(start=start, end=end, sentence=clause.sentence, follows=follows)


def _label(quote: str, words: Mapping[str, Any]) -> str:
    """The quote without the words that lead into it, at most ten words."""
    led = re.match(words["leading"], quote, re.IGNORECASE)
    rest = quote[led.end() :] if led and led.end() < len(quote) else quote
    label = " ".join(rest.split()[:MOST_LABEL_WORDS]).strip(_EDGES) or quote.strip(_EDGES)
    label = label[:200]
    sentence_case = label[1:2].islower() and any(w[0].islower() for w in label.split()[1:])
    return label[0].lower() + label[1:] if sentence_case else label


def _kind(quote: str, label: str, part: _Part, words: Mapping[str, Any]) -> ElementKind:
    for kind in _KINDS:
        if kind == "benefit":
            if _is_name(quote, label, words):
                return "name"
            if part.follows:
                return "benefit"
        if any(re.search(pattern, quote, re.IGNORECASE) for pattern in words[kind]):
            return kind
    return "claim"


def _is_name(quote: str, label: str, words: Mapping[str, Any]) -> bool:
    """Whether a few words are a name: capitalised, in quotation marks, or introduced as one."""
    parts = label.split()
    if len(parts) > MOST_NAME_WORDS:
        return False
    introduced = any(re.search(pattern, quote, re.IGNORECASE) for pattern in words["named"])
    return (
        introduced
        or bool(_QUOTED.match(quote))
        or all(_CAPITALISED.fullmatch(part) for part in parts)
    )


def _priority(kind: ElementKind, *, in_headline: bool) -> int:
    """1 for what the first sentence promises, 3 for names and looks, else 2."""
    if kind in ("name", "visual"):
        return 3
    return 1 if in_headline and kind != "price" else 2


def _words(language: str) -> Mapping[str, Any]:
    words: Mapping[str, Any] = _table().get(language) or _table()[DEFAULT]
    return words


@cache
def _table() -> Mapping[str, Any]:
    text = resources.files(__package__).joinpath("stimulus.yaml").read_text(encoding="utf-8")
    loaded: Mapping[str, Any] = yaml.safe_load(text)
    return loaded


RULES = {ELEMENT_PROPOSAL.name: element_proposal}
