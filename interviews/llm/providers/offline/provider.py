"""Dispatches each task to the module that answers it by rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from interviews.acts.rules import heard_in
from interviews.llm.providers.offline.wording import speaks
from interviews.llm.tasks.base import In, Out, Task
from interviews.llm.tasks.extraction import ExtractionInputs

Rule = Callable[[Any], Any]
"""Takes a task's inputs and returns its output; deterministic, without side effects."""

PACKAGE = "interviews.llm.providers.offline"


def nothing_read(inputs: ExtractionInputs) -> dict[str, Any]:
    """An extraction of an answer whose language is not read; how it was meant may be heard."""
    nothing = {"extractable": False, "reason": f"the rules do not read {inputs.language}"}
    heard = (
        heard_in(inputs.answer, inputs.language, inputs.question).model_dump()
        if inputs.hears
        else {}
    )
    return nothing | heard


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
        """Answer in a model's place, in the languages that the rules read and write.

        In another one no question is worded, and of an answer only how it was meant is read: a wish
        to stop, a refusal. None for a task without a rule, too.
        """
        language = getattr(inputs, "language", "en")
        if speaks(language):
            return self.complete(task, inputs) if task.name in load_rules() else None
        if isinstance(inputs, ExtractionInputs):
            return task.output_for(inputs).model_validate(nothing_read(inputs))
        return None
