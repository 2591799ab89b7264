"""Word lists of the offline rules, and how a text is searched for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from graphs.language.lemmas import table_lemma

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'"})


def plain(text: str) -> str:
    """Return `text` in lower case with straight apostrophes; offsets stay what they were."""
    return text.translate(_APOSTROPHES).lower()


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of `text` in lower case, contractions kept whole."""
    return tuple(re.findall(r"[\w]+(?:['-][\w]+)*", plain(text)))


@cache
def _document() -> Mapping[str, Any]:
    path = resources.files("interviews.llm.providers.offline").joinpath("lexicon.yaml")
    document: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return document


@cache
def listed(name: str) -> tuple[str, ...]:
    """Return a word list by name. Raises KeyError for an unknown one."""
    return tuple(str(entry) for entry in _document()[name])


@cache
def word_set(name: str) -> frozenset[str]:
    """Return a word list as a set. Raises KeyError for an unknown one."""
    return frozenset(listed(name))


@cache
def facet_words() -> Mapping[str, frozenset[str]]:
    """Return, for each kind of statement, the words of a description that speak for it."""
    return {name: frozenset(words) for name, words in _document()["facets"].items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingRule:
    """A way to read a clause: its pattern, whose group u is the statement, and what u is then."""

    pattern: re.Pattern[str]
    facet: str
    weight: float = 1.0
    prefix: str = ""
    anaphoric: bool = False
    verbal: bool = False


@cache
def _patterns() -> Mapping[str, Any]:
    path = resources.files("interviews.llm.providers.offline").joinpath("patterns.yaml")
    document: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return document


def _expanded(text: str) -> str:
    for name, macro in _patterns()["macros"].items():
        text = text.replace(f"<{name}>", macro)
    return text


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of the pattern file by name. Raises KeyError for an unknown one."""
    return re.compile(_expanded(_patterns()["single"][name]), re.IGNORECASE)


@cache
def reading_rules() -> tuple[ReadingRule, ...]:
    """Return the ways to read a clause, in the order in which they are tried."""
    return tuple(
        ReadingRule(**{**rule, "pattern": re.compile(_expanded(rule["pattern"]), re.IGNORECASE)})
        for rule in _patterns()["readings"]
    )


@cache
def phrase_pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that finds any of `phrases` as whole words, the longest first."""
    ordered = sorted({plain(p) for p in phrases}, key=len, reverse=True)
    return re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, ordered))})(?![\w])")


def hits(text: str, name: str) -> tuple[str, ...]:
    """Return the phrases of the list `name` that occur in `text`, in order, as found there."""
    return tuple(m.group() for m in phrase_pattern(listed(name)).finditer(plain(text)))


def lemma_hits(text: str, name: str) -> tuple[str, ...]:
    """Return the entries of the list `name` in `text`: words by form or lemma, phrases as found."""
    entries = word_set(name)
    words = tuple(w for w in words_of(text) if w in entries or table_lemma(w) in entries)
    phrases = tuple(entry for entry in listed(name) if " " in entry)
    return words + tuple(m.group() for m in phrase_pattern(phrases).finditer(plain(text)))


def lemmas(text: str) -> frozenset[str]:
    """Return the lemmas of the words of `text` that carry meaning."""
    return frozenset(
        table_lemma(word) for word in words_of(text) if word not in word_set("stop_words")
    )


def overlap(a: Iterable[str], b: Iterable[str]) -> float:
    """Return the Jaccard overlap of two word sets, in [0, 1]; 0 where both are empty."""
    left, right = frozenset(a), frozenset(b)
    return len(left & right) / len(left | right) if left or right else 0.0
