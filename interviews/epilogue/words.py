"""The fixed words of an epilogue, in the interview's language, and how its answers are read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Literal

import yaml

from interviews.epilogue.fields import DataField
from interviews.turns.blocks import fold
from interviews.wording.languages import base

Reply = Literal["yes", "no", "unclear"]


def words(language: str, key: str, **values: object) -> str:
    """The text under `key`, with `values` in it."""
    return str(_texts(language)[key]).format(**values)


def label(field: DataField, language: str) -> str:
    """What a field is called."""
    return field.label or str(_texts(language)["labels"][field.type])


def wrong(field: DataField, language: str, *, missing: bool = False) -> str:
    """What is wrong with a value of the field, and what is taken."""
    kind = "missing" if missing else field.type
    text = str(_texts(language)["wrong"][kind])
    return text.format(label=label(field, language), options=", ".join(field.options))


def no_such_field(language: str) -> str:
    """What is said of a value for a field that the form does not have."""
    return str(_texts(language)["wrong"]["unknown"])


def agreed(text: str, options: Sequence[str], language: str) -> Reply:
    """Whether `text` agrees; `options` are the labels for yes and for no.

    The longest phrase counts ("no problem" is no "no"); who says both, or neither, has not said it
    clearly.
    """
    said = fold(text)
    if said in (fold(options[0]), fold(options[1])):
        return "yes" if said == fold(options[0]) else "no"
    texts = _texts(language)
    kinds = {fold(phrase): "yes" for phrase in texts["yes"]}
    kinds |= {fold(phrase): "no" for phrase in (*texts["no"], *texts["refusals"])}
    heard = set()
    for phrase in sorted(kinds, key=len, reverse=True):
        said, times = re.subn(rf"(?<!\w){re.escape(phrase)}(?!\w)", " ", said)
        if times:
            heard.add(kinds[phrase])
    if len(heard) != 1:
        return "unclear"
    return "yes" if "yes" in heard else "no"


def refuses(text: str, language: str) -> bool:
    """Whether `text`, as a whole, declines to give what was asked for."""
    texts = _texts(language)
    phrases = {fold(phrase) for phrase in (*texts["refusals"], *texts["no"])}
    return fold(text).strip(",;:") in phrases


def _texts(language: str) -> Mapping[str, Any]:
    texts: Mapping[str, Any] = _document()[base(language)]
    return texts


@cache
def _document() -> Mapping[str, Any]:
    path = resources.files("interviews.epilogue").joinpath("words.yaml")
    document: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return document
