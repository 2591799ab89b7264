"""How a respondent's words are put in the second person and reported."""

from __future__ import annotations

import pytest

from interviews.llm.providers.offline.quoting import (
    as_written,
    lower_first,
    second_person,
    verbatim,
)
from interviews.llm.providers.offline.quoting import reported as given_back
from interviews.llm.tasks.questions import FocusInput


def test_first_person_turns_into_second() -> None:
    assert second_person("I was sure my kids saw me and our dog") == (
        "you were sure your kids saw you and your dog"
    )


@pytest.mark.parametrize(
    ("quote", "answer", "reported"),
    [
        ("my numbers are back to normal", "Well, my numbers are back to normal.",
         "your numbers are back to normal"),
        ("I was shaking", "I was shaking, I was that angry.", "you were shaking"),
        ("dad laughed", "That was when dad laughed.", ""),
        ("dad laughed", "Well, dad laughed.", "your dad laughed"),
        # what is not said to be so, or only its surroundings explain, is not reported
        ("I can touch it", "It leaves before I can touch it.", ""),
        ("they aren't", "The evenings were silent and now they aren't.", ""),
        # what somebody else said is not what the respondent said
        ("the bag lasts", "I've always said the bag lasts.", "the bag lasts"),
        ("I'll stay on the line", "He said see to him first, I'll stay on the line.", ""),
        # what taggers read as an infinitive
        ("I pay a third of that", "Well, I pay a third of that.", "you pay a third of that"),
        ("my guests hardly eat anything", "My guests hardly eat anything.",
         "your guests hardly eat anything"),
        # fragments have no subject
        ("peel it off", "So I just peel it off.", ""),
        ("once had to stand outside", "I once had to stand outside.", ""),
        ("on the shelf where the tins were", "It was on the shelf where the tins were.", ""),
        ("the shop nobody goes to", "It's the shop nobody goes to.", ""),
    ],
)  # fmt: skip
def test_a_clause_is_reported_only_where_that_is_what_was_said(
    quote: str, answer: str, reported: str
) -> None:
    assert given_back(quote, [answer]) == reported


@pytest.mark.parametrize(
    ("quote", "answer", "words"),
    [
        # the few words that end the clause are quoted along
        ("dad pressed the bell for forty", "I guess dad pressed the bell for forty minutes.",
         "dad pressed the bell for forty minutes"),
        ("peel it off, slap", "I peel it off, slap it on and it's ready.",
         "I peel it off, slap it on"),
        # many are not, and no quotation ends on a word that wants another
        ("the door was red when", "The door was red when they came to fetch us at last.",
         "the door was red"),
        ("it hurts now and then", "It hurts now and then, yes.", "it hurts now and then"),
        ("I was happy back then", "I was happy back then.", "I was happy back then"),
        ("you get a file by mail and then", "You get a file by mail and then you're on your own.",
         "you get a file by mail"),
        ("my happiness ever since", "It's been my happiness ever since, you know.",
         "it's been my happiness ever since"),
        # what it holds under is quoted with it
        ("I ask myself who's to blame", "Before I shout I ask myself who's to blame.",
         "before I shout I ask myself who's to blame"),
        # what says nothing by itself is quoted with its sentence
        ("I hope", "I hope she finds the thing she was made for.",
         "I hope she finds the thing she was made for"),
        ("took away", "It took away the fear.", "it took away the fear"),
        ("I like it", "I like it when people use their heads. Always did.",
         "I like it when people use their heads"),
        ("it works", "It works and I am glad.", "it works"),
        ("every floor had a lift, maybe", "Every floor had a lift, maybe I'm wrong.",
         "every floor had a lift"),
        # names keep their capital
        ("Ama came in", "Then Ama came in.", "Ama came in"),
        ("Dogs bark", "Dogs bark.", "dogs bark"),
    ],
)  # fmt: skip
def test_a_quotation_is_whole(quote: str, answer: str, words: str) -> None:
    assert verbatim(FocusInput(label=quote.lower(), quote=quote), [answer]) == words


@pytest.mark.parametrize(
    ("label", "quote", "answer", "words"),
    [
        ("hope", "I hope", "I hope she finds the thing she was made for.",
         "I hope she finds the thing she was made for"),
        # where the sentence is long, what was quoted of it all the same
        ("go there", "I like to go there", f"I like to go there{' and then we do it again' * 3}.",
         "I like to go there"),
        ("it was there", "it was there", "Then it was there when Dr. Smith came.", "it was there"),
        ("being outdoors", "I like being outdoors", "I like being outdoors with them all.",
         "I like being outdoors with them all"),
    ],
)  # fmt: skip
def test_a_quotation_says_something_where_it_can(
    label: str, quote: str, answer: str, words: str
) -> None:
    assert verbatim(FocusInput(label=label, quote=quote), [answer]) == words


def test_a_label_is_quoted_with_the_capitals_it_was_said_with() -> None:
    said = (
        "Old Mr Brandt gave me the key to the woodwork room on the Friday when I had been thrown"
        " out of maths"
    )
    focus = FocusInput(label="gave me the key to the woodwork room on the friday", quote=said)
    assert verbatim(focus, [f"{said}."]) == "gave me the key to the woodwork room on the Friday"


def test_words_that_a_label_leaves_out_cost_it_no_capitals() -> None:
    quote = "That saves us a Saturday in town. The boys love it"
    assert as_written("saves a saturday in town", quote) == "saves a Saturday in town"
    assert as_written("the boys love it a lot", quote) == "the boys love it a lot"


def test_a_name_is_known_by_its_capital_inside_a_sentence() -> None:
    answers = ["To the Linden it's forty minutes.", "Padded straps, that's all."]
    assert [lower_first(label, answers) for label in ("Linden", "Padded straps", "I")] == [
        "Linden",
        "padded straps",
        "I",
    ]
