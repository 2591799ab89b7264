"""What a turn carries from stage to stage: snapshots and contracts, never database rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from graphs.domain import SessionGraph
from graphs.neighbours import Neighbours
from graphs.tracker import NodeStateTracker
from interviews.errors import PipelineOrderError
from interviews.turns import contracts
from interviews.turns.calls import CallLog
from interviews.turns.deadline import Deadline
from interviews.turns.flags import Flag
from interviews.turns.state import SessionState
from methodologies.schema import ConceptSchema, MethodologySchema

Contract = TypeVar("Contract")


@dataclass(frozen=True, slots=True, kw_only=True)
class UtteranceSnapshot:
    """Something that was said, as stored."""

    id: str
    turn_number: int
    sequence: int
    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSnapshot:
    """What the pipeline may know of a session. `llm_choice` is the study's, per role."""

    id: str
    study_id: str
    mode: str
    max_turns: int
    turn_count: int
    language: str
    seed: int
    started_at: datetime
    time_budget_minutes: int | None
    enable_srl: bool
    enable_canonical_slots: bool
    llm_choice: dict[str, Any]
    methodology: MethodologySchema
    methodology_version: str
    concept: ConceptSchema
    state: SessionState


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnJob:
    """A claimed turn: the number to think about and the fence that its commit must carry."""

    turn_id: str
    session_id: str
    number: int
    fence: int
    attempt: int

    @property
    def is_opening(self) -> bool:
        return self.number == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedTurn:
    """Everything the store reads for a turn, in one go.

    `graph_version` is the session's with this graph and tracker; `flags` tell what had to be mended
    to read them.
    """

    session: SessionSnapshot
    graph: SessionGraph
    neighbours: Neighbours
    tracker: NodeStateTracker
    utterances: tuple[UtteranceSnapshot, ...]
    answer: UtteranceSnapshot | None
    graph_version: int = 0
    flags: frozenset[Flag] = frozenset()


class TurnContext:
    """One turn on its way through the pipeline.

    Stages read each other's contracts here; reading one before its stage ran raises
    :class:`PipelineOrderError`. Only the engine records contracts.
    """

    def __init__(self, job: TurnJob, loaded: LoadedTurn, deadline: Deadline) -> None:
        self.job = job
        self.session = loaded.session
        self.graph = loaded.graph
        self.neighbours = loaded.neighbours
        self.tracker = loaded.tracker
        self.utterances = loaded.utterances
        self.answer = loaded.answer
        self.graph_version = loaded.graph_version
        self.flags = set(loaded.flags)
        self.deadline = deadline
        self.calls = CallLog()
        self.stage_ms: dict[str, float] = {}
        self._contracts: dict[type, object] = {}

    @property
    def is_opening(self) -> bool:
        return self.job.is_opening

    @property
    def methodology(self) -> MethodologySchema:
        return self.session.methodology

    def record(self, contract: object) -> None:
        """Put a stage's contract on the context, once.

        Raises PipelineOrderError where the stage already gave one.
        """
        kind = type(contract)
        if kind in self._contracts:
            raise PipelineOrderError(f"{kind.__name__} was already given in this turn")
        self._contracts[kind] = contract

    def has(self, kind: type) -> bool:
        return kind in self._contracts

    def get(self, kind: type[Contract]) -> Contract:
        """Return the contract of this kind; raises PipelineOrderError before its stage ran."""
        found = self._contracts.get(kind)
        if not isinstance(found, kind):
            raise PipelineOrderError(f"{kind.__name__} is not there yet: its stage has not run")
        return found

    @property
    def loaded(self) -> contracts.ContextLoadingOutput:
        return self.get(contracts.ContextLoadingOutput)

    @property
    def utterance(self) -> contracts.UtteranceSavingOutput:
        return self.get(contracts.UtteranceSavingOutput)

    @property
    def srl(self) -> contracts.SrlPreprocessingOutput:
        return self.get(contracts.SrlPreprocessingOutput)

    @property
    def extraction(self) -> contracts.ExtractionOutput:
        return self.get(contracts.ExtractionOutput)

    @property
    def graph_update(self) -> contracts.GraphUpdateOutput:
        return self.get(contracts.GraphUpdateOutput)

    @property
    def slots(self) -> contracts.SlotDiscoveryOutput:
        return self.get(contracts.SlotDiscoveryOutput)

    @property
    def state(self) -> contracts.StateComputationOutput:
        return self.get(contracts.StateComputationOutput)

    @property
    def selection(self) -> contracts.StrategySelectionOutput:
        return self.get(contracts.StrategySelectionOutput)

    @property
    def continuation(self) -> contracts.ContinuationOutput:
        return self.get(contracts.ContinuationOutput)

    @property
    def question(self) -> contracts.QuestionGenerationOutput:
        return self.get(contracts.QuestionGenerationOutput)

    @property
    def response(self) -> contracts.ResponseSavingOutput:
        return self.get(contracts.ResponseSavingOutput)

    @property
    def persistence(self) -> contracts.ScoringPersistenceOutput:
        return self.get(contracts.ScoringPersistenceOutput)
