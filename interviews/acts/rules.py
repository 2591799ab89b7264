"""How an answer was meant, by rules: who reads it where no model does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

import yaml

from interviews.acts.heard import Act, Heard

LONGEST_ASIDE = 25
"""An answer of more words than this is an answer, whatever phrase it begins with."""

LONGEST_REST = 4
"""In words; who asks back and says more than this besides has answered."""

_ANY = "any"
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'"})
_SENTENCES = re.compile(r"(?<=[.!?…])\s+")
_WORD = re.compile(r"[\w]+(?:['-][\w]+)*")


def heard_in(answer: str, language: str = "en") -> Heard:
    """Read how `answer` was meant. The same answer is always read the same way."""
    return Heard(act=act_of(answer, language))


def act_of(answer: str, language: str = "en") -> Act:
    """Return what an answer does.

    A wish to stop and a refusal are read in every language of interviews, the rest in English and
    Italian.
    """
    said = " ".join(answer.translate(_APOSTROPHES).lower().split())
    if len(_WORD.findall(said)) > LONGEST_ASIDE:
        return "answer"
    for act in ("wants_to_stop", "refuses"):
        if _says(act, said, language):
            return act
    if _asks_back(said, language):
        return "not_understood"
    return "objects" if _says("objects", said, language) else "answer"


def _says(act: Act, said: str, language: str) -> bool:
    return any(pattern.search(said) for pattern in _patterns(act, language[:2].lower()))


def _asks_back(said: str, language: str) -> bool:
    """Whether an answer asks what the question means and hardly says anything besides."""
    parts = _SENTENCES.split(said)
    rest = [part for part in parts if not _says("not_understood", part, language)]
    if not _says("not_understood", said, language):
        return False
    return len(_WORD.findall(" ".join(rest))) <= LONGEST_REST


@cache
def _patterns(act: Act, code: str) -> tuple[re.Pattern[str], ...]:
    written = _document().get(act, {})
    return tuple(
        re.compile(written[name], re.IGNORECASE) for name in (_ANY, code) if name in written
    )


@cache
def _document() -> Mapping[str, Mapping[str, str]]:
    path = resources.files("interviews.acts").joinpath("patterns.yaml")
    document: Mapping[str, Mapping[str, str]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return document
