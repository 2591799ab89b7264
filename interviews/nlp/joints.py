"""Where a coordinated clause with a subject of its own begins ("…, and the bottle has to fit")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphs.language.tagging import Token, tokens

_NOMINAL = ("DT", "PDT", "PRP$", "JJ", "NN", "CD", "POS", "VBG")
_OPENS = frozenset(["DT", "PDT", "PRP$", "CD"])
_FINITE = frozenset(["VBZ", "VBD", "VBP", "MD"])
_COORDINATORS = frozenset(["and", "or", "plus"])
_LEAST_WORDS_BEFORE = 2


def new_subjects(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where `text[start:end]` is coordinated, and where the clause after that begins.

    A joint is a comma, or "and", "or" or "plus" after a finite verb, before a noun phrase that is
    followed by a finite verb. Nothing is found where no tagger is installed.
    """
    words = tokens(text[start:end])
    finite = False
    for i, word in enumerate(words):
        comma = word.text == ","
        if (comma or (word.lower in _COORDINATORS and finite)) and i >= _LEAST_WORDS_BEFORE - comma:
            begin = i + 1
            while begin < len(words) and words[begin].lower in {*_COORDINATORS, "then", "so", ","}:
                begin += 1
            if _predicated(words, begin):
                yield start + word.start, start + words[begin].start
                finite = False
        finite = finite or word.tag in _FINITE


def _predicated(words: Sequence[Token], begin: int) -> bool:
    """Whether a noun phrase with a finite verb after it begins here."""
    at = _after_noun_phrase(words, begin)
    if at == begin:
        return False
    if at < len(words) and words[at].tag == "IN" and words[at].lower not in {"like", "that"}:
        inner = _after_noun_phrase(words, at + 1)
        at = inner if inner > at + 1 else at
    while at < len(words) and (words[at].tag.startswith("RB") or words[at].lower == "all"):
        at += 1
    return at < len(words) and words[at].tag in _FINITE


def _after_noun_phrase(words: Sequence[Token], begin: int) -> int:
    """Return where the noun phrase that begins at `begin` ends; `begin` where there is none."""
    at, noun = begin, False
    while at < len(words) and words[at].tag.startswith(_NOMINAL):
        if words[at].tag == "VBG" and at == begin:
            return begin
        if noun and words[at].tag in _OPENS:
            break  # "the crisps my grandson eats": a second phrase begins
        noun = noun or words[at].tag.startswith("NN") or words[at].tag == "CD"
        at += 1
    plain_adjective = at > begin + 1 and words[begin].tag in _OPENS
    return at if noun or plain_adjective else begin
