"""What a turn of a handover interview is loaded with: the files' brief and the open questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from interviews.modes.handover.questions import Origin, Priority


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionQuestion:
    """A question as the interview has it, in the order of `position`; see the model's own words."""

    question_id: str
    text: str
    about: str = ""
    priority: Priority = "P1"
    origin: Origin = "FILE"
    reference: tuple[Mapping[str, Any], ...] = ()
    status: str = "OPEN"
    parent: str = ""
    position: int = 0

    @property
    def is_open(self) -> bool:
        return self.status == "OPEN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The files as far as a turn needs them, and every question of the interview."""

    questions: tuple[SessionQuestion, ...]
    summary: str = ""
    corpus: str = ""
    names: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()
    """Texts of the study's other questions, so that none of them is discovered once more."""

    def get(self, question_id: str) -> SessionQuestion | None:
        """The question of this id."""
        return next((q for q in self.questions if q.question_id == question_id), None)
