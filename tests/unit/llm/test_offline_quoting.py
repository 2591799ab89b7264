"""How a respondent's words are put in the second person and reported."""

from __future__ import annotations

import pytest

from interviews.llm.providers.offline.quoting import reportable, second_person


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
        # what is not said to be so, or only its surroundings explain, is not reported
        ("I can touch it", "It leaves before I can touch it.", ""),
        ("they aren't", "The evenings were silent and now they aren't.", ""),
        # fragments have no subject
        ("peel it off", "So I just peel it off.", ""),
        ("once had to stand outside", "I once had to stand outside.", ""),
    ],
)  # fmt: skip
def test_a_clause_is_reported_only_where_that_is_what_was_said(
    quote: str, answer: str, reported: str
) -> None:
    assert (reportable(quote, [answer]) and second_person(quote)) == (reported or False)
