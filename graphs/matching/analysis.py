"""What a label says, in a form that two labels can be compared by.

A label becomes a few content chunks. Each chunk knows the words it stands for, the groups and
oppositions these belong to, and its sign: whether the label speaks of the thing, of less of it, or
of its absence ("less stress", "without sugar", "doesn't leak"). Words that carry no content here
(articles, auxiliaries, "able to", "feel", "have") are left out while others remain.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal
from weakref import WeakValueDictionary

from graphs.language.lemmas import is_word, lemma, root
from graphs.language.words import Word, tokenize
from graphs.matching.lexicon import SKIPPED, Entry, Lexicon
from graphs.matching.roles import Roles, roles

Kind = Literal["content", "light", "absent", "avoided", "less", "more", "boundary", "comparison"]
ABSENT, AVOIDED, LESS, PLAIN, MORE = -3, -2, -1, 0, 1
SIGNS: Mapping[Kind, int] = {"absent": ABSENT, "avoided": AVOIDED, "less": LESS, "more": MORE}
WEAK = 1 / 3
"""One such word left over beside one shared content word still gives a Jaccard index of 0.75."""
SIGN_MARKERS = ("negators", "avoiders", "dislike", "less", "more", "comparison")
_RID_OF = frozenset({"free", "proof"})
_INTRANSITIVE = frozenset("cut drop fail miss stop quit lose forget refuse ease limit".split())  # noqa: SIM905
"""Sign words that need something to bear the sign."""
_NOBODY = frozenset({"nothing", "nobody", "none"})
_BOUNDARIES = frozenset(", ; & + and or but so because when if while although".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class Chunk:
    """A content word or phrase of a label; equal only to itself, so that relations are remembered.

    Labels share their chunks: a word that means and bears the same is one chunk in all of them.

    `sign` is -3 for absence, -2 for avoiding, -1 for less, 0, or 1 for more; `firm` says that the
    sign is meant for this very chunk and did not merely reach it. `side` is 1 after a comparing
    word ("over", "than").
    """

    text: str
    keys: frozenset[str]
    terms: frozenset[str]
    """The keys and the names of the oppositions it stands in."""
    poles: Mapping[str, int] = field(default_factory=dict)
    sign: int = PLAIN
    firm: bool = False
    side: int = 0
    name: bool = False
    number: float | None = None
    exclusive: bool = False
    """Whether it is one of a set of things that exclude each other, or stands in an opposition."""
    weight: float = 1.0
    """How much it says: less than 1 for words such as "stay" or "good"."""

    @property
    def content(self) -> Hashable:
        """What makes it the chunk that it is; `terms` follow from the keys and poles."""
        meant = (self.text, self.keys, self.name, self.number, self.exclusive, self.weight)
        return meant, (self.sign, self.firm, self.side), tuple(self.poles.items())

    @property
    def negative(self) -> bool:
        """Whether the label speaks of less or none of it."""
        return self.sign < 0


_CHUNKS: WeakValueDictionary[Hashable, Chunk] = WeakValueDictionary()
"""The chunks of remembered labels, by their content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segmentation:
    """One way to cut a label into chunks: with known phrases as one chunk, or word by word."""

    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedLabel:
    """All that comparing needs to know of a label; `members` by set of exclusive things."""

    text: str
    segmentations: tuple[Segmentation, ...]
    members: Mapping[str, frozenset[str]]
    numbers: tuple[float, ...]
    codes: frozenset[str]
    names: frozenset[str]
    terms: frozenset[str]
    """All keys and oppositions of all chunks."""
    compares: bool
    roles: Roles
    lemmas: tuple[str, ...]


@dataclass(slots=True)
class _Item:
    kind: Kind
    tokens: tuple[Word, ...]
    entry: Entry

    @property
    def lemmas(self) -> tuple[str, ...]:
        return tuple(token.lemma for token in self.tokens)


@lru_cache(maxsize=16_384)
def analyse(text: str, lexicon: Lexicon) -> AnalysedLabel:
    """Analyse a label; the labels of running sessions are remembered."""
    tokens = [_without_affix(token, lexicon) for token in _joined(tokenize(text))]
    names = _names(tokens, lexicon)
    cuts = [list(_items(tokens, lexicon, with_phrases=phrases)) for phrases in (True, False)]
    if cuts[0] == cuts[1]:
        cuts.pop()
    segmentations = [Segmentation(chunks=_shared(_chunks(items, lexicon, names))) for items in cuts]
    numbers = [token.number for token in tokens if token.number is not None]
    return AnalysedLabel(
        text=text,
        segmentations=tuple(segmentations),
        members=_members(tokens, lexicon),
        numbers=tuple(sorted(n for n in numbers if n != 1)) or tuple(numbers[:1]),
        codes=frozenset(token.lemma for token in tokens if token.code),
        names=names,
        terms=frozenset(term for r in segmentations for chunk in r.chunks for term in chunk.terms),
        compares=any(chunk.side for segmentation in segmentations for chunk in segmentation.chunks),
        roles=roles(text, tokens),
        lemmas=tuple(token.lemma for token in tokens),
    )


def _shared(chunks: Iterable[Chunk]) -> tuple[Chunk, ...]:
    """The chunks as other labels have them; what a label says twice are two chunks nevertheless."""
    found: list[Chunk] = []
    for chunk in chunks:
        known = _CHUNKS.setdefault(chunk.content, chunk)
        found.append(chunk if known in found else known)
    return tuple(found)


def _joined(tokens: Sequence[Word]) -> Iterator[Word]:
    """Take "non" as a prefix of the word after it alone, and mark what follows a "be"."""
    before = ""
    for token in tokens:
        if token.lemma != "non":
            yield replace(token, negated=before == "non", predicate=before == "be")
        before = token.lemma


def _without_affix(token: Word, lexicon: Lexicon) -> Word:
    """Take off a negating prefix or suffix: "unsalted" is the negated "salted"."""
    word = token.text
    if token.negated or token.number is not None or token.code or (token.lemma,) in lexicon.entries:
        return token
    if lexicon.is_marker("unprefixed", (token.lemma,)) or lexicon.is_marker("light", (word,)):
        return token
    bare = _bare(word)
    return token if bare is None else replace(token, text=bare, lemma=lemma(bare), negated=True)


def _bare(word: str) -> str | None:
    for prefix in ("un", "non", "dis", "in", "im", "ir", "il"):
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) > 3 and is_word(lemma(rest)) and _negates(prefix, word):
            return rest
    stem = word.removesuffix("less")
    return stem if stem != word and len(stem) > 2 and is_word(stem) else None


def _negates(prefix: str, word: str) -> bool:
    """Only endings of adjectives and participles after prefixes that often mean something else."""
    if prefix in ("un", "non"):
        return True
    return word.endswith(("able", "ible", "ent", "ant", "ate", "ect", "ive", "al", "ous", "ure"))


def _names(tokens: Sequence[Word], lexicon: Lexicon) -> frozenset[str]:
    """Words written like a name inside a label that is not in title case, or unknown to all."""
    words = [t for t in tokens if t.text.isalpha() and not lexicon.is_marker("light", (t.lemma,))]
    titled = len(words) > 1 and all(token.capital for token in words)
    names: set[str] = set()
    for position, token in enumerate(words):
        unknown = not is_word(token.lemma) and (token.lemma,) not in lexicon.entries
        written = token.capital and position > 0 and not titled
        if token.number is None and (unknown or written) and not lexicon.word(token.lemma).sets:
            names.add(token.lemma)
    return frozenset(names)


def _members(tokens: Sequence[Word], lexicon: Lexicon) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    lemmas = [token.lemma for token in tokens]
    for start in range(len(lemmas)):
        for width in (2, 1):
            words = tuple(lemmas[start : start + width])
            for key, member in lexicon.entry(words).sets.items():
                found.setdefault(key, set()).add(member)
    return {key: frozenset(members) for key, members in found.items()}


def _items(tokens: Sequence[Word], lexicon: Lexicon, *, with_phrases: bool) -> Iterator[_Item]:
    kept = [token for token in tokens if token.lemma not in SKIPPED] or list(tokens)
    position = 0
    while position < len(kept):
        width = _width(kept, position, lexicon, with_phrases=with_phrases)
        part = tuple(kept[position : position + width])
        yield _item(part, lexicon)
        position += width


def _width(tokens: Sequence[Word], position: int, lexicon: Lexicon, *, with_phrases: bool) -> int:
    """Length of the longest phrase or marker that begins here; 1 for a word."""
    longest = lexicon.longest.get(tokens[position].lemma, 1)
    for width in range(min(longest, len(tokens) - position), 1, -1):
        words = tuple(token.lemma for token in tokens[position : position + width])
        known = with_phrases and words in lexicon.entries
        if known or any(words in lexicon.markers[kind] for kind in SIGN_MARKERS):
            return width
    return 1


def _item(part: tuple[Word, ...], lexicon: Lexicon) -> _Item:
    words = tuple(token.lemma for token in part)
    entry = lexicon.entry(words) if len(words) > 1 else lexicon.word(words[0])
    kinds: tuple[tuple[str, Kind], ...] = (
        ("comparison", "comparison"),
        ("negators", "absent"),
        ("avoiders", "avoided"),
        ("dislike", "avoided"),
        ("less", "less"),
        ("more", "more"),
        ("light", "light"),
    )
    if words[0] in _BOUNDARIES and len(words) == 1:
        return _Item("boundary", part, entry)
    for section, kind in kinds:
        if lexicon.is_marker(section, words):
            return _Item(kind, part, entry)
    return _Item("content", part, entry)


def _chunks(items: Sequence[_Item], lexicon: Lexicon, names: frozenset[str]) -> list[Chunk]:
    chunks = _signed_chunks(items, lexicon, names)
    if not chunks:
        plain = [_as_content(item) for item in items if item.kind != "boundary"]
        chunks = _signed_chunks(plain, lexicon, names)
    return _priced(chunks, lexicon)


def _priced(chunks: list[Chunk], lexicon: Lexicon) -> list[Chunk]:
    """Read "low rent" as "cheap rent": a price that is low or high says how dear a thing is."""
    words = [u for u in chunks if lexicon.is_marker("price words", (u.text,))]
    if not words:
        return chunks
    price = words[-1]
    said = any(u.poles.keys() & lexicon.word("cheap").poles.keys() for u in chunks)
    if not said and price.sign not in (LESS, MORE):
        return chunks
    plain = [
        replace(u, weight=WEAK, sign=u.sign if u.sign == ABSENT else PLAIN) if u in words else u
        for u in chunks
    ]
    if not said:
        adjective = "cheap" if price.sign == LESS else "expensive"
        entry = lexicon.word(adjective)
        plain.append(
            Chunk(
                text=adjective,
                keys=entry.keys | {f"={adjective}"},
                terms=entry.keys.union({f"={adjective}"}, entry.poles),
                poles=entry.poles,
                exclusive=True,
            )
        )
    return plain


def _as_content(item: _Item) -> _Item:
    """The same item as content, for labels of light words only ("feel loved", "more")."""
    return _Item("content", item.tokens, item.entry)


def _signed_chunks(items: Sequence[_Item], lexicon: Lexicon, names: frozenset[str]) -> list[Chunk]:
    reader = _Reader(lexicon=lexicon, names=names)
    for position, item in enumerate(items):
        after = items[position + 1] if position + 1 < len(items) else None
        reader.read(item, after)
    return reader.chunks


@dataclass(slots=True, kw_only=True)
class _Reader:
    """Reads items from left to right and gives each chunk the sign that reaches it.

    A sign word reaches the content after it up to a boundary; the last chunk of the run of content
    right after it is the one meant ("not sour *taste*", "no money *worries*") and takes it firmly.
    """

    lexicon: Lexicon
    names: frozenset[str]
    chunks: list[Chunk] = field(default_factory=list)
    sign: int = PLAIN
    side: int = 0
    running: bool = False
    """Whether the last item was content."""
    owed: bool = False
    """Whether a sign was met that no chunk has taken firmly yet."""

    def read(self, item: _Item, after: _Item | None) -> None:
        """Take the next item, knowing the one after it."""
        before_content = after is not None and after.kind == "content"
        suffix = _suffix_sign(item, self.lexicon) if self.running else None
        if suffix is not None and (item.kind == "content" or not before_content):
            self._turn_back(suffix)
        elif item.kind == "content" or self._is_said(item, after):
            self._content(item)
        elif item.kind in SIGNS:
            if self.running and item.kind in ("less", "more") and not before_content:
                self._turn_back(LESS if item.kind == "less" else MORE)
            elif self.running and after is None and item.lemmas[0] in _NOBODY:
                self._turn_back(ABSENT)
            else:
                self._sign(item)
        else:
            self.running = False
            if item.kind != "light":
                self.sign = PLAIN
                self.side = 1 if item.kind == "comparison" else self.side

    def _is_said(self, item: _Item, after: _Item | None) -> bool:
        """Whether a sign word is itself what the label says: "brakes fail", "cuts precisely"."""
        if len(item.tokens) > 1 or item.tokens[0].lemma not in _INTRANSITIVE:
            return False
        return self.running if after is None else after.tokens[0].text.endswith("ly")

    def _turn_back(self, sign: int) -> None:
        """A sign word after its word: "stress relief", "worry less about …"."""
        self.chunks[-1] = replace(self.chunks[-1], sign=sign, firm=True)
        self.running = False

    def _sign(self, item: _Item) -> None:
        kind = item.kind
        if kind == "more":
            self.sign = self.sign if self.sign < 0 else MORE
        else:
            self.sign = PLAIN if self.sign < LESS or self.sign == ABSENT else SIGNS[kind]
        quantified = kind == "less" or item.lemmas == ("no",)
        if self.running and quantified and self.sign < 0 and self.chunks[-1].sign == PLAIN:
            # "throw away less food" also means to throw away less.
            self.chunks[-1] = replace(self.chunks[-1], sign=self.sign, firm=False)
        self.running = False
        self.owed = True

    def _content(self, item: _Item) -> None:
        if self.running and self.sign != PLAIN and self.chunks[-1].sign == self.sign:
            self.owed = self.owed or self.chunks[-1].firm
            self.chunks[-1] = replace(self.chunks[-1], firm=False)
        firm = self.owed and self.sign != PLAIN
        self.chunks.append(_chunk(item, self))
        if firm and not item.tokens[0].negated:
            self.chunks[-1] = replace(self.chunks[-1], firm=True)
        self.owed = False
        self.running = True


def _suffix_sign(item: _Item, lexicon: Lexicon) -> int | None:
    if lexicon.is_marker("negative suffixes", item.lemmas):
        if item.lemmas[0] in _RID_OF:
            # What is free costs nothing: "entry is free" says more than "entry-free".
            return None if item.tokens[0].predicate else ABSENT
        return LESS
    return MORE if lexicon.is_marker("positive suffixes", item.lemmas) else None


def _chunk(item: _Item, reader: _Reader) -> Chunk:
    words = item.lemmas
    number = item.tokens[0].number if len(words) == 1 else None
    base = root(words[0]) if len(words) == 1 else " ".join(words)
    if number is not None:
        base = f"{number:g}"
    keys = item.entry.keys | {f"={base}"}
    sign, firm = reader.sign, False
    if item.tokens[0].negated:
        sign, firm = (PLAIN, False) if sign < 0 else (ABSENT, True)
    return Chunk(
        text=" ".join(words),
        keys=keys,
        terms=keys.union(item.entry.poles),
        poles=item.entry.poles,
        sign=sign,
        firm=firm,
        side=reader.side,
        name=words[0] in reader.names,
        exclusive=bool(item.entry.sets or item.entry.poles),
        number=number,
        weight=WEAK if reader.lexicon.is_marker("weak", words) else 1.0,
    )
