"""Which way a question leads from its focus: up to what follows, or down to what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from interviews.llm.providers.offline.lexicon import pattern, plain
from interviews.llm.providers.offline.sentiment import polarity


class Direction(Enum):
    """UP asks for consequences and reasons, DOWN for grounds and examples, SIDE for neither."""

    UP = "up"
    DOWN = "down"
    SIDE = "side"


def direction_of(question: str) -> Direction:
    """Return which way `question` leads. What asks for grounds wins over what asks for reasons."""
    asked = plain(question)
    if pattern("down").search(asked):
        return Direction.DOWN
    return Direction.UP if pattern("up").search(asked) else Direction.SIDE


_ASKED: tuple[tuple[str, Mapping[str, float]], ...] = (
    ("asked_lesson", {"lesson": 0.9}),
    ("asked_loyalty", {"loyalty": 0.9}),
    ("asked_obstacle", {"problem": 1.6}),
    ("asked_occasion", {"situation": 0.8}),
    ("asked_means", {"solution": 0.8, "action": 0.5}),
    ("asked_feature", {"feature": 0.9}),
    ("asked_feeling", {"feeling": 0.6}),
    ("asked_task", {"goal": 0.9}),
)
"""What a question asks for in so many words, and how that weighs the kinds of its answers."""


def asked_kinds(question: str) -> Mapping[str, float]:
    """Return the kinds of statement that `question` asks for, by name; empty where it is open."""
    asked = plain(question)
    for name, kinds in _ASKED:
        if pattern(name).search(asked):
            return kinds
    return {}


def expected_side(question: str, focus: str, around: str) -> int:
    """Return the stance that a neutral statement most likely has: 1, -1 or 0.

    Asked what troubles them, or what comes of something unwelcome, people name what they are
    against; asked what something gives them, what they are for. Else the tone of what is said
    `around` it decides.
    """
    asked = plain(question)
    if pattern("asked_obstacle").search(asked) or pattern("asked_loss").search(asked):
        return -1
    if side := polarity(focus):
        return side
    if pattern("asked_gain").search(asked):
        return 1
    return polarity(around)
