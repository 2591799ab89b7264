"""The transcript mode: an interview that people held, read answer by answer as any other."""

from __future__ import annotations

from interviews.modes.base import Defaults, Mode, Need, Needs
from interviews.modes.transcript.director import TranscriptDirector, explanation, lines_left
from interviews.modes.transcript.models import TranscriptEvidence, TranscriptState

MODE = Mode(
    name="transcript",
    label="Transcript",
    purpose="Read interviews that people held, as manage.py import takes them in.",
    director=TranscriptDirector,
    evidence=TranscriptEvidence,
    state=TranscriptState,
    needs=Needs(methodology=Need.REQUIRED, concept=Need.OPTIONAL),
    defaults=Defaults(max_turns=60, most_turns=200, offers_time=False),
    answers_left=lines_left,
    explanation=explanation,
)
