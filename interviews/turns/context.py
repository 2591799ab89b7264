"""What a turn carries from stage to stage: snapshots and contracts, never database rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from graphs.canonical import MIN_SUPPORT, SLOT_SIMILARITY
from graphs.domain import SessionGraph
from graphs.matching import SURFACE_SIMILARITY
from graphs.neighbours import Neighbours
from graphs.ontology import NOTHING_PERMITTED, Ontology
from graphs.tracker import NodeStateTracker, TrackerReader
from interviews.acts import Heard
from interviews.errors import DocumentMissing, PipelineOrderError
from interviews.turns import contracts
from interviews.turns.calls import CallLog
from interviews.turns.deadline import Deadline
from interviews.turns.flags import Flag
from interviews.turns.state import SessionState
from methodologies.schema import ConceptSchema, GuideSchema, MethodologySchema

if TYPE_CHECKING:
    from interviews.epilogue.flow import Plan
    from interviews.epilogue.state import EpilogueState

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
class Thresholds:
    """From when on labels are one concept, concepts one slot, and a slot counts; see `Study`."""

    surface_similarity: float = SURFACE_SIMILARITY
    slot_similarity: float = SLOT_SIMILARITY
    slot_support: int = MIN_SUPPORT


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSnapshot:
    """What the pipeline may know of a session. `llm_choice` is the study's, per role.

    `study_text` is what respondents were told of the study; `selects_question` says that a model
    words several questions and picks one.

    A mode may go without a methodology, a concept or a guide; they are None then. `active_seconds`
    is the time that the interview has taken with the turn's answer: for each answer the time since
    what was said before it, at most 180 s, so that a pause costs nothing.
    `time_budget_minutes` has in it what the respondent agreed to add; `may_extend` says that they
    are still to be asked.
    """

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
    methodology: MethodologySchema | None
    methodology_version: str
    concept: ConceptSchema | None
    state: SessionState
    guide: GuideSchema | None = None
    study_name: str = ""
    study_text: str = ""
    active_seconds: float = 0.0
    rates: bool = True
    selects_question: bool = False
    thresholds: Thresholds = Thresholds()
    may_extend: bool = False
    plan: Plan | None = None
    epilogue: EpilogueState | None = None

    @property
    def time_is_up(self) -> bool:
        """Whether the interview has taken as long as its study allows, with what was added."""
        budget = self.time_budget_minutes
        return budget is not None and self.active_seconds >= budget * 60

    @property
    def ontology(self) -> Ontology:
        """The methodology's ontology; one that permits nothing where there is none."""
        return self.methodology.graph_ontology if self.methodology else NOTHING_PERMITTED


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
    material: Any = None


class TurnView(ABC):
    """What can be read of a turn on its way through the pipeline: snapshots and contracts.

    The tracker is for reading only; :mod:`interviews.pipeline.tracking` alone changes it. `flags`
    may be added to. `material` is what the mode's own store loaded for the turn.
    """

    def __init__(
        self,
        job: TurnJob,
        loaded: LoadedTurn,
        deadline: Deadline,
        *,
        calls: CallLog,
        flags: set[Flag],
    ) -> None:
        self.job = job
        self.session = loaded.session
        self.graph = loaded.graph
        self.neighbours = loaded.neighbours
        self.tracker: TrackerReader = loaded.tracker
        self.utterances = loaded.utterances
        self.answer = loaded.answer
        self.material = loaded.material
        self.deadline = deadline
        self.calls = calls
        self.flags = flags

    @abstractmethod
    def get(self, kind: type[Contract]) -> Contract:
        """Return the contract of this kind.

        Raises PipelineOrderError before its stage ran, or where it may not be read here.
        """

    @abstractmethod
    def reading(self, contracts: Collection[type], *, by: str) -> TurnView:
        """This turn, with these contracts to be read and no others; `by` names the reader."""

    @property
    def is_opening(self) -> bool:
        return self.job.is_opening

    @property
    def methodology(self) -> MethodologySchema:
        """The pinned methodology. Raises DocumentMissing where the study has none."""
        if self.session.methodology is None:
            raise DocumentMissing("methodology", self.session.study_id)
        return self.session.methodology

    @property
    def concept(self) -> ConceptSchema:
        """The pinned concept. Raises DocumentMissing where the study has none."""
        if self.session.concept is None:
            raise DocumentMissing("concept", self.session.study_id)
        return self.session.concept

    @property
    def ontology(self) -> Ontology:
        """The methodology's ontology; one that permits nothing where the study has none."""
        return self.session.ontology

    @property
    def subject(self) -> str:
        """What it is about: the concept's subject, the guide's title, or the study's name."""
        if self.session.concept:
            named = self.session.concept.subject_in(self.session.language)
            return named or self.session.concept.subject
        return self.session.guide.title if self.session.guide else self.session.study_name

    @property
    def spoken_subject(self) -> str:
        """The subject as fixed words may name it: "" where it is not written in their language."""
        if self.session.concept:
            return self.session.concept.subject_in(self.session.language)
        return self.subject

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
    def heard(self) -> Heard:
        """How the answer was meant, whoever read it."""
        return self.extraction.heard

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
    def overridden(self) -> bool:
        """Whether the closing question takes the place of what the mode chose."""
        return self.continuation.verdict is contracts.Verdict.CLOSE and not self.selection.closing

    @property
    def question(self) -> contracts.QuestionGenerationOutput:
        return self.get(contracts.QuestionGenerationOutput)

    @property
    def response(self) -> contracts.ResponseSavingOutput:
        return self.get(contracts.ResponseSavingOutput)

    @property
    def persistence(self) -> contracts.ScoringPersistenceOutput:
        return self.get(contracts.ScoringPersistenceOutput)


class TurnContext(TurnView):
    """A turn as the engine knows it: it alone records contracts here."""

    def __init__(self, job: TurnJob, loaded: LoadedTurn, deadline: Deadline) -> None:
        super().__init__(job, loaded, deadline, calls=CallLog(), flags=set(loaded.flags))
        self.tracker: NodeStateTracker = loaded.tracker
        self.graph_version = loaded.graph_version
        self.stage_ms: dict[str, float] = {}
        self._loaded = loaded
        self._contracts: dict[type, object] = {}

    def record(self, contract: object) -> None:
        """Put a stage's contract on the context, once.

        Raises PipelineOrderError where the stage already gave one.
        """
        kind = type(contract)
        if kind in self._contracts:
            raise PipelineOrderError(f"{kind.__name__} was already given in this turn")
        self._contracts[kind] = contract

    def get(self, kind: type[Contract]) -> Contract:
        found = self._contracts.get(kind)
        if not isinstance(found, kind):
            raise PipelineOrderError(f"{kind.__name__} is not there yet: its stage has not run")
        return found

    def reading(self, contracts: Collection[type], *, by: str) -> TurnView:
        return _DeclaredView(self, self._loaded, frozenset(contracts), by)


class _DeclaredView(TurnView):
    """A turn as a stage or a director sees it: with the contracts that it declared to read."""

    def __init__(
        self, context: TurnContext, loaded: LoadedTurn, readable: frozenset[type], by: str
    ) -> None:
        super().__init__(
            context.job, loaded, context.deadline, calls=context.calls, flags=context.flags
        )
        self._context = context
        self._readable = readable
        self._by = by

    def get(self, kind: type[Contract]) -> Contract:
        if kind not in self._readable:
            raise PipelineOrderError(f"{self._by} reads {kind.__name__} and does not declare it")
        return self._context.get(kind)

    def reading(self, contracts: Collection[type], *, by: str) -> TurnView:
        return self._context.reading(contracts, by=by)
