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
    FOCUS,
    GROUND,
    LIKELY,
    MISSING_GROUND,
    MISSING_TOP,
    Evidence,
    Marked,
    level_odds,
    read,
    spans,
)
from interviews.llm.tasks.extraction import ExtractionInputs, LabelledNode, NodeTypeInput
from tests.unit.llm.offline_samples import extraction_inputs


def _read(answer: str, **more: Any) -> Marked:
    inputs = extraction_inputs(answer, **more)
    rules = RuleEvidence(inputs)
    return read(inputs, Evidence(profiles=[p.facets for p in rules.types], figures=rules.figures))


@settings(max_examples=200, deadline=None)
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


def test_a_long_answer_is_read_to_its_end() -> None:
    filler = "I went there with my neighbour on a rainy day and we talked about the weather. "
    marked = _read(filler * 14 + "It is cheap, so I save money.")
    assert any(f.start > len(filler) * 14 for f in marked.found)


STEPS = [
    NodeTypeInput(name=name, level=level, terminal=name == "aim", description="")
    for name, level in (("part", 1), ("side", 1), ("effect", 2), ("feeling", 3), ("aim", 4))
]


def test_what_speaks_for_a_ground_is_shared_until_one_was_passed_over() -> None:
    assert _level_odds() == [GROUND / 2, GROUND / 2, 0.0, 0.0, 0.0]
    assert _level_odds("effect", "side") == [GROUND / 2, GROUND / 2, 0.0, 0.0, 0.0]
    # where nothing of that level is known besides other concepts, more does
    assert _level_odds("effect") == [MISSING_GROUND, MISSING_GROUND, 0.0, 0.0, 0.0]


def test_an_aim_is_expected_once_the_step_below_it_was_reached() -> None:
    shared = [GROUND / 2, GROUND / 2, 0.0, 0.0]
    assert _level_odds("part", "effect") == [*shared, 0.0]
    assert _level_odds("part", "feeling") == [*shared, MISSING_TOP]
    assert _level_odds("part", "feeling", "aim") == [*shared, 0.0]


def test_types_without_levels_have_no_odds() -> None:
    assert _level_odds("other", types=[NodeTypeInput(name="other")]) == [0.0]


def _level_odds(*known: str, types: list[NodeTypeInput] = STEPS) -> list[float]:
    inputs = ExtractionInputs(
        methodology_name="parts",
        answer="It is light.",
        node_types=tuple(types),
        edge_types=(),
        existing_labels=tuple(LabelledNode(label=name, node_type=name) for name in known),
    )
    odds: list[float] = level_odds(inputs).tolist()
    return odds
