"""What a question passes before it is asked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.guards import (
    AS_WRITTEN,
    GuardContext,
    apply_guards,
    guarded,
    internal_looking,
    last_resort,
)

CONTEXT = GuardContext(
    subject="your bicycle",
    asked=("What does that give you?", "How did it start?"),
    forbidden=("ladder_up", "functional_consequence", "CANARY"),
)


def test_a_sound_question_passes_unchanged() -> None:
    report = apply_guards("You mentioned the hills. What is that like for you?", CONTEXT)
    assert report.question == "You mentioned the hills. What is that like for you?"
    assert (report.repairs, report.problems) == ((), ())


@pytest.mark.parametrize(
    ("draft", "question", "repair"),
    [
        ("That's a great point! What happens then?", "What happens then?", "praise"),
        ("Wonderful. What happens then?", "What happens then?", "praise"),
        ("Thank you for sharing that. What happens then?", "What happens then?", "praise"),
        ("**Question:** What happens then?", "What happens then?", "preamble"),
        ('"What happens then?"', "What happens then?", "markup"),
        ("What happens then? Please take your time.", "What happens then?", "one_question"),
        ("Is it far? What do you do there?", "What do you do there?", "one_question"),
        ("What happens then??", "What happens then?", "one_question"),
        ("What happens then? And why? ", "And why?", "one_question"),
    ],
)
def test_form_is_repaired_by_rule(draft: str, question: str, repair: str) -> None:
    report = apply_guards(draft, CONTEXT)
    assert report.question == question
    assert repair in report.repairs


def test_long_openings_are_dropped_before_the_question() -> None:
    draft = f"{'You told me a lot. ' * 15}What happens then?"
    report = apply_guards(draft, CONTEXT)
    assert report.valid
    assert len(report.question.split()) < 60
    assert report.question.endswith("What happens then?")
    assert "shortened" in report.repairs


@pytest.mark.parametrize(
    ("draft", "problem"),
    [
        ("", "empty"),
        ("...", "empty"),
        ("Tell me more.", "no_question"),
        (f"What {'very ' * 60}is it?", "too_long"),
        ("Why?", "bare_why"),
        ("By ladder_up: what follows?", "leaked_prompt"),
        ("CANARY, what follows?", "leaked_prompt"),
        ("What is {{ focus }}?", "leaked_prompt"),
        ("What is <b>that</b>?", "leaked_prompt"),
        ("What does the graph.max_depth mean?", "leaked_prompt"),
        ("What does that give you?", "duplicate"),
        ("what does THAT give you ?", "duplicate"),
        ("What do you do with the?", "incomplete"),
        ("What do you mean by “that?", "incomplete"),
    ],
)
def test_what_cannot_be_repaired_is_named(draft: str, problem: str) -> None:
    report = apply_guards(draft, CONTEXT)
    assert problem in report.problems
    assert not report.valid


def test_a_word_with_underscores_is_allowed_where_the_respondent_used_it() -> None:
    said = internal_looking("I keep it in sales_report.xlsx")
    context = GuardContext(subject="the files", spoken=said)
    assert apply_guards("What is in sales_report for you?", context).valid
    assert not apply_guards("What is in other_report for you?", context).valid


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("config.json", "When did you last change config.json?"),
        ("__init__.py", "What does __init__.py do here?"),
        ("load_rows", "Who calls load_rows, and why?"),
        ("https://example.org/plan", "What did you miss at https://example.org/plan?"),
        ("[DRAFT]", "What is missing in [DRAFT]?"),
    ],
)
def test_words_that_may_stand_in_a_question_are_neither_refused_nor_repaired(
    name: str, question: str
) -> None:
    free = apply_guards(question, GuardContext(subject="the files", spoken=(name,)))
    assert (free.question, free.problems) == (question, ())
    held = apply_guards(question, GuardContext(subject="the files"))
    assert held.problems or held.question != question


def test_a_question_as_written_is_asked_word_for_word_and_once() -> None:
    written = "Please sort the cards. Great! Which two belong together? Which one does not?"
    context = GuardContext(subject="cards", profile=AS_WRITTEN)
    report = apply_guards(written, context)
    assert (report.question, report.repairs, report.problems) == (written, (), ())
    again = GuardContext(subject="cards", profile=AS_WRITTEN, asked=(written,))
    assert apply_guards(written, again).problems == ("duplicate",)


def test_repetition_in_words_looks_at_the_last_six_and_word_for_word_at_all() -> None:
    asked = ("How do the hills in the north feel to you?", *(f"Number {n}?" for n in range(6)))
    context = GuardContext(subject="hills", asked=asked)
    assert apply_guards("How do the hills in the south feel to you?", context).valid
    assert apply_guards(asked[0], context).problems == ("duplicate",)
    near = "So how do the hills in the north feel to you?"
    assert apply_guards(near, context).valid
    assert not apply_guards(near, GuardContext(subject="hills", asked=asked[:6])).valid


@pytest.mark.parametrize(("cosine", "valid"), [(0.9199, True), (0.92, False)])
def test_repetition_in_meaning_starts_at_092(cosine: float, valid: bool) -> None:
    context = GuardContext(
        subject="hills", asked=("What happens up there?",), nearest=lambda text, others: cosine
    )
    assert apply_guards("What happens then?", context).valid is valid


def test_only_questions_that_share_words_are_compared_in_meaning() -> None:
    compared: list[tuple[str, ...]] = []

    def nearest(text: str, others: Sequence[str]) -> float:
        compared.append(tuple(others))
        return 0.0

    asked = ("What happens up there?", "How did your father like the hills?")
    context = GuardContext(subject="hills", asked=asked, nearest=nearest)
    assert apply_guards("What happens then?", context).valid
    assert apply_guards("Who else comes along on Sundays?", context).valid
    assert compared == [("What happens up there?",)]


def test_a_question_put_in_other_words_may_mean_the_same_but_not_say_the_same() -> None:
    asked = ("How did it start?", "What happens up there?")
    context = GuardContext(
        subject="hills", asked=asked, rephrased=asked[1], nearest=lambda text, others: 1.0
    )
    assert apply_guards("What goes on up there?", context).valid
    assert apply_guards("What happens up there?", context).problems == ("duplicate",)
    assert apply_guards("How did it all start?", context).problems == ("duplicate",)


def test_a_closing_question_is_made_to_say_so() -> None:
    context = GuardContext(subject="hills", closing=True)
    report = apply_guards("What is missing?", context)
    assert report.question == "Before we finish: what is missing?"
    assert report.repairs == ("closure",)
    said = apply_guards("Before we finish, what is missing?", context)
    assert said.repairs == ()


@given(st.text(max_size=400))
def test_whatever_a_model_writes_a_valid_question_comes_out(draft: str) -> None:
    report = guarded(draft, CONTEXT)
    assert report.valid
    assert report.question.count("?") == 1
    assert report.question.endswith("?") or report.question.rstrip('"”») ').endswith("?")
    assert len(report.question.split()) < 60
    assert apply_guards(report.question, CONTEXT).valid


@given(st.text(max_size=200))
def test_guarding_a_guarded_question_changes_nothing(draft: str) -> None:
    once = guarded(draft, CONTEXT).question
    assert guarded(once, CONTEXT).question == once


@pytest.mark.parametrize("closing", [False, True])
@pytest.mark.parametrize("language", ["en", "it"])
def test_the_last_resort_is_always_valid_and_never_repeated(closing: bool, language: str) -> None:
    asked: tuple[str, ...] = ()
    for _ in range(60):
        context = GuardContext(
            subject="your bicycle", asked=asked, closing=closing, language=language
        )
        question = last_resort(context)
        assert apply_guards(question, context).problems == ()
        asked = (*asked, question)
    assert len(set(asked)) == 60


@pytest.mark.parametrize("subject", ["", "?", "<b>x</b>", "word " * 200, "my bike", "snake_case"])
def test_the_last_resort_stands_any_subject(subject: str) -> None:
    context = GuardContext(subject=subject)
    assert apply_guards(last_resort(context), context).problems == ()


def test_a_name_of_the_prompts_is_not_heard_again_whoever_says_it() -> None:
    assert internal_looking("</respondent_text> im_start now") == ("im_start",)
