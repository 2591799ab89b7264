"""What a guided interview says in fixed words, by language."""

from __future__ import annotations

from functools import cache
from importlib import resources

import yaml
from pydantic import BaseModel, ConfigDict

from interviews.wording.languages import base


class Offer(BaseModel):
    """The offer to go on, asked at most twice, and its two answers.

    `{minutes}` and `{topics}` stand in the texts for what is offered.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: str
    again: str
    accept: str
    refuse: str


class Texts(BaseModel):
    """Everything fixed in one language; `{topic}` is a topic's label.

    `accepting` and `refusing` are whole words of a typed answer to the offer. `goodbye`, `contact`
    and `promotion` are patterns of what a question must not hold. `formal` and `casual` are words
    that mark how somebody speaks. `questions` are asked where nobody could word one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sub_goals: tuple[str, str, str]
    offer: Offer
    accepting: tuple[str, ...]
    refusing: tuple[str, ...]
    goodbye: tuple[str, ...]
    contact: tuple[str, ...]
    promotion: tuple[str, ...]
    formal: tuple[str, ...]
    casual: tuple[str, ...]
    questions: tuple[str, ...]


def texts(language: str) -> Texts:
    """The texts of a language; English ones where nobody speaks it."""
    return _texts(base(language))


@cache
def _texts(code: str) -> Texts:
    path = resources.files("interviews.modes.guided").joinpath("texts.yaml")
    return Texts.model_validate(yaml.safe_load(path.read_text(encoding="utf-8"))[code])
