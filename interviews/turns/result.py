"""A turn as one typed record: what was heard, what it changed, what was decided and asked.

Written by the trace stage, and all that anybody reads of a turn afterwards. Stored as JSON; what
older versions stored is brought up to date by :mod:`interviews.turns.upgrades`.
"""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny

from graphs.domain import MatchTier, Provenance
from interviews.acts import Heard
from interviews.turns.calls import Degraded
from interviews.turns.contracts import Verdict
from interviews.turns.evidence import Evidence

RESULT_VERSION: Final = 5


class Part(BaseModel):
    """Base of the record's parts: frozen, and unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Extracted(Part):
    """How many concepts and relationships were read in the answer."""

    extractable: bool
    concepts: int
    relationships: int


class NodeEntry(Part):
    """A node as it was after the turn, with its latest quote."""

    id: str
    label: str
    node_type: str
    quote: str


class EdgeEntry(Part):
    """An edge by its nodes' labels, with its latest quote and where it comes from.

    Turns that were held before this was told have no `provenance`.
    """

    id: str
    source: str
    target: str
    edge_type: str
    quote: str
    provenance: Provenance | None = None


class MergeEntry(Part):
    """A concept that was in the graph already; `similarity` in [0, 1].

    `doubtful` where the grounds of the merge are weak and nobody decided.
    """

    label: str
    into_id: str
    into: str
    tier: MatchTier
    similarity: float
    doubtful: bool = False


class DroppedEntry(Part):
    """What was read but not kept, and why."""

    kind: Literal["concept", "relationship"]
    reason: str
    detail: str


class SlotMapping(Part):
    """A node and the canonical slot that it was put into; `similarity` in [0, 1]."""

    node: str
    slot: str
    similarity: float


class SlotEntries(Part):
    """Names of the canonical slots that the turn touched."""

    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    promoted: tuple[str, ...] = ()
    mapped: tuple[SlotMapping, ...] = ()


class GraphFigures(Part):
    """The surface graph after the turn; see :class:`graphs.metrics.GraphState`."""

    node_count: int
    edge_count: int
    orphan_count: int
    nodes_by_type: dict[str, int]
    edges_by_type: dict[str, int]
    max_depth: float
    avg_depth: float
    longest_chain_length: int
    chain_completion_ratio: float | None
    has_complete_chain: bool | None


class CanonicalFigures(Part):
    """The canonical graph after the turn; see :class:`graphs.metrics.CanonicalGraphState`."""

    concept_count: int
    candidate_count: int
    edge_count: int
    orphan_count: int
    max_depth: int
    avg_support: float
    edge_density: float


class GraphComparison(Part):
    """How much the canonical graph condenses the surface graph; reductions are 1 − share kept."""

    node_reduction: float
    edge_reduction: float
    surface_orphans: int
    canonical_orphans: int


class Saturation(Part):
    """How near the interview is to bringing nothing new.

    `conversation`, `velocity` and `canonical` are the signals of these names, in [0, 1], None where
    the mode did not read them; the rest is as in :class:`graphs.metrics.SaturationMetrics`.
    """

    conversation: float | None = None
    velocity: float | None = None
    canonical: float | None = None
    chao1_ratio: float
    new_info_rate: float
    is_saturated: bool
    reason: str
    consecutive_zero_yield: int
    consecutive_shallow: int
    consecutive_depth_plateau: int
    prev_max_depth: float | None


class Selected(Part):
    """What the mode chose, before it was decided whether the interview goes on.

    `label` names what the question was to be about, `node_id` is its node's where it is one.
    """

    strategy: str
    node_id: str | None
    label: str = ""


class TurnResult(Part):
    """Everything that a turn came to.

    `methodology` names the version that the turn was decided by. The opening, turn 0, has heard
    nothing: it holds `repairs` and `degraded` alone. `heard` is how the answer was meant.
    `selected` is the mode's choice, for the reasons in `evidence`, and `left_alone` the live nodes
    that it was not free to ask about; `overridden` says that the closing question took its place.
    `continuation` and `reason` are the verdict on going on. `repairs` name what the guards did to
    the question.
    """

    version: Literal[5] = RESULT_VERSION
    mode: str
    turn: int
    methodology: str = ""
    heard: Heard | None = None
    extracted: Extracted | None = None
    ratings: dict[str, int] = Field(default_factory=dict)
    nodes_added: tuple[NodeEntry, ...] = ()
    edges_added: tuple[EdgeEntry, ...] = ()
    revived: tuple[NodeEntry, ...] = ()
    merges: tuple[MergeEntry, ...] = ()
    dropped: tuple[DroppedEntry, ...] = ()
    slots: SlotEntries = SlotEntries()
    notes: tuple[str, ...] = ()
    graph_state: GraphFigures | None = None
    canonical_graph: CanonicalFigures | None = None
    graph_comparison: GraphComparison | None = None
    saturation: Saturation | None = None
    phase: str = ""
    selected: Selected | None = None
    left_alone: tuple[str, ...] = ()
    overridden: bool = False
    continuation: Verdict | None = None
    reason: str = ""
    repairs: tuple[str, ...] = ()
    degraded: tuple[Degraded, ...] = ()
    evidence: SerializeAsAny[Evidence] | None = None
