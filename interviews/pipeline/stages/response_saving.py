"""Stage 9: the interviewer's utterance, as the commit will write it."""

from __future__ import annotations

from typing import ClassVar

from graphs.domain import new_id
from interviews.turns.context import TurnContext
from interviews.turns.contracts import QuestionGenerationOutput, ResponseSavingOutput


class ResponseSavingStage:
    """Gives the question its id; there is none where the interview ends."""

    name: ClassVar[str] = "response_saving"
    reads: ClassVar[tuple[type, ...]] = (QuestionGenerationOutput,)
    reads_answer: ClassVar[tuple[type, ...]] = ()
    gives: ClassVar[type] = ResponseSavingOutput
    opens: ClassVar[bool] = True

    def run(self, context: TurnContext) -> ResponseSavingOutput:
        text = context.question.question
        return ResponseSavingOutput(utterance_id=new_id() if text else None, text=text)
