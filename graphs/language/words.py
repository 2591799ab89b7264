"""The words of a label: split, spelt out, with lemmas, numbers and units."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from graphs.language.lemmas import lemma, listed_pairs

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
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


def tokenize(text: str) -> list[Word]:
    """Split a label into words, numbers with their units, and commas.

    Contractions are spelt out, possessive endings dropped, hyphens split.
    """
    text = unicodedata.normalize("NFKC", text)
    spelt = _spell_out(text)
    tokens: list[Word] = []
    for match in _TOKEN.finditer(spelt):
        word = match.group()
        if word[0].isdigit() or word[0] in "$€£":
            tokens.extend(_number_tokens(word))
        elif any(character.isdigit() for character in word):
            tokens.append(Word(text=word, lemma=word.casefold(), code=True))
        elif tokens and tokens[-1].number is not None and word.casefold() in listed_pairs("units"):
            unit = listed_pairs("units")[word.casefold()]
            tokens.append(Word(text=unit, lemma=unit))
        else:
            tokens.append(_word_token(word))
    return _with_compound_numbers(tokens)


def _spell_out(text: str) -> str:
    for pattern, replacement in _CONTRACTIONS:
        text = re.sub(pattern.pattern, replacement, text, flags=re.IGNORECASE)
    return text


def _word_token(word: str) -> Word:
    folded = word.casefold()
    return Word(
        text=folded,
        lemma=lemma(folded),
        capital=word[0].isupper(),
        number=_numbers().get(folded),
    )


def _number_tokens(word: str) -> list[Word]:
    match = re.fullmatch(r"([$€£]?)([\d.,:]+)(\D*)", word)
    if match is None:
        return [Word(text=word, lemma=word.casefold(), code=True)]
    sign, digits, suffix = match.groups()
    unit = listed_pairs("units").get((sign or suffix).casefold(), "")
    value = _value(digits)
    if value is None or (suffix and not unit and suffix not in ("st", "nd", "rd", "th")):
        return [Word(text=word, lemma=word.casefold(), code=True)]
    found = [Word(text=digits, lemma=digits, number=value)]
    if unit:
        found.append(Word(text=unit, lemma=unit))
    return found


def _value(digits: str) -> float | None:
    plain = digits.rstrip(".,:")
    if re.fullmatch(r"\d{1,3}(,\d{3})+", plain):
        plain = plain.replace(",", "")
    try:
        return float(plain.replace(",", "."))
    except ValueError:
        return None


def _with_compound_numbers(tokens: list[Word]) -> list[Word]:
    """Join "twenty five" and "two hundred"; "a" before "couple" or "dozen" stays a light word."""
    joined: list[Word] = []
    for token in tokens:
        last = joined[-1].number if joined else None
        if token.number is None or last is None or not joined[-1].text.isalpha():
            joined.append(token)
        elif token.number >= 100 > last and token.text.isalpha():
            joined[-1] = Word(text="number", lemma="number", number=last * token.number)
        elif last >= 20 and last % 10 == 0 and token.number < 10 and token.text.isalpha():
            joined[-1] = Word(text="number", lemma="number", number=last + token.number)
        else:
            joined.append(token)
    return joined


@cache
def _numbers() -> dict[str, float]:
    return {word: float(value) for word, value in listed_pairs("numbers").items()}


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
