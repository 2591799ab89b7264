"""Is this concept already in the graph? Exact, then lexical, then by embedding, with a veto.

Cosine of sentence embeddings is no judge of short labels by itself: opposites come out close
("less sugar", "more sugar": 0.94) and paraphrases far apart ("feel safe", "sense of security":
0.31). So the lexical comparison decides what it can, and the embedding only joins labels between
which no difference is known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from graphs.domain import Embedder, MatchTier, Node, SessionGraph, Vector, fold
from graphs.matching.analysis import Analysis, Unit, analyse
from graphs.matching.compare import Overlap, may_agree, overlap, veto
from graphs.matching.lexicon import lexicon_for

LEXICAL_THRESHOLD = 0.75
SURFACE_THRESHOLD = 0.80
BAND_THRESHOLD = 0.72
PARTS_WHOLE = 0.75
PARTS_THRESHOLD = 0.70
NEAR_IDENTITY = 0.88
ADDITION = 0.05
"""How much nearer a label must be that says something which the other does not …"""
ADDITION_JACCARD = 0.6
"""… unless they share this much."""
_NEIGHBOURS = 5

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

    `similarity` is 1 for the exact tier, the Jaccard index for the lexical, else the cosine. A
    `doubtful` verdict is not a merge, but near enough to be put to a model.
    """

    merge: bool
    tier: MatchTier | None
    similarity: float
    veto: str | None = None
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

    `synonyms` are the methodology's groups of words or phrases that mean the same. `threshold` is
    the cosine from which the embedding tier may merge, `band` the one from which a pair is
    doubtful. The first label costs some 0.4 s for reading the lexicon: `conflict("", "")` in a
    worker's warm-up spares the first respondent that.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        threshold: float = SURFACE_THRESHOLD,
        band: float = BAND_THRESHOLD,
        synonyms: Iterable[Sequence[str]] = (),
    ) -> None:
        self._embedder = embedder
        self._threshold = threshold
        self._band = band
        self._lexicon = lexicon_for(tuple(tuple(group) for group in synonyms))

    def compare(self, one: Label, other: Label) -> Verdict:
        """Decide whether two labels are one concept."""
        if one.node_type != other.node_type:
            return Verdict(merge=False, tier=None, similarity=0.0, veto="type")
        if fold(one.text) == fold(other.text):
            return Verdict(merge=True, tier="exact", similarity=1.0)
        refused = self.veto(one, other)
        found = self._overlap(one.text, other.text)
        if refused is None and found.jaccard >= LEXICAL_THRESHOLD:
            return Verdict(merge=True, tier="lexical", similarity=found.jaccard)
        left, right = self._embedder.embed([one.text, other.text])
        return self._by_cosine(float(left @ right), found, refused)

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
        by_type: dict[str, list[Node]] = defaultdict(list)
        for node in graph.live_nodes():
            by_type[node.node_type].append(node)
        early = [self._lexically(label, graph, by_type[label.node_type]) for label in candidates]
        fresh = [index for index, found in enumerate(early) if found is None]
        vectors = dict(
            zip(fresh, self._embedder.embed([candidates[i].text for i in fresh]), strict=True)
            if fresh
            else ()
        )
        queries = [(candidates[i].node_type, vectors[i]) for i in fresh]
        neighbours = dict(zip(fresh, nearest(queries, _NEIGHBOURS), strict=True)) if fresh else {}
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

    def _by_cosine(self, cosine: float, found: Overlap, refused: str | None) -> Verdict:
        if refused is not None:
            return Verdict(merge=False, tier=None, similarity=cosine, veto=refused)
        if self._akin(cosine, found):
            return Verdict(merge=True, tier="embedding", similarity=cosine)
        return Verdict(merge=False, tier=None, similarity=cosine, doubtful=cosine >= self._band)

    def _akin(self, cosine: float, found: Overlap) -> bool:
        """Whether an embedding may join two labels that no veto keeps apart.

        What the labels do not share must not be known to make a difference. Where each has
        something of its own beside what they share, those two parts must be alike by themselves,
        because the shared words alone bring the cosine up ("organic cotton", "recycled cotton").
        """
        units = (*found.left, *found.right)
        if cosine < min(self._threshold, PARTS_WHOLE) or any(map(_tells_apart, units)):
            return False
        if found.shared and any(unit.exclusive for unit in units):
            return False
        left = [u.text for u in found.left if u.weight == 1]
        right = [u.text for u in found.right if u.weight == 1]
        if not (left and right):
            more = bool(left or right) and found.jaccard < ADDITION_JACCARD
            return cosine >= self._threshold + (ADDITION if more else 0)
        if not found.shared:
            return cosine >= self._threshold
        if cosine >= NEAR_IDENTITY:
            return True
        one, other = self._embedder.embed([" ".join(left), " ".join(right)])
        return float(one @ other) >= PARTS_THRESHOLD

    def _lexically(
        self, label: Label, graph: SessionGraph, nodes: Sequence[Node]
    ) -> Resolution | None:
        exact = graph.find(label.node_type, label.text)
        if exact is not None:
            return Resolution(node_id=exact.id, tier="exact", similarity=1.0)
        best: tuple[float, Node] | None = None
        mine = self._analyse(label.text)
        for node in nodes:
            analysis = self._analyse(node.label)
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
        nearest_veto: str | None = None
        doubtful: str | None = None
        top = 0.0
        for node_id, cosine in neighbours:
            if not graph.is_live(node_id):
                continue
            top = max(top, cosine)
            node = graph.nodes[node_id]
            found = self._overlap(label.text, node.label)
            verdict = self._by_cosine(cosine, found, self.veto(label, _label(node)))
            if verdict.merge:
                return Resolution(
                    node_id=node_id, tier=verdict.tier, similarity=cosine, vector=vector
                )
            if cosine >= self._band:
                nearest_veto = nearest_veto or verdict.veto
                doubtful = doubtful or (node_id if verdict.doubtful else None)
        return Resolution(similarity=top, veto=nearest_veto, vector=vector, doubtful=doubtful)

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
            return Verdict(merge=True, tier="exact", similarity=1.0)
        refused = self.veto(label, former)
        found = self._overlap(label.text, former.text)
        if refused is None and found.jaccard >= LEXICAL_THRESHOLD:
            return Verdict(merge=True, tier="lexical", similarity=found.jaccard)
        if other is None:
            return None
        verdict = self._by_cosine(float(vector @ other), found, refused)
        return verdict if verdict.merge else None


def _label(node: Node) -> Label:
    return Label(text=node.label, node_type=node.node_type, stance=node.stance)


def _tells_apart(unit: Unit) -> bool:
    """Whether a unit that only one label has is known to make a difference."""
    return unit.number is not None or unit.name or (unit.negative and unit.firm)
