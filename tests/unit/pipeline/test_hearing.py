"""How an answer was meant is one reading, whichever task made it."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from graphs.domain import Node
from interviews.acts import Heard, Lead
from interviews.llm.tasks.extraction import ExtractionOutput, HeardExtraction
from interviews.pipeline.hearing import heard_of
from interviews.turns.replies import Replies

ANSWER = "It's only milk. But  when she left, I cried in the shop."
LEAD = Lead(quote="when she left, i cried", reason="emotional")


def heard(replies: Replies, answer: str = ANSWER, language: str = "en") -> Heard:
    price = Node(id="n", label="price", node_type="attribute", first_turn=1)
    return heard_of(
        replies,
        answer,
        question="",
        language=language,
        known=lambda label: [price] * (label == "price"),
    )


def test_the_first_task_that_heard_it_is_believed() -> None:
    read = HeardExtraction(extractable=False, act="asks", leads=(LEAD,), off_track=True)
    found = heard(Replies([("extraction", ExtractionOutput(extractable=True)), ("own", read)]))
    assert found == Heard(
        act="asks",
        leads=(Lead(quote="when she left, I cried", reason="emotional"),),
        off_track=True,
    )


def test_what_is_not_in_the_answer_is_no_lead_and_nothing_disclaimed() -> None:
    read = HeardExtraction(
        extractable=False,
        leads=(Lead(quote="he laughed", reason="episode"), LEAD),
        disclaimed=("it's only  milk", "price", "cheese"),
    )
    found = heard(Replies([("extraction", read)]))
    assert [lead.quote for lead in found.leads] == ["when she left, I cried"]
    assert found.disclaimed == ("It's only milk", "price")


@pytest.mark.parametrize(
    ("language", "answer", "act"),
    [
        ("en", "Let's stop here.", "wants_to_stop"),
        ("de", "Dazu möchte ich nichts sagen.", "refuses"),
        ("en", "It froths well.", "answer"),
    ],
)
def test_where_no_task_heard_it_the_rules_do(language: str, answer: str, act: str) -> None:
    for replies in (Replies(), Replies([("extraction", ExtractionOutput(extractable=False))])):
        assert heard(replies, answer, language).act == act


def test_more_than_three_leads_are_cut_off_and_unknown_reasons_refused() -> None:
    assert HeardExtraction(extractable=False, leads=(LEAD,) * 5).leads == (LEAD,) * 3
    with pytest.raises(ValidationError, match="reason"):
        Lead.model_validate({"quote": "so", "reason": "odd"})
