"""The wording bank: templates by move, and the order in which a session goes through them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import yaml

from interviews.wording.languages import RULES_READ
from interviews.wording.repetition import question_words


@cache
def bank(language: str = "en") -> Mapping[str, Any]:
    """Return the wordings of a language that is read; English for every other."""
    code = language[:2].lower()
    name = f"wordings.{code if code in RULES_READ else 'en'}.yaml"
    path = resources.files("interviews.llm.providers.offline").joinpath(name)
    document: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return document


def reads(language: str) -> bool:
    """Whether the rules read answers in this language, and fit their questions to them."""
    return language[:2].lower() in RULES_READ


def is_english(language: str) -> bool:
    """Whether questions come from the English bank, which also serves unknown languages."""
    code = language[:2].lower()
    return code == "en" or code not in RULES_READ


def rotation(*parts: object) -> int:
    """Return a number that depends on `parts` alone, the same in every process."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:6], "big")


def rotated(items: Sequence[str], by: int) -> list[str]:
    """Return `items` in order, beginning with number `by`, counted round."""
    if not items:
        return []
    start = by % len(items)
    return [*items[start:], *items[:start]]


def least_used(templates: Sequence[str], asked: Sequence[str]) -> list[str]:
    """Order templates by how often their own words were used in `asked`; the order is kept else."""
    folded = [question_words(question) for question in asked]
    return sorted(templates, key=lambda template: sum(1 for q in folded if _uses(template, q)))


def worded_by(templates: Sequence[str], question: str) -> bool:
    """Whether `question` was made of one of `templates`."""
    folded = question_words(question)
    return any(_uses(template, folded) for template in templates)


def _uses(template: str, question: frozenset[str]) -> bool:
    own = question_words(re.sub(r"\{\w+\}", " ", template))
    return bool(own) and len(own & question) / len(own) >= 0.9


def spread(items: Sequence[str], start: int) -> Iterator[str]:
    """Yield all items once, beginning at `start` and in steps that keep neighbours apart."""
    size = len(items)
    step = next((s for s in (7, 11, 13, 5, 3, 1) if size % s), 1) if size > 1 else 1
    for i in range(size):
        yield items[(start + i * step) % size]
