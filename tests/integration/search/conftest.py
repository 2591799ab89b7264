"""Two interviews that are told apart by their words, and an embedder that hears synonyms."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pytest
from django.utils import timezone

from graphs.language.vectors import Vector
from interviews.models import Session, Study
from interviews.retrieval import index, search
from tests.factories import (
    MentionFactory,
    NodeFactory,
    SessionFactory,
    StudyFactory,
    UtteranceFactory,
)

SYNONYMS = {"waterproof": "dry", "costly": "price", "expensive": "price"}


class WordEmbedder:
    """The mean of a random vector a word, synonyms alike: texts that share words are near."""

    dimensions = 384

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self._of(text) for text in texts]

    def load(self) -> None:
        """It is there."""

    def _of(self, text: str) -> Vector:
        words = [word.strip(".,?!").lower() for word in text.split()]
        rows = [self._word(SYNONYMS.get(word, word)) for word in words if len(word) > 2]
        mean = np.sum(rows or [self._word("nothing")], axis=0)
        vector: Vector = (mean / np.linalg.norm(mean)).astype(np.float32)
        return vector

    def _word(self, word: str) -> Vector:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(384).astype(np.float32)


@pytest.fixture(autouse=True)
def embedder(monkeypatch: pytest.MonkeyPatch) -> WordEmbedder:
    """Stands in for the network wherever search embeds."""
    found = WordEmbedder()
    for module in (index, search):
        monkeypatch.setattr(module, "shared_embedder", lambda model: found)
    return found


@pytest.fixture
def study(db: None) -> Study:
    return StudyFactory.create(slug="jackets")


def interview(study: Study, *answers: str, concept: str = "", simulated: bool = False) -> Session:
    """A finished interview in which these answers were given, with one concept of the first."""
    session = SessionFactory.create(
        study=study,
        status=Session.Status.COMPLETED,
        ended_at=timezone.now(),
        turn_count=len(answers),
        simulated=simulated,
    )
    for turn, text in enumerate(answers, start=1):
        UtteranceFactory.create(
            session=session, turn_number=turn - 1, sequence=2 * turn - 1, text=f"Question {turn}?"
        )
        said = UtteranceFactory.create(
            session=session,
            turn_number=turn,
            sequence=2 * turn,
            speaker="respondent",
            text=text,
        )
        if turn == 1 and concept:
            node = NodeFactory.create(session=session, label=concept)
            MentionFactory.create(
                node=node, utterance=said, quote=text, start=0, end=len(text), turn=turn
            )
    session.last_sequence = 2 * len(answers)
    session.save(update_fields=["last_sequence"])
    return session


@pytest.fixture
def two(study: Study) -> tuple[Session, Session]:
    """The one is about staying dry, the other about the price; both are in search."""
    dry = interview(
        study,
        "The taped seams keep me dry in heavy rain.",
        "Walking is what I do every weekend.",
        concept="taped seams",
    )
    price = interview(study, "I only look at the price of a jacket.", "Colours do not matter.")
    index.refresh(Session.objects.all())
    return dry, price
