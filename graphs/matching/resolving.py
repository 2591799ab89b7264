"""Where the labels of one answer belong: in which node, with which other label, or nowhere yet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Protocol

from graphs.domain import Node, SessionGraph, fold
from graphs.language.vectors import Vector
from graphs.matching.analysis import AnalysedLabel
from graphs.matching.compare import may_agree
from graphs.matching.comparisons import Compared, Comparison, Label, Nearest, Resolution
from graphs.matching.given import NOTHING_GIVEN, Given

LEXICAL_THRESHOLD = 0.75
NEIGHBOURS = 12
"""Nodes, nearest by cosine, that are judged for each label."""
NO_COSINE = -1.0


class Comparing(Protocol):
    """What is asked of two labels; see :class:`graphs.matching.matcher.Matcher`."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return a unit vector a text."""

    def analyse(self, text: str) -> AnalysedLabel:
        """Return the segmentations of a text."""

    def jaccard(self, one: AnalysedLabel, other: AnalysedLabel) -> float:
        """How much two texts share, in [0, 1]."""

    def veto(self, one: Label, other: Label) -> str | None:
        """What forbids merging two labels, or None."""

    def is_read(self, one: str, other: str) -> bool:
        """Whether what the lexicon takes for one is read by a network as well."""

    def judged(self, groups: Sequence[Sequence[Compared]]) -> list[list[Comparison]]:
        """Decide on all pairs."""


class Resolver:
    """Says where labels belong; as cheap and as safe to share as what it compares with."""

    def __init__(self, compares: Comparing) -> None:
        self._compares = compares

    def resolve(
        self,
        candidates: Sequence[Label],
        graph: SessionGraph,
        nearest: Nearest,
        *,
        given: Given = NOTHING_GIVEN,
    ) -> list[Resolution]:
        """Say for each new label which node or earlier label it repeats, if any.

        Only labels that the exact and lexical tiers leave open, or that are still to be read, are
        embedded, in one batch, and looked up by one call of `nearest`. An exact match may be a
        superseded node: saying it again revives it. The other tiers look at live nodes only, and
        prefer the better, then the older. Labels of one type and quote are one, and what is `given`
        as related never is.
        """
        exact = {
            place: node.id
            for place, label in enumerate(candidates)
            if (node := graph.find(label.node_type, label.text)) is not None
        }
        barred = [given.barred(place, exact) for place in range(len(candidates))]
        leaders = self._leaders(candidates, given, exact)
        early = self._early(candidates, graph, exact, barred, leaders)
        unsure = {
            index: graph.nodes[found.node_id]
            for index, found in early.items()
            if found.node_id is not None and found.tier == "lexical"
            if self._compares.is_read(candidates[index].text, graph.nodes[found.node_id].label)
        }
        for index in unsure:
            del early[index]
        fresh = [i for i in range(len(candidates)) if i not in early and i not in leaders]
        vectors = dict(
            zip(fresh, self._compares.embed([candidates[i].text for i in fresh]), strict=True)
            if fresh
            else ()
        )
        queries = [(candidates[i].node_type, vectors[i]) for i in fresh]
        near = [
            [(id_, cosine) for id_, cosine in found if graph.is_live(id_) and id_ not in barred[i]]
            for i, found in zip(fresh, nearest(queries, NEIGHBOURS) if fresh else (), strict=True)
        ]
        for index, node in unsure.items():
            found = near[fresh.index(index)]
            if node.id not in dict(found):
                (vector,) = self._compares.embed([node.label])
                found.append((node.id, float(vectors[index] @ vector)))
        earlier = [_earlier(index, candidates, given) for index in fresh]
        judged = self._compares.judged(
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
        resolved: dict[int, Resolution] = {}
        for index in sorted(range(len(candidates)), key=lambda i: (i in leaders, i)):
            if index in leaders:
                known = _following(leaders[index], resolved[leaders[index]])
            elif index in early:
                known = early[index]
            else:
                place = fresh.index(index)
                known = _among_nodes(vectors[index], near[place], judged[place])
                if known.node_id is None:
                    comparisons = dict(zip(earlier[place], judged[len(fresh) + place], strict=True))
                    known = _among_earlier(candidates, index, resolved, comparisons) or known
                known = replace(known, vector=vectors[index])
            if _is_related(index, known, resolved, given):
                known = self._new(candidates[index], known)
            resolved[index] = known
        return [resolved[index] for index in range(len(candidates))]

    def _leaders(
        self, candidates: Sequence[Label], given: Given, exact: Mapping[int, str]
    ) -> dict[int, int]:
        """Say which labels follow another one of their type and quote: a known one, or the first.

        What contradicts it stays apart, and so does what the graph has already as two.
        """
        leaders: dict[int, int] = {}
        for index, label in enumerate(candidates):
            if index in exact or not label.quote:
                continue
            alike = [
                other
                for other, its in enumerate(candidates)
                if (other < index or other in exact) and other not in leaders
                if (its.node_type, its.quote) == (label.node_type, label.quote)
                and other not in given.related(index)
                and self._compares.veto(label, its) is None
            ]
            if alike:
                leaders[index] = min(alike, key=lambda other: (other not in exact, other))
        return leaders

    def _early(
        self,
        candidates: Sequence[Label],
        graph: SessionGraph,
        exact: Mapping[int, str],
        barred: Sequence[Set[str]],
        leaders: Mapping[int, int],
    ) -> dict[int, Resolution]:
        """What the words alone decide: the exact and the lexical tier."""
        early = {
            place: Resolution(node_id=node_id, tier="exact", similarity=1.0)
            for place, node_id in exact.items()
        }
        left = [i for i in range(len(candidates)) if i not in exact and i not in leaders]
        wanted = {candidates[i].node_type for i in left}
        by_type: dict[str, list[tuple[Node, AnalysedLabel]]] = defaultdict(list)
        for node in graph.live_nodes():
            if node.node_type in wanted:
                by_type[node.node_type].append((node, self._compares.analyse(node.label)))
        for i in left:
            label = candidates[i]
            nodes = [found for found in by_type[label.node_type] if found[0].id not in barred[i]]
            if found := self._lexically(label, nodes):
                early[i] = found
        return early

    def _new(self, label: Label, instead_of: Resolution) -> Resolution:
        """A label that is no other: what it resembles is related to it."""
        vector = instead_of.vector
        if vector is None:
            (vector,) = self._compares.embed([label.text])
        return Resolution(similarity=instead_of.similarity, veto="related", vector=vector)

    def _lexically(
        self, label: Label, nodes: Sequence[tuple[Node, AnalysedLabel]]
    ) -> Resolution | None:
        best: tuple[float, Node] | None = None
        mine = self._compares.analyse(label.text)
        for node, analysis in nodes:
            # Most nodes share no word at all, and saying so at once is what a large graph needs.
            if mine.terms.isdisjoint(analysis.terms) and not (mine.names or analysis.names):
                continue
            if not may_agree(mine, analysis, LEXICAL_THRESHOLD):
                continue
            jaccard = self._compares.jaccard(mine, analysis)
            if jaccard < LEXICAL_THRESHOLD or (best is not None and jaccard <= best[0]):
                continue
            if self._compares.veto(label, _label(node)) is None:
                best = (jaccard, node)
        if best is None:
            return None
        return Resolution(node_id=best[1].id, tier="lexical", similarity=best[0])


def _earlier(index: int, candidates: Sequence[Label], given: Given) -> list[int]:
    """Return the earlier labels of a call that one may repeat: those of its type, not related."""
    mine, related = candidates[index], given.related(index)
    return [
        e
        for e, other in enumerate(candidates[:index])
        if other.node_type == mine.node_type and e not in related
    ]


def _following(leader: int, its: Resolution) -> Resolution:
    """Where a label goes that has its quote from another one."""
    return Resolution(
        node_id=its.node_id,
        same_as=leader if its.same_as is None else its.same_as,
        tier="quote",
        similarity=1.0,
    )


def _is_related(
    index: int, found: Resolution, resolved: Mapping[int, Resolution], given: Given
) -> bool:
    """Whether a label would become one with another that the answer relates it to."""
    mine = _identity(index, found)
    return any(_identity(o, resolved[o]) == mine for o in given.related(index) if o in resolved)


def _identity(index: int, found: Resolution) -> str | int:
    """What a label is: a node's id, or the place of the first label that says it."""
    return found.node_id or (index if found.same_as is None else found.same_as)


def _cosine(vectors: Mapping[int, Vector], one: int, other: int) -> float:
    # A label that found its node by its words has no vector: the words decide here too.
    return float(vectors[one] @ vectors[other]) if other in vectors else NO_COSINE


def _among_nodes(
    vector: Vector, near: Sequence[tuple[str, float]], comparisons: Sequence[Comparison]
) -> Resolution:
    if not comparisons:
        return Resolution(vector=vector)
    # The first of equals is the nearest.
    place = max(range(len(comparisons)), key=lambda i: comparisons[i].probability)
    best, comparison = near[place][0], comparisons[place]
    if comparison.merge:
        return Resolution(
            node_id=best,
            tier=comparison.tier,
            similarity=comparison.similarity,
            vector=vector,
            doubtful=comparison.doubtful,
        )
    if not comparison.doubtful:
        best = next((id_ for (id_, _), v in zip(near, comparisons, strict=True) if v.doubtful), "")
    return Resolution(
        similarity=max(cosine for _, cosine in near),
        veto=comparisons[0].veto,
        vector=vector,
        nearly=best or None,
    )


def _among_earlier(
    candidates: Sequence[Label],
    index: int,
    resolved: Mapping[int, Resolution],
    comparisons: Mapping[int, Comparison],
) -> Resolution | None:
    for earlier, comparison in comparisons.items():
        found = resolved.get(earlier)
        if found is None or found.same_as is not None:
            continue
        exact = fold(candidates[index].text) == fold(candidates[earlier].text)
        if exact or comparison.merge:
            return Resolution(
                node_id=found.node_id,
                same_as=earlier,
                tier="exact" if exact else comparison.tier,
                similarity=1.0 if exact else comparison.similarity,
                doubtful=not exact and comparison.doubtful,
            )
    return None


def _label(node: Node) -> Label:
    return Label(text=node.label, node_type=node.node_type, stance=node.stance)
