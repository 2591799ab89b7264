"""What is left out of an answer, what is kept together, and how ideals are recognised."""

from __future__ import annotations

import pytest

from interviews.llm.providers.offline.asides import is_aside
from interviews.llm.providers.offline.direction import asked_kinds, expected_side
from interviews.llm.providers.offline.sentiment import polarity
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
        "Ask me something easier",
        "Nope, all good",
        "I'll be honest with you",
        "That ties in with something I told you",
        "It really gets to me",
        "It still moves me when I think of it",
        "I'm so grateful for it",
        "You can't imagine what it's worth to me",
        "It's not one thing, it's just always like that",
        "There's nothing more specific",
        "I couldn't single out one day",
    ],
)
def test_talk_about_the_talk_is_no_statement(said: str) -> None:
    assert is_aside(said)
    assert extract(f"{said}.").concepts == ()


@pytest.mark.parametrize(
    "said",
    [
        "That covers my rent",
        "It gets me out of the house",
        "That hits my wallet",
        "It hurts",
        "I'm grateful for my job",
        "My daughter moves me when I think of her",
        "It's not one place that bothers me",
        "It's not one reason, mostly price and noise",
        "It was not one particular moment, the trust just eroded",
        "There's nothing more to it than money",
    ],
)
def test_statements_with_the_words_of_asides_are_kept(said: str) -> None:
    assert not is_aside(said)


def test_a_sentence_announced_as_leading_away_is_skipped() -> None:
    output = extract("The lamp is bright. By the way, my sister is getting married on Friday.")
    assert not any("sister" in concept.quote for concept in output.concepts)
    assert output.concepts


def test_a_statement_does_not_end_on_the_verb_that_leads_to_the_next() -> None:
    output = extract("A light pack means I can walk further without getting tired.")
    assert "light pack" in [concept.label for concept in output.concepts]


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


@pytest.mark.parametrize(
    ("said", "side"),
    [
        ("no more queues", 1),
        ("less scratching", 1),
        ("without having to worry", 1),
        ("it saves time", 1),
        ("I can't sleep", -1),
        ("no privacy", -1),
        ("it wears me out by the evening", -1),
        ("a blue bag", 0),
    ],
)
def test_being_spared_something_is_welcome_and_being_denied_it_is_not(said: str, side: int) -> None:
    assert polarity(said) == side


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("What has kept you from changing?", {"problem"}),
        ("What do you use at the moment?", {"solution", "action"}),
        ("What were you trying to get done?", {"goal"}),
        ("Tell me more about that.", set()),
    ],
)
def test_a_question_may_name_the_kind_of_answer(question: str, kinds: set[str]) -> None:
    assert set(asked_kinds(question)) == kinds


def test_what_sounds_neutral_takes_the_side_of_the_question() -> None:
    assert expected_side("What does that give you?", "a basket", "a basket") == 1
    assert expected_side("What bothers you about it?", "a basket", "a basket") == -1
    assert expected_side("What is it like?", "a basket", "a basket") == 0


def test_several_direct_answers_each_follow_from_the_focus() -> None:
    output = extract(
        "Saves money, saves shelf space. And I read more.",
        question="What does borrowing give you?",
        focus=("borrow books", "attribute"),
    )
    assert {target for source, _, target in edges(output) if source == "borrow books"} >= {
        "saves money",
        "saves shelf space",
    }
