"""The evaluative mode: a concept is shown, and what respondents make of each of its elements."""

from __future__ import annotations

from interviews.modes.base import Defaults, Mode, Need, Needs
from interviews.modes.evaluative.director import EvaluativeDirector
from interviews.modes.evaluative.evidence import EvaluativeEvidence
from interviews.modes.evaluative.state import EvaluativeState
from interviews.modes.evaluative.telling import explain, panel, session_fields, turn_fields

MODE = Mode(
    name="evaluative",
    label="Concept test",
    purpose="Show a concept, and hear what respondents make of each of its elements.",
    director=EvaluativeDirector,
    evidence=EvaluativeEvidence,
    state=EvaluativeState,
    needs=Needs(methodology=Need.REQUIRED, concept=Need.REQUIRED, stimulus=True),
    defaults=Defaults(max_turns=20, slots=False, rating=False),
    explanation=explain,
    panel=panel,
    turn_fields=turn_fields,
    session_fields=session_fields,
)
