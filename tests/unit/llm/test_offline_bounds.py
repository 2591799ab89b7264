"""Where a statement begins and ends, whatever part of it was marked."""

from __future__ import annotations

import pytest

from interviews.llm.providers.offline.evidence import RuleEvidence
from tests.unit.llm.offline_samples import extraction_inputs


def _whole(answer: str, marked: str) -> str | None:
    """The statement that is made of the part of `answer` that was marked."""
    start = answer.index(marked)
    span = RuleEvidence(extraction_inputs(answer)).statement(start, start + len(marked))
    return None if span is None else answer[slice(*span)]


@pytest.mark.parametrize(
    ("answer", "marked", "whole"),
    [
        ("I felt like an elephant there.", "I felt like an", "I felt like an elephant"),
        ("I run to the shop in my socks.", "run to the shop in", "run to the shop in my socks"),
        ("I see how she lights up at that.", "I see how she lights", "I see how she lights up"),
        ("I'm glad I can give her that, really.", "give her that", "give her that"),
        ("The ride's so smooth that I read.", "The ride's so smooth that", "The ride's so smooth"),
        ("My girl is home when it counts.", "girl is home when it", "girl is home when it counts"),
        ("I'm a bit smug about it.", "I'm a bit smug about", "I'm a bit smug about it"),
        ("I've got a list for it.", "I've got", "I've got a list"),
        ("I pay cash and leave the card.", "I pay cash and", "I pay cash"),
        ("That is who I talk to, mostly.", "who I talk to", "who I talk to"),
        ("It goes as well as I have it planned.", "as well as I have", "as well as I have it"),
        ("I rely on it.", "I rely on it", "I rely on it"),
        ("I raise my voice, mostly.", "I raise", "I raise my voice"),
        ("It wasn't my turn and I knew.", "It wasn't", "It wasn't my turn"),
        ("I ran and she stayed.", "I ran", "I ran"),
        (
            "I blame those who count the beds.",
            "I blame those who",
            "I blame those who count the beds",
        ),
        ("I know who, mostly.", "I know who", "I know who"),
        ("The other one would creak.", "The other one would", "The other one would creak"),
        ("He heard it from us, more or less.", "He heard it from us, more", "He heard it from us"),
        ("It's the one they talk about.", "the one they talk", "the one they talk about"),
        ("We're looking for a bass, really.", "We're looking", "We're looking for a bass"),
        ("I just like the look of the place.", "like the look", "like the look"),
        ("I eat more or less meat now.", "eat more", "eat more"),
    ],
)
def test_a_statement_does_not_end_on_a_word_that_lacks_something(
    answer: str, marked: str, whole: str
) -> None:
    assert _whole(answer, marked) == whole


@pytest.mark.parametrize(
    ("answer", "marked", "whole"),
    [
        ("Rain doesn't make me nervous.", "nervous", "doesn't make me nervous"),
        ("I'd never have dared that.", "dared that", "never have dared that"),
        ("I could have hugged her.", "hugged her", "could have hugged her"),
        ("It isn't an escape, it's a rest.", "a rest", "a rest"),
        ("If you don't I can ask there.", "I can ask there", "I can ask there"),
        ("It's not only cheap.", "cheap", "cheap"),
    ],
)
def test_a_statement_begins_with_what_says_that_it_is_not_so(
    answer: str, marked: str, whole: str
) -> None:
    assert _whole(answer, marked) == whole
