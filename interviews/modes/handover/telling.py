"""What analysts and scripts are told of a handover interview."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from interviews.modes.base import Panel
from interviews.modes.handover.evidence import HandoverEvidence
from interviews.modes.handover.state import HandoverState
from interviews.turns.rationale import Rationale
from interviews.turns.result import TurnResult
from methodologies.schema import MethodologySchema

_BY = {
    "model": "the model selected it",
    "only": "it was the only one left",
    "fallback": "it came first by rule: follow-ups, then P0, then what is nearest",
}


def explain(result: TurnResult, methodology: MethodologySchema | None) -> Rationale:
    """Why this question: what the answer closed, what it left open, who selected."""
    found = result.evidence
    if not isinstance(found, HandoverEvidence):
        return Rationale(sentences=("A handover interview opens with its most urgent question.",))
    return Rationale(sentences=tuple(_sentences(found)))


def _sentences(found: HandoverEvidence) -> Iterator[str]:
    if not found.closed:
        yield "The question stays open and is put in other words, or the interview was ended."
    else:
        sure = f" with confidence {found.confidence:g}" if found.confidence is not None else ""
        yield f"The question {found.question_id} became {found.closed}{sure}."
    if found.follow_up:
        yield f'The answer left something open: "{found.follow_up}" was added.'
    if found.discovered:
        yield f"{len(found.discovered)} new questions came up in the answer."
    if found.next_id:
        yield f"{found.next_id} is asked next: {_BY[found.next_by]}. {found.remaining} remain."


def panel(state: HandoverState, evidence: Sequence[HandoverEvidence]) -> Panel:
    """A row a round: what was asked, what became of it, what was told; then the backlog left."""
    rows = [
        (f"{found.round}. {found.raw_question}", _became(found))
        for found in evidence
        if found.closed
    ]
    if evidence:
        left = evidence[-1].remaining
        rows.append(("Backlog", f"{left} question{'' if left == 1 else 's'} left to ask"))
    return Panel(title="Rounds and facts", rows=tuple(rows))


def _became(found: HandoverEvidence) -> str:
    told = [found.closed.replace("_", " ").lower(), f"{len(found.facts)} facts"]
    if found.confidence is not None:
        told.append(f"confidence {found.confidence:g}")
    return " · ".join([*told, *(f"“{fact}”" for fact in found.facts)])


def turn_fields(result: TurnResult) -> Mapping[str, Any]:
    """The turn's `handover`, for scripts."""
    found = result.evidence
    if not isinstance(found, HandoverEvidence):
        return {}
    return {
        "handover": {
            "round": found.round,
            "question_id": found.question_id,
            "raw_question": found.raw_question,
            "remaining": found.remaining,
            "selected_by": found.selected_by,
            "facts": list(found.facts),
            "confidence": found.confidence,
            "follow_up": found.follow_up,
            "discovered": list(found.discovered),
        }
    }


def session_fields(state: HandoverState) -> Mapping[str, Any]:
    """Where the interview stands."""
    return {"current_step": "interview_loop", "rounds": state.rounds}
