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

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from graphs.domain import MatchTier, Node, SessionGraph, fold
from graphs.language.vectors import Embedder, Vector
from graphs.matching.alignment import Features, features
from graphs.matching.analysis import Analysis, analyse
from graphs.matching.compare import Overlap, may_agree, overlap, veto
from graphs.matching.judgement import Judgement, shipped
from graphs.matching.lexicon import Lexicon, lexicon_for

LEXICAL_THRESHOLD = 0.75
DOUBTFUL = 0.25
"""Probability from which a pair that is not merged is worth asking a model about."""
NEIGHBOURS = 12
"""Nodes, nearest by cosine, that are judged for each label."""
FAR = 0.25
"""Cosine below which two labels without a word or group in common are two concepts unread.

Most pairs of labels that an interview brings up lie below, and hardly any paraphrase does.
"""
READ_FROM = 0.12
"""Probability by the judgement from which the likeliest pair of a label is worth reading.

The likeliest alone: what is merged by reading hardly ever merges with another.
"""
POSSIBLE = 0.2
"""Probability from which the network lets pass what the lexicon took for one.

Low, for the lexicon mostly is right: only what the network holds for hardly possible is kept apart.
"""
NO_COSINE = -1.0

Nearest = Callable[[Sequence[tuple[str, Vector]], int], list[list[tuple[str, float]]]]
"""(node type, unit vector) queries and k → per query the k nearest stored nodes and cosines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A concept to be matched; `stance` is -1, 0 or 1."""

    text: str
    node_type: str
    stance: int = 0
    quote: str = ""


Compared = tuple[Label, Label, float]
"""Two labels of one type that are not equal, and the cosine of their embeddings."""


class PairJudge(Protocol):
    """Reads pairs of labels together; see :class:`graphs.matching.pairing.PairReader`."""

    @property
    def threshold(self) -> float:
        """The probability from which two labels are one concept."""

    def probabilities(
        self, pairs: Sequence[tuple[str, str]], found: Sequence[Features]
    ) -> list[float]:
        """Return how probable it is that the labels of each pair are one concept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether two labels are one concept.

    `similarity` is 1 for the exact tier, the Jaccard index for the lexical, else the cosine.
    `probability` is that of the network that read both, else the fitted judgement's, in [0, 1]; 1
    for the other tiers, 0 behind a veto that was looked for. A `doubtful` verdict is not a merge,
    but probable enough to be put to a model.
    """

    merge: bool
    tier: MatchTier | None
    similarity: float
    veto: str | None = None
    probability: float = 0.0
    doubtful: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """Where a new label belongs.

    `node_id` is the node it is a mention of; else `same_as` is the index of an earlier label of
    the same call that it repeats; else it is new and `vector` is its embedding. `veto` says why the
    nearest node was refused, `doubtful` names a node that a model may be asked about.
    """

    node_id: str | None = None
    same_as: int | None = None
    tier: MatchTier | None = None
    similarity: float = 0.0
    veto: str | None = None
    vector: Vector | None = None
    doubtful: str | None = None


class Matcher:
    """Compares labels; cheap to make, safe to share between threads.

    `synonyms` are the methodology's groups of words or phrases that mean the same, beside the
    built-in lexicon; a `lexicon` replaces both. `judgement` decides what the lexicon leaves open,
    by default the one that ships, and `reader`, where given, has the last word on what it takes for
    probable. The first label costs some
    0.4 s for reading the lexicon: `conflict("", "")` in a worker's warm-up spares the first
    respondent that.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        synonyms: Iterable[Sequence[str]] = (),
        lexicon: Lexicon | None = None,
        judgement: Judgement | None = None,
        reader: PairJudge | None = None,
    ) -> None:
        self._embedder = embedder
        self._lexicon = lexicon or lexicon_for(tuple(tuple(group) for group in synonyms))
        self._judgement = judgement or shipped(wordnet=self._lexicon.wordnet is not None)
        self._reader = reader

    def compare(self, one: Label, other: Label) -> Verdict:
        """Decide whether two labels are one concept."""
        if one.node_type != other.node_type:
            return Verdict(merge=False, tier=None, similarity=0.0, veto="type")
        if fold(one.text) == fold(other.text):
            return Verdict(merge=True, tier="exact", similarity=1.0, probability=1.0)
        left, right = self._embedder.embed([one.text, other.text])
        ((verdict,),) = self._judged([[(one, other, float(left @ right))]])
        return verdict

    def with_reader(self, reader: PairJudge) -> Matcher:
        """Return the same matcher with a reader that has the last word."""
        return Matcher(
            self._embedder, lexicon=self._lexicon, judgement=self._judgement, reader=reader
        )

    def features(self, one: str, other: str) -> Features:
        """The figures that the fitted judgement weighs for two labels."""
        left, right = self._embedder.embed([one, other])
        jaccard = self._overlap(one, other).jaccard
        return self._features(one, other, float(left @ right), jaccard)

    def veto(self, one: Label, other: Label) -> str | None:
        """What forbids merging two labels: polarity, number, name, contrast, order or stance."""
        if one.stance * other.stance < 0:
            return "stance"
        return self.conflict(one.text, other.text)

    def conflict(self, one: str, other: str) -> str | None:
        """What forbids taking two texts for one, or None."""
        return veto(self._analyse(one), self._analyse(other), self._lexicon)

    def resolve(
        self, candidates: Sequence[Label], graph: SessionGraph, nearest: Nearest
    ) -> list[Resolution]:
        """Say for each new label which node or earlier label it repeats, if any.

        Only labels that the exact and lexical tiers leave open, or that are still to be read, are
        embedded, in one batch, and looked up by one call of `nearest`. An exact match may be a
        superseded node: saying it again revives it. The other tiers look at live nodes only, and
        prefer the better, then the older.
        """
        wanted = {label.node_type for label in candidates}
        by_type: dict[str, list[tuple[Node, Analysis]]] = defaultdict(list)
        for node in graph.live_nodes():
            if node.node_type in wanted:
                by_type[node.node_type].append((node, self._analyse(node.label)))
        early = [self._lexically(label, graph, by_type[label.node_type]) for label in candidates]
        unsure = {
            index: graph.nodes[found.node_id]
            for index, found in enumerate(early)
            if found is not None and found.node_id is not None and found.tier == "lexical"
            if self._is_read(candidates[index].text, graph.nodes[found.node_id].label)
        }
        early = [None if index in unsure else found for index, found in enumerate(early)]
        fresh = [index for index, found in enumerate(early) if found is None]
        vectors = dict(
            zip(fresh, self._embedder.embed([candidates[i].text for i in fresh]), strict=True)
            if fresh
            else ()
        )
        queries = [(candidates[i].node_type, vectors[i]) for i in fresh]
        near = [
            [(node_id, cosine) for node_id, cosine in found if graph.is_live(node_id)]
            for found in (nearest(queries, NEIGHBOURS) if fresh else ())
        ]
        for index, node in unsure.items():
            found = near[fresh.index(index)]
            if node.id not in dict(found):
                (vector,) = self._embedder.embed([node.label])
                found.append((node.id, float(vectors[index] @ vector)))
        earlier = [_earlier(index, candidates) for index in fresh]
        judged = self._judged(
            [
                *(
                    [(candidates[i], _label(graph.nodes[node_id]), cosine) for node_id, cosine in n]
                    for i, n in zip(fresh, near, strict=True)
                ),
                *(
                    [(candidates[i], candidates[e], _cosine(vectors, i, e)) for e in before]
                    for i, before in zip(fresh, earlier, strict=True)
                ),
            ]
        )
        resolved: list[Resolution] = []
        for index, label in enumerate(candidates):
            known = early[index]
            if known is None:
                place = fresh.index(index)
                known = _among_nodes(vectors[index], near[place], judged[place])
                if known.node_id is None:
                    verdicts = dict(zip(earlier[place], judged[len(fresh) + place], strict=True))
                    known = _among_earlier(label, candidates, resolved, verdicts) or known
            resolved.append(known)
        return resolved

    # -- inside ----------------------------------------------------------------------------------
    def _analyse(self, text: str) -> Analysis:
        return analyse(text, self._lexicon)

    def _overlap(self, one: str, other: str) -> Overlap:
        return overlap(self._analyse(one), self._analyse(other), self._lexicon)

    def _features(self, one: str, other: str, cosine: float, jaccard: float) -> Features:
        return features(
            self._analyse(one),
            self._analyse(other),
            cosine=cosine,
            jaccard=jaccard,
            lexicon=self._lexicon,
        )

    def _judged(self, groups: Sequence[Sequence[Compared]]) -> list[list[Verdict]]:
        """Decide on all pairs; the likeliest of each group is read, where it is worth it."""
        found = [
            [self._by_figures(*pair, nearest=place == 0) for place, pair in enumerate(group)]
            for group in groups
        ]
        verdicts = [[verdict for verdict, _ in group] for group in found]
        if self._reader is None:
            return verdicts
        pairs: list[tuple[str, str]] = []
        weighed: list[Features] = []
        places: list[tuple[int, int]] = []
        for number, group in enumerate(found):
            left_open = [i for i, (_, figures) in enumerate(group) if figures is not None]
            likeliest = max(left_open, key=lambda i: _likelihood(group[i][0]), default=None)
            for i in left_open:
                one, other, cosine = groups[number][i]
                verdict, figures = group[i]
                if i == likeliest and figures and verdict.probability >= READ_FROM:
                    pairs.append((one.text, other.text))
                    weighed.append(figures)
                    places.append((number, i))
                else:
                    verdicts[number][i] = _left_open(cosine, 0.0, 1.0)
        chances = self._reader.probabilities(pairs, weighed)
        for (number, i), chance in zip(places, chances, strict=True):
            cosine = groups[number][i][2]
            if verdicts[number][i].tier != "lexical" or chance < POSSIBLE:
                verdicts[number][i] = _left_open(cosine, chance, self._reader.threshold)
        return verdicts

    def _is_read(self, one: str, other: str) -> bool:
        """Whether what the lexicon takes for one is read: not where only inflection differs."""
        return self._reader is not None and self._analyse(one).lemmas != self._analyse(other).lemmas

    def _by_figures(
        self, one: Label, other: Label, cosine: float, *, nearest: bool
    ) -> tuple[Verdict, Features | None]:
        """Decide by rules, lexicon and judgement; with the figures where the pair may be read.

        What forbids a pair is looked for where it could be merged or read, and for the `nearest`,
        of which it is told.
        """
        if cosine < FAR and self._analyse(one.text).terms.isdisjoint(
            self._analyse(other.text).terms
        ):
            return Verdict(merge=False, tier=None, similarity=cosine), None
        jaccard = self._overlap(one.text, other.text).jaccard
        lexical = jaccard >= LEXICAL_THRESHOLD
        is_read = not lexical or self._is_read(one.text, other.text)
        figures = self._features(one.text, other.text, cosine, jaccard) if is_read else None
        probability = self._judgement.probability(figures) if figures and not lexical else 1.0
        if nearest or probability >= min(READ_FROM, DOUBTFUL, self._judgement.threshold):
            refused = self.veto(one, other)
            if refused is not None:
                return Verdict(merge=False, tier=None, similarity=cosine, veto=refused), None
        if lexical:
            return Verdict(merge=True, tier="lexical", similarity=jaccard, probability=1.0), figures
        return _left_open(cosine, probability, self._judgement.threshold), figures

    def _lexically(
        self, label: Label, graph: SessionGraph, nodes: Sequence[tuple[Node, Analysis]]
    ) -> Resolution | None:
        exact = graph.find(label.node_type, label.text)
        if exact is not None:
            return Resolution(node_id=exact.id, tier="exact", similarity=1.0)
        best: tuple[float, Node] | None = None
        mine = self._analyse(label.text)
        for node, analysis in nodes:
            # Most nodes share no word at all, and saying so at once is what a large graph needs.
            if mine.terms.isdisjoint(analysis.terms) and not (mine.names or analysis.names):
                continue
            if not may_agree(mine, analysis, LEXICAL_THRESHOLD):
                continue
            jaccard = overlap(mine, analysis, self._lexicon).jaccard
            if jaccard < LEXICAL_THRESHOLD or (best is not None and jaccard <= best[0]):
                continue
            if self.veto(label, _label(node)) is None:
                best = (jaccard, node)
        if best is None:
            return None
        return Resolution(node_id=best[1].id, tier="lexical", similarity=best[0])


def _likelihood(verdict: Verdict) -> tuple[float, float]:
    """By probability; of those that the lexicon takes for one, by what they share."""
    return verdict.probability, verdict.similarity


def _left_open(cosine: float, probability: float, threshold: float) -> Verdict:
    """Return the verdict on a pair that rules and lexicon leave open."""
    merge = probability >= threshold
    return Verdict(
        merge=merge,
        tier="embedding" if merge else None,
        similarity=cosine,
        probability=probability,
        doubtful=not merge and probability >= DOUBTFUL,
    )


def _earlier(index: int, candidates: Sequence[Label]) -> list[int]:
    """Return the earlier labels of a call that one may repeat: those of its type."""
    mine = candidates[index]
    return [e for e, other in enumerate(candidates[:index]) if other.node_type == mine.node_type]


def _cosine(vectors: Mapping[int, Vector], one: int, other: int) -> float:
    # A label that found its node by its words has no vector: the words decide here too.
    return float(vectors[one] @ vectors[other]) if other in vectors else NO_COSINE


def _among_nodes(
    vector: Vector, near: Sequence[tuple[str, float]], verdicts: Sequence[Verdict]
) -> Resolution:
    if not verdicts:
        return Resolution(vector=vector)
    # The first of equals is the nearest.
    place = max(range(len(verdicts)), key=lambda i: verdicts[i].probability)
    best, verdict = near[place][0], verdicts[place]
    if verdict.merge:
        return Resolution(
            node_id=best, tier=verdict.tier, similarity=verdict.similarity, vector=vector
        )
    return Resolution(
        similarity=max(cosine for _, cosine in near),
        veto=verdicts[0].veto,
        vector=vector,
        doubtful=best if verdict.doubtful else None,
    )


def _among_earlier(
    label: Label,
    candidates: Sequence[Label],
    resolved: Sequence[Resolution],
    verdicts: Mapping[int, Verdict],
) -> Resolution | None:
    for earlier, verdict in verdicts.items():
        if resolved[earlier].same_as is not None:
            continue
        exact = fold(label.text) == fold(candidates[earlier].text)
        if exact or verdict.merge:
            return Resolution(
                node_id=resolved[earlier].node_id,
                same_as=earlier,
                tier="exact" if exact else verdict.tier,
                similarity=1.0 if exact else verdict.similarity,
            )
    return None


def _label(node: Node) -> Label:
    return Label(text=node.label, node_type=node.node_type, stance=node.stance)
