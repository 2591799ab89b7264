from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from graphs.language.vectors import Vector
from interviews import dispatch, services
from interviews.bench.stub import StubGateway
from interviews.models import Session, Study, Turn
from interviews.pipeline import runner
from interviews.pipeline.assembly import build_engine
from interviews.pipeline.engine import Engine
from methodologies.registry import CONCEPT, LIBRARY, METHODOLOGY, publish
from tests.integration.pipeline.migrating import migrated, newest

ANSWER = (
    "Well, the shoulder straps are soft, so I can walk further, and that matters because "
    "I feel free when I reach the top."
)


class HashEmbedder:
    """Unit vectors that depend on the text alone: no two texts are near each other."""

    dimensions = 384

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        vectors = []
        for text in texts:
            seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
            vector = np.random.default_rng(seed).standard_normal(384).astype(np.float32)
            vectors.append(vector / np.linalg.norm(vector))
        return vectors


@pytest.fixture
def study(db: None) -> Study:
    methodology = (LIBRARY / "methodologies/means_end_chain.yaml").read_text(encoding="utf-8")
    concept = (LIBRARY / "concepts/hiking_backpacks.yaml").read_text(encoding="utf-8")
    return Study.objects.create(
        slug="packs",
        name="Packs",
        methodology_version=publish(METHODOLOGY, methodology),
        concept_version=publish(CONCEPT, concept),
        status=Study.Status.LIVE,
        max_turns=15,
    )


@pytest.fixture
def gateway() -> StubGateway:
    return StubGateway()


@pytest.fixture
def engine(gateway: StubGateway) -> Engine:
    return build_engine(runner._observe, gateway=gateway, embedder=HashEmbedder())


@pytest.fixture(autouse=True)
def turns_stay_in_the_queue() -> Iterator[list[str]]:
    """Nothing is sent to a broker: each test processes the turns that it means."""
    with dispatch.held_back() as collected:
        yield collected


@pytest.fixture
def session(study: Study, engine: Engine) -> Session:
    """A session whose opening question has been asked."""
    session = services.start_session(study, seed=1)
    opening = Turn.objects.get(session=session)
    assert runner.process_turn(opening.pk, engine=engine) is runner.Outcome.DONE
    session.refresh_from_db()
    return session


@pytest.fixture
def up_to_date() -> Iterator[list[tuple[str, str]]]:
    """The newest migrations, to which the database is brought again whatever happens."""
    targets = newest()
    yield targets
    migrated(targets)
