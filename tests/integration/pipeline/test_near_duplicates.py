"""Questions asked again in other words, with the real embedding model."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from django.conf import settings

from graphs.language.embeddings import shared_embedder
from interviews import services
from interviews.bench.stub import StubGateway
from interviews.guards import SAME_MEANING, WORTH_COMPARING, GuardContext, apply_guards
from interviews.llm.tasks.questions import FollowUpInputs, Question
from interviews.models import Session, Turn
from interviews.pipeline import runner
from interviews.pipeline.assembly import build_engine
from interviews.record import result_of
from interviews.wording.repetition import REPEATED, similarity
from tests.integration.pipeline.conftest import ANSWER, HashEmbedder

SAME = [
    ("Who else is involved in choosing the school?",
     "Which other people take part in choosing the school?"),
    ("How important is privacy to you?", "How much does privacy matter to you?"),
    ("What worries you about charging on long trips?",
     "What are your concerns about charging on long trips?"),
    ("Why is saving money important to you?", "What makes saving money important to you?"),
    ("What made you switch to oat milk?", "Why did you switch to oat milk?"),
    ("What annoys you about the returns?", "What do you find annoying about the returns?"),
    ("When did you last use the app to pay?", "When was the last time you used the app to pay?"),
    ("Could you tell me more about the rain cover?",
     "Can you tell me a bit more about the rain cover?"),
    ("What is the first thing you notice about the backpack?",
     "What do you notice first about the backpack?"),
    ("How did you feel when the strap broke?", "What did you feel when the strap broke?"),
]  # fmt: skip
"""Pairs that ask the same, as far apart in words as English easily lets them be."""


def nearest(question: str, others: Any) -> float:
    vector, *known = shared_embedder(settings.EMBEDDING_MODEL).embed([question, *others])
    return max(float(vector @ other) for other in known)


@pytest.mark.parametrize(("asked", "again"), SAME)
def test_a_question_that_means_the_same_is_a_duplicate(asked: str, again: str) -> None:
    assert similarity(asked, again) < REPEATED
    context = GuardContext(subject="it", asked=(asked,), nearest=nearest)
    assert apply_guards(again, context).problems == ("duplicate",)


def test_comparing_only_what_shares_words_loses_no_duplicate() -> None:
    questions = [question for pair in SAME for question in pair]
    vectors = shared_embedder(settings.EMBEDDING_MODEL).embed(questions)
    same = [
        similarity(a, b)
        for (a, left), (b, right) in combinations(zip(questions, vectors, strict=True), 2)
        if float(left @ right) >= SAME_MEANING
    ]
    assert len(same) == len(SAME)
    assert min(same) >= WORTH_COMPARING


class RepeatingGateway(StubGateway):
    """Asks one thing first and the same in other words for ever after; repairs nothing."""

    def run(self, task: Any, inputs: Any, **options: Any) -> Any:
        if task.output is Question:
            again = isinstance(inputs, FollowUpInputs) and len(inputs.asked_questions) > 1
            return Question(
                question=SAME[0][1] if again or task.name == "question_repair" else SAME[0][0]
            )
        return super().run(task, inputs, **options)


class CountingEmbedder(HashEmbedder):
    """Every question of the pair has one meaning; counts what it is asked to embed."""

    def __init__(self) -> None:
        self.questions: list[str] = []

    def embed(self, texts: Any) -> Any:
        self.questions += [text for text in texts if text.endswith("?")]
        return super().embed(["the same" if text in SAME[0] else text for text in texts])


@pytest.mark.django_db(transaction=True)
def test_where_every_draft_repeats_a_question_the_last_resort_is_asked(session: Session) -> None:
    embedder = CountingEmbedder()
    engine = build_engine(runner._observe, gateway=RepeatingGateway(), embedder=embedder)
    asked = []
    for _ in range(2):
        accepted = services.accept_answer(session.pk, ANSWER)
        turn = Turn.objects.get(session=session, number=accepted.turn_number)
        assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
        turn.refresh_from_db()
        assert turn.question is not None
        asked.append((turn.question.text, list(result_of(turn).repairs)))
    (first, _), (second, repairs) = asked
    assert first == SAME[0][0]
    assert second not in SAME[0]
    assert "last_resort:duplicate" in repairs
    assert set(embedder.questions) == set(SAME[0])
