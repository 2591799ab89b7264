"""Who pays for a call, and who says whether a study may still spend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


class Payer(Protocol):
    """What the gateway needs to know of whom it calls for; a session's snapshot has it."""

    @property
    def study_id(self) -> str:
        """The study whose budget pays."""
        ...

    @property
    def llm_choice(self) -> Mapping[str, Any]:
        """The study's own choice of providers and models, empty for the settings."""
        ...


class Budget(Protocol):
    """Says whether a study may still spend."""

    def check(self, payer: Payer) -> None:
        """Raise LLMBudgetExceeded where nothing may be spent any more."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPays:
    """A study for which something is asked outside of any session."""

    study_id: str
    llm_choice: Mapping[str, Any] = field(default_factory=dict)


NOBODY = StudyPays(study_id="")
"""Pays for a check of the settings, which belongs to no study."""


class Unlimited:
    """The budget of calls that belong to no study."""

    def check(self, payer: Payer) -> None:
        """Nobody's budget is touched."""
