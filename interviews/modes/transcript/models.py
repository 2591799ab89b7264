"""What the mode keeps, and what its choices rest on."""

from __future__ import annotations

from typing import Literal

from interviews.turns.evidence import Evidence
from interviews.turns.state import ModeState


class TranscriptState(ModeState):
    """What the interviewer says before each answer that is still to be read, in order."""

    lines: tuple[str, ...] = ()


class TranscriptEvidence(Evidence):
    """Nothing was chosen: the interviewer went on as the transcript has it."""

    mode: Literal["transcript"] = "transcript"
    remaining: int
