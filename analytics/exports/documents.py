"""A study and its interviews as JSON-ready values: what :mod:`analytics.interchange` reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final
from uuid import UUID

from analytics.coverage.documents import exported_coverage
from analytics.coverage.reading import read_if_tested
from analytics.exports.about import about
from analytics.exports.loaded import WholeRecord
from analytics.exports.source import ExportOptions, ExportSource, OneSession
from analytics.included import included
from analytics.notes.shown import memo_document, notes_document, study_memos
from graphs.models import Merge, Theme, ThemeMember
from interviews.explain.interpreter import entry_of, rationale_of
from interviews.models import BacklogQuestion, GuidePlan, Turn
from interviews.record import readable_result_of
from interviews.themes import renewal
from methodologies.models import DocumentVersion
from methodologies.registry import CONCEPT, GUIDE, METHODOLOGY, Kind

SESSION_SCHEMA: Final = "adaptive-interview/session"
STUDY_SCHEMA: Final = "adaptive-interview/study"
SCHEMA_VERSION: Final = 2

KINDS: Final = (METHODOLOGY, CONCEPT, GUIDE)
"""The documents that a study and an interview may have."""

STUDY = (
    "id slug name mode status language translations max_turns time_budget_minutes greeting "
    "researcher contact "
    "research_purpose retention withdrawal consent_text data_fields data_collection "
    "extension_minutes reward next_steps redirect_url dictation quota llm_choice enable_srl "
    "enable_canonical_slots enable_question_self_selection surface_similarity_threshold "
    "canonical_similarity_threshold canonical_min_support_nodes recruiting created_at"
)
SESSION = (
    "id status turn_count max_turns progress minutes_left last_sequence graph_version language "
    "seed simulated consented_at started_at ended_at termination_reason state epilogue segments "
    "node_tracker_state pasted marked"
)
SUMMARY = (
    "nodes edges chains active_slots saturation strategy_counts flags calls model_calls cost_usd"
)
UTTERANCE = "id turn_number sequence speaker text block aside client_message_id created_at"
TURN = (
    "id number status answer_id question_id attempt strategy focus_node_id focus_label phase "
    "continuation continuation_reason active_seconds stage_ms latency_ms error created_at "
    "finished_at"
)
NODE = "id label node_type level stance confidence superseded_by_id first_turn position created_at"
EDGE = "id source_id target_id edge_type confidence first_turn created_at"
MENTION = (
    "id node_id edge_id utterance_id turn label quote start end tier similarity doubtful "
    "provenance probe_id"
)
SLOT = "id slot_name description node_type status support_count first_seen_turn promoted_turn"
MAPPING = "node_id slot_id similarity assigned_turn"
CANONICAL_EDGE = "id source_id target_id edge_type"
CALL = (
    "id turn_id task role provider model prompt_hash tokens_in tokens_out tokens_cached cost_usd "
    "latency_ms attempts outcome stands_in_for created_at"
)
CORRECTION = (
    "id number follows act detail changes newest_turn graph_version made_by made_at undone_by "
    "undone_at"
)
ASKED = "question_id text about priority origin reference status answer confidence parent position"
QUESTION = f"{ASKED} made_turn closed_turn"
THEME = "id name description named node_type"
MEMBER = "slot_id similarity decided"
THEME_ACT = "number follows version kind before after made_by made_at undone_by undone_at"
FACT = "turn number question_id text confidence"


def head(source: ExportSource, options: ExportOptions) -> dict[str, Any]:
    """What stands before the interviews: which they are, and what their study is made of."""
    study = source.of_study
    revisions = list(study.revisions.order_by("number"))
    return {
        "schema": SESSION_SCHEMA if source.study is None else STUDY_SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "about": about(source, options),
        "filter": source.inclusion.query(),
        "options": [name for name in options.names if name != "bom"],
        "study": {
            **_fields(study, STUDY),
            **{kind.title: _ref(getattr(study, f"{kind.title}_version")) for kind in KINDS},
        },
        "documents": list(_documents(source, [one.data for one in revisions])),
        "revisions": [
            {**_fields(one, "number made_by made_at"), "data": _portable(one.data)}
            for one in revisions
        ],
        "plans": [
            _fields(one, "number signature data created_at")
            for one in GuidePlan.objects.filter(study=study).order_by("number")
        ],
        "memos": [
            memo_document(row)
            for row in study_memos(study)
            if row.memo.session_id is None and not options.pseudonymise
        ],
        "themes": [] if options.pseudonymise else list(_themes(source)),
        "theme_acts": []
        if options.pseudonymise
        else _all(Merge.objects.filter(study=study).order_by("number"), THEME_ACT),
        "backlog": [
            _fields(one, f"{ASKED} edited") for one in BacklogQuestion.objects.filter(study=study)
        ],
        "coverage": _coverage(source, options),
    }


def _coverage(source: ExportSource, options: ExportOptions) -> dict[str, Any] | None:
    """What a whole concept test says of each element; not where words are to be blanked."""
    if source.study is None or options.pseudonymise:
        return None
    reading = read_if_tested(source.study, source.inclusion)
    return exported_coverage(reading) if reading else None


def session_document(record: WholeRecord, options: ExportOptions) -> dict[str, Any]:
    """The whole of a session."""
    session, evidence = record.session, record.provenance
    support: dict[object, list[Any]] = {edge.pk: [] for edge in record.canonical_edges}
    for one in record.supports:
        support[one.canonical_edge_id].append(one)
    found = {
        "session": {
            **_fields(session, SESSION),
            "trial": record.is_trial,
            "revision": session.revision.number if session.revision else None,
            **{kind.title: _ref(getattr(session, f"{kind.title}_version")) for kind in KINDS},
        },
        "summary": _fields(record.summary, SUMMARY),
        "utterances": _all(record.utterances, UTTERANCE),
        "nodes": _all(record.nodes, NODE),
        "edges": [_fields(e, EDGE) | {"provenance": evidence.get(e.pk, "")} for e in record.edges],
        "mentions": _all(record.mentions, MENTION),
        "slots": _all(record.slots, SLOT),
        "mappings": _all(record.mappings, MAPPING),
        "canonical_edges": [
            {
                **_fields(e, CANONICAL_EDGE),
                "surface_edge_ids": [one.surface_edge_id for one in support[e.pk]],
                "support_ids": [one.pk for one in support[e.pk]],
            }
            for e in record.canonical_edges
        ],
        "turns": [_turn(t, trace=options.trace) for t in record.turns],
        "llm_calls": _all(record.llm_calls, CALL),
        "corrections": _all(record.corrections, CORRECTION),
        "questions": _all(record.questions, QUESTION),
        "facts": _all(record.facts, FACT),
        "handover_summary": record.handover_summary,
        "notes": None if options.pseudonymise else notes_document(record),
        "machine": _machine(record),
    }
    return found | ({"personal": dict(record.personal)} if record.personal else {})


def _machine(record: WholeRecord) -> dict[str, Any] | None:
    """What the machine read by itself, where corrections by people stand."""
    if record.machine is None:
        return None
    return {
        "nodes": [asdict(node) for node in record.machine.nodes.values()],
        "edges": [asdict(edge) for edge in record.machine.edges.values()],
    }


def _themes(source: ExportSource) -> Iterator[dict[str, Any]]:
    """The study's themes with the slots of these interviews that are in them, grouped first."""
    renewal.ensure(source.of_study.pk)
    found = ThemeMember.objects.filter(slot__session__in=_sessions(source)).order_by("slot")
    of: dict[UUID, list[ThemeMember]] = {}
    for member in found:
        of.setdefault(member.theme_id, []).append(member)
    for theme in Theme.objects.filter(pk__in=of).order_by("node_type", "name"):
        yield {**_fields(theme, THEME), "members": _all(of[theme.pk], MEMBER)}


def _fields(row: object, names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names.split()}


def _all(rows: Iterable[object], names: str) -> list[dict[str, Any]]:
    return [_fields(row, names) for row in rows]


def _ref(version: Any) -> dict[str, Any] | None:
    return {"name": version.document.name, "number": version.number} if version else None


def _documents(
    source: ExportSource, revisions: Iterable[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Every document that the study, its revisions or one of the interviews was led by."""
    told = list(revisions)
    for kind in KINDS:
        name = f"{kind.title}_version"
        used = {getattr(source.of_study, f"{name}_id"), *(one.get(name) for one in told)}
        used |= set(_sessions(source).values_list(f"{name}_id", flat=True).distinct())
        for version in _versions(kind).filter(pk__in=used - {None}):
            yield {
                "kind": kind.title,
                **_ref_of(version),
                **_fields(version, "checksum text shipped"),
            }


def _sessions(source: ExportSource) -> Any:
    if isinstance(source, OneSession):
        return type(source.session).objects.filter(pk=source.session.pk).order_by()
    return included(source.of_study, source.inclusion).order_by()


def _versions(kind: Kind) -> Any:
    rows = kind.version.objects  # type: ignore[attr-defined]
    return rows.select_related("document").order_by("document__name", "number")


def _ref_of(version: Any) -> dict[str, Any]:
    return {"name": version.document.name, "number": version.number}


def _portable(data: Mapping[str, Any]) -> dict[str, Any]:
    """A revision's content with its documents by name and number, for ids are of a database."""
    found = dict(data)
    for kind in KINDS:
        name = f"{kind.title}_version"
        version: DocumentVersion | None = _versions(kind).filter(pk=found.pop(name, None)).first()
        found[kind.title] = _ref(version)
    return found


def _turn(turn: Turn, *, trace: bool) -> dict[str, Any]:
    """A turn with its record; what its choice rested on only where it was asked for."""
    found: dict[str, Any] = _fields(turn, TURN)
    result = readable_result_of(turn)
    if result is None:
        return {**found, "mode": "", "result": {}, **(_NO_TRACE if trace else {})}
    found |= {
        "mode": result.mode,
        "result": result.model_dump(mode="json", exclude={"evidence"}),
    }
    if not trace:
        return found
    evidence, scores = result.evidence, rationale_of(result).scores
    return found | {
        "signals": dict(evidence.figures()) if evidence else {},
        "node_signals": dict(evidence.node_figures()) if evidence else {},
        "decomposition": [entry_of(scored) for scored in scores.best] if scores else [],
        "evidence": evidence.model_dump(mode="json") if evidence else None,
    }


_NO_TRACE: Final[Mapping[str, Any]] = {
    "signals": {},
    "node_signals": {},
    "decomposition": [],
    "evidence": None,
}
"""A turn that has decided nothing, or whose record cannot be read."""
