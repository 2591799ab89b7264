"""By what name an answer speaks of the things that are compared."""

from __future__ import annotations

import pytest

from interviews.llm.providers.offline.elements import named_element, others_of


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("then there was the bakery by the church, a dark one", "the bakery by the church"),
        ("the second was the tiny one under the arch", "the tiny one under the arch"),
        ("to the Anchor it's ten minutes on foot", "the Anchor"),
        ("My first landlord never knocked", "my first landlord"),
        ("my sister picked the flat above the garage", "the flat above the garage"),
        ("the one nobody goes to", ""),
        ("everyone at the office has a view", ""),
        ("we made a table of it", ""),
        ("the first was awful", ""),
        ("the Anchor's only got six tables", "the Anchor"),
        ("my wife's favourite is an old mill with a stove", "the old mill with a stove"),
        ("the guides all swear by the Anchor", "the Anchor"),
        ("the other extreme would be a barn", ""),
        ("there's a glass case in the hall", ""),
        ("my wife's favourite", ""),
        ("the price was too high", ""),
        ("my neighbours are quiet", ""),
        ("it was the worst of all", ""),
        ("he was a tyrant", ""),
        ("the red flat was too dear", "the red flat"),
        ("", ""),
    ],
)
def test_a_thing_is_named_by_the_definite_phrase_it_is_told_of_with(said: str, name: str) -> None:
    assert named_element(said, "the flats you have looked at") == name


@pytest.mark.parametrize(
    ("subject", "others"),
    [
        ("the flats you have looked at", "the other flats"),
        ("coffee shops", "the other coffee shops"),
        ("the managers you have worked for", "the other managers"),
        ("renting a flat", "the others"),
        ("rice", "the others"),
        ("this", "the others"),
        ("running a business", "the others"),
        ("choosing restaurants", "the others"),
        ("how you choose restaurants", "the others"),
        ("lunch on Sundays", "the others"),
        ("always on the move", "the others"),
    ],
)
def test_the_others_are_of_the_subjects_kind_where_it_names_several(
    subject: str, others: str
) -> None:
    assert others_of(subject) == others
