"""What each stage of a turn gives: frozen, and the single source of truth for later stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from graphs.canonical import SlotChanges
from graphs.chains import Chains
from graphs.domain import Edge, MatchTier, Node
from graphs.metrics import CanonicalGraphState, GraphState, SaturationCounters, SaturationMetrics
from interviews.acts import Heard
from interviews.turns.blocks import Block
from interviews.turns.evidence import Evidence
from interviews.turns.replies import NO_REPLIES, Replies
from interviews.turns.state import FocusEntry, FocusKind, ModeState, SessionState
from methodologies.signals.base import Velocity

if TYPE_CHECKING:
    from interviews.epilogue.state import EpilogueState
    from interviews.turns.result import TurnResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A question and the answer it got."""

    turn: int
    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextLoadingOutput:
    """Stage 1. `asked_questions` are all of the session, oldest first."""

    turn_number: int
    max_turns: int
    state: SessionState
    exchanges: tuple[Exchange, ...]
    last_question: str
    asked_questions: tuple[str, ...]
    recent_node_labels: tuple[tuple[str, str], ...]
    previous_focus: FocusEntry | None
    mode_state: ModeState


@dataclass(frozen=True, slots=True, kw_only=True)
class UtteranceSavingOutput:
    """Stage 2: the answer, which was saved when it was accepted."""

    utterance_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SrlPreprocessingOutput:
    """Stage 2.5: structure read off the answer; `note` says why it is empty or approximate."""

    discourse_relations: tuple[Any, ...] = ()
    srl_frames: tuple[Any, ...] = ()
    approximate: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedConcept:
    """A concept with its quote and the quote's character span in the answer."""

    label: str
    node_type: str
    quote: str
    start: int
    end: int
    confidence: float
    stance: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedRelationship:
    """A relation between two labels; the span is that of its quote in the answer."""

    source: str
    source_type: str
    target: str
    target_type: str
    edge_type: str
    quote: str
    start: int
    end: int
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Something the model said that the ontology or the answer does not bear out."""

    kind: Literal["concept", "relationship"]
    reason: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionOutput:
    """Stage 3: the replies of all that the director read with, and what two of them came to.

    `heard` is how the answer was meant, read by whichever task reads that, by rules where none
    did. Concepts and relationships are those of the graph extraction, where the director asked for
    it; `ratings` hold the six rubric scores 1–5, empty where the answer was not rated.
    """

    extractable: bool
    heard: Heard
    concepts: tuple[ExtractedConcept, ...]
    relationships: tuple[ExtractedRelationship, ...]
    dropped: tuple[Dropped, ...]
    ratings: Mapping[str, int]
    replies: Replies = NO_REPLIES


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedConcept:
    """A concept that was already in the graph: its words, where they went, and on what grounds.

    `doubtful` where the grounds are weak and nobody decided.
    """

    label: str
    into_id: str
    into: str
    tier: MatchTier
    similarity: float
    doubtful: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphUpdateOutput:
    """Stage 4. Deduplicated concepts are merges, not additions."""

    nodes_added: tuple[Node, ...]
    edges_added: tuple[Edge, ...]
    merges: tuple[MergedConcept, ...]
    revived: tuple[Node, ...]
    dropped: tuple[Dropped, ...]

    @property
    def yielded(self) -> bool:
        """Whether this answer gave a new live node or edge."""
        return bool(self.nodes_added or self.edges_added or self.revived)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotDiscoveryOutput:
    """Stage 4.5; `changes` is None where slots are switched off, and `note` says so."""

    changes: SlotChanges | None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateComputationOutput:
    """Stage 5. `node_depths` say how deep each live node lies, in [0, 1], `answer_depth` how deep
    the answer went, None where it was not rated or answered nothing.
    """

    graph_state: GraphState
    chains: Chains
    canonical_graph_state: CanonicalGraphState | None
    velocity: Velocity
    counters: SaturationCounters
    saturation: SaturationMetrics
    saturation_reason: str | None
    depth_history: tuple[str, ...]
    node_depths: Mapping[str, float]
    answer_depth: str | None
    mode_state: ModeState


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """What a question is about, with the respondent's own words for it where there are any.

    `ref` is a node's id, or whatever the mode knows a topic, element, … by. Type, level, terminal
    and stance are a node's.
    """

    kind: FocusKind = "node"
    ref: str
    label: str
    node_type: str = ""
    level: int | None = None
    terminal: bool = False
    stance: int = 0
    quote: str = ""

    @property
    def node_id(self) -> str | None:
        """The node that the question is about, None for anything else."""
        return self.ref if self.kind == "node" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategySelectionOutput:
    """Stage 6: the choice, and its mode's evidence for it.

    `closing` says whether the strategy closes the interview, `left_alone` which live nodes the
    question must not be about.
    """

    strategy: str
    focus: Focus | None
    focus_mode: str
    closing: bool
    left_alone: frozenset[str]
    evidence: Evidence


StrategySelection = StrategySelectionOutput


class Verdict(StrEnum):
    """What follows this answer: another question, the closing question, or nothing."""

    CONTINUE = "continue"
    CLOSE = "close"
    END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinuationOutput:
    """Stage 7. `strategy` overrides stage 6 where the closing question comes now.

    `rephrases` marks a last question that is put in other words: same strategy, same focus, and no
    further question in the books of either.
    """

    verdict: Verdict
    reason: str
    turns_remaining: int
    strategy: str
    focus: Focus | None
    rephrases: bool = False


Continuation = ContinuationOutput


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionGenerationOutput:
    """Stage 8; no question where the interview ends. `repairs` name the guards that acted."""

    question: str | None
    repairs: tuple[str, ...] = ()
    block: Block | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseSavingOutput:
    """Stage 9: the utterance that the commit will write.

    `aside` is one of the epilogue's, which is then as `epilogue` says; the question of the mode, if
    there is one, is held.
    """

    utterance_id: str | None
    text: str | None
    block: Block | None = None
    aside: bool = False
    epilogue: EpilogueState | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringPersistenceOutput:
    """Stage 10: the session's new state and the record of the turn, ready to be written."""

    state: SessionState
    tracker_state: Mapping[str, Any]
    result: TurnResult
