"""Whom a study takes in, by rules worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.marks import pasted_share, seconds_a_word
from interviews.recruiting import (
    RecruitingInvalid,
    parameters_of,
    read_recruiting,
    screened,
    with_parameters,
)

RULES: dict[str, Any] = {
    "parameters": ["pid", "wave"],
    "screener": [
        {"key": "age", "text": "How old?", "type": "number", "at_least": 18, "at_most": 65},
        {
            "key": "owns",
            "text": "A car?",
            "options": ["yes", "no", "2"],
            "accept": ["yes", "2"],
        },
    ],
    "segments": {"key": "owns", "most": {"yes": 2}},
    "redirects": {"screened_out": "https://panel.example/out?x=1"},
}


@pytest.mark.parametrize(
    ("given_answers", "wrong", "passed"),
    [
        ({"age": "18", "owns": "yes"}, (), True),
        ({"age": "65", "owns": "2"}, (), True),
        ({"age": "17.5", "owns": "yes"}, (), False),
        ({"age": "66", "owns": "yes"}, (), False),
        ({"age": "30", "owns": "no"}, (), False),
        ({"age": "old", "owns": "yes"}, ("age",), False),
        ({"owns": "maybe"}, ("age", "owns"), False),
    ],
)
def test_the_screener_lets_in_whom_its_rules_name(
    given_answers: dict[str, str], wrong: tuple[str, ...], passed: bool
) -> None:
    found = screened(read_recruiting(RULES), given_answers)
    assert (found.wrong, found.passed) == (wrong, passed)


def test_a_number_is_taken_with_a_comma() -> None:
    assert screened(read_recruiting(RULES), {"age": "18,5", "owns": "yes"}).passed


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"parameters": ["pid", "pid"]}, "'pid' is there twice"),
        ({"parameters": ["code"]}, "'code' is given by the completion page"),
        ({"parameters": ["P id"]}, "parameters.1"),
        ({"segments": {"key": "income", "most": {"a": 1}}}, "'income' is no parameter"),
        ({"segments": {"key": "owns", "most": {"three": 1}}}, "'three' is no option of owns"),
        ({"redirects": {"screened_out": "http://panel.example"}}, "screened_out: enter a whole"),
        ({"screener": [{"key": "a", "text": "?", "options": ["x"]}]}, "screener.1: a choice needs"),
        (
            {"screener": [{"key": "a", "text": "?", "options": ["x", "y"], "accept": ["z"]}]},
            "accept names 'z'",
        ),
        (
            {"screener": [RULES["screener"][0] | {"at_most": 1}]},
            "nobody could take part",
        ),
        ({"quota": 3}, "quota"),
    ],
)
def test_rules_that_cannot_be_kept_say_what_is_wrong(change: dict[str, Any], said: str) -> None:
    data = {key: value for key, value in RULES.items() if key != "segments"} | change
    with pytest.raises(RecruitingInvalid) as caught:
        read_recruiting(data)
    assert said in str(caught.value)


def test_a_key_stands_for_one_thing() -> None:
    with pytest.raises(RecruitingInvalid, match="'age' is the key of a data field"):
        read_recruiting(RULES, taken=["email", "age"])


def test_only_named_parameters_are_kept_and_cut_to_what_can_be_stored() -> None:
    query = {"pid": "a\x00b" + "c" * 300, "wave": "  ", "other": "x"}
    assert parameters_of(read_recruiting(RULES), query) == {"pid": "ab" + "c" * 198}


def test_parameters_go_along_in_the_place_of_their_like() -> None:
    address = "https://panel.example/out?pid=0&x=1"
    assert with_parameters(address, {"pid": "7 &"}) == "https://panel.example/out?x=1&pid=7+%26"
    assert with_parameters("javascript:alert(1)", {"pid": "7"}) == ""


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=10), max_size=4))
def test_nobody_passes_with_an_answer_missing(answers: dict[str, str]) -> None:
    found = screened(read_recruiting(RULES), {k: v for k, v in answers.items() if k != "age"})
    assert not found.passed
    assert "age" in found.wrong


def test_pace_is_the_median_of_seconds_a_word() -> None:
    at = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    said = [("interviewer", "Why?", at)]
    for seconds in (1, 2, 30):
        said.append(
            ("respondent", "one two three four five", said[-1][2] + timedelta(seconds=seconds))
        )
        said.append(("interviewer", "Why?", said[-1][2]))
    assert seconds_a_word(said) == pytest.approx(0.4)
    assert seconds_a_word(said[:4]) is None
    assert pasted_share(30, 40) == 0.75
    assert pasted_share(50, 40) == 1.0
    assert pasted_share(5, 0) == 0.0
