"""Stage 4: concepts become nodes or mentions of nodes, relationships become edges."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from graphs.domain import (
    Edge,
    Mention,
    Node,
    SessionGraph,
    fold,
    new_id,
)
from graphs.matching import Given, Label, Matcher, Resolution
from graphs.ontology import REVISES
from graphs.provenance import End, Stretch, provenance_of
from interviews.llm.gateway import Gateway
from interviews.pipeline.adjudication import adjudicated
from interviews.turns.context import TurnView
from interviews.turns.contracts import (
    ContextLoadingOutput,
    Dropped,
    ExtractedConcept,
    ExtractedRelationship,
    ExtractionOutput,
    GraphUpdateOutput,
    MergedConcept,
    UtteranceSavingOutput,
)

Synonyms = tuple[tuple[str, ...], ...]
_Key = tuple[str, str]
"""Node type and folded label of an end of a relation."""
MatcherFor = Callable[[Synonyms, float], Matcher]
"""Synonym groups and the cosine from which labels are one → the matcher that goes by them, one for
all sessions of a methodology."""


@dataclass(slots=True)
class _Update:
    """What has happened so far while one answer is worked into the graph."""

    graph: SessionGraph
    utterance_id: str
    turn: int
    added: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    merges: list[MergedConcept] = field(default_factory=list)
    revived: list[Node] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    said: dict[str, list[Stretch]] = field(default_factory=lambda: defaultdict(list))
    by_label: dict[tuple[str, str], str] = field(default_factory=dict)


class GraphUpdateStage:
    """Matches, adds and connects."""

    name: ClassVar[str] = "graph_update"
    reads: ClassVar[tuple[type, ...]] = (ContextLoadingOutput,)
    reads_answer: ClassVar[tuple[type, ...]] = (ExtractionOutput, UtteranceSavingOutput)
    gives: ClassVar[type] = GraphUpdateOutput
    directs: ClassVar[tuple[str, ...]] = ()
    opens: ClassVar[bool] = False

    def __init__(self, matcher_for: MatcherFor, gateway: Gateway) -> None:
        self._matcher_for = matcher_for
        self._gateway = gateway

    def run(self, context: TurnView) -> GraphUpdateOutput:
        update = _Update(context.graph, context.utterance.utterance_id, context.job.number)
        concepts = context.extraction.concepts
        for concept, resolution in zip(concepts, self._resolve(context), strict=True):
            self._place(update, concept, resolution, context)
        for relation in context.extraction.relationships:
            _connect(update, relation, context)
        return GraphUpdateOutput(
            nodes_added=tuple(update.added),
            edges_added=tuple(update.edges),
            merges=tuple(update.merges),
            revived=tuple(update.revived),
            dropped=tuple(update.dropped),
        )

    def _resolve(self, context: TurnView) -> Sequence[Resolution]:
        given = related_labels(context.extraction, context.graph)
        resolutions = matcher_of(context, self._matcher_for).resolve(
            [
                Label(text=c.label, node_type=c.node_type, stance=c.stance, quote=c.quote)
                for c in context.extraction.concepts
            ],
            context.graph,
            context.neighbours.nodes,
            given=given,
        )
        return adjudicated(context, resolutions, given, self._gateway)

    def _place(
        self,
        update: _Update,
        concept: ExtractedConcept,
        resolution: Resolution,
        context: TurnView,
    ) -> None:
        node_id = resolution.node_id
        if node_id is None and resolution.same_as is not None:
            earlier = context.extraction.concepts[resolution.same_as]
            node_id = update.by_label[(earlier.node_type, fold(earlier.label))]
        merged = node_id is not None
        if node_id is None:
            node = update.graph.add_node(
                label=concept.label,
                node_type=concept.node_type,
                level=context.ontology.level_of(concept.node_type),
                stance=concept.stance,
                confidence=concept.confidence,
                turn=update.turn,
                vector=resolution.vector,
            )
            update.added.append(node)
            node_id = node.id
        else:
            self._merge(update, concept, node_id, resolution)
        update.by_label[(concept.node_type, fold(concept.label))] = node_id
        update.said[node_id].append((concept.start, concept.end))
        update.graph.add_mention(
            Mention(
                id=new_id(),
                utterance_id=update.utterance_id,
                node_id=node_id,
                label=concept.label,
                quote=concept.quote,
                start=concept.start,
                end=concept.end,
                turn=update.turn,
                tier=resolution.tier if merged else None,
                similarity=resolution.similarity if merged else None,
                doubtful=merged and resolution.doubtful,
            )
        )

    @staticmethod
    def _merge(
        update: _Update, concept: ExtractedConcept, node_id: str, resolution: Resolution
    ) -> None:
        if not update.graph.is_live(node_id):
            update.graph.revive(node_id)
            update.revived.append(update.graph.nodes[node_id])
        update.merges.append(
            MergedConcept(
                label=concept.label,
                into_id=node_id,
                into=update.graph.nodes[node_id].label,
                tier=resolution.tier or "exact",
                similarity=resolution.similarity,
                doubtful=resolution.doubtful,
            )
        )


def related_labels(extraction: ExtractionOutput, graph: SessionGraph) -> Given:
    """The labels and nodes that the extraction relates to each of its concepts."""
    places: dict[_Key, set[int]] = defaultdict(set)
    for place, concept in enumerate(extraction.concepts):
        places[concept.node_type, fold(concept.label)].add(place)
    labels: dict[int, set[int]] = defaultdict(set)
    nodes: dict[int, set[str]] = defaultdict(set)
    for relation in extraction.relationships:
        ends = (
            (relation.source_type, fold(relation.source)),
            (relation.target_type, fold(relation.target)),
        )
        for mine, other in (ends, ends[::-1]):
            known = graph.find(*other)
            for place in places[mine]:
                labels[place] |= places[other]
                if known is not None:
                    nodes[place].add(graph.successor(known.id))
    return Given(
        labels={place: frozenset(found) for place, found in labels.items()},
        nodes={place: frozenset(found) for place, found in nodes.items()},
    )


def matcher_of(context: TurnView, matcher_for: MatcherFor) -> Matcher:
    """The matcher that the study's documents and settings ask for."""
    return matcher_for(synonyms_of(context), context.session.thresholds.surface_similarity)


def synonyms_of(context: TurnView) -> Synonyms:
    """What the methodology and the concept say means the same."""
    methodology, concept = context.session.methodology, context.session.concept
    return (methodology.ontology.synonyms if methodology else ()) + (
        concept.synonyms if concept else ()
    )


def _connect(update: _Update, relation: ExtractedRelationship, context: TurnView) -> None:
    """Add an edge; its ends may have been said in this answer or in any earlier one."""
    source = _find(update, relation.source_type, relation.source)
    target = _find(update, relation.target_type, relation.target)
    detail = f"{relation.source} → {relation.target}"
    if source == target:
        reason = "both ends are one node"
        update.dropped.append(Dropped(kind="relationship", reason=reason, detail=detail))
        return
    nodes = update.graph.nodes
    if not context.ontology.permits(
        relation.edge_type, nodes[source].node_type, nodes[target].node_type
    ):
        reason = f"{relation.edge_type} may not join these node types"
        update.dropped.append(Dropped(kind="relationship", reason=reason, detail=detail))
        return
    edge, new = update.graph.add_edge(
        source_id=source,
        target_id=target,
        edge_type=relation.edge_type,
        confidence=relation.confidence,
        turn=update.turn,
    )
    provenance = provenance_of(
        _end(update, source, relation.source, context),
        _end(update, target, relation.target, context),
        answer=context.utterance.text,
        quote=(relation.start, relation.end),
        question=context.loaded.last_question,
    )
    if relation.edge_type == REVISES:
        update.graph.supersede(target, by=source)
    elif new:
        update.edges.append(edge)
    update.graph.add_mention(
        Mention(
            id=new_id(),
            utterance_id=update.utterance_id,
            edge_id=edge.id,
            label=detail[:300],
            quote=relation.quote,
            start=relation.start,
            end=relation.end,
            turn=update.turn,
            provenance=provenance,
            probe_id=_asked(context) if provenance == "answer_to_probe" else None,
        )
    )


def _end(update: _Update, node_id: str, label: str, context: TurnView) -> End:
    """What is known of an end of a relation."""
    graph, focus = update.graph, context.loaded.previous_focus
    before = graph.said_before.get(node_id)
    return End(
        words=(graph.nodes[node_id].label, label, before.quote if before else ""),
        said=tuple(update.said[node_id]),
        asked=bool(focus and focus.node_id and graph.successor(focus.node_id) == node_id),
    )


def _asked(context: TurnView) -> str | None:
    """The utterance that asked the question before the answer."""
    return next(
        (
            said.id
            for said in reversed(context.utterances)
            if said.speaker == "interviewer" and said.turn_number == context.job.number - 1
        ),
        None,
    )


def _find(update: _Update, node_type: str, label: str) -> str:
    """The live node of an end; what an extraction keeps is of this answer or of the graph."""
    node_id = update.by_label.get((node_type, fold(label)))
    if node_id is None:
        earlier = update.graph.find(node_type, label)
        if earlier is None:
            raise LookupError(f"no {node_type} of this label was said")
        node_id = earlier.id
    return update.graph.successor(node_id)
