"""A simulated colleague who leaves: tells what only they know, where a question brings it up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field


class HeldBack(BaseModel):
    """Something that no file says; `tells` is a stretch of the answer to recognise it by."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    asked_by: Annotated[tuple[str, ...], Field(min_length=1)]
    answer: str
    tells: str


class Colleague(BaseModel):
    """What a colleague knows, and what they say where they know nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    study: str
    nothing: str
    facts: tuple[HeldBack, ...]


@cache
def load_colleague(name: str) -> Colleague:
    """The colleague of a shipped project. Raises FileNotFoundError for an unknown name."""
    path = resources.files("interviews.simulation").joinpath("handovers", f"{name}.yaml")
    return Colleague.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))


@dataclass(slots=True)
class Answers:
    """Answers of one interview, with what was told so far."""

    colleague: Colleague
    told: list[HeldBack]

    def __call__(self, question: str, turn: int) -> str:
        """Tell what the question brings up, once; the latest words of a question count."""
        asked = question.casefold()
        found = [
            (max(asked.rfind(word) for word in fact.asked_by), fact)
            for fact in self.colleague.facts
            if fact not in self.told
        ]
        place, best = max(found, key=lambda pair: pair[0], default=(-1, None))
        if best is None or place < 0:
            return self.colleague.nothing
        self.told.append(best)
        return best.answer


def elicited(colleague: Colleague, facts: Sequence[str]) -> int:
    """How many of the facts that a colleague holds back stand in what was extracted."""
    said = " ".join(facts).casefold()
    return sum(fact.tells.casefold() in said for fact in colleague.facts)
