"""Questions and answers as tokens, and back."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from interviews.llm.providers.offline.reader.encoding import (
    MOST_ANSWER_TOKENS,
    encode,
    stretches,
)


def test_a_span_of_the_answer_comes_back_as_it_was_said() -> None:
    answer = "Well, it's light, so my shoulders don't hurt."
    encoded = encode("What is it like?", ("rucksack", "attribute"), answer)
    start = answer.index("my shoulders")
    tokens = encoded.tokens_of(start, len(answer) - 1)
    assert tokens is not None
    assert encoded.characters_of(*tokens) == (start, len(answer) - 1)


def test_focus_question_and_answer_stand_in_this_order() -> None:
    encoded = encode("Why?", ("light bag", "attribute"), "It is small.")
    assert encoded.focus is not None
    first, last = encoded.focus
    assert 0 < first < last < encoded.answer_at
    assert set(encoded.segments[: encoded.answer_at]) == {0}
    assert set(encoded.segments[encoded.answer_at :]) == {1}
    assert len(encoded.ids) == len(encoded.segments)


def test_an_open_question_has_no_focus() -> None:
    assert encode("What comes to mind?", None, "A bag.").focus is None


def test_characters_that_are_no_token_have_none() -> None:
    assert encode("Why?", None, "a   b").tokens_of(1, 4) is None


def test_a_long_answer_is_cut_between_sentences_and_nothing_is_lost() -> None:
    answer = " ".join(f"Number {n} was a rather long story about my neighbour." for n in range(60))
    parts = list(stretches(answer))
    assert len(parts) > 1
    assert " ".join(text for _, text in parts) == answer
    for start, text in parts:
        assert answer[start : start + len(text)] == text
        assert len(encode("", None, text).offsets) <= MOST_ANSWER_TOKENS


@settings(max_examples=100)
@given(st.text(max_size=300))
def test_any_text_can_be_encoded(answer: str) -> None:
    for start, text in stretches(answer):
        assert answer[start : start + len(text)] == text
        encoded = encode("Why?", ("a", "attribute"), text)
        assert all(0 <= a <= b <= len(text) for a, b in encoded.offsets)
