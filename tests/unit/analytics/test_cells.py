"""No cell of a spreadsheet is a formula."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.exports.cells import cell, safe_text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("   =cmd", "'   =cmd"),
        ("\u00a0=cmd", "'\u00a0=cmd"),
        ("\ufeff=cmd", "'\ufeff=cmd"),
        ("＝1", "'＝1"),
        ("fine\n=cmd", "fine\n'=cmd"),
        ("fine\r\n  @cmd", "fine\r\n'  @cmd"),
        ("fine\r\tcmd", "fine\r'\tcmd"),
        ("fine\u2028=cmd", "fine\u2028'=cmd"),
        ("=a\n+b", "'=a\n'+b"),
        ("\0=cmd", "'=cmd"),
    ],
)
def test_what_would_start_a_formula_is_made_text(text: str, safe: str) -> None:
    assert safe_text(text) == safe


@pytest.mark.parametrize("text", ["", "a = b", "1-2", "me@example.org", "it's", "a\n\nb", "'=1"])
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert safe_text(text) == text


@given(
    st.text(alphabet=st.sampled_from("=+-@\t\r\n \u00a0\ufeff\u200b\v\f\x85\u2028＝＋－＠\0ab'"))
)
def test_no_line_of_any_text_begins_with_a_trigger(text: str) -> None:
    made = safe_text(text)
    assert not made.startswith(("\r", "\n"))
    for line in re.split("[\r\n\v\f\x85\u2028\u2029]", made):
        bare = line.lstrip(" \u00a0\ufeff\u200b\u2060")
        assert not bare.startswith(tuple("=+-@\t＝＋－＠"))


@given(st.text())
def test_making_safe_twice_changes_nothing_more(text: str) -> None:
    assert safe_text(safe_text(text)) == safe_text(text)


def test_values_become_plain_cells() -> None:
    moment = datetime(2026, 3, 2, 9, 0, 5, 123456, tzinfo=UTC)
    assert [cell(v) for v in (None, True, False, 3, 0.25, moment)] == [
        "",
        "yes",
        "no",
        "3",
        "0.25",
        "2026-03-02T09:00:05+00:00",
    ]
    assert cell(-0.5) == "'-0.5"
