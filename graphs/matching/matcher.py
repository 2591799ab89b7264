"""Is this concept already in the graph? Exact, then lexical, then by judgement, with a veto.

Cosine of sentence embeddings is no judge of short labels by itself: opposites come out close
("less sugar", "more sugar": 0.94) and paraphrases far apart ("feel safe", "sense of security":
0.31). So known differences forbid, the lexicon decides what it can, and for the rest a fitted
judgement weighs the cosine against how far the labels' words can be laid on one another. The most
probable pairs are then read together by a fitted network, where there is one; its word is final. It
also reads what the lexicon took for one, and keeps apart what it holds for hardly possible: the
same words say something else in other parts ("proud of my team", "my team is proud of me").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graphs.domain import SessionGraph, fold
from graphs.language.vectors import Embedder, Vector
from graphs.matching.alignment import Features, features
from graphs.matching.analysis import AnalysedLabel, analyse
from graphs.matching.compare import overlap, veto
from graphs.matching.comparisons import (
    DOUBTFUL,
    SURFACE_SIMILARITY,
    Compared,
    Comparison,
    Label,
    Nearest,
    PairJudge,
    Resolution,
    compared_by,
)
from graphs.matching.given import NOTHING_GIVEN, Given
from graphs.matching.judgement import Judgement, shipped
from graphs.matching.lexicon import Lexicon, lexicon_for
from graphs.matching.resolving import LEXICAL_THRESHOLD, Resolver

FAR = 0.25
"""Cosine below which two labels without a word or group in common are two concepts unread.

Most pairs of labels that an interview brings up lie below, and hardly any paraphrase does.
"""
READ_FROM = 0.12
"""Probability by the judgement from which the likeliest pair of a label is worth reading.

The likeliest alone: what is merged by reading hardly ever merges with another.
"""
POSSIBLE = 0.2
"""Probability from which the network lets pass what the lexicon or the cosine took for one.

Low, for they mostly are right: only what the network holds for hardly possible is kept apart.
"""


class Matcher:
    """Compares labels; cheap to make, safe to share between threads.

    `synonyms` are the methodology's groups of words or phrases that mean the same, beside the
    built-in lexicon; a `lexicon` replaces both. `judgement` decides what the lexicon leaves open,
    by default the one that ships, and `reader`, where given, has the last word on what it takes for
    probable. Labels of a cosine of `near` or more, in [0, 1], are one unless something forbids it
    or the reader holds it for hardly possible. The first label costs some 0.4 s for
    reading the lexicon: `conflict("", "")` in a worker's warm-up spares the first respondent that.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        synonyms: Iterable[Sequence[str]] = (),
        lexicon: Lexicon | None = None,
        judgement: Judgement | None = None,
        reader: PairJudge | None = None,
        near: float = SURFACE_SIMILARITY,
    ) -> None:
        self._embedder = embedder
        self._lexicon = lexicon or lexicon_for(tuple(tuple(group) for group in synonyms))
        self._judgement = judgement or shipped(wordnet=self._lexicon.wordnet is not None)
        self._reader = reader
        self._near = near

    def compare(self, one: Label, other: Label) -> Comparison:
        """Decide whether two labels are one concept."""
        if one.node_type != other.node_type:
            return Comparison(merge=False, tier=None, similarity=0.0, veto="type")
        if fold(one.text) == fold(other.text):
            return Comparison(merge=True, tier="exact", similarity=1.0, probability=1.0)
        left, right = self._embedder.embed([one.text, other.text])
        ((comparison,),) = self.judged([[(one, other, float(left @ right))]])
        return comparison

    def with_reader(self, reader: PairJudge) -> Matcher:
        """Return the same matcher with a reader that has the last word."""
        return Matcher(
            self._embedder,
            lexicon=self._lexicon,
            judgement=self._judgement,
            reader=reader,
            near=self._near,
        )

    def features(self, one: str, other: str) -> Features:
        """The figures that the fitted judgement weighs for two labels."""
        left, right = self._embedder.embed([one, other])
        jaccard = self.jaccard(self.analyse(one), self.analyse(other))
        return self._features(one, other, float(left @ right), jaccard)

    def veto(self, one: Label, other: Label) -> str | None:
        """What forbids merging two labels: polarity, number, name, contrast, order or stance."""
        if one.stance * other.stance < 0:
            return "stance"
        return self.conflict(one.text, other.text)

    def conflict(self, one: str, other: str) -> str | None:
        """What forbids taking two texts for one, or None."""
        return veto(self.analyse(one), self.analyse(other), self._lexicon)

    def resolve(
        self,
        candidates: Sequence[Label],
        graph: SessionGraph,
        nearest: Nearest,
        *,
        given: Given = NOTHING_GIVEN,
    ) -> list[Resolution]:
        """Say for each new label where it belongs; see :meth:`Resolver.resolve`."""
        return Resolver(self).resolve(candidates, graph, nearest, given=given)

    # -- what a resolver asks --------------------------------------------------------------------
    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return a unit vector a text."""
        return self._embedder.embed(texts)

    def analyse(self, text: str) -> AnalysedLabel:
        """Return the segmentations of a text by this matcher's lexicon."""
        return analyse(text, self._lexicon)

    def jaccard(self, one: AnalysedLabel, other: AnalysedLabel) -> float:
        """How much two texts share by this matcher's lexicon, in [0, 1]."""
        return overlap(one, other, self._lexicon).jaccard

    def judged(self, groups: Sequence[Sequence[Compared]]) -> list[list[Comparison]]:
        """Decide on all pairs; the likeliest of each group is read, where it is worth it."""
        found = [
            [self._by_figures(*pair, nearest=place == 0) for place, pair in enumerate(group)]
            for group in groups
        ]
        comparisons = [[comparison for comparison, _ in group] for group in found]
        if self._reader is None:
            return comparisons
        pairs: list[tuple[str, str]] = []
        weighed: list[Features] = []
        places: list[tuple[int, int]] = []
        for number, group in enumerate(found):
            left_open = [i for i, (_, figures) in enumerate(group) if figures is not None]
            likeliest = max(left_open, key=lambda i: _likelihood(group[i][0]), default=None)
            for i in left_open:
                one, other, cosine = groups[number][i]
                comparison, figures = group[i]
                if i == likeliest and figures and comparison.probability >= READ_FROM:
                    pairs.append((one.text, other.text))
                    weighed.append(figures)
                    places.append((number, i))
                else:
                    comparisons[number][i] = compared_by(cosine, 0.0, 1.0)
        chances = self._reader.probabilities(pairs, weighed)
        for (number, i), chance in zip(places, chances, strict=True):
            cosine = groups[number][i][2]
            if comparisons[number][i].tier != "lexical" or chance < POSSIBLE:
                least = POSSIBLE if cosine >= self._near else self._reader.threshold
                comparisons[number][i] = compared_by(cosine, chance, least)
        return comparisons

    def is_read(self, one: str, other: str) -> bool:
        """Whether what the lexicon takes for one is read: not where only inflection differs."""
        return self._reader is not None and self.analyse(one).lemmas != self.analyse(other).lemmas

    # -- inside ----------------------------------------------------------------------------------
    def _features(self, one: str, other: str, cosine: float, jaccard: float) -> Features:
        return features(
            self.analyse(one),
            self.analyse(other),
            cosine=cosine,
            jaccard=jaccard,
            lexicon=self._lexicon,
        )

    def _by_figures(
        self, one: Label, other: Label, cosine: float, *, nearest: bool
    ) -> tuple[Comparison, Features | None]:
        """Decide by rules, lexicon and judgement; with the figures where the pair may be read.

        What forbids a pair is looked for where it could be merged or read, and for the `nearest`,
        of which it is told.
        """
        if cosine < FAR and self.analyse(one.text).terms.isdisjoint(self.analyse(other.text).terms):
            return Comparison(merge=False, tier=None, similarity=cosine), None
        jaccard = self.jaccard(self.analyse(one.text), self.analyse(other.text))
        lexical = jaccard >= LEXICAL_THRESHOLD
        is_read = not lexical or self.is_read(one.text, other.text)
        figures = self._features(one.text, other.text, cosine, jaccard) if is_read else None
        probability = self._judgement.probability(figures) if figures and not lexical else 1.0
        if nearest or probability >= min(READ_FROM, DOUBTFUL, self._judgement.threshold):
            refused = self.veto(one, other)
            if refused is not None:
                return Comparison(merge=False, tier=None, similarity=cosine, veto=refused), None
        if lexical:
            return Comparison(
                merge=True, tier="lexical", similarity=jaccard, probability=1.0
            ), figures
        return compared_by(cosine, probability, self._judgement.threshold), figures


def _likelihood(comparison: Comparison) -> tuple[float, float]:
    """By probability; of those that the lexicon takes for one, by what they share."""
    return comparison.probability, comparison.similarity
