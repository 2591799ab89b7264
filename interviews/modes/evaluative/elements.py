"""The elements of a concept, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

FIRST, USUAL = 1, 2
"""Priorities: what comes first, and what holds where nothing is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """A part of the concept that respondents are to speak about.

    `connects_to` are ids of elements that it has to be connected to in the respondent's mind;
    `place` counts from 0 in the order of the file.
    """

    id: str
    label: str
    aliases: tuple[str, ...] = ()
    priority: int = USUAL
    connects_to: tuple[str, ...] = ()
    place: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The label and the aliases."""
        return (self.label, *self.aliases)


class WrittenElement(Protocol):
    """An element as a concept's file has it."""

    @property
    def id(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...
    @property
    def priority(self) -> int: ...
    @property
    def connects_to(self) -> tuple[str, ...]: ...


def elements_of(written: Sequence[WrittenElement]) -> tuple[Element, ...]:
    """The elements of a concept, in the order of its file."""
    return tuple(
        Element(
            id=element.id,
            label=element.label,
            aliases=element.aliases,
            priority=element.priority,
            connects_to=element.connects_to,
            place=place,
        )
        for place, element in enumerate(written)
    )
