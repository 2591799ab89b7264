"""The layout without Redis: the worker runs inside the serving process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from interview_project.worker import EmbeddedWorker
from interviews import services
from interviews.bench.stub import StubGateway
from interviews.models import Study, Utterance
from interviews.pipeline import runner
from interviews.pipeline.assembly import build_engine
from tests.integration.pipeline.conftest import HashEmbedder
from tests.integration.redis.conftest import ANSWER, answered

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def embedded_worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddedWorker]:
    engine = build_engine(runner._observe, gateway=StubGateway(), embedder=HashEmbedder())
    monkeypatch.setattr(runner, "shared_engine", lambda: engine)
    worker = EmbeddedWorker(threads=2)
    worker.start()
    yield worker
    assert worker.stop()


def test_the_worker_of_this_process_asks_and_answers(
    study: Study, embedded_worker: EmbeddedWorker
) -> None:
    session = services.start_session(study, seed=1)
    answered(session, 0)
    services.accept_answer(session.pk, ANSWER)
    answered(session, 1)
    said = Utterance.objects.filter(session=session).order_by("sequence")
    assert [(u.turn_number, u.speaker) for u in said] == [
        (0, "interviewer"),
        (1, "respondent"),
        (1, "interviewer"),
    ]
