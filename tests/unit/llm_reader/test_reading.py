"""From the network's figures to statements and relations."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interviews.llm.providers.offline.evidence import RuleEvidence
from interviews.llm.providers.offline.reader.reading import (
    ANSWERING,
    FOCUS,
    LIKELY,
    Evidence,
    Marked,
    read,
    spans,
)
from tests.unit.llm.offline_samples import extraction_inputs


def _read(answer: str, **more: Any) -> Marked:
    inputs = extraction_inputs(answer, **more)
    rules = RuleEvidence(inputs)
    return read(inputs, Evidence(profiles=[p.facets for p in rules.types], figures=rules.figures))


@settings(max_examples=200)
@given(st.lists(st.tuples(*[st.floats(-5, 0)] * 3), max_size=6))
def test_the_tags_are_the_likeliest_sequence_that_makes_sense(
    rows: list[tuple[float, ...]],
) -> None:
    found = list(spans(np.array(rows).reshape(-1, 3), 10))
    sensible = [
        path
        for path in product(range(3), repeat=len(rows))
        if all(tag != 2 or before != 0 for before, tag in zip((0, *path), path, strict=False))
    ]
    best = max(sum(row[tag] for row, tag in zip(rows, path, strict=True)) for path in sensible)
    tags = [0] * len(rows)
    for start, end in found:
        tags[start - 10 : end - 10] = [1, *[2] * (end - start - 1)]
    assert sum(row[tag] for row, tag in zip(rows, tags, strict=True)) == pytest.approx(best)


def test_statements_stand_in_the_order_said_and_do_not_overlap() -> None:
    answer = "It's small, so I take it everywhere, and that gives me a feeling of freedom."
    found = _read(answer).found
    assert len(found) >= 2
    ends = [0, *(f.end for f in found)]
    assert all(end <= f.start < f.end for end, f in zip(ends, found, strict=False))
    assert all(sum(f.types.values()) == pytest.approx(1.0, abs=1e-5) for f in found)


def test_relations_are_likely_and_go_one_way() -> None:
    marked = _read(
        "It saves me time, so I can play with my kids.",
        question="What does that give you?",
        focus=("delivered to the door", "attribute"),
    )
    ends = [(r.source, r.target) for r in marked.related]
    assert ends
    assert all(r.probability >= LIKELY for r in marked.related)
    assert all((b, a) not in ends for a, b in ends)
    assert all(FOCUS <= end < len(marked.found) for pair in ends for end in pair)


def test_an_answer_to_why_says_something_to_its_focus() -> None:
    answer = (
        "I think it's polite. If you are late other people have to wait, and they get annoyed, "
        "and I don't like that."
    )
    focus = ("being on time", "functional_consequence")
    asked = _read(answer, question="Why does being on time matter to you?", focus=focus).related
    (answering,) = [r for r in asked if r.source == FOCUS]
    assert (answering.target, ANSWERING <= answering.probability < LIKELY) == (0, True)
    # a question that does not lead upwards may be answered with something else
    beside = _read(answer, question="What were you thinking of?", focus=focus).related
    assert all(r.probability >= LIKELY for r in beside)


def test_a_long_answer_is_read_to_its_end() -> None:
    filler = "I went there with my neighbour on a rainy day and we talked about the weather. "
    marked = _read(filler * 14 + "It is cheap, so I save money.")
    assert any(f.start > len(filler) * 14 for f in marked.found)
