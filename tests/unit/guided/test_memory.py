"""What a question is told of the respondent: whether they tire, how they speak, what to avoid."""

from __future__ import annotations

from dataclasses import replace

import pytest

from interviews.modes.guided.listening import _rests, reply_to_offer
from interviews.modes.guided.memory import facts, is_tired, stems, style_of, topic_lines
from interviews.modes.guided.texts import texts
from interviews.wording.languages import LANGUAGES
from tests.unit.guided.samples import heard, plan, played
from tests.unit.llm_prompts.long_interview import at_turn_twenty

LONG = "In March 2024 the approval took three weeks and that was a problem for my whole team."


@pytest.mark.parametrize(
    ("answers", "tired"),
    [
        ([], False),
        (["No."], True),
        ([LONG, LONG, "No.", "Yes.", "No."], True),
        ([LONG, LONG, LONG, "Yes.", "No."], False),
        (["No.", "No.", "No.", LONG, LONG, LONG, LONG, "No."], False),
    ],
)
def test_somebody_tires_where_three_of_the_last_five_answers_gave_little(
    answers: list[str], tired: bool
) -> None:
    assert is_tired(answers, "en") is tired


@pytest.mark.parametrize(
    ("answers", "style"),
    [
        ([], "plain"),
        (["word " * 11], "brief"),
        (["word " * 12], "plain"),
        (["word " * 60], "plain"),
        (["word " * 61], "verbose"),
        (["Furthermore, " + "word " * 20], "formal"),
        (["yeah it was kinda cool " + "word " * 20], "casual"),
        (["yeah, however, " + "word " * 20], "plain"),
    ],
)
def test_style_is_told_by_length_then_by_markers(answers: list[str], style: str) -> None:
    assert style_of(answers, "en") == style


def test_questions_do_not_begin_as_the_last_five_did() -> None:
    asked = ["Where was that then?", *(f"What did you {n}?" for n in range(4)), "How come?"]
    assert stems(asked) == ("What did you", "How come?")


def test_the_newest_twelve_points_read_with_confidence_are_told() -> None:
    context = at_turn_twenty()
    *others, newest = context.graph.live_nodes()
    context.graph.nodes[newest.id] = replace(newest, confidence=0.59)
    sure = [node.label for node in others if node.confidence >= 0.6]
    assert facts(context) == tuple(sure[-12:])
    assert len(sure) > 12


def test_topics_are_told_with_what_is_covered_and_what_stands_out() -> None:
    made = plan(2, 1, 1, minutes=3)
    now = played(made, heard(0.7), heard(0.55))[-1].state
    first, second, third = topic_lines(made, now)
    assert (first.state, first.covered, first.of, first.engagement) == ("done", 2, 2, "HIGH")
    assert first.insight == "said with 0.7"
    assert (second.state, third.state) == ("now", "ahead")


@pytest.mark.parametrize("language", LANGUAGES)
def test_offer_is_answered_by_button_or_in_words_that_say_one_thing(language: str) -> None:
    words = texts(language)
    assert reply_to_offer(words.offer.accept, language) == "ACCEPT"
    assert reply_to_offer(words.offer.refuse, language) == "REFUSE"
    assert reply_to_offer(words.accepting[0], language) == "ACCEPT"
    assert reply_to_offer(words.refusing[0], language) == "REFUSE"
    both = f"{words.accepting[0]}, {words.refusing[0]}"
    assert reply_to_offer(both, language) == "NEUTRAL"
    assert reply_to_offer("hm", language) == "NEUTRAL"


@pytest.mark.parametrize(
    ("quote", "disclaimed", "rests"),
    [
        ("the late bus", ["The late bus"], True),
        ("bus", ["the late bus"], True),
        ("the late bus", ["late"], True),
        ("the late bus", ["the train"], False),
        ("the late bus", [""], False),
    ],
)
def test_what_is_part_of_something_played_down_rests(
    quote: str, disclaimed: list[str], rests: bool
) -> None:
    assert _rests(quote, disclaimed) is rests
