"""The words of a sentence where they stand, with their part-of-speech tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from graphs.language.once import once


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word with its offsets and its Penn Treebank tag, empty where no tagger is installed."""

    text: str
    start: int
    end: int
    tag: str = ""

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.lower()


_WORD = re.compile(r"n't\b|'(?:s|m|d|re|ve|ll)\b|[A-Za-zÀ-ÿ0-9]+?(?=n't\b)|[\w]+(?:-\w+)*|[^\w\s]",
                   re.IGNORECASE)  # fmt: skip
_SUBJECT_PRONOUNS = frozenset(["i", "we", "you", "he", "she", "it", "they", "that", "which", "who"])
_SINGULAR = frozenset(
    ["everything", "nothing", "something", "everybody", "everyone", "nobody", "somebody", "someone"]
)


@lru_cache(maxsize=512)
def tokens(text: str) -> tuple[Token, ...]:
    """Split `text` into words and tag them; tags are empty where no tagger is installed.

    Remembered: within a turn the same clauses are looked at several times.
    """
    text = text.replace("’", "'").replace("‘", "'")
    found = [Token(text=m.group(), start=m.start(), end=m.end()) for m in _WORD.finditer(text)]
    tagger = _tagger()
    if tagger is None or not found:
        return tuple(found)
    tags = [pair[1] for pair in tagger([token.text for token in found])]
    return tuple(
        replace(token, tag=tag) for token, tag in zip(found, _retag(found, tags), strict=True)
    )


def _retag(found: Sequence[Token], tags: list[str]) -> list[str]:
    """Mend what a lexical tagger gets wrong: verbs that look like nouns after a subject."""
    for i, token in enumerate(found):
        before = found[i - 1].lower if i else ""
        if token.lower == "'s" and (before in _SUBJECT_PRONOUNS or before in {"there", "what"}):
            tags[i] = "VBZ"
        j = i - 1
        while j >= 0 and tags[j] == "RB" and found[j].lower != "so":
            j -= 1
        if j < 0 or tags[i] not in {"NN", "NNS", "JJ"}:
            continue
        word, adverb_between = found[j].lower, j < i - 1
        if tags[j] in {"MD", "TO"} or (found[i - 1].lower == "n't" and tags[i] == "NN"):
            tags[i] = "VB" if tags[i] != "JJ" else "JJ"
        elif (word in _SUBJECT_PRONOUNS or word in _SINGULAR) and tags[i] == "NNS":
            tags[i] = "VBZ"
        elif word in _SUBJECT_PRONOUNS and tags[i] == "NN" and (word != "that" or adverb_between):
            tags[i] = "VBP"
    return tags


def has_tagger() -> bool:
    """Whether a part-of-speech tagger is installed; loads it if need be."""
    return _tagger() is not None


@once
def _tagger() -> Callable[[list[str]], list[list[str]]] | None:
    try:
        from textblob.en import parser
    except ImportError:
        return None
    parser.find_tags(["warm", "up"])  # reads its lexicon from disk on first use
    find: Callable[[list[str]], list[list[str]]] = parser.find_tags
    return find
