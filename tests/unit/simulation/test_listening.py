"""How a simulated respondent takes a question."""

from __future__ import annotations

import pytest

from interviews.simulation.listening import Ear, content_stems, probe_kind, stem
from interviews.simulation.world import load_world


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What comes to mind when you think of oat milk?", "open"),
        ("What else do you pay attention to?", "open"),
        ("Thinking of schools, which other one do you know well?", "open"),
        ("What would you tell someone who is new to that?", "open"),
        ("Which side of it have we not touched on yet?", "open"),
        ("On which other occasions does it come up?", "open"),
        ("Who else is affected?", "why"),
        ("How do you go about it?", None),
        ("You said “it feels light”. What does that give you?", "why"),
        ("Why does that matter to you?", "why"),
        ("What follows from that for you?", "why"),
        ("How would someone who knows you well explain what that means to you?", "why"),
        ("What is at stake for you?", "why"),
        ("What would someone who sees that differently say?", "contrast"),
        ("Which time was the best for you?", "incident"),
        ("How does that make you feel?", "feeling"),
        ("Can you remember a time when that happened?", "incident"),
        ("Tell me about the last time you went there.", "incident"),
        ("What would you miss without it?", "absence"),
        ("If you couldn't have that, what would change?", "absence"),
        ("How does that compare with the one you had before?", "contrast"),
        ("What exactly do you mean by 'handy'?", "concrete"),
        ("So far I have heard that it is light. Did I get that right?", "reflection"),
        ("Before we finish, what would you like to put right?", "closing"),
        ("Is there anything you would like to add?", "closing"),
    ],
)
def test_the_kind_of_a_question_is_read_from_its_wording(question: str, kind: str | None) -> None:
    assert probe_kind(question) == kind


def test_quoted_words_do_not_decide_the_kind_of_a_question() -> None:
    assert probe_kind("You said 'I couldn't live without it'. Why is that?") == "why"
    assert probe_kind('About "the time when it broke": why does it count?') == "why"


def test_what_is_asked_last_counts_more_than_the_lead_in() -> None:
    assert probe_kind("That sounds different from before. Why is it important?") == "why"


@pytest.mark.parametrize(
    ("one", "other"),
    [("straps", "strap"), ("running", "run"), ("carries", "carried"), ("worries", "worry")],
)
def test_forms_of_a_word_share_their_stem(one: str, other: str) -> None:
    assert stem(one)[:3] == stem(other)[:3]


def test_words_without_content_are_not_heard() -> None:
    assert content_stems("Tell me what that is about, and why you said it.") == frozenset()
    assert content_stems("The hip belt's padding") == {"hip", "belt", "pad"}


def test_the_subject_is_what_was_told_in_those_words() -> None:
    world = load_world("hiking_backpacks")
    told = [world.by_id["hip_belt"], world.by_id["roll_top"]]
    untold = [s for s in world.statements if s not in told]
    ear = Ear(world)
    assert ear.subject("What does the roll top give you?", told=told, untold=untold) == "roll_top"
    assert ear.subject("And the padded belt?", told=told, untold=untold) == "hip_belt"


def test_something_new_is_the_subject_where_it_fits_clearly_better() -> None:
    world = load_world("hiking_backpacks")
    told = [world.by_id["hip_belt"]]
    untold = [s for s in world.statements if s not in told]
    assert (
        Ear(world).subject("And the price, the money you paid?", told=told, untold=untold)
        == "price_high"
    )


def test_a_question_about_nothing_known_has_no_subject() -> None:
    world = load_world("hiking_backpacks")
    assert Ear(world).subject("Hm?", told=[], untold=list(world.statements)) is None
