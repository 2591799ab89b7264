from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.domain import Provenance
from graphs.provenance import End, names, provenance_of, strongest

ANSWER = "The straps dig in, so I keep stopping. My wife notices before I do."
QUESTION = "You said “I still take it everywhere”. What does that make possible for you?"


def at(words: str) -> tuple[int, int]:
    start = ANSWER.index(words)
    return start, start + len(words)


def end(words: str, *, said: str = "", asked: bool = False) -> End:
    return End(words=(words,), said=(at(said),) if said else (), asked=asked)


DIG = end("straps dig in", said="The straps dig in")
STOP = end("keep stopping", said="I keep stopping")
WIFE = end("wife notices", said="My wife notices")
TAKEN = end("take it everywhere")


@pytest.mark.parametrize(
    ("source", "target", "quote", "question", "expected"),
    [
        (DIG, STOP, "The straps dig in, so I keep stopping", "", "stated"),
        (DIG, STOP, "I keep stopping", "", "inferred"),
        (DIG, STOP, "straps dig in, so I keep stopping", "", "stated"),
        (DIG, STOP, "in, so I keep stopping", "", "inferred"),
        (end("strap digging in"), STOP, "The straps dig in, so I keep stopping", "", "stated"),
        (TAKEN, WIFE, "My wife notices", QUESTION, "answer_to_probe"),
        (WIFE, TAKEN, "My wife notices", QUESTION, "answer_to_probe"),
        (end("old pack", asked=True), WIFE, "My wife notices", "And why?", "answer_to_probe"),
        (end("old pack"), WIFE, "My wife notices", "And why?", "inferred"),
        (end("old pack", asked=True), TAKEN, "My wife notices", QUESTION, "inferred"),
    ],
)
def test_a_relation_is_worth_what_its_quote_and_question_hold(
    source: End, target: End, quote: str, question: str, expected: Provenance
) -> None:
    found = provenance_of(source, target, answer=ANSWER, quote=at(quote), question=question)
    assert found == expected


@pytest.mark.parametrize(
    ("text", "words", "named"),
    [
        ("What do the soft straps give you?", "soft strap", True),
        ("What does a strap that is soft give you?", "soft straps", True),
        ("What do hard straps give you?", "soft straps", False),
        ("Why is that important to you?", "that", True),
        ("Why?", "soft straps", False),
        ("", "soft straps", False),
    ],
)
def test_a_question_names_what_most_of_its_words_stand_in(
    text: str, words: str, *, named: bool
) -> None:
    assert names(text, (words,)) is named


def test_nothing_names_no_words() -> None:
    assert not names("Why?", ("",))


@given(st.permutations(["stated", "answer_to_probe", "inferred", None]))
def test_the_strongest_evidence_counts(found: list[Provenance | None]) -> None:
    assert strongest(found) == "stated"
    assert strongest(one for one in found if one != "stated") == "answer_to_probe"
    assert strongest([None]) is None
