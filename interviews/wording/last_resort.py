"""What is asked where nobody else can word a question: plain, and sensible after any answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import yaml

from interviews.wording.languages import base
from interviews.wording.repetition import was_asked

LONGEST_SUBJECT = 80

_NOT_PLAIN = re.compile(r"[^\w\s'’&(),-]|_")
"""What could break a question, or read as markup, an address or an internal name."""


def last_resort(
    subject: str, asked: Sequence[str], *, language: str = "en", closing: bool = False
) -> str:
    """Return a question about `subject` that is none of `asked`, in the interview's language.

    Questions and leads take turns, so that it takes 84 to say nearly the same again; then the first
    of them comes once more. A `closing` one says that it is the last.
    """
    words = _words()[base(language)]
    candidates = list(_candidates(words, _plain(subject) or words["any_subject"], closing=closing))
    return next((text for text in candidates if not was_asked(text, asked)), candidates[0])


def as_closing(question: str, language: str) -> str:
    """Return `question` after words that say that it is the last one."""
    lead: str = _words()[base(language)]["closing"]
    if base(language) == "de" or question.startswith(("I ", "I'")):
        return lead + question
    return lead + question[:1].lower() + question[1:]


def _candidates(words: Mapping[str, Any], subject: str, *, closing: bool) -> Iterator[str]:
    """Yield every question there is, neighbours as different as can be."""
    if closing:
        yield from (words["closing"] + last for last in words["last_words"])
    leads, questions = words["leads"], words["questions"]
    for turn in range(len(leads)):
        for place, question in enumerate(questions):
            text = leads[(turn + place) % len(leads)].format(subject=subject) + question
            yield words["closing"] + text if closing else text


def _plain(subject: str) -> str:
    """The subject on one line without what could break a question; "" where nothing is left."""
    words = _NOT_PLAIN.sub(" ", subject[: LONGEST_SUBJECT * 2]).split()
    while len(" ".join(words)) > LONGEST_SUBJECT:
        words.pop()
    text = " ".join(words).strip(" '’&(),-")
    return text if any(character.isalpha() for character in text) else ""


@cache
def _words() -> Mapping[str, Any]:
    path = resources.files("interviews.wording").joinpath("last_resorts.yaml")
    document: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return document
