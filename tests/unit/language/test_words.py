from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.language.words import close_spelling, tokenize


@pytest.mark.parametrize(
    ("text", "lemmas"),
    [
        ("don't worry", ["do", "not", "worry"]),
        ("can’t wait", ["can", "not", "wait"]),
        ("cannot wait", ["can", "not", "wait"]),
        ("my family's health", ["my", "family", "health"]),
        ("user-friendly", ["user", "friendly"]),
        ("30min a day", ["30", "minute", "a", "day"]),
        ("20 l bag", ["20", "litre", "bag"]),
        ("€5 fee", ["5", "euro", "fee"]),
        ("V60 brewer", ["v60", "brewer"]),
        ("", []),
    ],
)
def test_labels_are_split_into_lemmas(text: str, lemmas: list[str]) -> None:
    assert [token.lemma for token in tokenize(text)] == lemmas


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("two cups", [2]), ("twenty-five euros", [25]), ("two hundred grams", [200]),
        ("1,500 steps", [1500]), ("2.5 hours", [2.5]), ("half an hour", [0.5]), ("no number", []),
        ("3 percent", [3]), ("100% cotton", [100]),
    ],
)  # fmt: skip
def test_numbers_are_read_in_words_and_digits(text: str, numbers: list[float]) -> None:
    assert [token.number for token in tokenize(text) if token.number is not None] == numbers


def test_a_mixture_of_letters_and_digits_is_a_code() -> None:
    assert [token.code for token in tokenize("iPhone12 and 4k")] == [True, False, True]


@pytest.mark.parametrize(
    ("one", "other", "close"),
    [
        ("adidas", "adiddas", True), ("recieve", "receive", False), ("starbuks", "starbucks", True),
        ("nike", "mike", False), ("coffee", "toffee", False), ("smoothy", "smoothie", False),
        ("barclays", "barclay", True), ("philadelphia", "philadephlia", True),
    ],
)  # fmt: skip
def test_close_spelling_allows_one_edit_or_two_in_long_words(
    one: str, other: str, *, close: bool
) -> None:
    assert close_spelling(one, other) is close


@given(st.text(max_size=60))
def test_any_text_can_be_split(text: str) -> None:
    assert all(token.lemma for token in tokenize(text))
