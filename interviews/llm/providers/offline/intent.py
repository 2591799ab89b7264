"""What an answer wants of the interviewer, and whether there is anything to read off it."""

from __future__ import annotations

import re

from interviews.llm.providers.offline.asides import is_aside
from interviews.llm.providers.offline.lexicon import pattern, plain, words_of
from interviews.llm.tasks.extraction import Intent
from interviews.nlp import clauses

LONGEST_ASIDE = 25
"""An answer of more words than this is an answer, whatever phrase it begins with."""

LONGEST_REST = 4
"""In words; who asks back and says more than this besides has answered."""

SPOKEN_BY_NAME = {"end": ("it", "de", "fr", "es"), "refusal": ("de", "fr", "es")}
"""Languages that have a pattern of their own besides the one that everybody's answers are read by.
"""

_SENTENCES = re.compile(r"(?<=[.!?…])\s+")


def intent_of(answer: str, language: str = "en") -> Intent:
    """Return what is wanted: to answer, to refuse, to complain, to ask back or to end.

    A wish to end and a refusal are read in every language of interviews, the rest in English and
    Italian.
    """
    said = " ".join(plain(answer).split())
    if len(words_of(said)) > LONGEST_ASIDE:
        return "answer"
    if _says("end", said, language):
        return "end"
    if _says("refusal", said, language):
        return "refusal"
    if _asks_back(said):
        return "clarify"
    if pattern("told").search(said):
        return "already_told"
    return "answer"


def _says(wish: str, said: str, language: str) -> bool:
    code = language[:2].lower()
    names = [wish, f"{wish}_{code}"] if code in SPOKEN_BY_NAME[wish] else [wish]
    return any(pattern(name).search(said) for name in names)


def _asks_back(said: str) -> bool:
    """Whether an answer asks what the question means and hardly says anything besides."""
    rest = [part for part in _SENTENCES.split(said) if not pattern("clarify").search(part)]
    return bool(pattern("clarify").search(said)) and len(words_of(" ".join(rest))) <= LONGEST_REST


def emptiness(answer: str) -> str:
    """Return why nothing can be read off the answer, "" where something may be.

    Coders see nothing in an answer of nothing but asides ("it speaks for itself").
    """
    said = " ".join(plain(answer).split())
    if not words_of(said):
        return "the answer has no words"
    parts = clauses(answer)
    if pattern("empty").fullmatch(said) or (parts and all(is_aside(part.text) for part in parts)):
        return "the answer names nothing: no property, result, feeling, aim or occasion"
    return ""
