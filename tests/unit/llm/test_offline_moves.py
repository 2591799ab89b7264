"""Which moves a strategy makes, on things, drawbacks, events and people."""

from __future__ import annotations

import pytest

from interviews.llm.providers.offline.moves import moves_of
from interviews.llm.providers.offline.wording import bank
from interviews.llm.tasks.questions import FocusInput, StrategyInput
from tests.unit.llm.offline_samples import (
    FOCI,
    SHIPPED,
    SHIPPED_METHODOLOGIES,
    follow_up,
    methodology,
    strategy_input,
)


def test_a_terminal_concept_is_never_asked_for_its_importance() -> None:
    for spec in SHIPPED:
        if spec.node_binding == "required":
            assert not set(moves_of(strategy_input(spec), FOCI[4])) & {
                "importance",
                "consequence",
                "consequence_inner",
                "absence",
                "absence_inner",
            }


def test_a_drawback_is_not_asked_for_its_drawback() -> None:
    strategy = StrategyInput(name="x", probes=("absence", "negative", "consequence"))
    moves = moves_of(strategy, FOCI[2])
    assert moves == ("absence", "consequence")
    # asked as a trouble only where the words say so, too
    trouble = FOCI[2].model_copy(update={"quote": "the leak is horrible"})
    assert moves_of(strategy, trouble) == ("absence_negative", "consequence_negative")


@pytest.mark.parametrize(
    ("strategy", "move"),
    [
        (StrategyInput(name="why", description="Ask why it matters"), "importance"),
        (StrategyInput(name="past", description="Ask for the last time it happened"), "situation"),
        (StrategyInput(name="x", description="Compare with an alternative"), "contrast"),
        (StrategyInput(name="x", description="What gets in the way of it"), "obstacle"),
        (StrategyInput(name="x", description="Nothing telling here"), "consequence"),
    ],
)
def test_a_strategy_without_probes_is_read_by_its_description(
    strategy: StrategyInput, move: str
) -> None:
    assert moves_of(strategy, FOCI[0])[0] == move


AIMS = {
    "critical_incident": {
        "find_incident": "occasions", "walk_through": "account", "what_led_up": "led_up",
        "actions_taken": "deeds", "turning_point": "turning", "trace_effect": "aftermath",
        "what_made_it_critical": "weight", "draw_lesson": "lesson",
        "imagine_otherwise": "otherwise", "contrasting_incident": "other_way",
    },
    "customer_journey": {
        "explore_journey": "journey_parts", "walk_forward": "next_step",
        "walk_backward": "led_up", "moment_of_truth": "moment_of_truth", "handovers": "handover",
        "trace_relationship": "relationship", "alternatives_considered": "alternatives",
    },
    "repertory_grid": {
        "elicit_elements": "elements", "triadic_comparison": "triad",
        "elicit_contrast_pole": "pole", "pyramid_down": "signs", "rate_preference": "placement",
    },
    "jobs_to_be_done": {"explore_circumstances": "circumstances", "walk_through": "account"},
    "means_end_chain": {},
}  # fmt: skip


THING = FocusInput(label="padded straps", level=1)


@pytest.mark.parametrize("name", SHIPPED_METHODOLOGIES)
def test_what_a_strategy_is_after_has_wordings_of_its_own(name: str) -> None:
    specs = {spec.name: strategy_input(spec) for spec in methodology(name).strategies}
    for strategy, move in AIMS[name].items():
        assert moves_of(specs[strategy], THING) == (move,), strategy
    others = {s: moves_of(specs[s], THING) for s in specs if s not in AIMS[name]}
    special = {move for aims in AIMS.values() for move in aims.values()}
    assert [s for s, moves in others.items() if special & set(moves)] == []


def test_only_what_is_compared_itself_is_set_beside_two_others() -> None:
    triads = next(s for s in SHIPPED if s.name == "triadic_comparison")
    pole = FocusInput(label="strictness", level=3)
    assert moves_of(strategy_input(triads), pole) == ("triad_by",)
    named = follow_up(
        strategy_input(triads),
        focus=FocusInput(label="the old bridge", level=1),
        subject="bridges",
        beside=("the station", "the market hall"),
    )
    assert all(name in named for name in ("old bridge", "the station", "the market hall"))
    assert "third" in named


LADDERING = StrategyInput(
    name="x", probes=("consequence", "importance", "absence", "contrast", "third_person")
)


@pytest.mark.parametrize(
    ("label", "quote", "ending"),
    [
        ("missed the ferry", "we missed the ferry", "_event"),
        ("ferry was late", "the ferry was late", "_event"),
        ("ferry is late", "the ferry is late", ""),
        ("the ferry", "the ferry", ""),
        ("ferry we missed runs again", "the ferry we missed runs again", ""),
    ],
)
def test_what_happened_once_is_asked_about_in_other_words_than_what_holds(
    label: str, quote: str, ending: str
) -> None:
    moves = moves_of(LADDERING, FocusInput(label=label, quote=quote))
    assert moves == tuple(
        f"{m}{ending}" for m in ("consequence", "importance", "absence", "contrast", "third_person")
    )


@pytest.mark.parametrize(
    ("focus", "move"),
    [
        (FocusInput(label="nearly cried", quote="I nearly cried", stance=1), "stirred_event"),
        (FocusInput(label="feel ashamed", quote="I feel ashamed", stance=-1), "stirred"),
        (FocusInput(label="price is bad", quote="the price is bad", stance=-1), "stirred"),
        (FocusInput(label="feel calm", quote="I feel calm", stance=1), "importance"),
        (FocusInput(label="never cry", quote="I never cry", stance=1), "importance"),
    ],
)
def test_an_upset_is_no_aim_whose_importance_could_be_asked_for(
    focus: FocusInput, move: str
) -> None:
    assert moves_of(StrategyInput(name="x", probes=("importance",)), focus) == (move,)


def test_an_event_that_only_holds_is_asked_for_its_usual_course() -> None:
    walk = next(s for s in SHIPPED if s.name == "walk_forward")
    focus = FocusInput(label="ferry is late", quote="the ferry is always late")
    assert moves_of(strategy_input(walk), focus) == ("usual",)


@pytest.mark.parametrize("label", ["my husband", "staff", "the other parents"])
def test_people_are_not_asked_about_like_things(label: str) -> None:
    assert moves_of(LADDERING, FocusInput(label=label)) == ("person",)


def test_every_move_of_the_shipped_strategies_has_wordings() -> None:
    for language in ("en", "it"):
        known = {*bank(language)["moves"], *bank(language).get("instead", {})}
        for spec in SHIPPED:
            for focus in (None, *FOCI):
                assert set(moves_of(strategy_input(spec), focus)) <= known
