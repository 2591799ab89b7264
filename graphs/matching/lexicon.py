"""The lexicon: which words and phrases mean the same, the opposite, or exclude each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path

from graphs.language.lemmas import root
from graphs.language.wordnet import WordNet, shared_wordnet
from graphs.language.words import tokenize

_FILE = Path(__file__).with_name("english.txt")
Phrase = tuple[str, ...]
SKIPPED = frozenset(
    "a an the this that these those my your his her its our their be s very really so quite just"  # noqa: SIM905
    " too own".split()
)
"""Words that never make a difference inside a phrase."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What the lexicon says of a word or phrase.

    `keys` name the groups it belongs to, `poles` say on which side (+1, -1) of which opposition it
    stands, `sets` which member it is of which set of things that exclude each other.
    """

    keys: frozenset[str] = frozenset()
    poles: Mapping[str, int] = field(default_factory=dict)
    sets: Mapping[str, str] = field(default_factory=dict)


_NOTHING = Entry()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lexicon:
    """Entries by phrase, and the words with a grammatical part; equal only to itself.

    `binary` holds the oppositions where not being one means being the other.
    """

    entries: Mapping[Phrase, Entry]
    binary: frozenset[str]
    markers: Mapping[str, frozenset[Phrase]]
    longest: Mapping[str, int]
    """Most words in a phrase or marker that begins with a given lemma."""
    wordnet: WordNet | None = None
    """What further words mean; None where the database is not installed."""

    def entry(self, phrase: Phrase) -> Entry:
        """The entry of a phrase; an empty one where there is none."""
        return self.entries.get(phrase, _NOTHING)

    def word(self, lemma: str) -> Entry:
        """The entry of a word together with that of its root."""
        base = root(lemma)
        own, of_root = self.entry((lemma,)), self.entry((base,))
        if own is of_root:
            return own
        return Entry(
            keys=own.keys | of_root.keys,
            poles={**of_root.poles, **own.poles},
            sets={**of_root.sets, **own.sets},
        )

    def is_marker(self, kind: str, phrase: Phrase) -> bool:
        """Whether a phrase is listed under a section such as `negators`."""
        return phrase in self.markers[kind]

    def with_synonyms(self, groups: Iterable[Sequence[str]]) -> Lexicon:
        """Return the lexicon with further groups of words or phrases that mean the same."""
        builder = _Builder(dict(self.entries))
        for number, group in enumerate(groups):
            builder.group(f"own{number}", list(group))
        return replace(
            self, entries=builder.entries, longest=_longest(builder.entries, self.markers)
        )


def phrase(text: str) -> Phrase:
    """The lemmas of a text without the words that never make a difference inside a phrase."""
    lemmas = [token.lemma for token in tokenize(text)]
    kept = tuple(lemma for lemma in lemmas if lemma not in SKIPPED)
    return kept or tuple(lemmas)


@dataclass(slots=True)
class _Builder:
    entries: dict[Phrase, Entry] = field(default_factory=dict)

    def group(self, key: str, texts: Sequence[str]) -> None:
        for text in texts:
            self._add(text, Entry(keys=frozenset({key})))

    def pole(self, key: str, side: int, texts: Sequence[str]) -> None:
        for text in texts:
            self._add(text, Entry(poles={key: side}))

    def member(self, key: str, texts: Sequence[str]) -> None:
        for text in texts:
            names = text.split("/")
            for name in names:
                self._add(name, Entry(sets={key: names[0]}))

    def _add(self, text: str, entry: Entry) -> None:
        key = phrase(text)
        if not key:
            return
        known = self.entries.get(key, _NOTHING)
        self.entries[key] = Entry(
            keys=known.keys | entry.keys,
            poles={**known.poles, **entry.poles},
            sets={**known.sets, **entry.sets},
        )


@lru_cache(maxsize=64)
def lexicon_for(groups: tuple[tuple[str, ...], ...] = ()) -> Lexicon:
    """English with a methodology's own groups of synonyms; built once for each set of groups."""
    return english().with_synonyms(groups) if groups else english()


@cache
def english() -> Lexicon:
    """The built-in lexicon of everyday English, read once."""
    sections = _sections(_FILE.read_text(encoding="utf-8"))
    builder = _Builder()
    for name in ("families", "synonyms"):
        for number, line in enumerate(sections.pop(name)):
            builder.group(f"{name}{number}", _items(line))
    binary: set[str] = set()
    for number, line in enumerate(sections.pop("opposites")):
        key = f"opposites{number}"
        left, right = line.split("||" if "||" in line else "|")
        builder.pole(key, 1, _items(left))
        builder.pole(key, -1, _items(right))
        if "||" in line:
            binary.add(key)
    for number, line in enumerate(sections.pop("contrasts")):
        builder.member(f"contrasts{number}", _items(line))
    markers = {
        name: frozenset(
            tuple(t.lemma for t in tokenize(item)) for li in lines for item in _items(li)
        )
        for name, lines in sections.items()
    }
    return Lexicon(
        entries=builder.entries,
        binary=frozenset(binary),
        markers=markers,
        longest=_longest(builder.entries, markers),
        wordnet=shared_wordnet(),
    )


def _longest(
    entries: Mapping[Phrase, Entry], markers: Mapping[str, frozenset[Phrase]]
) -> dict[str, int]:
    longest: dict[str, int] = defaultdict(int)
    for words in (*entries, *(w for group in markers.values() for w in group)):
        longest[words[0]] = max(longest[words[0]], len(words))
    return dict(longest)


def _items(line: str) -> list[str]:
    return [item.strip() for item in line.split(",") if item.strip()]


def _sections(text: str) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            current = sections.setdefault(line[1:-1], [])
        else:
            current.append(line)
    return sections
