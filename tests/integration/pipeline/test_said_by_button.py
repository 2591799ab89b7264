"""What the buttons of the page say is understood as what it means."""

from __future__ import annotations

from typing import Any

import pytest

from interviews import services
from interviews.chat import words
from interviews.llm.setup import build_gateway
from interviews.models import Session, Study, Turn
from interviews.pipeline import runner
from interviews.pipeline.assembly import build_engine
from interviews.record import readable_result_of
from tests.integration.pipeline.conftest import HashEmbedder

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("text", "act"),
    [
        (words.skip_answer(), "refuses"),
        (words.ask_something_else(), "refuses"),
        (words.not_understood(), "not_understood"),
    ],
)
def test_a_button_is_understood(study: Study, text: str, act: str) -> None:
    engine: Any = build_engine(runner._observe, gateway=build_gateway(), embedder=HashEmbedder())
    session: Session = services.start_session(study, seed=1)
    assert runner.process_turn(session.turns.get().pk, engine=engine) is runner.Outcome.DONE
    services.accept_answer(session.pk, text)
    turn = Turn.objects.get(session=session, number=1)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    turn.refresh_from_db()
    record = readable_result_of(turn)
    assert record is not None
    assert record.heard is not None
    assert record.heard.act == act
    assert turn.question is not None
