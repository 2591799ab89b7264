"""The question that is asked where nobody words one: sensible, in the study's language, new."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.guards import GuardContext, apply_guards, last_resort
from interviews.wording.languages import LANGUAGES, base

SUBJECTS = ("your bicycle", "how people choose a hiking backpack in the Alps", "", "?", "<b>x</b>")
LONGEST_INTERVIEW = 60


@pytest.mark.parametrize("closing", [False, True])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_it_passes_the_guards_unchanged_as_often_as_an_interview_can_need_it(
    subject: str, language: str, closing: bool
) -> None:
    asked: tuple[str, ...] = ()
    for _ in range(LONGEST_INTERVIEW):
        context = GuardContext(subject=subject, asked=asked, closing=closing, language=language)
        question = last_resort(context)
        report = apply_guards(question, context)
        assert (report.question, report.problems) == (question, ())
        asked = (*asked, question)
    assert len(set(asked)) == LONGEST_INTERVIEW


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "Thinking of oat milk, what comes to mind first?"),
        ("en-GB", "Thinking of oat milk, what comes to mind first?"),
        ("it", "A proposito di «oat milk», che cosa le viene in mente per prima?"),
        ("de", "Zum Thema „oat milk“: Was fällt Ihnen als Erstes ein?"),
        ("de-AT", "Zum Thema „oat milk“: Was fällt Ihnen als Erstes ein?"),
        ("fr", "À propos de « oat milk », qu'est-ce qui vous vient d'abord à l'esprit ?"),
        ("es", "Sobre «oat milk», ¿qué es lo primero que le viene a la mente?"),
        ("tlh", "Thinking of oat milk, what comes to mind first?"),
    ],
)
def test_it_speaks_the_studys_language(language: str, question: str) -> None:
    assert last_resort(GuardContext(subject="oat milk", language=language)) == question


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "Before we finish: what would you like to add?"),
        ("it", "Prima di concludere: che cosa vorrebbe aggiungere?"),
        ("de", "Bevor wir zum Ende kommen: Was möchten Sie noch hinzufügen?"),
        ("fr", "Avant de terminer : qu'aimeriez-vous ajouter ?"),
        ("es", "Antes de terminar: ¿qué le gustaría añadir?"),
    ],
)
def test_the_closing_one_leaves_the_last_word(language: str, question: str) -> None:
    context = GuardContext(subject="oat milk", language=language, closing=True)
    assert last_resort(context) == question


@pytest.mark.parametrize(
    ("language", "draft", "asked"),
    [
        ("en", "What is missing?", "Before we finish: what is missing?"),
        ("de", "Was fehlt Ihnen?", "Bevor wir zum Ende kommen: Was fehlt Ihnen?"),
        ("fr", "Que manque-t-il ?", "Avant de terminer : que manque-t-il ?"),
        ("es", "¿Qué falta?", "Antes de terminar: ¿Qué falta?"),
    ],
)
def test_a_models_closing_question_is_made_to_say_so_in_its_language(
    language: str, draft: str, asked: str
) -> None:
    context = GuardContext(subject="oat milk", language=language, closing=True)
    assert apply_guards(draft, context).question == asked


@pytest.mark.parametrize(
    ("language", "question", "problems"),
    [
        ("de", "Wie fühlt sich das für Sie an?", ()),
        ("de", "Was meinen Sie mit „weich“?", ()),
        ("de", "Was gefällt Ihnen und?", ("incomplete",)),
        ("de", "Warum?", ("bare_why",)),
        ("es", "¿Por qué?", ("bare_why",)),
        ("en", "What do you like and?", ("incomplete",)),
        ("it", "Che cosa le piace e?", ("incomplete",)),
    ],
)
def test_what_breaks_off_is_judged_by_the_words_of_its_language(
    language: str, question: str, problems: tuple[str, ...]
) -> None:
    context = GuardContext(subject="oat milk", language=language)
    assert apply_guards(question, context).problems == problems


@given(st.text(max_size=300))
def test_any_subject_makes_a_question_of_less_than_sixty_words(subject: str) -> None:
    question = last_resort(GuardContext(subject=subject))
    assert question.count("?") == 1
    assert question.endswith("?")
    assert len(question.split()) < 60


def test_a_region_belongs_to_its_language() -> None:
    assert [base(code) for code in ("fr-CA", "ES", "pt", "")] == ["fr", "es", "en", "en"]
