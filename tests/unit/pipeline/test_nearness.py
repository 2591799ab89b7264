"""How near an answer is to its interview's subject, and where that says nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from graphs.language.embeddings import shared_embedder
from interviews.pipeline.nearness import nearness_of

CONCEPT = SimpleNamespace(
    subject="oat milk", research_objective="Find out why people pour oat milk into their coffee."
)
NEAR = "I pour it into my coffee every morning because dairy upsets my stomach."
FAR = "My brother sold his motorcycle to a neighbour two streets away from the harbour."


def nearness(answer: str, *, language: str = "en", concept: Any = CONCEPT) -> float | None:
    context: Any = SimpleNamespace(
        session=SimpleNamespace(concept=concept, language=language),
        utterance=SimpleNamespace(text=answer),
    )
    return nearness_of(context, shared_embedder().embed)


def test_an_answer_about_something_else_is_far() -> None:
    near, far = nearness(NEAR), nearness(FAR)
    assert near is not None
    assert far is not None
    assert far < 0.10 < near


@pytest.mark.parametrize(
    "said", [{"answer": "Yes, it does."}, {"language": "it"}, {"concept": None}]
)
def test_what_cannot_be_told_says_nothing(said: dict[str, Any]) -> None:
    assert nearness(**({"answer": FAR} | said)) is None
