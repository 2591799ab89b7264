"""Is this concept already in the graph? Exact, then lexical, then by judgement, with a veto.

Cosine of sentence embeddings is no judge of short labels by itself: opposites come out close
("less sugar", "more sugar": 0.94) and paraphrases far apart ("feel safe", "sense of security":
0.31). So known differences forbid, the lexicon decides what it can, and for the rest a fitted
judgement weighs the cosine against how far the labels' words can be laid on one another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from graphs.domain import Embedder, MatchTier, Node, SessionGraph, Vector, fold
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether two labels are one concept.

    `similarity` is 1 for the exact tier, the Jaccard index for the lexical, else the cosine.
    `probability` is the fitted judgement's, in [0, 1]; 1 for the other tiers, 0 behind a veto. A
    `doubtful` verdict is not a merge, but probable enough to be put to a model.
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
    by default the one that ships. The first label costs some
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
    ) -> None:
        self._embedder = embedder
        self._lexicon = lexicon or lexicon_for(tuple(tuple(group) for group in synonyms))
        self._judgement = judgement or shipped(wordnet=self._lexicon.wordnet is not None)

    def compare(self, one: Label, other: Label) -> Verdict:
        """Decide whether two labels are one concept."""
        if one.node_type != other.node_type:
            return Verdict(merge=False, tier=None, similarity=0.0, veto="type")
        if fold(one.text) == fold(other.text):
            return Verdict(merge=True, tier="exact", similarity=1.0, probability=1.0)
        left, right = self._embedder.embed([one.text, other.text])
        return self._judge(one, other, float(left @ right))

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

        Only labels that the exact and lexical tiers leave open are embedded, in one batch, and
        looked up by one call of `nearest`. An exact match may be a superseded node: saying it again
        revives it. The other tiers look at live nodes only, and prefer the better, then the older.
        """
        wanted = {label.node_type for label in candidates}
        by_type: dict[str, list[tuple[Node, Analysis]]] = defaultdict(list)
        for node in graph.live_nodes():
            if node.node_type in wanted:
                by_type[node.node_type].append((node, self._analyse(node.label)))
        early = [self._lexically(label, graph, by_type[label.node_type]) for label in candidates]
        fresh = [index for index, found in enumerate(early) if found is None]
        vectors = dict(
            zip(fresh, self._embedder.embed([candidates[i].text for i in fresh]), strict=True)
            if fresh
            else ()
        )
        queries = [(candidates[i].node_type, vectors[i]) for i in fresh]
        neighbours = dict(zip(fresh, nearest(queries, NEIGHBOURS), strict=True)) if fresh else {}
        resolved: list[Resolution] = []
        for index, label in enumerate(candidates):
            known = early[index]
            if known is None:
                known = self._among_nodes(label, vectors[index], neighbours[index], graph)
                if known.node_id is None:
                    known = self._among_earlier(index, candidates, resolved, vectors) or known
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

    def _judge(self, one: Label, other: Label, cosine: float) -> Verdict:
        """Decide on two labels of one type that are not equal."""
        refused = self.veto(one, other)
        if refused is not None:
            return Verdict(merge=False, tier=None, similarity=cosine, veto=refused)
        jaccard = self._overlap(one.text, other.text).jaccard
        if jaccard >= LEXICAL_THRESHOLD:
            return Verdict(merge=True, tier="lexical", similarity=jaccard, probability=1.0)
        probability = self._judgement.probability(
            self._features(one.text, other.text, cosine, jaccard)
        )
        merge = probability >= self._judgement.threshold
        return Verdict(
            merge=merge,
            tier="embedding" if merge else None,
            similarity=cosine,
            probability=probability,
            doubtful=not merge and probability >= DOUBTFUL,
        )

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

    def _among_nodes(
        self,
        label: Label,
        vector: Vector,
        neighbours: Sequence[tuple[str, float]],
        graph: SessionGraph,
    ) -> Resolution:
        live = [(i, cosine) for i, cosine in neighbours if graph.is_live(i)]
        verdicts = [
            (node_id, self._judge(label, _label(graph.nodes[node_id]), cosine))
            for node_id, cosine in live
        ]
        top = max((cosine for _, cosine in live), default=0.0)
        if not verdicts:
            return Resolution(vector=vector)
        # The first of equals is the nearest.
        best, verdict = max(verdicts, key=lambda v: v[1].probability)
        if verdict.merge:
            return Resolution(
                node_id=best, tier=verdict.tier, similarity=verdict.similarity, vector=vector
            )
        return Resolution(
            similarity=top,
            veto=verdicts[0][1].veto,
            vector=vector,
            doubtful=best if verdict.doubtful else None,
        )

    def _among_earlier(
        self,
        index: int,
        candidates: Sequence[Label],
        resolved: Sequence[Resolution],
        vectors: dict[int, Vector],
    ) -> Resolution | None:
        label = candidates[index]
        for earlier, former in enumerate(candidates[:index]):
            if former.node_type != label.node_type or resolved[earlier].same_as is not None:
                continue
            verdict = self._within_turn(label, former, vectors[index], vectors.get(earlier))
            if verdict is not None:
                return Resolution(
                    node_id=resolved[earlier].node_id,
                    same_as=earlier,
                    tier=verdict.tier,
                    similarity=verdict.similarity,
                )
        return None

    def _within_turn(
        self, label: Label, former: Label, vector: Vector, other: Vector | None
    ) -> Verdict | None:
        if fold(label.text) == fold(former.text):
            return Verdict(merge=True, tier="exact", similarity=1.0, probability=1.0)
        # A former label that found its node by its words has no vector: the words decide here too.
        verdict = self._judge(label, former, NO_COSINE if other is None else float(vector @ other))
        return verdict if verdict.merge else None


def _label(node: Node) -> Label:
    return Label(text=node.label, node_type=node.node_type, stance=node.stance)
