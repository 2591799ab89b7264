from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.llm.providers.offline.stimulus import element_proposal, slug
from interviews.llm.tasks.element_proposal import ElementProposalInputs

LAMP = (
    "GlowOne: a desk lamp that follows the daylight. It is made of cork, so that your desk stays "
    "warm to the touch. The box is blue and it costs 39 euros.\n- Ten years guarantee"
)


def found(text: str, language: str = "en") -> list[tuple[str, str, int, tuple[str, ...]]]:
    proposed = element_proposal(ElementProposalInputs(text=text, language=language))
    return [(e.label, e.kind, e.priority, e.connects_to) for e in proposed.elements]


def test_each_clause_is_an_element_of_the_kind_that_its_words_tell() -> None:
    assert found(LAMP) == [
        ("GlowOne", "name", 3, ()),
        ("desk lamp", "claim", 1, ()),
        ("follows the daylight", "claim", 1, ()),
        ("made of cork", "feature", 2, ()),
        ("your desk stays warm to the touch", "benefit", 2, ("made_of_cork",)),
        ("box is blue", "claim", 2, ()),
        ("costs 39 euros", "price", 2, ()),
        ("ten years guarantee", "feature", 2, ()),
    ]


def test_italian_is_read_too() -> None:
    text = "Ecco LuceUna: una lampada di sughero. Costa 39 euro, senza abbonamento."
    assert found(text, "it") == [
        ("LuceUna", "name", 3, ()),
        ("lampada di sughero", "claim", 1, ()),
        ("costa 39 euro", "price", 2, ()),
        ("senza abbonamento", "feature", 2, ()),
    ]


@given(st.text(min_size=1, max_size=400))
def test_any_text_gives_few_elements_that_stand_in_it_once_each(text: str) -> None:
    proposed = element_proposal(ElementProposalInputs(text=text)).elements
    assert len(proposed) <= 20
    assert all(element.quote in text for element in proposed)
    ids = [element.id for element in proposed]
    assert len(set(ids)) == len(ids)
    assert all(other in ids for element in proposed for other in element.connects_to)


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Crème légère", "creme_legere"),
        ("2 for 1", "element_2_for_1"),
        ("燕麦", "element"),
        ("a " * 40, "a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a"),
    ],
)
def test_a_label_as_an_id(label: str, name: str) -> None:
    assert slug(label) == name
