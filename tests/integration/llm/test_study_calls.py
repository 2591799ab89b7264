"""What a study asks outside of any interview: its rows, its budget."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pytest_django import Settings

from interviews.llm.call_store import budget_is_spent, spent
from interviews.llm.errors import LLMBudgetExceeded, LLMRequestRejected
from interviews.llm.study_calls import ask_for
from interviews.llm.tasks.questions import OPENING_QUESTION
from interviews.models import LLMCall, Study
from tests.integration.llm.interviewing import anthropic_at, process_gateway, use
from tests.llm_protocol import kit
from tests.llm_protocol.server import provider_server
from tests.llm_protocol.steps import Answer, Failed, Tokens

FIVE_CENTS = Tokens(prompt=10_000, output=1_333)
"""10,000 × 3 + 1,333 × 15 dollars per million tokens: $0.049995."""


def test_a_call_outside_of_any_interview_is_a_row_of_its_study(
    study: Study, settings: Settings
) -> None:
    with provider_server(key=kit.KEY) as server:
        use(settings, **anthropic_at(server))
        server.script(Answer(data=kit.QUESTION))
        gateway = process_gateway()
        reply = ask_for(study, OPENING_QUESTION, kit.OPENING, gateway=gateway)
        gateway.close()
    assert reply.question == kit.QUESTION["question"]
    row = LLMCall.objects.get()
    assert (row.study, row.session, row.turn) == (study, None, None)
    assert (row.task, row.provider, row.outcome) == ("opening_question", "anthropic", "ok")


def test_it_counts_towards_the_budget_and_is_not_made_once_that_is_spent(
    study: Study, settings: Settings
) -> None:
    study.llm_choice = {"budget_usd": "0.04"}
    study.save()
    with provider_server(key=kit.KEY) as server:
        use(settings, **anthropic_at(server))
        server.script(Answer(data=kit.QUESTION, tokens=FIVE_CENTS))
        gateway = process_gateway()
        ask_for(study, OPENING_QUESTION, kit.OPENING, gateway=gateway)
        assert spent(study.pk) == Decimal("0.049995")
        assert budget_is_spent(study.pk, study.llm_choice)
        reply = ask_for(study, OPENING_QUESTION, kit.OPENING, gateway=gateway)
        gateway.close()
        assert len(server.received) == 1
    assert reply.question
    assert list(
        LLMCall.objects.order_by("created_at").values_list("provider", "stands_in_for")
    ) == [("anthropic", ""), ("offline", "budget")]


def test_a_failed_one_is_a_row_too(study: Study, settings: Settings) -> None:
    foreign = kit.OPENING.model_copy(update={"language": "pt"})
    with provider_server(key=kit.KEY) as server:
        use(settings, **anthropic_at(server))
        server.script(Failed(status=400, kind="invalid_request_error"))
        gateway = process_gateway()
        with pytest.raises(LLMRequestRejected):
            ask_for(study, OPENING_QUESTION, foreign, gateway=gateway)
        study.llm_choice = {"budget_usd": 0}
        with pytest.raises(LLMBudgetExceeded):
            ask_for(study, OPENING_QUESTION, foreign, gateway=gateway)
        gateway.close()
    assert list(LLMCall.objects.values_list("study", "outcome")) == [(study.pk, "rejected")]
