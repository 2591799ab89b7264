"""What the interview so far and the focus say of a statement's type."""

from __future__ import annotations

import pytest

from interviews.llm.providers.offline.reader.expectations import (
    GROUND,
    MISSING_GROUND,
    MISSING_TOP,
    focus_odds,
    level_odds,
)
from interviews.llm.tasks.extraction import (
    EdgeTypeInput,
    ExtractionInputs,
    LabelledNode,
    NodeTypeInput,
)

STEPS = [
    NodeTypeInput(name=name, level=level, terminal=name == "aim", description="")
    for name, level in (("part", 1), ("side", 1), ("effect", 2), ("feeling", 3), ("aim", 4))
]
UPWARDS = [
    ("part", "effect"), ("part", "feeling"), ("part", "aim"), ("effect", "effect"),
    ("effect", "feeling"), ("effect", "aim"), ("feeling", "effect"), ("feeling", "aim"),
]  # fmt: skip


def test_what_speaks_for_a_ground_is_shared_until_one_was_passed_over() -> None:
    assert _level_odds() == [GROUND / 2, GROUND / 2, 0.0, 0.0, 0.0]
    assert _level_odds("effect", "side") == [GROUND / 2, GROUND / 2, 0.0, 0.0, 0.0]
    # where nothing of that level is known besides other concepts, more does
    assert _level_odds("effect") == [1.2, 1.2, 0.0, 0.0, 0.0]
    assert _level_odds(*["effect"] * 10) == [3.0, 3.0, 0.0, 0.0, 0.0]
    assert _level_odds(*["effect"] * 30)[:2] == [MISSING_GROUND[2]] * 2


def test_an_aim_is_expected_once_the_step_below_it_was_reached() -> None:
    shared = [GROUND / 2, GROUND / 2, 0.0, 0.0]
    assert _level_odds("part", "effect") == [*shared, 0.0]
    assert _level_odds("part", "feeling") == [*shared, 1.7]
    assert _level_odds("part", *["feeling"] * 29) == [*shared, MISSING_TOP[2]]
    assert _level_odds("part", "feeling", "aim") == [*shared, 0.0]


def test_types_without_levels_have_no_odds() -> None:
    assert level_odds(_inputs("other", types=[NodeTypeInput(name="other")])) == [0.0]


def test_what_the_focus_leads_to_is_above_it() -> None:
    # sure to follow from an effect: parts may not, an effect does less often than chance,
    # a feeling more often, and an aim most
    assert focus_odds(_inputs(focus="effect"), 1.0, 0.0) == [-4.0, -4.0, -0.3, 0.5, 1.5]
    assert focus_odds(_inputs(focus="effect"), 0.5, 0.0) == [-2.0, -2.0, -0.15, 0.25, 0.75]
    # three levels up, and against the order of levels
    assert focus_odds(_inputs(focus="part"), 1.0, 0.0) == pytest.approx([-4, -4, 0.5, 0.5, 0.6])
    assert focus_odds(_inputs(focus="feeling"), 1.0, 0.0)[2] == -2.0


def test_what_leads_to_the_focus_is_below_it() -> None:
    assert focus_odds(_inputs(focus="feeling"), 0.0, 1.0) == [0.4, -4.0, 0.4, -4.0, -4.0]
    assert focus_odds(_inputs(focus="effect"), 0.0, 1.0) == [0.4, -4.0, 0.4, -1.5, -4.0]


def test_without_a_focus_or_a_relation_to_it_nothing_is_known() -> None:
    assert focus_odds(_inputs(), 1.0, 0.0) == [0.0] * 5
    assert focus_odds(_inputs(focus="effect"), 0.0, 0.0) == [0.0] * 5


def _level_odds(*known: str) -> list[float]:
    return level_odds(_inputs(*known))


def _inputs(
    *known: str, types: list[NodeTypeInput] = STEPS, focus: str | None = None
) -> ExtractionInputs:
    return ExtractionInputs(
        methodology_name="parts",
        answer="It is light.",
        node_types=tuple(types),
        edge_types=(EdgeTypeInput(name="leads_to", permitted_connections=tuple(UPWARDS)),),
        existing_labels=tuple(LabelledNode(label=name, node_type=name) for name in known),
        focus=LabelledNode(label=focus, node_type=focus) if focus else None,
    )
