"""An answer whose reading does not fit a model's limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.acts import Lead
from interviews.llm.tasks.extraction import Concept, ExtractionOutput, HeardExtraction
from interviews.pipeline.halves import halves_of, joined


@pytest.mark.parametrize(
    ("answer", "halves"),
    [
        ("It leaks. I dry it. Every time.", ("It leaks. I dry it.", "Every time.")),
        ("Soft straps and a blue cover", ("Soft straps", "and a blue cover")),
        (" Yes. ", None),
        ("", None),
    ],
)
def test_an_answer_is_cut_after_a_sentence_near_its_middle_else_between_words(
    answer: str, halves: tuple[str, str] | None
) -> None:
    assert halves_of(answer) == halves


@given(st.text())
def test_no_word_is_lost_and_no_half_is_empty(answer: str) -> None:
    halves = halves_of(answer)
    if halves is None:
        assert len(answer.split()) <= 1
    else:
        assert all(half.strip() for half in halves)
        assert " ".join(halves).split() == answer.split()


def test_the_whole_says_what_its_halves_say() -> None:
    one = Concept(label="leaks", node_type="attribute", quote="leaks")
    other = Concept(label="dry it", node_type="consequence", quote="dry it")
    whole = joined(
        ExtractionOutput(extractable=True, concepts=(one,)),
        ExtractionOutput(extractable=True, concepts=(other,)),
    )
    assert whole == ExtractionOutput(extractable=True, concepts=(one, other))
    nothing = ExtractionOutput(extractable=False, reason="small talk")
    assert joined(nothing, ExtractionOutput(extractable=True, concepts=(one,))).extractable
    assert joined(nothing, nothing) == nothing


def test_the_whole_is_meant_as_the_first_half_that_does_more_than_answer() -> None:
    leads = tuple(Lead(quote=quote, reason="episode") for quote in "abcd")
    whole = joined(
        HeardExtraction(extractable=True, leads=leads[:2], off_track=True),
        HeardExtraction(extractable=True, act="wants_to_stop", leads=leads[2:], disclaimed=("x",)),
    )
    assert isinstance(whole, HeardExtraction)
    assert (whole.act, whole.leads, whole.disclaimed) == ("wants_to_stop", leads[:3], ("x",))
    assert not whole.off_track
