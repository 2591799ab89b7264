"""Tells an answer that gives away the instructions it was asked by.

A respondent can talk a model into reciting its prompt. What a respondent may read, or what becomes
part of a graph, is therefore compared with the prompt's own words before it is taken.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from pydantic import BaseModel

from interviews.llm.tasks.base import RenderedPrompt, clean

RUN = 8
"""So many words in a row that also stand in the instructions are no coincidence."""

GROUNDS = ("rationale", "reason")
"""Fields in which a model says why; nobody is shown them, and they may well cite a rubric."""


def gives_away(prompt: RenderedPrompt, output: BaseModel) -> bool:
    """Whether `output` names the prompt or repeats eight words in a row of its instructions.

    Words that also stand in the prompt's data are no secret: a quote of an answer is never a leak.
    """
    texts = list(_texts(output.model_dump()))
    mark = _letters(prompt.mark)
    if mark and any(mark in _letters(text) for text in texts) and mark not in _letters(prompt.data):
        return True
    told = [run for text in texts for run in _runs(_words(clean(text)))]
    if not told:
        return False
    secret = f" {' '.join(_words(prompt.instructions))} "
    found = [run for run in told if f" {run} " in secret]
    return bool(found) and not set(found) <= set(_runs(_words(prompt.data)))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name not in GROUNDS:
                yield from _texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts(inner)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())


def _letters(text: str) -> str:
    """Letters and digits alone, so that spaces, hyphens and invisible characters hide nothing."""
    return "".join(_words(text)).replace("_", "")


def _runs(words: list[str]) -> Iterator[str]:
    return (" ".join(words[start : start + RUN]) for start in range(len(words) - RUN + 1))
