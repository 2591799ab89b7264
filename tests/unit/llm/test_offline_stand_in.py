"""What the rules do in the place of a model that failed for good."""

from __future__ import annotations

import pytest

from interviews.acts.rules import act_of
from interviews.llm.providers.offline import OfflineProvider, fixed
from interviews.llm.samples import SAMPLES
from interviews.llm.tasks.extraction import EXTRACTION, ExtractionInputs, HeardExtraction
from interviews.llm.tasks.questions import (
    FOLLOW_UP_QUESTION,
    OPENING_QUESTION,
    FollowUpInputs,
    OpeningInputs,
)
from interviews.llm.tasks.response_rating import RESPONSE_RATING, RatingInputs

RULES = OfflineProvider()


def reading(answer: str, language: str) -> ExtractionInputs:
    inputs = SAMPLES["extraction"][1]
    assert isinstance(inputs, ExtractionInputs)
    return inputs.model_copy(update={"answer": answer, "language": language})


@pytest.mark.parametrize("role", SAMPLES)
def test_a_task_is_answered_as_if_the_rules_had_been_asked_first(role: str) -> None:
    task, inputs = SAMPLES[role]  # type: ignore[index]
    assert RULES.stand_in(task, inputs) == RULES.complete(task, inputs)


@pytest.mark.parametrize("language", ["it", "de", "fr", "es"])
def test_in_a_language_that_the_rules_do_not_read_fixed_questions_stand_in(language: str) -> None:
    follow_up = SAMPLES["generation"][1]
    assert isinstance(follow_up, FollowUpInputs)
    other = follow_up.model_copy(update={"language": language})
    written = str(fixed._bank()[language])
    opening = OpeningInputs(subject="x", language=language)
    for question in (
        RULES.stand_in(FOLLOW_UP_QUESTION, other),
        RULES.stand_in(OPENING_QUESTION, opening),
    ):
        assert question is not None
        assert question.question.split("? ")[-1] in written


def test_nothing_stands_in_for_a_rating_or_another_text_in_such_a_language() -> None:
    rating = SAMPLES["scoring"][1]
    assert isinstance(rating, RatingInputs)
    rating = rating.model_copy(update={"language": "de"})
    assert RULES.stand_in(RESPONSE_RATING, rating) is None


def test_a_rating_counts_in_every_language() -> None:
    inputs = SAMPLES["scoring"][1]
    assert isinstance(inputs, RatingInputs)
    assert RULES.stand_in(RESPONSE_RATING, inputs) is not None


WISHES = [
    ("it", "Vorrei smettere qui.", "wants_to_stop"),
    ("it", "Basta così, grazie.", "wants_to_stop"),
    ("it", "Preferisco non rispondere.", "refuses"),
    ("de", "Ich möchte jetzt aufhören.", "wants_to_stop"),
    ("de", "Können wir bitte aufhören?", "wants_to_stop"),
    ("de", "Das reicht mir.", "wants_to_stop"),
    ("de", "Dazu möchte ich nichts sagen.", "refuses"),
    ("de", "Ich möchte diese Frage nicht beantworten.", "refuses"),
    ("de", "Das ist mir zu privat.", "refuses"),
    ("fr", "Je voudrais arrêter.", "wants_to_stop"),
    ("fr", "Je veux m'arrêter là.", "wants_to_stop"),
    ("fr", "Je ne veux pas en parler.", "refuses"),
    ("fr", "Je préfère ne pas répondre.", "refuses"),
    ("es", "Quiero parar.", "wants_to_stop"),
    ("es", "Me gustaría terminar aquí.", "wants_to_stop"),
    ("es", "Prefiero no responder.", "refuses"),
    ("es", "No quiero hablar de eso.", "refuses"),
    ("en", "I want to stop now.", "wants_to_stop"),
]
ANSWERS = [
    ("it", "Devo andare al lavoro in bici tutti i giorni."),
    ("it", "Ho finito il latte e sono uscito a comprarlo."),
    ("de", "Ich möchte morgens Zeit sparen, deshalb nehme ich Hafermilch."),
    ("de", "Ich muss um sieben los, und da hilft mir das."),
    ("de", "Das reicht für drei Tassen Kaffee."),
    ("fr", "Je veux finir mon café avant de partir au travail."),
    ("fr", "On arrive plus vite à la maison."),
    ("es", "Quiero terminar el desayuno sin prisas."),
    ("es", "Paso mucho tiempo en la cocina."),
]


@pytest.mark.parametrize(("language", "answer", "act"), WISHES)
def test_a_wish_to_stop_and_a_refusal_are_read_in_every_language_of_interviews(
    language: str, answer: str, act: str
) -> None:
    assert act_of(answer, language) == act
    read = RULES.stand_in(EXTRACTION, reading(answer, language).model_copy(update={"hears": True}))
    assert isinstance(read, HeardExtraction)
    assert read.act == act


@pytest.mark.parametrize(("language", "answer"), ANSWERS)
def test_an_answer_that_has_such_words_in_it_stays_an_answer(language: str, answer: str) -> None:
    assert act_of(answer, language) == "answer"


def test_of_an_answer_in_another_language_nothing_is_read() -> None:
    read = RULES.stand_in(EXTRACTION, reading("Sie schäumt gut auf.", "de"))
    assert read is not None
    assert (read.extractable, read.concepts) == (False, ())
    assert read.reason == "the rules do not read de"
