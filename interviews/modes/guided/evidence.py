"""What a choice of a guided interview rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from interviews.modes.guided.signal import Band
from interviews.modes.guided.state import Aim, Phase, Status
from interviews.turns.evidence import Evidence
from methodologies.signals.base import Value


class GuidedEvidence(Evidence):
    """What was heard, which row of the table acted, and what is asked next.

    `phase` is that of the next question, `heard_in` that of the answered one; `base`, `used` and
    `most` are the budget of the topic that was answered about; `turn_in_topic` counts questions of
    the next question's topic. `donor` gave the bonus turn. `remaining_seconds` may be negative.
    """

    mode: Literal["guided"] = "guided"
    heard_in: Phase
    row: str
    status: Status
    topic: str
    topic_label: str
    about: str
    turn_in_topic: int
    turns_used: int
    base: int
    most: int
    score: float
    band: Band
    bonus: bool
    donor: str | None
    aim: Aim
    sub_goal: str | None
    follows: str
    sub_goals_left: int
    remaining_seconds: int

    def figures(self) -> Mapping[str, Value]:
        """The answer's score."""
        return {"guided.score": self.score}
