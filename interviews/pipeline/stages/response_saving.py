"""Stage 9: the interviewer's utterance, as the commit will write it."""

from __future__ import annotations

from typing import ClassVar

from graphs.domain import new_id
from interviews.epilogue import flow
from interviews.epilogue.state import EpilogueState, Held
from interviews.modes.common.endings import TIME_USED_UP
from interviews.turns.context import TurnView
from interviews.turns.contracts import (
    ContinuationOutput,
    QuestionGenerationOutput,
    ResponseSavingOutput,
    Verdict,
)


class ResponseSavingStage:
    """Gives the question its id. Where the mode is done, or out of time, the epilogue asks."""

    name: ClassVar[str] = "response_saving"
    reads: ClassVar[tuple[type, ...]] = (QuestionGenerationOutput,)
    reads_answer: ClassVar[tuple[type, ...]] = (ContinuationOutput,)
    gives: ClassVar[type] = ResponseSavingOutput
    directs: ClassVar[tuple[str, ...]] = ()
    opens: ClassVar[bool] = True

    def run(self, context: TurnView) -> ResponseSavingOutput:
        step = None if context.is_opening else _epilogue(context)
        if step and step.says:
            return ResponseSavingOutput(
                utterance_id=new_id(),
                text=step.says.text,
                block=step.says.block,
                aside=True,
                epilogue=step.state,
            )
        asked = context.question
        return ResponseSavingOutput(
            utterance_id=new_id() if asked.question else None,
            text=asked.question,
            block=asked.block,
        )


def _epilogue(context: TurnView) -> flow.Step | None:
    """What the epilogue says in place of the mode's question, None where it has nothing to say."""
    session, asked = context.session, context.question
    plan, state = session.plan, session.epilogue or EpilogueState()
    if plan is None:
        return None
    if context.continuation.verdict is Verdict.END:
        return flow.close(state, plan, context.continuation.reason)
    goes_on = context.continuation.verdict is Verdict.CONTINUE and asked.question
    if not (goes_on and session.time_is_up and session.may_extend):
        return None
    block = asked.block.model_dump(mode="json") if asked.block else None
    return flow.offer(state, plan, Held(text=asked.question or "", block=block), TIME_USED_UP)
