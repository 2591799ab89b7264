"""Says what the interviewer of a transcript said, and has the answers read by the methodology."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from interviews.guards import AS_WRITTEN
from interviews.modes.base import Ask, Director, QuestionTask
from interviews.modes.common.reading import reading_tasks
from interviews.modes.transcript.models import TranscriptEvidence, TranscriptState
from interviews.turns.context import TurnView
from interviews.turns.contracts import Continuation, StrategySelection, Verdict
from interviews.turns.rationale import Rationale
from interviews.turns.result import TurnResult
from interviews.turns.state import SessionState
from methodologies.schema import MethodologySchema

STRATEGY: Final = "as_spoken"
READ: Final = "transcript_read"
"""Why such an interview ends."""
UNSAID: Final = "…"
"""Stands for the question before an answer that the transcript begins with."""


class TranscriptDirector(Director):
    """Chooses nothing: the next line is the interviewer's."""

    mode: ClassVar[str] = "transcript"

    def opening(self, context: TurnView) -> Ask:
        return _said(_lines(context.loaded.mode_state))

    def reading(self, context: TurnView) -> Sequence[QuestionTask]:
        return reading_tasks(context)

    def observe(self, context: TurnView) -> TranscriptState:
        return TranscriptState(lines=_lines(context.loaded.mode_state)[1:])

    def choose(self, context: TurnView) -> StrategySelection:
        return StrategySelection(
            strategy=STRATEGY,
            focus=None,
            focus_mode="topic",
            closing=False,
            left_alone=frozenset(),
            evidence=TranscriptEvidence(
                phase="reading", remaining=len(_lines(context.state.mode_state))
            ),
        )

    def proceed(self, context: TurnView) -> Continuation:
        lines = _lines(context.state.mode_state)
        return Continuation(
            verdict=Verdict.CONTINUE if lines else Verdict.END,
            reason="" if lines else READ,
            turns_remaining=len(lines),
            strategy=STRATEGY,
            focus=None,
        )

    def compose(self, context: TurnView) -> Ask:
        return _said(_lines(context.state.mode_state))

    def remember(self, context: TurnView) -> TranscriptState:
        before = context.loaded.mode_state if context.is_opening else context.state.mode_state
        return TranscriptState(lines=_lines(before))


def lines_left(*, max_turns: int, answered: int, state: SessionState) -> int:
    """One answer for each line that is still to be said."""
    kept = state.mode_state
    return len(kept.data.get("lines", ())) if kept else 0


def explanation(result: TurnResult, methodology: MethodologySchema | None) -> Rationale:
    """That nobody chose."""
    return Rationale(sentences=("People held this interview; its answers were read afterwards.",))


def _lines(state: object) -> tuple[str, ...]:
    return state.lines if isinstance(state, TranscriptState) else ()


def _said(lines: tuple[str, ...]) -> Ask:
    line = lines[0] if lines else UNSAID
    return Ask(text=line, profile=AS_WRITTEN, repeats=(line,), spoken=(line,))
