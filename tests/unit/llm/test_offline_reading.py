"""What is left out of an answer, what is kept together, and how ideals are recognised."""

from __future__ import annotations

import pytest

from interviews.llm.providers.offline.asides import adds, is_aside
from interviews.llm.providers.offline.weaving import is_noun_phrase, is_plural
from tests.unit.llm.offline_samples import edges, extract

LADDER = "Why does that matter to you?"


@pytest.mark.parametrize(
    "said",
    [
        "That sums it up nicely",
        "You got that right",
        "That's how I see it",
        "I couldn't have said it better",
        "I've never compared them",
        "Nothing to add",
        "To put it bluntly",
        "Let's be fair",
        "I'm not sure what you want to know",
        "Can you hear that",
    ],
)
def test_talk_about_the_talk_is_no_statement(said: str) -> None:
    assert is_aside(said)
    assert extract(f"{said}.").concepts == ()


@pytest.mark.parametrize(
    "said",
    ["That covers my rent", "It gets me out of the house", "That hits my wallet", "It hurts"],
)
def test_statements_with_the_words_of_asides_are_kept(said: str) -> None:
    assert not is_aside(said)


def test_a_sentence_announced_as_leading_away_is_skipped() -> None:
    output = extract("The lamp is bright. By the way, my sister is getting married on Friday.")
    assert [c.label for c in output.concepts] == ["bright lamp"]


def test_a_short_clause_of_time_stays_with_what_it_dates() -> None:
    assert [c.label for c in extract("It dries while I sleep.").concepts] == ["dries while I sleep"]


def test_a_feeling_keeps_the_occasion_it_comes_from_as_its_ground() -> None:
    assert edges(extract("I get nervous when the lights go out.")) == {
        ("lights go out", "leads_to", "nervous")
    }


def test_a_number_in_words_is_one_statement() -> None:
    labels = [c.label for c in extract("It costs two hundred and twenty dollars.").concepts]
    assert labels == ["costs two hundred and twenty dollars"]


@pytest.mark.parametrize(
    "said",
    [
        "I don't want to depend on anybody.",
        "People should look out for each other.",
        "I can respect myself again.",
        "I'd rather not rely on luck.",
        "I was taught to be fair and I want to keep my promises.",
    ],
)
def test_the_form_of_an_ideal_makes_a_way_of_being_or_a_value(said: str) -> None:
    output = extract(said, question=LADDER, focus=("feel less tense", "psychosocial_consequence"))
    found = {concept.node_type for concept in output.concepts}
    assert found & {"instrumental_value", "terminal_value"}


def test_an_ideal_named_above_the_last_step_is_an_end() -> None:
    output = extract(
        "I want to go through the world with open eyes.",
        question=LADDER,
        focus=("being curious", "instrumental_value"),
    )
    assert [c.node_type for c in output.concepts] == ["terminal_value"]


def test_the_same_words_are_no_ideal_where_a_thing_was_asked_about() -> None:
    output = extract("I want to carry less.", question=LADDER, focus=("light tent", "attribute"))
    assert [c.node_type for c in output.concepts] == ["functional_consequence"]


def test_what_is_announced_as_a_further_point_is_not_taken_for_the_next_step() -> None:
    assert adds("Another thing is that the lid is red")
    assert not adds("The lid is red, and that calms me")
    output = extract(
        "Besides, it has a red lid.",
        question=LADDER,
        focus=("feel calm", "psychosocial_consequence"),
    )
    assert [c.node_type for c in output.concepts] == ["attribute"]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("wide padded straps", True),
        ("peace of mind", True),
        ("kids try new dishes", False),
        ("the price is too high", False),
        ("change nothing", False),
        ("on hire from the shop", False),
    ],
)
def test_only_plain_noun_phrases_are_woven_in(label: str, expected: bool) -> None:
    assert is_noun_phrase(label) is expected


@pytest.mark.parametrize(
    ("phrase", "plural"),
    [
        ("fresh herbs", True),
        ("the herbs in the pot", True),
        ("bread", False),
        ("saving coins", False),
    ],
)
def test_plurals_are_known_by_their_head(phrase: str, plural: bool) -> None:
    assert is_plural(phrase) is plural
