"""How far two labels can be laid on one another, as figures that a fitted judgement weighs.

Every chunk of one label looks for its nearest in the other: the same word or group, a word that
WordNet calls the same or near. What finds nothing, how much that is, and whether it stands in the
same place as something else ("nylon strings", "steel strings") tells paraphrases from neighbours.
Chunks that are the same only by contradicting signs count as opposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from operator import mul

from graphs.matching.analysis import AnalysedLabel, Chunk
from graphs.matching.compare import REMEMBERED, relation
from graphs.matching.lexicon import Lexicon

MET = 0.6
"""Affinity from which a chunk counts as found in the other label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What the judgement weighs; all are the same for either order of the labels.

    `*_low` is the lesser of the two labels' figures, `*_high` the greater. Coverage is the share of
    a label's weight that the other has, in [0, 1]; `sure_*` counts sameness alone, not nearness.
    `missing_*` is the weight that is not covered, `worst_*` that of the worst covered chunk.
    """

    cosine: float
    """Cosine of the labels' embeddings, in [-1, 1]."""
    jaccard: float
    """Jaccard index by the lexicon alone, in [0, 1]."""
    covered_low: float
    covered_high: float
    sure_low: float
    sure_high: float
    missing_low: float
    missing_high: float
    worst_low: float
    worst_high: float
    opposed: float
    """Strength of the strongest opposition between chunks that have no partner, in [0, 1]."""
    siblings: float
    """How surely two chunks without partners are two kinds of one thing, in [0, 1]."""
    exclusive: float
    """1 where a chunk without partner belongs to things that exclude each other."""
    exchanged: float
    """1 where the labels differ in one or two words that stand in the same place."""
    exchanged_unsure: float
    """The same, as far as those words are not known to mean the same."""
    exchanged_missing: float
    """The same, times the weight of the worst covered chunk."""
    shared: float
    """Weight of the chunks that are surely the same, at most 3."""
    particular: bool
    """Whether only one label has a certain number or name; that is not weighed, it decides."""

    def values(self) -> tuple[float, ...]:
        """All figures that are weighed, in the order of WEIGHED."""
        return tuple(getattr(self, name) for name in WEIGHED)


WEIGHED = tuple(field.name for field in fields(Features) if field.name != "particular")


class _Side:
    """What one label has of the other: `rows` are the affinities of each of its chunks."""

    def __init__(self, chunks: Sequence[Chunk], rows: Sequence[Sequence[_Affinity]]) -> None:
        weights = [chunk.weight for chunk in chunks]
        total = sum(weights)
        near = [max([found.near for found in row]) for row in rows]
        sure = [max([found.sure for found in row]) for row in rows]
        self.covered = sum(map(mul, weights, near)) / total
        self.sure = sum(map(mul, weights, sure)) / total
        self.missing = [w * (1 - found) for w, found in zip(weights, near, strict=True)]
        self.shared = sum([w for w, found in zip(weights, sure, strict=True) if found >= MET])
        self.alone = [index for index, found in enumerate(near) if found < MET]


def features(
    one: AnalysedLabel,
    other: AnalysedLabel,
    *,
    cosine: float,
    jaccard: float,
    lexicon: Lexicon,
) -> Features:
    """Lay two labels on one another, over all segmentations of both, for the best coverage."""
    exchanged = float(_exchanged(one.lemmas, other.lemmas, lexicon))
    found = [
        _laid(left.chunks, right.chunks, cosine, jaccard, exchanged, lexicon)
        for left in one.segmentations
        for right in other.segmentations
        if left.chunks and right.chunks
    ]
    if not found:
        return Features(**dict.fromkeys(WEIGHED, 0.0), particular=False)
    return max(found, key=lambda f: (f.covered_low + f.covered_high, f.sure_low, -f.missing_high))


def _laid(
    left: Sequence[Chunk],
    right: Sequence[Chunk],
    cosine: float,
    jaccard: float,
    exchanged: float,
    lexicon: Lexicon,
) -> Features:
    pairs = [[_affinity(a, b, lexicon) for b in right] for a in left]
    one, other = _Side(left, pairs), _Side(right, list(zip(*pairs, strict=True)))
    covered = sorted((one.covered, other.covered))
    sure = sorted((one.sure, other.sure))
    missing = sorted((sum(one.missing), sum(other.missing)))
    worst = sorted((max(one.missing), max(other.missing)))
    apart = [pairs[i][j] for i in one.alone for j in other.alone]
    lonely = [*(left[i] for i in one.alone), *(right[j] for j in other.alone)]
    return Features(
        cosine=cosine,
        jaccard=jaccard,
        covered_low=covered[0],
        covered_high=covered[1],
        sure_low=sure[0],
        sure_high=sure[1],
        missing_low=missing[0],
        missing_high=missing[1],
        worst_low=worst[0],
        worst_high=worst[1],
        opposed=max((p.opposite for p in apart), default=0.0),
        siblings=max((p.sibling for p in apart), default=0.0),
        exclusive=float(any(chunk.exclusive for chunk in lonely)),
        exchanged=exchanged,
        exchanged_unsure=exchanged * (1 - sure[0]),
        exchanged_missing=exchanged * worst[1],
        shared=min(3.0, one.shared, other.shared),
        particular=any(chunk.number is not None or chunk.name for chunk in lonely),
    )


@dataclass(frozen=True, slots=True)
class _Affinity:
    near: float = 0.0
    sure: float = 0.0
    opposite: float = 0.0
    sibling: float = 0.0


_SAME, _CONTRARY, _NOTHING = _Affinity(1.0, 1.0), _Affinity(opposite=1.0), _Affinity()


@lru_cache(maxsize=REMEMBERED)
def _affinity(one: Chunk, other: Chunk, lexicon: Lexicon) -> _Affinity:
    if one.side != other.side:
        return _NOTHING
    known = relation(one, other, lexicon)
    if known != "none":
        return _SAME if known == "same" else _CONTRARY
    if not one.keys.isdisjoint(other.keys):
        return _NOTHING  # the same word, kept apart by its sign: "no noise", "little noise"
    if lexicon.wordnet is None or one.number is not None or other.number is not None:
        return _NOTHING
    kin = lexicon.wordnet.kinship(one.text, other.text)
    near, opposite = max(kin.same, 0.8 * kin.near), kin.opposite
    if one.negative != other.negative and (one if one.negative else other).firm:
        near, opposite = 0.8 * opposite, near if near >= MET else 0.0
        return _Affinity(near, 0.0, opposite, 0.0)
    if opposite > max(kin.same, 0.4):
        return _Affinity(opposite=opposite)
    return _Affinity(near, kin.same, 0.0, kin.sibling if near < MET else 0.0)


def _exchanged(one: Sequence[str], other: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether two labels have content in common, and beside it one or two words that differ."""
    shorter = min(len(one), len(other))
    head = 0
    while head < shorter and one[head] == other[head]:
        head += 1
    tail = 0
    while tail < shorter - head and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    frame = (*one[:head], *one[len(one) - tail :])
    middles = (len(one) - head - tail, len(other) - head - tail)
    if not (min(middles) >= 1 and max(middles) <= 2):
        if len(one) != len(other):
            return False
        frame = tuple(a for a, b in zip(one, other, strict=True) if a == b)
        if len(one) - len(frame) > 2:
            return False
    return any(not lexicon.is_marker("light", (word,)) for word in frame)
