"""The dictionary form of a word, and the root that related words share.

The tables are spaCy's for English, read once, at first use. They know no part of speech, and where
a word may be both they mostly give the verb ("left" → "leave", "lives" → "live"). `table_lemma` is
what they say; `lemma` sets that right for labels, which name things, by `words.txt` and by endings.
"""

from __future__ import annotations

import gzip
import json
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from graphs.language.once import once

_FILE = Path(__file__).with_name("words.txt")
_SHORT = frozenset("be have do i you he she it we they not and or the a an".split())  # noqa: SIM905
MIN_ROOT = 3
"""Letters in the shortest root."""
_SUFFIXES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("sorption", ("sorb",)),
    ("scription", ("scribe",)),
    ("sumption", ("sume",)),
    ("duction", ("duce",)),
    ("iness", ("y",)),
    ("ness", ("", "e")),
    ("ability", ("able",)),
    ("ibility", ("ible",)),
    ("ily", ("y",)),
    ("ably", ("able",)),
    ("ibly", ("ible",)),
    ("ally", ("al", "")),
    ("ly", ("", "le")),
    ("ity", ("", "e", "ous")),
    ("ation", ("e", "", "ate")),
    ("ition", ("e", "ite")),
    ("ion", ("e", "")),
    ("ment", ("",)),
    ("ance", ("ant", "", "e")),
    ("ence", ("ent", "", "e")),
    ("ency", ("ent",)),
    ("ancy", ("ant",)),
    ("ful", ("",)),
    ("ous", ("", "e")),
    ("ity", ("",)),
    ("y", ("", "e")),
)


@cache
def listed() -> dict[str, list[str]]:
    """The entries of `words.txt` by section."""
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            current.extend(line.split())
    return sections


@cache
def listed_pairs(section: str) -> dict[str, str]:
    """The entries of a section of `words.txt` whose entries are written word=value."""
    return dict(item.split("=") for item in listed()[section])


@cache
def _no_root() -> frozenset[str]:
    return frozenset(listed()["no root"])


@once
def _tables() -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    lookup = _table("lemma_lookup")
    index = {kind: frozenset(words) for kind, words in _table("lemma_index").items()}
    return lookup, index


def _table(name: str) -> Any:
    source = files("spacy_lookups_data") / "data" / f"en_{name}.json.gz"
    return json.loads(gzip.decompress(source.read_bytes()))


def table_lemma(word: str) -> str:
    """Return what the tables alone give for a word, or the word itself, in lower case.

    For the verbs of sentences. The offline interviewer's lists and its fitted weights rest on it.
    """
    lower = word.lower()
    return _tables()[0].get(lower, lower)


@lru_cache(maxsize=20_000)
def lemma(word: str) -> str:
    """Return the dictionary form of a lower-case word, read as a word of a label."""
    corrected = listed_pairs("lemmas").get(word)
    if corrected is not None:
        return corrected
    if len(word) > 1 and word in listed_pairs("units"):
        return listed_pairs("units")[word]
    lookup, index = _tables()
    known = lookup.get(word)
    if known is not None and (known in _SHORT or any(known in words for words in index.values())):
        return known.casefold()
    if any(word in words for words in index.values()) and known is None:
        return word
    return _by_ending(word, index)


def _by_ending(word: str, index: dict[str, frozenset[str]]) -> str:
    for ending, replacements in (
        ("ies", ("y",)), ("es", ("e", "")), ("s", ("",)), ("ing", ("", "e")), ("ed", ("", "e")),
        ("er", ("", "e")), ("est", ("", "e")),
    ):  # fmt: skip
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            candidates = [stem + r for r in replacements]
            if len(stem) > 3 and stem[-1] == stem[-2]:
                candidates.append(stem[:-1])
            for candidate in candidates:
                if any(candidate in words for words in index.values()):
                    return candidate
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


def is_word(lemma_: str) -> bool:
    """Whether the dictionary knows the lemma; names, brands and misspellings mostly are unknown."""
    lookup, index = _tables()
    return lemma_ in lookup or any(lemma_ in words for words in index.values())


def is_verb(lemma_: str) -> bool:
    """Whether the dictionary lists the lemma as a verb."""
    return lemma_ in _tables()[1]["verb"]


def is_noun(lemma_: str) -> bool:
    """Whether the dictionary lists the lemma as a noun."""
    return lemma_ in _tables()[1]["noun"]


@lru_cache(maxsize=20_000)
def root(lemma_: str) -> str:
    """The word that a derived word goes back to: "reliability" → "reliable", "easily" → "easy".

    Only endings that keep the meaning are taken off, and only where a known word remains.
    """
    for _ in range(3):
        shorter = _without_suffix(lemma_)
        if shorter is None:
            return lemma_
        lemma_ = shorter
    return lemma_


def _without_suffix(word: str) -> str | None:
    if word in _no_root():
        return None
    for suffix, replacements in _SUFFIXES:
        if not word.endswith(suffix):
            continue
        stem = word[: -len(suffix)]
        if len(word) < len(suffix) + 2 or (suffix == "y" and (len(stem) < 4 or stem[-1] in "eil")):
            continue
        for replacement in replacements:
            if _is_base(stem + replacement):
                return stem + replacement
    return None


def _is_base(candidate: str) -> bool:
    _, index = _tables()
    return len(candidate) >= MIN_ROOT and any(
        candidate in index[kind] for kind in ("adj", "verb", "noun")
    )
