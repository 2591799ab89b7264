"""Stage 2: the answer, already safe in the database since it was accepted."""

from __future__ import annotations

from typing import ClassVar

from interviews.errors import PipelineOrderError
from interviews.turns.context import TurnView
from interviews.turns.contracts import UtteranceSavingOutput


class UtteranceSavingStage:
    """Hands on the utterance that acceptance stored."""

    name: ClassVar[str] = "utterance_saving"
    reads: ClassVar[tuple[type, ...]] = ()
    reads_answer: ClassVar[tuple[type, ...]] = ()
    gives: ClassVar[type] = UtteranceSavingOutput
    directs: ClassVar[tuple[str, ...]] = ()
    opens: ClassVar[bool] = False

    def run(self, context: TurnView) -> UtteranceSavingOutput:
        if context.answer is None:
            raise PipelineOrderError(f"turn {context.job.number} has no accepted answer")
        return UtteranceSavingOutput(utterance_id=context.answer.id, text=context.answer.text)
