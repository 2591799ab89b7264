"""Which way a question leads from its focus: up to what follows, or down to what it rests on."""

from __future__ import annotations

from enum import Enum

from interviews.llm.providers.offline.lexicon import pattern, plain


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
