"""How much of a task's prompt stays the same from call to call: what providers may keep."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from interviews.llm.schemas import portable_schema
from interviews.llm.tasks import load_tasks
from interviews.llm.tasks.base import USER_MARK, Role, Task, TaskModel, prompt_text, render

KEPT_FROM: Final = 1_024
"""Tokens from which most models of Anthropic and OpenAI keep a prefix; some only from 4,096."""
CHARACTERS_A_TOKEN: Final = 4
"""The providers' own rule of thumb for English."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """What of a task's prompt comes first and stays: its schema and its system text.

    `tokens` are estimated, `cached` says whether they are enough for most models.
    """

    task: str
    role: Role
    tokens: int
    cached: bool

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def prefixes(typical: Mapping[str, TaskModel]) -> Iterator[Prefix]:
    """Every task's prefix, the longest first.

    `typical` has, by task, inputs of an interview where the system text is made of more than its
    file; of the others the file counts as it is.
    """
    found = (_prefix(task, typical.get(name)) for name, task in load_tasks().items())
    yield from sorted(found, key=lambda one: (-one.tokens, one.task))


def _prefix(task: Task[Any, TaskModel], inputs: TaskModel | None) -> Prefix:
    if inputs is None:
        system, asked = prompt_text(task.prompt).partition(USER_MARK)[0], task.output
    else:
        system, asked = render(task, inputs).system, task.asked_for(inputs)
    tokens = (len(system) + len(json.dumps(portable_schema(asked)))) // CHARACTERS_A_TOKEN
    return Prefix(task=task.name, role=task.role, tokens=tokens, cached=tokens >= KEPT_FROM)
