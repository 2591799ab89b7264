"""How near an answer is to what the interview is about, by meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from graphs.language.vectors import Vector
from interviews.turns.context import TurnView

FEWEST_WORDS: Final = 8
"""Answers of fewer words are near nothing, whatever they mean."""
READS: Final = frozenset({"en"})
"""Languages that the bundled embedding model compares."""

Embed = Callable[[Sequence[str]], Sequence[Vector]]


def nearness_of(context: TurnView, embed: Embed) -> float | None:
    """The answer's cosine to the subject or to the research objective, the higher of both.

    None where it says nothing: without a concept, in a language that is not compared, of an answer
    of few words.
    """
    session, answer = context.session, context.utterance.text
    if session.concept is None or session.language not in READS:
        return None
    if len(answer.split()) < FEWEST_WORDS:
        return None
    about = [t for t in (session.concept.subject, session.concept.research_objective) if t]
    said, *known = embed([answer, *about])
    return max(float(said @ vector) for vector in known)
