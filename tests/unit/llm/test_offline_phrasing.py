"""How labels become noun phrases or quotations in a question."""

from __future__ import annotations

import pytest

from interviews.llm.providers.offline.phrasing import ing, noun_phrase, phrases_of
from interviews.llm.tasks.questions import FocusInput, StrategyInput
from tests.unit.llm.offline_samples import follow_up


@pytest.mark.parametrize(
    ("label", "quote", "phrase"),
    [
        ("padded straps", "the padded straps", "the padded straps"),
        ("big screen", "", "the big screen"),
        ("car", "my care for the car", "the car"),
        ("screen", "the screenplay for a screen", "a screen"),
        ("small display", "a small display", "a small display"),
        ("small triumph each time", "it's a small triumph each time", "a small triumph each time"),
        ("peace of mind", "", "peace of mind"),
        ("freedom", "", "freedom"),
        ("save money", "", "saving money"),
        ("saves money", "", "saving money"),
        ("don't have to worry", "", "not having to worry"),
        ("can't sleep", "", "not being able to sleep"),
        ("feel more relaxed", "", "feeling more relaxed"),
        ("light", "", "it being light"),
        ("easy to clean", "", "it being easy to clean"),
        ("too tired to cook", "", "being too tired to cook"),
        ("lid leaks", "the lid leaks", "the lid leaking"),
        ("knees don't hurt", "my knees don't hurt", "your knees not hurting"),
        ("price is too high", "the price is too high", "the price being too high"),
        ("neighbours would complain", "", "neighbours complaining"),
        ("phone died on the way", "my phone died on the way", "your phone dying on the way"),
        ("being there for my kids", "", "being there for your kids"),
        ("know what is left", "", "knowing what is left"),
        ("own garden", "my own garden", "your own garden"),
        ("hardly see each other", "", "hardly seeing each other"),
        ("annoys me", "", "what annoys you"),
        ("felix", "Felix", "Felix"),
        ("father", "my father", "your father"),
        ("boss", "", "your boss"),
        ("best moment of my day", "", "the best moment of your day"),
    ],
)
def test_labels_become_noun_phrases(label: str, quote: str, phrase: str) -> None:
    assert noun_phrase(label, quote) == phrase


@pytest.mark.parametrize(
    ("verb", "form"),
    [("make", "making"), ("get", "getting"), ("lie", "lying"), ("see", "seeing"),
     ("open", "opening"), ("begin", "beginning"), ("carry", "carrying"), ("wait", "waiting")],
)  # fmt: skip
def test_ing_forms(verb: str, form: str) -> None:
    assert ing(verb) == form


@pytest.mark.parametrize(
    "label",
    [
        "one two three four five six seven eight nine ten",
        "key changed everything",
        "water and salt in it",
        "the hills ought to stay as they are",
        "kids try new dishes",
        "not the one at the top",
        "light",
        "sitting outside and nobody talks",
        "lid leaks",
        "goes right to my heart",
        "do my share and not help out",
        "rely on my things gives me calm",
    ],
)
def test_what_makes_no_noun_phrase_is_quoted_before_the_question(label: str) -> None:
    assert phrases_of(FocusInput(label=label))[0].quotes
    question = follow_up(
        StrategyInput(name="ladder_up", probes=("consequence",)), focus=FocusInput(label=label)
    )
    assert f"“{label}”" in question


def test_a_quotation_keeps_the_subject_that_stands_before_it() -> None:
    focus = FocusInput(label="not tied down", quote="not tied down until spring comes round")
    answer = "Well, I'm not tied down until spring comes round. That is new."
    said = phrases_of(focus, [answer])[0].said
    assert said == "“I'm not tied down until spring comes round”"


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("because the seams have held", "“the seams have held”"),
        ("to put it plainly, my nephew had stomach ache", "“my nephew had stomach ache”"),
        ("maybe we only take it on Sundays", "“we only take it on Sundays”"),
    ],
)
def test_a_quotation_begins_with_the_statement(quote: str, said: str) -> None:
    assert phrases_of(FocusInput(label=quote, quote=quote))[0].said == said


@pytest.mark.parametrize(
    ("label", "quote", "answer", "said"),
    [
        ("village", "a village", "It's a bit like a village.", "“it's a bit like a village”"),
        ("talking to a wall", "talking to a wall", "It was just like talking to a wall.",
         "“it was just like talking to a wall”"),
    ],
)  # fmt: skip
def test_what_something_is_like_is_not_taken_for_the_thing(
    label: str, quote: str, answer: str, said: str
) -> None:
    (phrase,) = phrases_of(FocusInput(label=label, quote=quote), [answer])
    assert (phrase.quotes, phrase.said) == (True, said)


@pytest.mark.parametrize(
    "answer",
    [
        "I like talking to my neighbours.",
        "I just like talking to my neighbours.",
        "You know what it's like talking to my neighbours.",
    ],
)
def test_what_somebody_likes_is_no_comparison(answer: str) -> None:
    focus = FocusInput(label="talking to my neighbours", quote="talking to my neighbours")
    first, *_ = phrases_of(focus, [answer])
    assert first.noun == "talking to your neighbours"
