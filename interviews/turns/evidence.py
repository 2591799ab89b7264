"""What a choice rests on, as its mode tells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from methodologies.signals.base import Value

if TYPE_CHECKING:
    from interviews.turns.context import TurnView


class Evidence(BaseModel):
    """Base of every mode's evidence: what stage 6 chose from, told once and stored with the turn.

    A mode's model narrows `mode` to a literal, its own name, by which stored evidence finds its
    model again (:func:`interviews.modes.registry.read_evidence`). `phase` is where the interview
    stands, in the mode's own words, at most 40 characters; it is shown beside each turn. The model
    goes through JSON and back without loss: `model_validate(e.model_dump(mode="json")) == e`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    mode: str
    phase: str = Field(default="", max_length=40)

    def figures(self) -> Mapping[str, Value]:
        """What was measured of the whole interview in this turn, by the measure's name."""
        return {}

    def node_figures(self) -> Mapping[str, Mapping[str, Value]]:
        """What was measured of each live node in this turn, by its id and the measure's name."""
        return {}

    def recorded(self, context: TurnView) -> Evidence:
        """Return what is stored of it once the turn is decided: itself, or what came of it too."""
        return self


class EvidenceOfMissingMode(Evidence):
    """Stored evidence of a mode that is not installed any more: readable, as it was written."""

    model_config = ConfigDict(extra="allow", frozen=True)
