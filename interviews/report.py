"""One interview as plain data: what the command line prints and scripts read."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from graphs import store as graph_store
from graphs.domain import SessionGraph
from graphs.provenance import by_edge
from interviews import epilogues
from interviews.epilogue.words import words
from interviews.explain.interpreter import entry_of, rationale_of, weighed_entry
from interviews.models import LLMCall, Session, Turn, Utterance
from interviews.modes.base import ReportingStore
from interviews.modes.registry import modes, read_state, store_of
from interviews.record import readable_result_of
from interviews.turns.rationale import Rationale
from interviews.turns.result import TurnResult
from interviews.turns.state import SessionState
from interviews.wording.languages import DEFAULT

TOP_CANDIDATES = 5


def session_report(session: Session) -> dict[str, Any]:
    """Return the interview with every turn's decision and both graphs; names are stable."""
    spoken = list(Utterance.objects.filter(session=session).order_by("sequence"))
    utterances = [utterance for utterance in spoken if not utterance.aside]
    questions = {u.turn_number: u.text for u in utterances if u.speaker == "interviewer"}
    blocks = {u.turn_number: u.block for u in utterances}
    answers = {u.turn_number: u.text for u in utterances if u.speaker == "respondent"}
    calls: dict[object, int] = {}
    for turn_id in LLMCall.objects.filter(session=session).values_list("turn_id", flat=True):
        calls[turn_id] = calls.get(turn_id, 0) + 1
    graph = graph_store.load_session_graph(session.pk)
    turns = Turn.objects.filter(session=session, number__gte=1).order_by("number")
    return {
        **_of_mode(session),
        "session": str(session.pk),
        "study": session.study.slug,
        "mode": session.study.mode,
        "methodology": str(session.methodology_version) if session.methodology_version else None,
        "concept": str(session.concept_version) if session.concept_version else None,
        "status": session.status,
        "termination_reason": session.termination_reason,
        "opening": questions.get(0, ""),
        "opening_block": blocks.get(0),
        "turns": [
            turn_report(
                turn,
                question=questions.get(turn.number),
                block=blocks.get(turn.number),
                answer=answers.get(turn.number, ""),
                llm_calls=calls.get(turn.pk, 0),
            )
            for turn in turns
        ],
        "data_collection": {
            **epilogues.report(session),
            "said": [
                {"speaker": u.speaker, "text": _aside(u, session.language), "block": u.block}
                for u in spoken
                if u.aside
            ],
        },
        "segments": session.segments,
        "graph": graph_report(graph),
        "canonical_graph": canonical_report(graph),
    }


def _aside(said: Utterance, language: str) -> str:
    """What was said beside the turns; scripts read of every value the same, whatever language."""
    apart = said.text == words(language, "apart")
    return words(DEFAULT, "apart") if apart else said.text


def _of_mode(session: Session) -> dict[str, Any]:
    """What the mode tells of the whole interview; nothing where it is not there any more."""
    mode = modes().get(session.study.mode)
    if mode is None or not session.state:
        return {}
    store = store_of(mode.name)
    told = dict(store.report(str(session.pk))) if isinstance(store, ReportingStore) else {}
    if mode.session_fields is not None:
        stored = SessionState.model_validate(session.state).mode_state
        told |= mode.session_fields(read_state(mode.name, stored))
    return told


def turn_report(
    turn: Turn,
    *,
    question: str | None,
    block: dict[str, Any] | None,
    answer: str,
    llm_calls: int,
) -> dict[str, Any]:
    """One turn: answer n, what it added, and the question that was asked after it."""
    result = readable_result_of(turn) or TurnResult(mode=turn.session.study.mode, turn=turn.number)
    evidence, rationale = result.evidence, rationale_of(result)
    mode = modes().get(result.mode)
    return {
        **(mode.turn_fields(result) if mode and mode.turn_fields else {}),
        "number": turn.number,
        "status": turn.status,
        "question": question,
        "block": block,
        "answer": answer,
        "strategy": turn.strategy,
        "focus": (
            {
                "node_id": str(turn.focus_node_id) if turn.focus_node_id else None,
                "label": turn.focus_label,
            }
            if turn.focus_label
            else None
        ),
        "act": result.heard.act if result.heard else None,
        "leads": [lead.model_dump() for lead in result.heard.leads] if result.heard else [],
        "nodes_added": [node.model_dump() for node in result.nodes_added],
        "edges_added": [edge.model_dump(exclude={"id"}) for edge in result.edges_added],
        "merges": [merge.model_dump(exclude={"into_id"}) for merge in result.merges],
        "slots": result.slots.model_dump(mode="json"),
        "signals": dict(evidence.figures()) if evidence else {},
        "candidates": _candidates(rationale),
        "phase": turn.phase,
        "continuation": {"verdict": turn.continuation, "reason": turn.continuation_reason},
        "dropped": [drop.model_dump() for drop in result.dropped],
        "degraded": [asdict(failed) for failed in result.degraded],
        "evidence": evidence.model_dump(mode="json") if evidence else None,
        "llm_calls": llm_calls,
        "ms": turn.latency_ms,
    }


def _candidates(rationale: Rationale) -> list[dict[str, Any]]:
    """The first candidates of a choice by score; all of one by multiplication, which are few."""
    if rationale.weighed:
        return [weighed_entry(found) for found in rationale.weighed]
    scores = rationale.scores
    return [entry_of(found) for found in scores.best[:TOP_CANDIDATES]] if scores else []


def graph_report(graph: SessionGraph) -> dict[str, Any]:
    """The surface graph: live nodes with their quotes, live edges by their labels."""
    evidence = by_edge((mention.edge_id, mention.provenance) for mention in graph.mentions)
    return {
        "nodes": [
            {
                "id": node.id,
                "label": node.label,
                "node_type": node.node_type,
                "level": node.level,
                "stance": node.stance,
                "first_turn": node.first_turn,
                "mentions": [
                    {"quote": m.quote, "turn": m.turn, "start": m.start, "end": m.end}
                    | ({"doubtful": True} if m.doubtful else {})
                    for m in graph.mentions
                    if m.node_id == node.id
                ],
            }
            for node in graph.live_nodes()
        ],
        "edges": [
            {
                "source": graph.nodes[edge.source_id].label,
                "target": graph.nodes[edge.target_id].label,
                "source_id": edge.source_id,
                "target_id": edge.target_id,
                "edge_type": edge.edge_type,
                "first_turn": edge.first_turn,
                "provenance": evidence.get(edge.id),
            }
            for edge in graph.live_edges()
        ],
    }


def canonical_report(graph: SessionGraph) -> dict[str, Any]:
    """The canonical graph: slots with the nodes mapped to them, and edges by slot name."""
    members: dict[str, list[str]] = {}
    for mapping in graph.mappings.values():
        members.setdefault(mapping.slot_id, []).append(graph.nodes[mapping.node_id].label)
    return {
        "slots": [
            {
                "name": slot.slot_name,
                "description": slot.description,
                "node_type": slot.node_type,
                "status": slot.status,
                "support_count": slot.support_count,
                "nodes": members.get(slot.id, []),
            }
            for slot in graph.slots.values()
        ],
        "edges": [
            {
                "source": graph.slots[edge.source_slot_id].slot_name,
                "target": graph.slots[edge.target_slot_id].slot_name,
                "edge_type": edge.edge_type,
                "support_count": edge.support_count,
            }
            for edge in graph.canonical_edges.values()
        ],
    }
