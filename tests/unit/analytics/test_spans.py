"""Quotes are found in protected texts, whatever stands in them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analytics.exports.cells import safe_text
from analytics.exports.spans import protected

HARD = st.text(alphabet=st.sampled_from("=+-@\t\r\n \u00a0\ufeff\v\u2028＝ab'9"), min_size=1)


def test_a_quote_behind_what_was_protected_moves_along() -> None:
    found = protected("=1\n-2 and more")
    assert found.text == "'=1\n'-2 and more"
    start, end = found.span(6, 9)
    assert found.text[start:end] == "and"


def test_a_quote_that_begins_like_a_formula_is_protected_in_the_text_too() -> None:
    found = protected("it is -5 degrees", {6})
    assert found.text == "it is '-5 degrees"
    start, end = found.span(6, 8)
    assert found.text[start:end] == "'-5"


@given(HARD, st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20)), max_size=4))
def test_every_quote_is_the_slice_of_a_text_that_is_safe(
    text: str, drawn: list[tuple[int, int]]
) -> None:
    spans = [(a % len(text), min(a % len(text) + b, len(text))) for a, b in drawn]
    found = protected(text, {start for start, _ in spans})
    assert safe_text(found.text) == found.text
    for start, end in spans:
        new_start, new_end = found.span(start, end)
        quote = found.text[new_start:new_end]
        assert safe_text(quote) == quote
        assert quote.replace("'", "") == text[start:end].replace("'", "")
