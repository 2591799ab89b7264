"""The guided mode: a topic guide, elastic budgets of turns, an offer to go deeper."""

from __future__ import annotations

from interviews.modes.base import Defaults, Mode, ModeStore, Need, Needs
from interviews.modes.guided.director import GuidedDirector
from interviews.modes.guided.evidence import GuidedEvidence
from interviews.modes.guided.state import GuidedState
from interviews.modes.guided.telling import (
    answers_left,
    explain,
    panel,
    session_fields,
    turn_fields,
)


def _store() -> ModeStore:
    from interviews.modes.guided.store import PlanStore

    return PlanStore()


MODE = Mode(
    name="guided",
    label="Guided",
    purpose="Cover the topics of a guide in a fixed time, and dig where answers are rich.",
    director=GuidedDirector,
    evidence=GuidedEvidence,
    state=GuidedState,
    needs=Needs(methodology=Need.REQUIRED, concept=Need.OPTIONAL, guide=Need.REQUIRED),
    defaults=Defaults(
        offers_time=False,  # it has an offer of its own
        max_turns=60,
        most_turns=200,
        methodology="topic_guide",
        slots=False,
        rating=False,
    ),
    answers_left=answers_left,
    store=_store,
    explanation=explain,
    panel=panel,
    turn_fields=turn_fields,
    session_fields=session_fields,
)
