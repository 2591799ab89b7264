"""What analysts are told of a guided interview: its topics, and why a question was asked."""

from __future__ import annotations

from typing import Any

from interviews.modes.guided.evidence import GuidedEvidence
from interviews.modes.guided.machine import begin
from interviews.modes.guided.state import GuidedState
from interviews.modes.guided.telling import _sentences, answers_left, panel
from interviews.turns.state import SessionState, StoredModeState
from tests.unit.guided.samples import REF, heard, plan, played


def evidence(**changes: Any) -> GuidedEvidence:
    found: dict[str, Any] = {
        "phase": "EXPLORE",
        "heard_in": "EXPLORE",
        "row": "explore_bonus",
        "status": "exploring_deep",
        "topic": "t0",
        "topic_label": "Topic 0",
        "about": "Topic 0",
        "turn_in_topic": 3,
        "turns_used": 2,
        "base": 2,
        "most": 4,
        "score": 0.72,
        "band": "HIGH",
        "bonus": True,
        "donor": "t1",
        "aim": "lead",
        "sub_goal": None,
        "follows": "three weeks",
        "sub_goals_left": 1,
        "remaining_seconds": 90,
    }
    return GuidedEvidence(**(found | changes))


def test_every_topic_is_a_row_with_its_turns_points_and_insight() -> None:
    made = plan(2, 1, 1, minutes=3)
    steps = played(made, heard(0.7), heard(0.8), heard(0.4, refused=True))
    found = panel(steps[-1].state, [])
    covered = "2 of 2 points covered · “said with 0.8”"
    assert found.title == "Topics"
    assert found.rows == (
        (
            "Topic 0",
            f"turns: 3 used, 1 of them bonus, 2 planned · at most 4 · {covered}",
        ),
        ("Topic 1", "turns: 0 used, 2 planned · at most 4 · 0 of 1 points covered"),
        ("Topic 2", "turns: 0 used, 2 planned · at most 3 · 0 of 1 points covered"),
    )


def test_a_bonus_turn_is_explained_by_score_budget_rule_and_donor() -> None:
    budget = '"Topic 0" has used 2 turns of a base of 2 and 4 at most'
    rule = "HIGH, base ≤ used < max, and a later topic can give a turn"
    assert list(_sentences(evidence())) == [
        "The answer scored 0.72, which is HIGH.",
        f"{budget}; 90 seconds of the plan were left.",
        f"In EXPLORE this rule acted: {rule}. What follows is EXPLORE.",
        'A bonus turn was granted, which the topic "t1" gave.',
        'The question follows what was just said: "three weeks".',
    ]


def test_every_aim_is_explained_in_a_sentence_of_its_own() -> None:
    told = {
        aim: list(_sentences(evidence(aim=aim, bonus=False, donor=None, sub_goal="why")))[-1]
        for aim in ("sub_goal", "lead", "probe", "offer", "nothing")
    }
    assert told == {
        "sub_goal": 'The question is after "why" of the topic "Topic 0".',
        "lead": 'The question follows what was just said: "three weeks".',
        "probe": 'Every point of "Topic 0" is covered: it takes another angle.',
        "offer": "The respondent was asked whether to go on.",
        "nothing": "The guided part of the interview was over.",
    }


def test_turns_of_a_topic_that_is_taken_up_again_are_told_apart() -> None:
    steps = played(plan(3), heard(0.4, seconds=0), heard(reply="ACCEPT"), heard(), heard())
    ((_, told),) = panel(steps[-1].state, []).rows
    assert told == (
        "turns: 1 used, 20 planned · at most 22 · 2 more when it was taken up again · "
        "3 of 3 points covered"
    )


def test_a_reply_to_the_offer_is_explained_by_what_was_replied() -> None:
    replied = evidence(
        heard_in="DEEP_OFFER", phase="DEEPEN", row="offer_accepted", bonus=False, donor=None
    )
    assert next(_sentences(replied)) == (
        "In DEEP_OFFER this rule acted: the offer is accepted (ACCEPT). What follows is DEEPEN."
    )


def left(state: GuidedState, *, answered: int, max_turns: int = 60) -> int:
    stored = StoredModeState(mode="guided", version=1, data=state.model_dump(mode="json"))
    return answers_left(
        max_turns=max_turns, answered=answered, state=SessionState(mode_state=stored)
    )


def test_respondents_are_told_what_the_budgets_still_hold() -> None:
    made = plan(3, 3, minutes=6)  # 8 turns, 4 a topic
    assert left(begin(made, REF), answered=0) == 8
    assert left(begin(made, REF), answered=58) == 2
    steps = played(made, heard(), heard(), heard(0.1))
    assert left(steps[-1].state, answered=3) == 4
    offered = played(made, heard(seconds=0), heard(reply="ACCEPT"))
    assert [left(step.state, answered=n) for n, step in enumerate(offered, 1)] == [1, 4]
    assert answers_left(max_turns=60, answered=3, state=SessionState()) == 57
