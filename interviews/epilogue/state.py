"""Where an epilogue stands, as it is stored with its session. It never holds a value."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from interviews.turns.state import StateModel

FieldStanding = Literal["given", "refused", "exhausted", "not_asked"]


class Held(StateModel):
    """A question that waits until the respondent has said whether there is more time."""

    text: str
    block: dict[str, Any] | None = None


class Refused(StateModel):
    """A form that could not be taken: what it was sent as, and which field was wrong in it."""

    message_id: str
    wrong: dict[str, str]


class EpilogueState(StateModel):
    """`step` is what the respondent is being asked now, empty where the mode asks.

    `unclear` counts unclear answers to it. `minutes` are those that were offered, `reason` is why
    the mode ended. `attempts` counts wrong values by field. `ended` says how the collection did.
    """

    step: Literal["", "offer", "consent", "fields", "over"] = ""
    unclear: int = Field(default=0, ge=0)
    offer: Literal["", "asked", "accepted", "refused"] = ""
    minutes: int = Field(default=0, ge=0)
    held: Held | None = None
    reason: str = ""
    consent: Literal["not_asked", "given", "refused"] = "not_asked"
    fields: dict[str, FieldStanding] = Field(default_factory=dict)
    attempts: dict[str, int] = Field(default_factory=dict)
    refused: Refused | None = None
    ended: Literal["", "complete", "refused", "exhausted"] = ""

    @property
    def asks(self) -> bool:
        """Whether the next answer is one to the epilogue, not to the mode."""
        return self.step in ("offer", "consent", "fields")

    def standing(self, key: str) -> FieldStanding:
        """What became of a field."""
        return self.fields.get(key, "not_asked")
