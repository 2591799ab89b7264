"""The handover mode: a colleague who leaves is asked about what their files leave open."""

from __future__ import annotations

from interviews.modes.base import Defaults, Mode, ModeStore, Need, Needs
from interviews.modes.handover.director import HandoverDirector
from interviews.modes.handover.evidence import HandoverEvidence
from interviews.modes.handover.state import HandoverState
from interviews.modes.handover.telling import explain, panel, session_fields, turn_fields
from interviews.turns.state import SessionState


def _store() -> ModeStore:
    from interviews.modes.handover.store import QuestionStore

    return QuestionStore()


def rounds_left(*, max_turns: int, answered: int, state: SessionState) -> int:
    """As many as `max_turns` leaves of rounds: a question put in other words uses none."""
    kept = state.mode_state
    rounds = int(kept.data.get("rounds", 0)) if kept else 0
    return max(max_turns - rounds, 0)


MODE = Mode(
    name="handover",
    label="Handover",
    purpose="Read a leaving colleague's files and ask about what they never wrote down.",
    director=HandoverDirector,
    evidence=HandoverEvidence,
    state=HandoverState,
    needs=Needs(methodology=Need.REQUIRED, concept=Need.NONE, guide=Need.NONE),
    defaults=Defaults(
        max_turns=10, methodology="knowledge_transfer", slots=False, rating=False, offers_time=False
    ),
    answers_left=rounds_left,
    store=_store,
    explanation=explain,
    panel=panel,
    turn_fields=turn_fields,
    session_fields=session_fields,
)
