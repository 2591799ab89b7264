"""Figures read off a session's graphs: counts, depth, chains, species richness, saturation.

Only live nodes and edges count: a node that a later statement replaced is history, and an edge is
live while both its nodes are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from operator import attrgetter
from typing import Any, Literal

from graphs.chains import Chains
from graphs.domain import CanonicalEdge, Said, SessionGraph
from graphs.ontology import Ontology
from graphs.paths import LongestPaths, longest_paths, longest_steps
from graphs.tracker import NodeState, TrackerReader

SaturationReason = Literal[
    "graph_saturated", "quality_degraded", "depth_plateau", "all_nodes_exhausted"
]

MIN_SATURATION_TURN = 5
ZERO_YIELD_LIMIT = 5
SHALLOW_LIMIT = 6
PLATEAU_LIMIT = 6
PLATEAU_ZERO_YIELD = 2
EXHAUSTED_MIN_EXPLORED = 3
EXHAUSTED_STAGNATION = 3
EXHAUSTED_ZERO_YIELD = 3
SHALLOW_DEPTHS = frozenset({"surface", "shallow"})


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphState:
    """The surface graph in figures.

    `max_depth` and `avg_depth` are in [0, 1] (see :func:`graph_state`); `longest_chain` holds the
    node ids of the path behind `max_depth` and `longest_chain_length` their number.
    `chain_completion_ratio` is in [0, 1]; it and `has_complete_chain` are None where the ontology
    declares no terminal type.
    """

    node_count: int
    edge_count: int
    orphan_count: int
    nodes_by_type: Mapping[str, int]
    edges_by_type: Mapping[str, int]
    max_depth: float
    avg_depth: float
    longest_chain: tuple[str, ...]
    longest_chain_length: int
    chain_completion_ratio: float | None
    has_complete_chain: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalGraphState:
    """The canonical graph in figures.

    Active slots alone count, and the edges between them: `concept_count` is how many there are,
    `orphan_count` those without an edge, `max_depth` the steps of their longest chain,
    `avg_support` their mean support, `edge_density` edges ÷ active slots; the last two are 0
    without any. `candidate_count` is how many slots wait for support.
    """

    concept_count: int
    candidate_count: int
    edge_count: int
    orphan_count: int
    max_depth: int
    avg_support: float
    edge_density: float


def graph_state(graph: SessionGraph, ontology: Ontology) -> GraphState:
    """Summarise the live surface graph; see :func:`graph_state_with_depths`."""
    return graph_state_with_depths(graph, ontology, Chains(graph, ontology))[0]


def graph_state_with_depths(
    graph: SessionGraph, ontology: Ontology, chains: Chains
) -> tuple[GraphState, dict[str, float]]:
    """Summarise the live surface graph, and give each live node's depth from the same pass.

    Depth of a path over chain edges: (distinct levels met - 1) ÷ (distinct ontology levels - 1);
    without levels (steps - 1) ÷ (node types - 1), at most 1. A strongly connected component is one
    step. `max_depth` is that of the longest path, `avg_depth` the mean over nodes of the longest
    path that ends there; both are 0 for an empty graph or a one-level ontology.
    """
    nodes = list(graph.live_nodes())
    edges = list(graph.live_edges())
    found = _longest(graph, ontology, chains)
    touched = set(map(attrgetter("source_id"), edges))
    touched.update(map(attrgetter("target_id"), edges))
    ratio = chains.completion_ratio
    depths = _depths(found, ontology)
    state = GraphState(
        node_count=len(nodes),
        edge_count=len(edges),
        orphan_count=len(nodes) - len(touched),
        nodes_by_type=dict(Counter(map(attrgetter("node_type"), nodes))),
        edges_by_type=dict(Counter(map(attrgetter("edge_type"), edges))),
        max_depth=_depth(found.length, ontology),
        avg_depth=sum(depths.values()) / len(depths) if depths else 0.0,
        longest_chain=found.path,
        longest_chain_length=len(found.path),
        chain_completion_ratio=ratio,
        has_complete_chain=None if ratio is None else ratio > 0,
    )
    return state, depths


def node_depths(graph: SessionGraph, ontology: Ontology) -> dict[str, float]:
    """Depth in [0, 1] of each live node: that of the longest path ending there."""
    return _depths(_longest(graph, ontology, Chains(graph, ontology)), ontology)


def canonical_graph_state(graph: SessionGraph, ontology: Ontology) -> CanonicalGraphState:
    """Summarise the slots and their edges.

    A canonical edge counts unless every surface edge behind it has lost one of its nodes.
    """
    active = {slot.id: slot for slot in graph.slots.values() if slot.status == "active"}
    edges = [
        edge
        for edge in _live_canonical_edges(graph)
        if edge.source_slot_id in active and edge.target_slot_id in active
    ]
    touched = {e.source_slot_id for e in edges} | {e.target_slot_id for e in edges}
    successors: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        if edge.edge_type in ontology.chain_edge_types:
            successors[edge.source_slot_id].append(edge.target_slot_id)
    steps = longest_steps(list(active), successors)
    return CanonicalGraphState(
        concept_count=len(active),
        candidate_count=len(graph.slots) - len(active),
        edge_count=len(edges),
        orphan_count=len(active.keys() - touched),
        max_depth=max(steps - 1, 0),
        avg_support=sum(s.support_count for s in active.values()) / len(active) if active else 0.0,
        edge_density=len(edges) / len(active) if active else 0.0,
    )


def chao1(frequencies: Iterable[int]) -> float:
    """Estimate how many distinct things there are from how often each was met.

    Chao (1984): S + f1² ÷ 2·f2, with f1 and f2 the number of things met once and twice; where f2
    is 0 the bias-corrected S + f1·(f1 - 1) ÷ 2. Frequencies of 0 are ignored.
    """
    counts = Counter(frequency for frequency in frequencies if frequency > 0)
    observed, once, twice = counts.total(), counts[1], counts[2]
    if twice:
        return observed + once * once / (2 * twice)
    return observed + once * (once - 1) / 2


def mention_frequencies(graph: SessionGraph) -> list[int]:
    """How often each live node was mentioned; at least once, for it would not be there."""
    lately = Counter(mention.node_id for mention in graph.mentions)
    before, never = graph.said_before, Said("", 0)
    ids = [node.id for node in graph.live_nodes()]
    return [max(before.get(i, never).mentions + lately.get(i, 0), 1) for i in ids]


@dataclass(frozen=True, slots=True, kw_only=True)
class SaturationCounters:
    """Runs of turns that speak for an end; they live in the session's state between turns."""

    consecutive_zero_yield: int = 0
    consecutive_shallow: int = 0
    consecutive_depth_plateau: int = 0
    prev_max_depth: float | None = None

    def updated(
        self, *, new_nodes: int, new_edges: int, response_depth: str | None, max_depth: float
    ) -> SaturationCounters:
        """Return the counters after a turn.

        A turn without a rating (`response_depth` None) leaves the shallow run as it is. A plateau
        is a turn that ends with the depth of the turn before while that is below 1.
        """
        plateau = self.prev_max_depth is not None and max_depth < 1
        plateau = plateau and abs(max_depth - (self.prev_max_depth or 0.0)) < 1e-9
        shallow = self.consecutive_shallow
        if response_depth is not None:
            shallow = shallow + 1 if response_depth in SHALLOW_DEPTHS else 0
        return replace(
            self,
            consecutive_zero_yield=0 if new_nodes + new_edges else self.consecutive_zero_yield + 1,
            consecutive_shallow=shallow,
            consecutive_depth_plateau=self.consecutive_depth_plateau + 1 if plateau else 0,
            prev_max_depth=max_depth,
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready form; `SaturationCounters(**data)` restores it."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaturationMetrics:
    """How near a session is to its end.

    `chao1_ratio` is nodes met ÷ nodes estimated, `new_info_rate` new nodes ÷ concepts extracted in
    this turn (0 without any); both in [0, 1].
    """

    chao1_ratio: float
    new_info_rate: float
    counters: SaturationCounters
    is_saturated: bool
    reason: SaturationReason | None = None


def saturation_metrics(
    graph: SessionGraph,
    tracker: TrackerReader,
    counters: SaturationCounters,
    *,
    turn: int,
    new_nodes: int,
    concepts_extracted: int,
) -> SaturationMetrics:
    """Bring together the saturation figures of a turn; `counters` are those after the turn."""
    frequencies = mention_frequencies(graph)
    reason = saturation_reason(counters, tracker, graph, turn)
    return SaturationMetrics(
        chao1_ratio=len(frequencies) / chao1(frequencies) if frequencies else 0.0,
        new_info_rate=min(new_nodes / concepts_extracted, 1.0) if concepts_extracted else 0.0,
        counters=counters,
        is_saturated=reason is not None,
        reason=reason,
    )


def saturation_reason(
    counters: SaturationCounters, tracker: TrackerReader, graph: SessionGraph, turn: int
) -> SaturationReason | None:
    """Return why an interview is saturated, or None; never before turn 5.

    `graph_saturated`: 5 turns running without a new node or edge. `quality_degraded`: 6 surface or
    shallow answers running. `depth_plateau`: depth below 1 and unchanged for 6 turns, the last 2
    without yield. `all_nodes_exhausted`: 3 turns without yield, at least 3 nodes explored, none
    left that never was the focus, and none that yielded in the last 3 turns.
    """
    if turn < MIN_SATURATION_TURN:
        return None
    if counters.consecutive_zero_yield >= ZERO_YIELD_LIMIT:
        return "graph_saturated"
    if counters.consecutive_shallow >= SHALLOW_LIMIT:
        return "quality_degraded"
    if (
        counters.consecutive_depth_plateau >= PLATEAU_LIMIT
        and counters.consecutive_zero_yield >= PLATEAU_ZERO_YIELD
    ):
        return "depth_plateau"
    if counters.consecutive_zero_yield >= EXHAUSTED_ZERO_YIELD and _all_exhausted(
        tracker, graph, turn
    ):
        return "all_nodes_exhausted"
    return None


def _all_exhausted(tracker: TrackerReader, graph: SessionGraph, turn: int) -> bool:
    explored: dict[str, NodeState] = {}
    for node in graph.live_nodes():
        state = tracker.state_of(node.id)
        if state is not None and state.focus_count:
            explored[state.node_id] = state
        elif not tracker.is_closed(node.id):
            return False
    return len(explored) >= EXHAUSTED_MIN_EXPLORED and all(
        state.turns_since_last_yield(turn) >= EXHAUSTED_STAGNATION for state in explored.values()
    )


def _longest(graph: SessionGraph, ontology: Ontology, chains: Chains) -> LongestPaths:
    bits = {
        t.name: 1 << ontology.levels.index(t.level) if t.level is not None else 0
        for t in ontology.node_types
    }
    of_node = {node.id: bits.get(node.node_type, 0) for node in graph.live_nodes()}
    return longest_paths(list(of_node), chains.successors, of_node if ontology.levels else None)


def _depths(found: LongestPaths, ontology: Ontology) -> dict[str, float]:
    of_length = {n: _depth(n, ontology) for n in set(found.ending_at.values())}
    return {node_id: of_length[length] for node_id, length in found.ending_at.items()}


def _depth(length: int, ontology: Ontology) -> float:
    """Normalise a path's length (levels met, or steps) to [0, 1]."""
    span = (len(ontology.levels) or len(ontology.node_types)) - 1
    return min(max(length - 1, 0) / span, 1.0) if span > 0 else 0.0


def _live_canonical_edges(graph: SessionGraph) -> Iterator[CanonicalEdge]:
    live = graph.live_edge_ids()
    for edge in graph.canonical_edges.values():
        if not (edge.surface_edge_ids and live.isdisjoint(edge.surface_edge_ids)):
            yield edge
