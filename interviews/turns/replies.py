"""What the tasks of stage 3 came to, by task."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from pydantic import BaseModel

Out_co = TypeVar("Out_co", bound=BaseModel, covariant=True)
Out = TypeVar("Out", bound=BaseModel)
Model = TypeVar("Model", bound=BaseModel)


class Asked(Protocol[Out_co]):
    """A task, as far as its reply is concerned."""

    @property
    def name(self) -> str:
        """The task's name, unique among tasks."""
        ...

    @property
    def output(self) -> type[Out_co]:
        """The model of its reply."""
        ...


class Replies:
    """The outputs of one turn's reading tasks, or the errors of those that failed."""

    __slots__ = ("_by_task",)

    def __init__(self, replies: Iterable[tuple[str, BaseModel | Exception]] = ()) -> None:
        self._by_task: dict[str, list[BaseModel | Exception]] = {}
        for name, reply in replies:
            self._by_task.setdefault(name, []).append(reply)

    def get(self, task: Asked[Out]) -> Out | None:
        """The output of a task, None where it was not asked or failed; the first of several."""
        return next(iter(self.every(task)), None)

    def every(self, task: Asked[Out]) -> list[Out]:
        """All outputs of a task that was asked several times, in the order of asking."""
        found = self._by_task.get(task.name, ())
        return [reply for reply in found if isinstance(reply, task.output)]

    def of(self, kind: type[Model]) -> Model | None:
        """The first output of a kind, of whichever task; None where there is none."""
        found = (reply for replies in self._by_task.values() for reply in replies)
        return next((reply for reply in found if isinstance(reply, kind)), None)

    def error(self, task: Asked[BaseModel]) -> Exception | None:
        """Why a task failed, None where it did not or was not asked."""
        found = self._by_task.get(task.name, ())
        return next((reply for reply in found if isinstance(reply, Exception)), None)


NO_REPLIES = Replies()
"""Where nothing was asked."""
