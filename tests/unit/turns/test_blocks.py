"""Blocks beside a question, as data."""

from __future__ import annotations

import pytest

from interviews.turns.blocks import Block, choice, chosen, options_of, stimulus


def test_a_choice_travels_as_its_options() -> None:
    made = choice(["Yes", "No"])
    assert made.model_dump(mode="json") == {"kind": "choice", "options": ["Yes", "No"]}
    assert options_of(made) == options_of(made.model_dump(mode="json")) == ("Yes", "No")


@pytest.mark.parametrize("options", [["Yes"], [], ["Yes", "yes."], ["No ", "no"]])
def test_a_choice_has_two_options_that_differ(options: list[str]) -> None:
    with pytest.raises(ValueError, match="two options or more"):
        choice(options)


@pytest.mark.parametrize("said", ["I'd rather not", "i’d rather not.", "  I'd   RATHER not!"])
def test_an_option_is_known_however_it_is_spelt(said: str) -> None:
    assert chosen(said, ["Yes", "I'd rather not"]) == "I'd rather not"


def test_what_says_no_option_chooses_none() -> None:
    assert chosen("yes please", ["Yes", "No"]) is None


def test_other_blocks_offer_nothing_to_choose() -> None:
    assert options_of(None) == ()
    assert options_of(Block.model_validate({"kind": "slider", "options": 9})) == ()
    assert options_of(stimulus(text="An idea.")) == ()


def test_an_image_has_words_for_who_cannot_see_it() -> None:
    with pytest.raises(ValueError, match="words for who cannot see it"):
        stimulus(image="/media/pack.png")
    with pytest.raises(ValueError, match="a text or an image"):
        stimulus(text="  ")
