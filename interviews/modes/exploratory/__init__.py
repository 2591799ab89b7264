"""The exploratory mode: signals and weights decide which node to ask about next, and how."""

from __future__ import annotations

from interviews.modes.base import Mode
from interviews.modes.exploratory.director import ExploratoryDirector
from interviews.modes.exploratory.evidence import ExploratoryEvidence
from interviews.modes.exploratory.explanation import explain
from interviews.modes.exploratory.state import ExploratoryState

MODE = Mode(
    name="exploratory",
    label="Exploratory",
    purpose="Follow what is said, and ask on where the methodology finds most to learn.",
    director=ExploratoryDirector,
    evidence=ExploratoryEvidence,
    state=ExploratoryState,
    explanation=explain,
)
