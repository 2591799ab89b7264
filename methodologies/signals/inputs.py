"""What signals may read in one turn, and how fast the graphs have grown up to it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property

from graphs.chains import ChainGap, Chains
from graphs.domain import SessionGraph
from graphs.metrics import CanonicalGraphState, GraphState
from graphs.node_state import NodeState
from graphs.ontology import Ontology
from graphs.tracker import TrackerReader

EWMA_ALPHA = 0.4
FIRST_DELTA_CAP = 4
RATING_MIN, RATING_MAX = 1, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Velocity:
    """How fast the graphs grow, in new nodes (surface) and new slots (canonical) a turn.

    `*_ewma` is the exponentially weighted mean of the growth (α = 0.4), `*_peak` the highest growth
    of one turn, `prev_*` the number of nodes or slots counted so far.
    """

    surface_ewma: float = 0.0
    surface_peak: float = 0.0
    prev_surface_node_count: int = 0
    canonical_ewma: float = 0.0
    canonical_peak: float = 0.0
    prev_canonical_node_count: int = 0

    def updated(self, delta: int, turn: int, canonical_delta: int = 0) -> Velocity:
        """Return the velocity after a turn that added `delta` nodes and `canonical_delta` slots.

        The mean starts with the first turn's growth; the peak counts that growth at most as 4, for
        a long first story must not make every later turn look poor.
        """
        return Velocity(
            surface_ewma=_ewma(self.surface_ewma, delta, turn),
            surface_peak=_peak(self.surface_peak, delta, turn),
            prev_surface_node_count=self.prev_surface_node_count + delta,
            canonical_ewma=_ewma(self.canonical_ewma, canonical_delta, turn),
            canonical_peak=_peak(self.canonical_peak, canonical_delta, turn),
            prev_canonical_node_count=self.prev_canonical_node_count + canonical_delta,
        )


def _ewma(before: float, delta: int, turn: int) -> float:
    return float(delta) if turn <= 1 else EWMA_ALPHA * delta + (1 - EWMA_ALPHA) * before


def _peak(before: float, delta: int, turn: int) -> float:
    return float(min(delta, FIRST_DELTA_CAP)) if turn <= 1 else max(before, float(delta))


@dataclass(frozen=True, kw_only=True)
class SignalInputs:
    """Everything that signals may read in one turn.

    `ratings` maps a rubric key to its score 1–5 and is empty where the answer was not rated.
    `depth_history` holds the session's response depths (surface, shallow, moderate, deep), this
    turn's included; `strategy_history` the strategies of the earlier turns; both oldest first.
    `velocity` is already updated with this turn's growth. `new_slot_count` counts candidates too
    and is None where canonical slots are off, as `canonical_state` is. `phase_boundaries` is
    (last early turn, first late turn). `focus_yielded` says whether this turn's answer added a live
    node or edge. `chains` are the graph's, where they are at hand.

    What was heard in the answer: `act` is what it mainly does, `leads` have the strength in [0, 1]
    of the lead that a node's mention overlaps, by node id, `disclaimed` are the nodes that the
    respondent played down or denied and has not come back to, `off_track` says that the talk has
    left its subject. `line_run` counts the questions running that followed one line of the graph.

    Raises ValueError for a rating outside 1–5, a turn below 1 or fewer than 3 turns in all.
    """

    graph: SessionGraph
    ontology: Ontology
    graph_state: GraphState
    tracker: TrackerReader
    turn: int
    max_turns: int
    velocity: Velocity = Velocity()
    canonical_state: CanonicalGraphState | None = None
    ratings: Mapping[str, int] = field(default_factory=dict)
    depth_history: tuple[str, ...] = ()
    strategy_history: tuple[str, ...] = ()
    new_node_count: int = 0
    new_slot_count: int | None = None
    phase_boundaries: tuple[int, int] | None = None
    focus_yielded: bool = False
    chains: Chains | None = None
    act: str = "answer"
    leads: Mapping[str, float] = field(default_factory=dict)
    disclaimed: Set[str] = frozenset()
    off_track: bool = False
    line_run: int = 0

    def __post_init__(self) -> None:
        for key, score in self.ratings.items():
            if not RATING_MIN <= score <= RATING_MAX:
                raise ValueError(f"rating {key} is {score}; expected 1 to 5")
        if self.turn < 1:
            raise ValueError(f"turn is {self.turn}; signals are read from turn 1 on")
        if self.max_turns < 3:
            raise ValueError(f"max_turns is {self.max_turns}; an interview takes at least 3")

    @cached_property
    def mentioned_now(self) -> Set[str]:
        """Ids of the nodes that this turn's answer mentions."""
        return {m.node_id for m in self.graph.mentions if m.node_id and m.turn == self.turn}

    @cached_property
    def degree(self) -> Mapping[str, int]:
        """Live edges per node id."""
        return self.graph.degree()

    @cached_property
    def with_outgoing(self) -> frozenset[str]:
        """Ids of nodes where a live edge begins."""
        return frozenset(edge.source_id for edge in self.graph.live_edges())

    @cached_property
    def with_incoming(self) -> frozenset[str]:
        """Ids of nodes where a live edge ends."""
        return frozenset(edge.target_id for edge in self.graph.live_edges())

    @cached_property
    def chain_gaps(self) -> Mapping[str, ChainGap]:
        """What a chain through each live node lacks, by node id."""
        return (self.chains or Chains(self.graph, self.ontology)).gaps

    @cached_property
    def state_keys(self) -> Mapping[str, str]:
        """Under which key the tracker keeps the state of each live node, by node id."""
        return self.tracker.keys_of(node.id for node in self.graph.live_nodes())

    @cached_property
    def histories(self) -> Mapping[str, NodeState]:
        """The states that something happened to, by the tracker's key; most have seen nothing."""
        return {key: state for key, state in self.tracker.states.items() if state.has_history}

    @cached_property
    def trailing_run(self) -> tuple[str | None, int]:
        """The last strategy and for how many turns it has run without a break."""
        if not self.strategy_history:
            return None, 0
        last, run = self.strategy_history[-1], 0
        for strategy in reversed(self.strategy_history):
            if strategy != last:
                break
            run += 1
        return last, run
