"""Language-model tasks: one module each, found by an explicit walk of this package."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from interviews.llm.tasks.base import Task


class DuplicateTaskError(ValueError):
    """Two tasks carry the same name."""


def register(tasks: list[Task[Any, Any]]) -> Mapping[str, Task[Any, Any]]:
    """Return `tasks` by name. Raises DuplicateTaskError where two different tasks share one."""
    found: dict[str, Task[Any, Any]] = {}
    for task in tasks:
        if task.name in found and found[task.name] is not task:
            raise DuplicateTaskError(f"two tasks are named {task.name!r}")
        found[task.name] = task
    return found


def load_tasks() -> Mapping[str, Task[Any, Any]]:
    """Import every module of this package and return its tasks by name, sorted.

    Raises DuplicateTaskError where two different tasks share a name.
    """
    tasks: list[Task[Any, Any]] = []
    for module in sorted(walk_packages(__path__, f"{__name__}."), key=lambda m: m.name):
        members = vars(import_module(module.name)).values()
        tasks.extend(member for member in members if isinstance(member, Task))
    return dict(sorted(register(tasks).items()))
