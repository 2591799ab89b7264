"""What analysts are told of a guided interview: its topics, and why a question was asked."""

from __future__ import annotations

from typing import Any

from interviews.modes.guided.evidence import GuidedEvidence
from interviews.modes.guided.telling import _sentences, panel
from tests.unit.guided.samples import heard, plan, played


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
            f"3 turns used, 1 of them bonus, 2 planned · at most 4 · {covered}",
        ),
        ("Topic 1", "0 turns used, 2 planned · at most 4 · 0 of 1 points covered"),
        ("Topic 2", "0 turns used, 2 planned · at most 3 · 0 of 1 points covered"),
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
