"""Dispatches each task to the module that answers it by rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from interviews.llm.providers.offline.fixed import writes
from interviews.llm.providers.offline.wording import reads
from interviews.llm.tasks.base import In, Out, Task
from interviews.llm.tasks.extraction import ExtractionInputs
from interviews.llm.tasks.guided_plan import GUIDED_PLAN
from interviews.llm.tasks.guided_question import (
    GUIDED_QUESTION,
    GUIDED_QUESTION_AGAIN,
    GUIDED_QUESTION_ONLY,
)
from interviews.llm.tasks.questions import (
    CLOSING_QUESTION,
    FOLLOW_UP_QUESTION,
    OPENING_QUESTION,
    QUESTION_REPAIR,
)

Rule = Callable[[Any], Any]
"""Takes a task's inputs and returns its output; deterministic, without side effects."""

WORDED = frozenset(
    task.name
    for task in (
        *(OPENING_QUESTION, FOLLOW_UP_QUESTION, CLOSING_QUESTION, QUESTION_REPAIR),
        *(GUIDED_PLAN, GUIDED_QUESTION, GUIDED_QUESTION_AGAIN, GUIDED_QUESTION_ONLY),
    )
)
"""Tasks whose rules write every language that fixed questions are written in."""

PACKAGE = "interviews.llm.providers.offline"


class NoRuleError(LookupError):
    """No offline rule answers this task."""


@cache
def load_rules() -> Mapping[str, Rule]:
    """Collect the `RULES` of every module of this package by task name, sorted.

    Raises ValueError where two modules claim the same task.
    """
    rules: dict[str, Rule] = {}
    for info in sorted(iter_modules(import_module(PACKAGE).__path__), key=lambda m: m.name):
        module = import_module(f"{PACKAGE}.{info.name}")
        for name, rule in getattr(module, "RULES", {}).items():
            if name in rules:
                raise ValueError(f"two offline rules answer the task {name!r}")
            rules[name] = rule
    return dict(sorted(rules.items()))


class OfflineProvider:
    """Answers tasks by rules. The same inputs always give the same output."""

    name = "offline"

    def complete(self, task: Task[In, Out], inputs: In) -> Out:
        """Answer one task, validated as a model's answer would be.

        Raises NoRuleError for a task that has no offline rule.
        """
        rule = load_rules().get(task.name)
        if rule is None:
            raise NoRuleError(f"the offline provider has no rule for the task {task.name!r}")
        answer, output = rule(inputs), task.output_for(inputs)
        return output.model_validate(
            answer.model_dump() if isinstance(answer, task.output) else answer
        )

    def stand_in(self, task: Task[In, Out], inputs: In) -> Out | None:
        """Answer in a model's place.

        In a language that the rules do not read, questions are fixed ones, where there are any, and
        of an answer only how it was meant is heard: a wish to stop, a refusal. None for a task
        without a rule.
        """
        language = getattr(inputs, "language", "en")
        known = reads(language) or isinstance(inputs, ExtractionInputs)
        worded = writes(language) and task.name in WORDED
        if (known or worded) and task.name in load_rules():
            return self.complete(task, inputs)
        return None
