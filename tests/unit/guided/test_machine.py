"""Every row of the table of phases, the books it keeps, and what holds of any interview."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interviews.modes.guided.machine import Step, begin, step
from interviews.modes.guided.plan import Plan
from interviews.modes.guided.situation import Heard, sub_goals_left
from interviews.modes.guided.state import GuidedState
from interviews.modes.guided.transitions import TRANSITIONS
from tests.unit.guided.samples import REF, heard, plan, played

OFFER = [heard(seconds=0)]
"""One answer, and the time is used up."""


@pytest.mark.parametrize(
    ("row", "made", "answers"),
    [
        ("explore_closure", plan(1, 1), [heard(closure=True, left=0)]),
        ("explore_max_turns", plan(1, 1), [heard(left=0, seconds=0)]),
        ("explore_reworded", plan(1, 1), [heard(not_understood=True, seconds=0)]),
        ("explore_time_offer", plan(1, 1), [heard(seconds=0)]),
        ("explore_time_over", plan(1), [heard(seconds=-5)]),
        ("explore_disclosure", plan(1, 1), [heard(0.1, disclosure=True)]),
        ("explore_back", plan(1, 1), [heard(0.1, off_topic=True)]),
        ("explore_low", plan(1, 1), [heard(0.2)]),
        ("explore_bonus", plan(1, 1, minutes=3), [heard(0.7)] * 2),
        ("explore_base", plan(1, 1, minutes=3), [heard(0.5)] * 2),
        ("explore_last_left", plan(2), [heard(0.1)]),
        ("explore_last_covered", plan(1), [heard(0.1)]),
        ("explore_same", plan(1, 1), [heard(0.7)]),
        ("offer_closure", plan(1, 1), [*OFFER, heard(closure=True, reply="ACCEPT")]),
        ("offer_max_turns", plan(1, 1), [*OFFER, heard(left=0, reply="ACCEPT")]),
        ("offer_accepted", plan(1, 1), [*OFFER, heard(reply="ACCEPT")]),
        ("offer_refused", plan(1, 1), [*OFFER, heard(reply="REFUSE")]),
        ("offer_unclear", plan(1, 1), [*OFFER, heard()]),
        ("offer_unclear_twice", plan(1, 1), [*OFFER, heard(), heard()]),
        ("deepen_closure", plan(2), [heard(0.1), heard(closure=True)]),
        ("deepen_max_turns", plan(2), [heard(0.1), heard(left=0)]),
        ("deepen_reworded", plan(2), [heard(0.1), heard(not_understood=True)]),
        ("deepen_same", plan(3), [heard(0.5, seconds=0), heard(reply="ACCEPT"), heard()]),
        ("deepen_next", plan(2, 2), [heard(0.1), heard(0.1), heard()]),
        ("deepen_done", plan(2), [heard(0.1), heard()]),
    ],
)
def test_row_acts(row: str, made: Plan, answers: list[Heard]) -> None:
    last = played(made, *answers)[-1]
    assert last.row.name == row
    assert last.state.phase == last.row.to
    assert last.state.asked.status == last.row.status


def test_every_row_has_its_case() -> None:
    marks = test_row_acts.pytestmark  # type: ignore[attr-defined]
    named = [case[0] for mark in marks for case in mark.args[1]]
    assert sorted(named) == sorted(row.name for row in TRANSITIONS)


def test_answer_covers_the_sub_goal_that_was_asked_for() -> None:
    state = played(plan(3), heard())[-1].state
    assert state.topic_sub_goal_history == {"t0": ("goal 0.0",)}
    assert state.asked.sub_goal == "goal 0.1"
    assert (state.turn_in_topic, state.turns_used_total) == (2, 1)


def test_refusal_closes_a_sub_goal_and_drift_leaves_it_open() -> None:
    made = plan(3)
    refused, drifted = played(made, heard(0.4, refused=True), heard(0.4, off_topic=True))
    assert refused.state.closed_sub_goals == {"t0": ("goal 0.0",)}
    assert drifted.state.asked.sub_goal == "goal 0.1"
    assert sub_goals_left(made, drifted.state, "t0") == ("goal 0.1", "goal 0.2")


def test_question_is_reworded_twice_a_topic_without_a_turn_and_then_given_up() -> None:
    lost = heard(0.4, not_understood=True)
    first, second, third = played(plan(3), lost, lost, lost)
    assert [s.state.asked.rewords for s in (first, second, third)] == [1, 2, 0]
    assert second.state.turns_used_total == 0
    assert second.state.asked.sub_goal == "goal 0.0"
    assert third.state.closed_sub_goals == {"t0": ("goal 0.0",)}
    assert third.state.turns_used_total == 1


def test_probe_angles_are_asked_where_no_sub_goal_is_left() -> None:
    state = played(plan(1, 1), heard())[-1].state
    assert (state.asked.aim, state.asked.sub_goal) == ("probe", None)


def test_bonus_turn_comes_from_the_richest_later_topic_the_last_of_equals() -> None:
    steps = played(plan(1, 1, 1, minutes=3), *[heard(0.8)] * 4)
    bonus = [s for s in steps if s.row.name == "explore_bonus"]
    assert [s.donor for s in bonus] == ["t2", "t1"]
    budgets = steps[-1].state.topic_budgets
    assert [(b.max_turns, b.bonus_turns_granted) for b in budgets.values()] == [
        (4, 2),
        (3, 0),
        (3, 0),
    ]
    assert steps[-1].row.name == "explore_base"


def test_topic_that_gave_turns_away_has_a_smaller_base() -> None:
    state = begin(plan(1, 1, 1, minutes=3), REF)
    given = state.topic_budgets["t0"].model_copy(update={"max_turns": 1})
    assert given.effective_base == 1


def test_last_topic_gets_no_bonus() -> None:
    assert played(plan(1, minutes=3), *[heard(0.9)] * 4)[-1].row.name == "explore_last_covered"


def test_bonus_turn_follows_a_lead_and_covers_nothing() -> None:
    made = plan(3, 1, minutes=3)
    bonus = played(made, heard(0.7), heard(0.7, lead="the approval"))[-1]
    assert (bonus.state.asked.aim, bonus.state.asked.follows) == ("lead", "the approval")
    after = played(made, heard(0.2), state=bonus.state)[-1].state
    assert after.topic_sub_goal_history == {"t0": ("goal 0.0", "goal 0.1")}


def test_lead_is_followed_where_the_budget_leaves_a_turn_for_every_sub_goal() -> None:
    spare = played(plan(1, 1), heard(lead="the approval"))[-1].state.asked
    assert (spare.aim, spare.follows) == ("lead", "the approval")
    short = played(plan(3, 1, minutes=3), heard(lead="the approval"))[-1].state.asked
    assert (short.aim, short.sub_goal) == ("sub_goal", "goal 0.1")


def test_disclosure_is_stayed_with_once_before_the_next_topic() -> None:
    grave = heard(0.1, disclosure=True)
    first, second = played(plan(1, 1), grave, grave)
    assert (first.state.topic_index, first.state.asked.follows) == (0, "said with 0.1")
    assert (second.row.name, second.state.topic_index) == ("explore_low", 1)


def test_drift_goes_back_to_the_topic_once() -> None:
    away = heard(0.1, off_topic=True)
    first, second = played(plan(2, 1), away, away)
    assert (first.state.topic_index, first.state.asked.sub_goal) == (0, "goal 0.0")
    assert (second.row.name, second.state.topic_index) == ("explore_low", 1)
    assert second.state.uncovered_topics == ("t0", "t1")


def test_topics_are_taken_up_again_by_mean_score_then_by_what_is_left_then_in_order() -> None:
    made = plan(2, 3, 3, 2, 2)
    answers = [heard(0.1), heard(0.1), heard(0.29), heard(0.4, seconds=0)]
    state = played(made, *answers, heard(reply="ACCEPT"))[-1].state
    assert [(t.topic_id, t.limit) for t in state.deepen] == [
        ("t4", 2),  # never explored: 0.5
        ("t3", 1),  # 0.4, one left
        ("t2", 1),  # 0.29
        ("t1", 1),  # 0.1, two left
        ("t0", 1),
    ]
    assert (state.asked.recap, state.asked.sub_goal, state.topic_index) == (True, "goal 4.0", 4)


def test_topic_never_reached_counts_as_uncovered() -> None:
    state = played(plan(1, 1, 1), heard(seconds=0))[-1].state
    assert state.uncovered_topics == ("t1", "t2")
    assert state.extension_offer_attempts == 1


def test_insight_is_the_best_answers_from_a_score_of_a_half() -> None:
    steps = played(plan(8, minutes=60), heard(0.49), heard(0.5), heard(0.9), heard(0.7))
    assert [s.state.topic_key_insights.get("t0") for s in steps] == [
        None,
        "said with 0.5",
        "said with 0.9",
        "said with 0.9",
    ]
    assert steps[-1].state.topic_engagement_scores == {"t0": 0.6475}


def test_rewording_and_closure_leave_score_and_turns_alone() -> None:
    state = played(plan(2), heard(0.9, not_understood=True))[-1].state
    assert (state.topic_engagement_scores, state.clarification_turns_by_topic) == ({}, {"t0": 1})
    ended = played(plan(2), heard(0.9, closure=True))[-1].state
    assert (ended.turns_used_total, ended.force_early_closure_from_user) == (0, True)


# -- what holds of any interview -------------------------------------------------------------------
_ANSWERS = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.integers(0, 180),
        st.sampled_from(
            ["", "", "", "", "closure", "not_understood", "refused", "off_topic", "disclosure"]
        ),
        st.booleans(),
        st.sampled_from(["ACCEPT", "REFUSE", "NEUTRAL"]),
    ),
    min_size=1,
    max_size=25,
)
"""They come round again until the interview ends."""
_PLANS = st.builds(
    lambda goals, minutes: plan(*goals, minutes=minutes),
    st.lists(st.integers(0, 8), min_size=1, max_size=12),
    st.integers(3, 40),
)


def _held(
    made: Plan, answers: Sequence[tuple[float, int, str, bool, str]], limit: int
) -> list[Step]:
    """The steps of an interview to its data collection."""
    steps: list[Step] = []
    state, seconds = begin(made, REF), float(made.meta.total_time_sec)
    for number, (score, took, act, leads, reply) in enumerate(
        islice(cycle(answers), limit), start=1
    ):
        seconds -= took
        answer = heard(
            round(score, 4),
            seconds=seconds,
            left=limit - number,
            lead="a lead" if leads else "",
            reply=reply,  # type: ignore[arg-type]
            **({act: True} if act else {}),
        )
        steps.append(step(made, state, answer))
        state = steps[-1].state
        if state.phase == "DATA_COLLECTION":
            return steps
    raise AssertionError("the interview did not end")


def _turns(state: GuidedState) -> int:
    return sum(b.max_turns + b.bonus_turns_granted for b in state.topic_budgets.values())


@settings(max_examples=2000)
@given(made=_PLANS, answers=_ANSWERS, limit=st.integers(3, 200))
def test_any_interview_ends_and_keeps_its_budgets(
    made: Plan, answers: list[tuple[float, int, str, bool, str]], limit: int
) -> None:
    steps = _held(made, answers, limit)
    assert len(steps) <= limit
    before = begin(made, REF)
    total = _turns(before)
    for place, taken in enumerate(steps):
        state = taken.state
        assert _turns(state) == total
        for budget in state.topic_budgets.values():
            assert budget.min_turns <= budget.max_turns
            assert budget.turns_used <= budget.max_turns
        assert all(n <= 2 for n in state.clarification_turns_by_topic.values())
        assert state.extension_offer_attempts <= 2
        collects = state.asked.status == "data_collection_consent"
        assert collects == (place == len(steps) - 1)
        assert collects == (state.phase == "DATA_COLLECTION")
    end = steps[-1]
    cut_short = end.row.name.endswith(("closure", "max_turns")) or (
        end.row.name in {"offer_refused", "offer_unclear_twice"}
    )
    if not cut_short:
        asked = {made.topics[s.state.topic_index].topic_id for s in steps}
        assert {topic.topic_id for topic in made.topics} <= asked | {made.topics[0].topic_id}
