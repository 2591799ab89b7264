"""Budgets, signatures and sub-goals of a plan."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from interviews.llm.tasks.guided_plan import TopicIntelligence
from interviews.modes.guided.plan import (
    Explore,
    Intelligence,
    budgets,
    make_plan,
    signature_of,
)
from tests.unit.guided.samples import guide, plan

AT = "2026-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("minutes", "topics", "found"),
    [(15, 4, (20, 5, 7)), (10, 8, (13, 2, 4)), (3, 12, (4, 2, 4)), (120, 1, (160, 160, 162))],
)
def test_budgets_of_so_many_minutes_and_topics(
    minutes: int, topics: int, found: tuple[int, int, int]
) -> None:
    assert budgets(minutes, topics) == found


def test_topics_of_a_plan_carry_their_budget_and_order() -> None:
    topics = plan(2, 1, 1, 1).topics
    assert [(t.topic_id, t.order_index) for t in topics] == [
        ("t0", 0),
        ("t1", 1),
        ("t2", 2),
        ("t3", 3),
    ]
    assert {(t.min_turns, t.base_turns, t.max_turns) for t in topics} == {(1, 5, 7)}


def test_topic_without_sub_goals_gets_three() -> None:
    made = plan(0, 2)
    assert made.topics[0].sub_goals == (
        "what is experienced with Topic 0",
        "what works and what does not about Topic 0",
        "what should change about Topic 0",
    )
    assert made.topics[1].sub_goals == ("goal 1.0", "goal 1.1")


def test_sub_goals_that_a_model_found_come_first_and_only_where_there_were_none() -> None:
    thought = [
        TopicIntelligence(topic_id="t0", sub_goals=("how it began",), probe_angles=("the day",)),
        TopicIntelligence(topic_id="t1", sub_goals=("never used",)),
    ]
    made = make_plan(guide(0, 1), language="it", minutes=15, made_at=AT, thought=thought)
    assert made.topics[0].sub_goals == (
        "how it began",
        "l'esperienza vissuta con Topic 0",
        "quello che funziona e quello che no (Topic 0)",
    )
    assert made.topics[0].probe_angles == ("the day",)
    assert made.topics[1].sub_goals == ("goal 1.0",)
    assert made.intelligence.status == "ready"


def test_plan_without_intelligence_says_why() -> None:
    made = make_plan(
        guide(1),
        language="en",
        minutes=15,
        made_at=AT,
        thought=None,
        intelligence=Intelligence(status="missing", message="nobody answered"),
    )
    assert (made.intelligence.status, made.intelligence.message) == ("missing", "nobody answered")


def test_signature_follows_what_the_plan_is_made_from_and_nothing_else() -> None:
    base = signature_of(guide(1, 2), "en", 15)
    assert len(base) == 64
    assert signature_of(guide(1, 2).model_copy(update={"title": "Else"}), "en", 15) == base
    assert signature_of(guide(1, 2).model_copy(update={"manual_guide": "Ask."}), "en", 15) == base
    others = {
        signature_of(guide(2, 2), "en", 15),
        signature_of(guide(1, 2), "it", 15),
        signature_of(guide(1, 2), "en", 16),
        signature_of(guide(1, 2).model_copy(update={"research_goal": "Else"}), "en", 15),
    }
    assert len(others | {base}) == 5


def test_plan_with_double_topics_or_impossible_budgets_is_refused() -> None:
    topic = plan(1).topics[0]
    with pytest.raises(ValidationError, match="each topic_id once"):
        Explore(topics=(topic, topic))
    with pytest.raises(ValidationError, match="min_turns ≤ base_turns ≤ max_turns"):
        type(topic).model_validate(topic.model_dump() | {"max_turns": 2})
