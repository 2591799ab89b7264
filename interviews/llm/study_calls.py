"""Calls that a study makes outside of any interview: a plan, a file that is read, a summary."""

from __future__ import annotations

import time

from interviews.llm.budget import StudyPays
from interviews.llm.call_store import save_calls
from interviews.llm.gateway import Gateway
from interviews.llm.tasks.base import In, Out, Task
from interviews.models import Study
from interviews.turns.calls import CallLog
from interviews.turns.deadline import Deadline

SECONDS = 60.0
"""What a task may take in all; nobody waits in a chat for it."""


def ask_for(
    study: Study, task: Task[In, Out], inputs: In, *, gateway: Gateway, seconds: float = SECONDS
) -> Out:
    """Return a task's answer for a study, which pays for it within its budget.

    Every call is a row of the study, failed ones too. Raises LLMError where nobody answers.
    """
    log = CallLog()
    try:
        return gateway.run(
            task,
            inputs,
            payer=StudyPays(study_id=str(study.pk), llm_choice=study.llm_choice),
            log=log,
            deadline=Deadline(seconds, time.monotonic),
        )
    finally:
        save_calls(log.drain(), study_id=study.pk)
