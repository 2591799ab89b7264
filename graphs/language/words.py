"""Words: splitting labels, lemmas, and the root that related words share.

Lemmas come from spaCy's English lookup tables, which are read once, at first use (about 50 ms).
"""

from __future__ import annotations

import gzip
import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("words.txt")
_SHORT = frozenset("be have do i you he she it we they not and or the a an".split())  # noqa: SIM905
_CONTRACTIONS = (
    (re.compile(r"\b(can)not\b"), r"\1 not"),
    (re.compile(r"\bcan['’]?t\b"), "can not"),
    (re.compile(r"\bwon['’]t\b"), "will not"),
    (re.compile(r"\bain['’]t\b"), "is not"),
    (
        re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|would|could|should)n['’]?t\b"),
        r"\1 not",
    ),
    (re.compile(r"['’](?:s|re|m|ll|d|ve)\b"), ""),
    (re.compile(r"(\w)['’](?!\w)"), r"\1"),
)
_TOKEN = re.compile(
    r"[$€£]?\d+(?:[.,:]\d+)*(?:%|[^\W\d_]+)?|[^\W\d_]+\d[\w]*|[^\W\d_]+(?:['’][^\W\d_]+)*|[,;&+]"
)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word of a label: its lemma, and whether it was written like a name; or a number."""

    text: str
    lemma: str
    capital: bool = False
    number: float | None = None
    code: bool = False
    negated: bool = False
    """Whether a negating prefix or suffix was taken off."""
    predicate: bool = False
    """Whether it follows a form of "be"."""


def tokenize(text: str) -> list[Token]:
    """Split a label into words, numbers with their units, and commas.

    Contractions are spelt out, possessive endings dropped, hyphens split.
    """
    text = unicodedata.normalize("NFKC", text)
    spelt = _spell_out(text)
    tokens: list[Token] = []
    for match in _TOKEN.finditer(spelt):
        word = match.group()
        if word[0].isdigit() or word[0] in "$€£":
            tokens.extend(_number_tokens(word))
        elif any(character.isdigit() for character in word):
            tokens.append(Token(text=word, lemma=word.casefold(), code=True))
        elif tokens and tokens[-1].number is not None and word.casefold() in _pairs("units"):
            unit = _pairs("units")[word.casefold()]
            tokens.append(Token(text=unit, lemma=unit))
        else:
            tokens.append(_word_token(word))
    return _with_compound_numbers(tokens)


def _spell_out(text: str) -> str:
    for pattern, replacement in _CONTRACTIONS:
        text = re.sub(pattern.pattern, replacement, text, flags=re.IGNORECASE)
    return text


def _word_token(word: str) -> Token:
    folded = word.casefold()
    return Token(
        text=folded,
        lemma=lemma(folded),
        capital=word[0].isupper(),
        number=_numbers().get(folded),
    )


def _number_tokens(word: str) -> list[Token]:
    match = re.fullmatch(r"([$€£]?)([\d.,:]+)(\D*)", word)
    if match is None:
        return [Token(text=word, lemma=word.casefold(), code=True)]
    sign, digits, suffix = match.groups()
    unit = _pairs("units").get((sign or suffix).casefold(), "")
    value = _value(digits)
    if value is None or (suffix and not unit and suffix not in ("st", "nd", "rd", "th")):
        return [Token(text=word, lemma=word.casefold(), code=True)]
    found = [Token(text=digits, lemma=digits, number=value)]
    if unit:
        found.append(Token(text=unit, lemma=unit))
    return found


def _value(digits: str) -> float | None:
    plain = digits.rstrip(".,:")
    if re.fullmatch(r"\d{1,3}(,\d{3})+", plain):
        plain = plain.replace(",", "")
    try:
        return float(plain.replace(",", "."))
    except ValueError:
        return None


def _with_compound_numbers(tokens: list[Token]) -> list[Token]:
    """Join "twenty five" and "two hundred"; "a" before "couple" or "dozen" stays a light word."""
    joined: list[Token] = []
    for token in tokens:
        last = joined[-1].number if joined else None
        if token.number is None or last is None or not joined[-1].text.isalpha():
            joined.append(token)
        elif token.number >= 100 > last and token.text.isalpha():
            joined[-1] = Token(text="number", lemma="number", number=last * token.number)
        elif last >= 20 and last % 10 == 0 and token.number < 10 and token.text.isalpha():
            joined[-1] = Token(text="number", lemma="number", number=last + token.number)
        else:
            joined.append(token)
    return joined


@cache
def _sections() -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            current.extend(line.split())
    return sections


@cache
def _pairs(section: str) -> dict[str, str]:
    return dict(item.split("=") for item in _sections()[section])


@cache
def _numbers() -> dict[str, float]:
    return {word: float(value) for word, value in _pairs("numbers").items()}


@cache
def _no_root() -> frozenset[str]:
    return frozenset(_sections()["no root"])


@cache
def _tables() -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    lookup = _table("lemma_lookup")
    index = {kind: frozenset(words) for kind, words in _table("lemma_index").items()}
    return lookup, index


def _table(name: str) -> Any:
    source = files("spacy_lookups_data") / "data" / f"en_{name}.json.gz"
    return json.loads(gzip.decompress(source.read_bytes()))


@lru_cache(maxsize=20_000)
def lemma(word: str) -> str:
    """Dictionary form of a lower-case word."""
    corrected = _pairs("lemmas").get(word)
    if corrected is not None:
        return corrected
    if len(word) > 1 and word in _pairs("units"):
        return _pairs("units")[word]
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


def close_spelling(one: str, other: str) -> bool:
    """Whether one word may be the other misspelt.

    Words of five to eight letters may differ by one letter too many, longer ones by any two edits:
    a letter exchanged in a short name makes another name ("Monet", "Manet").
    """
    shorter = min(len(one), len(other))
    if shorter < 5 or abs(len(one) - len(other)) > 2 or one[0] != other[0]:
        return False
    if shorter < 9:
        return one == other or (len(one) != len(other) and _edits(one, other) == 1)
    return _edits(one, other) <= 2


def _edits(one: str, other: str) -> int:
    row: Iterable[int] = range(len(other) + 1)
    for i, left in enumerate(one, 1):
        above = list(row)
        current = [i]
        for j, right in enumerate(other, 1):
            current.append(min(above[j] + 1, current[j - 1] + 1, above[j - 1] + (left != right)))
        row = current
    return list(row)[-1]
