"""Stage 9: the interviewer's utterance, as the commit will write it."""

from __future__ import annotations

from typing import ClassVar

from graphs.domain import new_id
from interviews.turns.context import TurnView
from interviews.turns.contracts import QuestionGenerationOutput, ResponseSavingOutput


class ResponseSavingStage:
    """Gives the question its id; there is none where the interview ends."""

    name: ClassVar[str] = "response_saving"
    reads: ClassVar[tuple[type, ...]] = (QuestionGenerationOutput,)
    reads_answer: ClassVar[tuple[type, ...]] = ()
    gives: ClassVar[type] = ResponseSavingOutput
    directs: ClassVar[tuple[str, ...]] = ()
    opens: ClassVar[bool] = True

    def run(self, context: TurnView) -> ResponseSavingOutput:
        asked = context.question
        return ResponseSavingOutput(
            utterance_id=new_id() if asked.question else None,
            text=asked.question,
            block=asked.block,
        )
