"""JSON: everything a session left behind, in a versioned schema, streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from analytics.exports.source import ExportOptions, ExportSource
from analytics.records import SessionRecord
from interviews.explain.interpreter import entry_of, rationale_of
from interviews.models import LLMCall, Study, Turn
from interviews.record import readable_result_of
from methodologies.models import ConceptVersion, MethodologyVersion

NAME = "json"
CONTENT_TYPE = "application/json; charset=utf-8"
EXTENSION = "json"

SESSION_SCHEMA = "adaptive-interview/session"
STUDY_SCHEMA = "adaptive-interview/study"
SCHEMA_VERSION = 1


_NO_RECORD: Mapping[str, Any] = {
    "mode": "",
    "signals": {},
    "node_signals": {},
    "decomposition": [],
    "saturation": {},
    "result": {},
    "evidence": None,
}
"""A turn that has decided nothing, or whose record cannot be read."""


def write(source: ExportSource, options: ExportOptions) -> Iterator[bytes]:
    """One object for a session; for a study an object whose `sessions` hold one for each."""
    if source.study is None:
        for record in source.records():
            yield from _object(session_document(record))
        return
    head = {"schema": STUDY_SCHEMA, "schema_version": SCHEMA_VERSION, "study": _study(source.study)}
    yield _dumps(head)[:-1].encode() + b',"sessions":['
    for index, record in enumerate(source.records()):
        yield b"," if index else b""
        yield from _object(session_document(record))
    yield b"]}\n"


def session_document(record: SessionRecord) -> dict[str, Any]:
    """The whole of a session as JSON-ready values."""
    session, evidence = record.session, record.provenance
    return {
        "schema": SESSION_SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "session": {
            **_fields(
                session,
                "id status turn_count max_turns language seed simulated consented_at started_at "
                "ended_at termination_reason state node_tracker_state",
            ),
            "study": {"id": session.study_id, "slug": session.study.slug},
        },
        "study": _study(session.study),
        "versions": {
            "methodology": _version(session.methodology_version),
            "concept": _version(session.concept_version),
        },
        "utterances": [
            _fields(u, "id turn_number sequence speaker text block created_at")
            for u in record.utterances
        ],
        "nodes": [
            _fields(
                n,
                "id label node_type level stance confidence superseded_by_id first_turn created_at",
            )
            for n in record.nodes
        ],
        "edges": [
            _fields(e, "id source_id target_id edge_type confidence first_turn created_at")
            | {"provenance": evidence.get(e.pk, "")}
            for e in record.edges
        ],
        "mentions": [
            _fields(
                m,
                "id node_id edge_id utterance_id turn label quote start end tier similarity "
                "doubtful provenance probe_id",
            )
            for m in record.mentions
        ],
        "slots": [
            _fields(
                s,
                "id slot_name description node_type status support_count first_seen_turn "
                "promoted_turn",
            )
            for s in record.slots
        ],
        "mappings": [
            _fields(m, "node_id slot_id similarity assigned_turn") for m in record.mappings
        ],
        "canonical_edges": [
            {
                **_fields(e, "id source_id target_id edge_type"),
                "surface_edge_ids": list(record.support.get(e.pk, ())),
            }
            for e in record.canonical_edges
        ],
        "turns": [_turn(t) for t in record.turns],
        "llm_calls": [_call(c) for c in record.llm_calls],
    }


def _object(document: Mapping[str, Any]) -> Iterator[bytes]:
    """An object, one member at a time, so that a long interview is never one string."""
    for index, (key, value) in enumerate(document.items()):
        yield ("{" if index == 0 else ",").encode() + _dumps(key).encode() + b":"
        if isinstance(value, list):
            yield from _array(value)
        else:
            yield _dumps(value).encode()
    yield b"}"


def _array(values: Sequence[Any]) -> Iterator[bytes]:
    yield b"["
    for index, value in enumerate(values):
        yield (",\n" if index else "").encode() + _dumps(value).encode()
    yield b"]"


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)


def _plain(value: object) -> object:
    """Ids as text, times in ISO 8601, money as a number.

    Raises TypeError for anything else.
    """
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{type(value).__name__} has no JSON form here")


def _fields(row: object, names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names.split()}


def _study(study: Study) -> dict[str, Any]:
    return _fields(study, "id slug name mode status language max_turns created_at")


def _version(version: MethodologyVersion | ConceptVersion | None) -> dict[str, Any] | None:
    if version is None:
        return None
    return {
        "name": version.document.name,
        **_fields(version, "number checksum text"),
    }


def _turn(turn: Turn) -> dict[str, Any]:
    found: dict[str, Any] = _fields(
        turn,
        "id number status answer_id question_id attempt strategy focus_node_id focus_label phase "
        "continuation continuation_reason stage_ms latency_ms error created_at finished_at",
    )
    result = readable_result_of(turn)
    if result is None:
        return {**found, **_NO_RECORD}
    evidence, scores = result.evidence, rationale_of(result).scores
    return found | {
        "mode": result.mode,
        "signals": dict(evidence.figures()) if evidence else {},
        "node_signals": dict(evidence.node_figures()) if evidence else {},
        "decomposition": [entry_of(scored) for scored in scores.best] if scores else [],
        "saturation": result.saturation.model_dump() if result.saturation else {},
        "result": result.model_dump(mode="json", exclude={"evidence", "saturation"}),
        "evidence": evidence.model_dump(mode="json") if evidence else None,
    }


def _call(call: LLMCall) -> dict[str, Any]:
    return _fields(
        call,
        "id turn_id task role provider model prompt_hash tokens_in tokens_out tokens_cached "
        "cost_usd latency_ms attempts outcome created_at",
    )
