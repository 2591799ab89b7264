"""What a choice of a handover interview rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from interviews.modes.handover.state import SelectedBy
from interviews.turns.evidence import Evidence
from methodologies.signals.base import Value


class HandoverEvidence(Evidence):
    """The question that was answered, what the answer told, and which comes next.

    `selected_by` says who had selected the answered question, `next_by` who the next one.
    """

    mode: Literal["handover"] = "handover"
    round: int
    question_id: str
    raw_question: str
    selected_by: SelectedBy
    closed: str
    facts: tuple[str, ...]
    confidence: float | None
    follow_up: str | None
    discovered: tuple[str, ...]
    remaining: int
    next_id: str
    next_by: SelectedBy

    def figures(self) -> Mapping[str, Value]:
        """How complete the answer was."""
        return {} if self.confidence is None else {"handover.confidence": self.confidence}
