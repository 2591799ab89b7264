"""Calls that a study makes outside of any interview: a plan, a file that is read, a summary."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import cast

from interviews.llm.budget import StudyPays
from interviews.llm.call_store import save_calls
from interviews.llm.errors import LLMError
from interviews.llm.gateway import Gateway
from interviews.llm.tasks.base import In, Out, Task
from interviews.models import Study
from interviews.turns.calls import CallLog, CallRecord
from interviews.turns.deadline import Deadline

SECONDS = 60.0
"""What a task may take in all; nobody waits in a chat for it."""


def ask_for(
    study: Study,
    task: Task[In, Out],
    inputs: In,
    *,
    gateway: Gateway,
    seconds: float = SECONDS,
    stand_in: bool = True,
    heard: Callable[[Iterable[CallRecord]], None] | None = None,
) -> Out:
    """Return a task's answer for a study, which pays for it within its budget.

    With `stand_in` the rules answer what no provider could, where they can. Every call is a row of
    the study, failed ones too, and `heard` is told of them: who answered is the last that is "ok".
    Raises LLMError where nobody answers.
    """
    log = CallLog()
    try:
        (reply,) = gateway.run_all(
            [(task, inputs)],
            payer=StudyPays(study_id=str(study.pk), llm_choice=study.llm_choice),
            log=log,
            deadline=Deadline(seconds, time.monotonic),
            stand_in=stand_in,
        )
        if isinstance(reply, LLMError):
            raise reply
        return cast("Out", reply)
    finally:
        records = list(log.drain())
        save_calls(records, study_id=study.pk)
        if heard:
            heard(records)
