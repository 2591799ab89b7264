"""The JSON of exports as models: what a file holds, and what an import accepts. Pure.

The schema in `docs/reference/export.schema.json` is made from these. A file of a newer version, or
with a member that is not known here, is refused rather than half understood.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypeVar
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
)

SCHEMA_VERSION: Final = 2
SESSION_SCHEMA: Final = "adaptive-interview/session"
STUDY_SCHEMA: Final = "adaptive-interview/study"
MOST_FAULTS: Final = 100
Model = TypeVar("Model", bound=BaseModel)
ReactionKind = Literal["positive", "negative", "neutral", "skeptical", "curious"]


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("holds a NUL character, which no text of an interview has")
    return text


def _storable_json(value: Any) -> Any:
    if isinstance(value, str):
        _storable(value)
    elif isinstance(value, dict):
        for key, one in value.items():
            _storable(key)
            _storable_json(one)
    elif isinstance(value, list):
        for one in value:
            _storable_json(one)
    return value


Text = Annotated[str, AfterValidator(_storable)]
Name = Annotated[Text, Field(max_length=300)]
Word = Annotated[Text, Field(max_length=60)]
Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Small = Annotated[int, Field(ge=0, le=2**15 - 1)]
Big = Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]
Share = Annotated[float, Field(ge=0, le=1)]
Money = Annotated[float, Field(ge=0, lt=10**6)]
Json = Annotated[dict[str, JsonValue], AfterValidator(_storable_json)]
JsonList = Annotated[list[JsonValue], AfterValidator(_storable_json)]


class Part(BaseModel):
    """Base of all parts: strict, frozen, and unknown members are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Reference(Part):
    """A version of a document, by the document's name and its number."""

    name: Word
    number: Annotated[int, Field(ge=1, le=2**31 - 1)]


class Document(Reference):
    """A methodology, concept or guide as it was written; `checksum` is the SHA-256 of the text."""

    kind: Literal["methodology", "concept", "guide"]
    checksum: Annotated[str, Field(max_length=64)]
    text: Text
    shipped: bool


class StudyPart(Part):
    """A study with its settings, named as in its file."""

    id: UUID
    slug: Annotated[str, Field(pattern=r"^[-a-zA-Z0-9_]{1,50}$")]
    name: Annotated[Text, Field(max_length=120)]
    mode: Annotated[Text, Field(max_length=12)]
    status: Literal["draft", "live", "paused", "closed", "archived"]
    language: Annotated[Text, Field(max_length=8)]
    max_turns: Annotated[int, Field(ge=3, le=200)]
    time_budget_minutes: Small | None
    greeting: Text
    researcher: Annotated[Text, Field(max_length=200)]
    contact: Annotated[Text, Field(max_length=200)]
    research_purpose: Text
    retention: Text
    withdrawal: Text
    consent_text: Text
    data_fields: JsonList
    data_collection: Literal["form", "chat"]
    extension_minutes: Annotated[int, Field(ge=0, le=60)] | None
    reward: Text
    next_steps: Text
    redirect_url: Annotated[Text, Field(max_length=400)]
    dictation: bool
    quota: Count | None
    llm_choice: Json
    enable_srl: bool | None
    enable_canonical_slots: bool | None
    enable_question_self_selection: bool | None
    surface_similarity_threshold: Annotated[float, Field(ge=0.5, le=1)]
    canonical_similarity_threshold: Annotated[float, Field(ge=0.3, le=1)]
    canonical_min_support_nodes: Annotated[int, Field(ge=1, le=20)]
    recruiting: Json
    translations: Json
    created_at: datetime
    methodology: Reference | None
    concept: Reference | None
    guide: Reference | None


class Revision(Part):
    """What a study was when interviews were held: fields by name, documents by reference."""

    number: Count
    made_by: Annotated[Text, Field(max_length=150)]
    made_at: datetime
    data: Json


class Plan(Part):
    """A plan of a guided study."""

    number: Annotated[int, Field(ge=1, le=2**31 - 1)]
    signature: Annotated[Text, Field(max_length=64)]
    data: Json
    created_at: datetime


class Asked(Part):
    """A question of a backlog."""

    question_id: Annotated[Text, Field(max_length=24)]
    text: Text
    about: Name
    priority: Literal["P0", "P1"]
    origin: Literal["FILE", "GLOBAL", "FOLLOW_UP"]
    reference: JsonList
    status: Literal["OPEN", "ANSWERED_BY_FILES", "ANSWERED_BY_INTERVIEW", "REFUSED", "DROPPED"]
    answer: Text
    confidence: float | None
    parent: Annotated[Text, Field(max_length=24)]
    position: Count


class Backlog(Asked):
    """A question of a study; `edited` by hand or not."""

    edited: bool


class Question(Asked):
    """A question as an interview has it."""

    made_turn: Count
    closed_turn: Count | None


class Fact(Part):
    """A fact that stands alone."""

    turn: Count
    number: Small
    question_id: Annotated[Text, Field(max_length=24)]
    text: Text
    confidence: float


class SessionPart(Part):
    """An interview; `revision` is the number of the study's."""

    id: UUID
    status: Literal["active", "paused", "completed", "abandoned"]
    turn_count: Count
    max_turns: Small
    progress: float
    minutes_left: Small | None
    last_sequence: Count
    graph_version: Count
    language: Annotated[Text, Field(max_length=8)]
    seed: Big
    simulated: bool
    consented_at: datetime | None
    started_at: datetime
    ended_at: datetime | None
    termination_reason: Annotated[Text, Field(max_length=40)]
    state: Json
    epilogue: Json
    segments: Json
    node_tracker_state: Json
    pasted: Count
    marked: bool
    trial: bool
    revision: Count | None
    methodology: Reference | None
    concept: Reference | None
    guide: Reference | None


class Summary(Part):
    """An interview's figures as they were last written."""

    nodes: Count
    edges: Count
    chains: Small | None
    active_slots: Count
    saturation: float | None
    strategy_counts: Json
    flags: list[Annotated[Text, Field(max_length=20)]]
    calls: Count
    model_calls: Count
    cost_usd: Money


class Utterance(Part):
    """Something said."""

    id: UUID
    turn_number: Count
    sequence: Annotated[int, Field(ge=1, le=2**31 - 1)]
    speaker: Literal["respondent", "interviewer"]
    text: Text
    block: Json | None
    aside: bool
    client_message_id: UUID | None
    created_at: datetime


class Turn(Part):
    """A turn; `result` is its record, `evidence` what its choice rested on (with the trace).

    `signals`, `node_signals` and `decomposition` tell the evidence in other words; an import reads
    the evidence alone.
    """

    id: UUID
    number: Count
    status: Literal["queued", "running", "done", "failed"]
    answer_id: UUID | None
    question_id: UUID | None
    attempt: Small
    strategy: Word
    focus_node_id: UUID | None
    focus_label: Name
    phase: Annotated[Text, Field(max_length=40)]
    continuation: Annotated[Text, Field(max_length=8)]
    continuation_reason: Annotated[Text, Field(max_length=40)]
    active_seconds: float
    stage_ms: Json
    latency_ms: Count | None
    error: Text
    created_at: datetime
    finished_at: datetime | None
    mode: Text
    result: Json
    evidence: Json | None = None
    signals: Json | None = None
    node_signals: Json | None = None
    decomposition: JsonList | None = None


class Node(Part):
    """A concept."""

    id: UUID
    label: Name
    node_type: Word
    level: Small | None
    stance: Annotated[int, Field(ge=-1, le=1)]
    confidence: Share
    superseded_by_id: UUID | None
    first_turn: Count
    position: Big
    created_at: datetime


class Edge(Part):
    """A link; `provenance` is the best that its mentions say."""

    id: UUID
    source_id: UUID
    target_id: UUID
    edge_type: Word
    confidence: Share
    first_turn: Count
    created_at: datetime
    provenance: Literal["", "stated", "answer_to_probe", "inferred"]


class Mention(Part):
    """A concept or a link in an utterance: characters from `start` to `end`, exclusive."""

    id: UUID
    node_id: UUID | None
    edge_id: UUID | None
    utterance_id: UUID
    turn: Count
    label: Name
    quote: Text
    start: Count
    end: Count
    tier: Annotated[Text, Field(max_length=12)]
    similarity: float | None
    doubtful: bool
    provenance: Literal["", "stated", "answer_to_probe", "inferred"]
    probe_id: UUID | None


class Slot(Part):
    """A canonical slot."""

    id: UUID
    slot_name: Annotated[Text, Field(max_length=120)]
    description: Text
    node_type: Word
    status: Literal["candidate", "active"]
    support_count: Count
    first_seen_turn: Count
    promoted_turn: Count | None


class Mapping(Part):
    """A concept in its slot."""

    node_id: UUID
    slot_id: UUID
    similarity: float
    assigned_turn: Count


class CanonicalEdge(Part):
    """A link between slots, the links that support it, and the ids of that support."""

    id: UUID
    source_id: UUID
    target_id: UUID
    edge_type: Word
    surface_edge_ids: list[UUID]
    support_ids: list[Big]


class Call(Part):
    """A call of a language model."""

    id: UUID
    turn_id: UUID | None
    task: Annotated[Text, Field(max_length=40)]
    role: Annotated[Text, Field(max_length=10)]
    provider: Annotated[Text, Field(max_length=40)]
    model: Annotated[Text, Field(max_length=80)]
    prompt_hash: Annotated[Text, Field(max_length=64)]
    tokens_in: Count
    tokens_out: Count
    tokens_cached: Count
    cost_usd: Money
    latency_ms: Count
    attempts: Small
    outcome: Annotated[Text, Field(max_length=20)]
    stands_in_for: Annotated[Text, Field(max_length=20)]
    created_at: datetime


class Correction(Part):
    """A correction by a person, with the rows before and after."""

    id: UUID
    number: Count
    follows: Count
    act: Annotated[Text, Field(max_length=20)]
    detail: Json
    changes: Json
    newest_turn: Count
    graph_version: Count
    made_by: Annotated[Text, Field(max_length=150)]
    made_at: datetime
    undone_by: Annotated[Text, Field(max_length=150)]
    undone_at: datetime | None


class Written(Part):
    """A memo: `target` is the id of what it is on, which `on` tells in words.

    A quote's target is its utterance; its characters are those from `start` to `end`, exclusive.
    """

    id: UUID
    about: Literal["study", "session", "theme", "node", "link", "quote"]
    target: UUID
    on: Text
    session: UUID | None
    turn: Count | None
    start: Count | None
    end: Count | None
    text: Text
    version: Annotated[int, Field(ge=1, le=2**31 - 1)]
    written_by: Annotated[Text, Field(max_length=150)]
    written_at: datetime
    changed_by: Annotated[Text, Field(max_length=150)] | None
    changed_at: datetime | None


class Starred(Part):
    """A quote that somebody starred."""

    utterance_id: UUID
    turn: Count
    start: Count
    end: Count
    quote: Text
    starred_by: Annotated[Text, Field(max_length=150)]


class Review(Part):
    """That somebody has read the interview, with its graph of that version."""

    reviewed_by: Annotated[Text, Field(max_length=150)]
    reviewed_at: datetime
    graph_version: Count


class Notes(Part):
    """What analysts wrote beside an interview, and its summary as it was written."""

    memos: list[Written]
    starred_quotes: list[Starred]
    review: Review | None
    written_summary: Json | None


class Member(Part):
    """A slot in a theme; the one that opened it has no similarity."""

    slot_id: UUID
    similarity: float | None
    decided: bool


class Theme(Part):
    """Slots of several interviews that mean the same; `named` by a person or not."""

    id: UUID
    name: Annotated[Text, Field(max_length=120)]
    description: Text
    named: bool
    node_type: Word
    members: list[Member]


class ThemeThen(Part):
    """A theme as it stood; its name is one that a person gave, or empty."""

    node_type: Word
    name: Annotated[Text, Field(max_length=120)]


class MemberThen(Part):
    """A slot in its theme as it stood."""

    theme: UUID
    similarity: float | None
    decided: bool


class ThemesThen(Part):
    """Themes by id, and their slots by id, as they stood."""

    themes: dict[UUID, ThemeThen]
    members: dict[UUID, MemberThen]


class ThemeAct(Part):
    """What a person did to themes, with ids and names before and after."""

    number: Annotated[int, Field(ge=1, le=2**31 - 1)]
    follows: Count
    version: Count
    kind: Literal["merge", "split", "rename", "move"]
    before: ThemesThen
    after: ThemesThen
    made_by: Annotated[Text, Field(max_length=150)]
    made_at: datetime
    undone_by: Annotated[Text, Field(max_length=150)]
    undone_at: datetime | None


class Interview(Part):
    """Everything that one interview left behind.

    `machine` is what was read without the corrections that stand; an import does not need it.
    """

    session: SessionPart
    summary: Summary
    utterances: list[Utterance]
    nodes: list[Node]
    edges: list[Edge]
    mentions: list[Mention]
    slots: list[Slot]
    mappings: list[Mapping]
    canonical_edges: list[CanonicalEdge]
    turns: list[Turn]
    llm_calls: list[Call]
    corrections: list[Correction]
    questions: list[Question]
    facts: list[Fact]
    handover_summary: Text
    notes: Notes | None = None
    machine: Json | None = None
    personal: dict[Annotated[Text, Field(max_length=40)], Text] = {}


class ReactionShare(Part):
    """Interviews whose last reaction this was, their share, and its Wilson interval at 95 %."""

    n: Count
    share: Share | None
    low: Share | None
    high: Share | None


class ElementQuote(Part):
    """What was said of an element."""

    session: UUID
    turn: Count
    quote: Text


class ElementCell(Part):
    """An element in an interview; `depth` counts the steps of a chain above it."""

    session: UUID
    shown: bool
    mentioned: bool
    understood: bool
    reaction: ReactionKind | None
    depth: Count


class ChainStep(Part):
    """A concept on the way from an element to a terminal one."""

    label: Name
    quote: Text


class ElementChain(Part):
    """The shortest way from an element to a terminal concept."""

    session: UUID
    steps: list[ChainStep]


class CoveredElement(Part):
    """An element over all interviews; counts are of interviews but that of chains."""

    id: Word
    label: Name
    mentioned: Count
    reactions: dict[ReactionKind, ReactionShare]
    understood: Count
    depth_mean: Annotated[float, Field(ge=0)] | None
    chains_to_terminal: Count
    not_understood_by: list[UUID]
    quotes: list[ElementQuote]
    dropped: bool
    never_understood: bool
    cells: list[ElementCell]
    chains: list[ElementChain]


class CoveragePart(Part):
    """What respondents made of the elements of a concept; an import counts it anew."""

    interviews: Count
    elements: list[CoveredElement]


class Head(Part):
    """What stands before the interviews: which they are, and what their study is made of."""

    schema_: Annotated[
        Literal["adaptive-interview/session", "adaptive-interview/study"], Field(alias="schema")
    ]
    schema_version: Literal[2]
    about: dict[str, Text]
    filter: dict[str, list[Text]]
    options: list[Literal["trace", "pseudonymise", "personal"]]
    study: StudyPart
    documents: list[Document]
    revisions: list[Revision]
    plans: list[Plan]
    memos: list[Written] = []
    themes: list[Theme] = []
    theme_acts: list[ThemeAct] = []
    backlog: list[Backlog]
    coverage: CoveragePart | None = None


class StudyFile(Head):
    """A study with its interviews."""

    sessions: list[Interview]


class SessionFile(Head, Interview):
    """One interview, with its study."""


class ImportRefused(ValueError):
    """A file that cannot be taken in; `faults` are (field, what is wrong with it), all of them."""

    def __init__(self, faults: list[tuple[str, str]]) -> None:
        super().__init__(
            "\n".join(f"{field}: {fault}" if field else fault for field, fault in faults)
        )
        self.faults = faults


class _Kind(BaseModel):
    """What a file says of itself."""

    model_config = ConfigDict(extra="ignore")

    schema_: Annotated[Any, Field(alias="schema")] = None
    schema_version: Any = None


def read(data: bytes) -> tuple[Head, list[Interview]]:
    """Read a JSON or JSON Lines file. Raises ImportRefused with all that is wrong with it."""
    first, _, _ = data.partition(b"\n")
    if _is_head(first):
        return _read_lines(data)
    kind = _parsed(_Kind, data, "")
    _known(kind)
    if kind.schema_ == SESSION_SCHEMA:
        one = _parsed(SessionFile, data, "")
        return one, [one]
    study = _parsed(StudyFile, data, "")
    return study, study.sessions


def _is_head(line: bytes) -> bool:
    """Whether a first line is the whole head of a file of JSON Lines."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "study" in found and not {"sessions", "session"} & set(found)


def _read_lines(data: bytes) -> tuple[Head, list[Interview]]:
    first, *others = data.split(b"\n")
    _known(_parsed(_Kind, first, ""))
    head = _parsed(Head, first, "")
    found: list[Interview] = []
    faults: list[tuple[str, str]] = []
    for place, line in enumerate(line for line in others if line.strip()):
        try:
            found.append(_parsed(Interview, line, f"sessions.{place}"))
        except ImportRefused as refused:
            faults += refused.faults
    if faults:
        raise ImportRefused(faults[:MOST_FAULTS])
    return head, found


def _known(kind: _Kind) -> None:
    if kind.schema_ not in (SESSION_SCHEMA, STUDY_SCHEMA):
        raise ImportRefused(
            [("schema", f"this is no export of interviews: it should be {STUDY_SCHEMA!r}")]
        )
    if kind.schema_version != SCHEMA_VERSION:
        raise ImportRefused(
            [("schema_version", f"{kind.schema_version!r} is not known; this reads version 2")]
        )


def _parsed(model: type[Model], data: bytes, where: str) -> Model:
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        faults = list(_told(error, where))
        more = len(faults) - MOST_FAULTS
        told = faults[:MOST_FAULTS]
        raise ImportRefused(told + ([("", f"and {more} more")] if more > 0 else [])) from None


def _told(error: ValidationError, where: str) -> Iterator[tuple[str, str]]:
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        if one["type"] == "json_invalid":
            yield where, f"this is not JSON: {one['msg'].removeprefix('Invalid JSON: ')}"
            continue
        place = ".".join(str(part) for part in one["loc"])
        message = one["msg"].removeprefix("Value error, ")
        yield ".".join(filter(None, (where, place))), message[:1].lower() + message[1:]


def schema() -> dict[str, Any]:
    """The JSON Schema of a file: a study's, or an interview's."""
    adapter: TypeAdapter[Any] = TypeAdapter(StudyFile | SessionFile)
    found = adapter.json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Export of adaptive interviews, version 2",
        **found,
    }
