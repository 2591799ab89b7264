"""What ships in the catalogue is asked in a way that its API takes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from interviews.llm.config import ROLES, RoleChoice, read_catalogue
from interviews.llm.samples import SAMPLES
from interviews.llm.tasks.base import Role
from interviews.llm.tasks.questions import OPENING_QUESTION
from interviews.turns.calls import CallLog
from tests.llm_protocol import kit
from tests.llm_protocol.server import provider_server
from tests.llm_protocol.steps import Answer

ANSWERS: dict[Role, object] = {
    "extraction": {
        "extractable": False,
        "reason": "nothing",
        "concepts": [],
        "relationships": [],
    },
    "scoring": kit.RATING,
    "generation": kit.QUESTION,
}

SHIPPED = [
    (provider, model)
    for model in sorted(read_catalogue().models)
    for provider, prefix in (
        ("anthropic", "claude"),
        ("openai", "gpt"),
        ("kimi", "kimi"),
        ("deepseek", "deepseek"),
    )
    if model.startswith(prefix)
]


def test_every_shipped_model_is_tested() -> None:
    assert sorted(model for _, model in SHIPPED) == sorted(read_catalogue().models)


@pytest.mark.parametrize(("provider", "model"), SHIPPED)
def test_a_shipped_model_gets_requests_that_its_api_takes(provider: str, model: str) -> None:
    everywhere = dict.fromkeys(ROLES, RoleChoice(provider=provider, model=model))
    with provider_server(key=kit.KEY) as server:
        base = server.origin if provider == "anthropic" else f"{server.origin}/v1"
        config = replace(kit.config(everywhere), base_urls={provider: base})
        gateway = kit.gateway(config, kit.SetClock())
        log = CallLog()
        for role, (task, inputs) in SAMPLES.items():
            server.script(Answer(data=ANSWERS[role]))
            gateway.run(task, inputs, payer=kit.payer(), log=log)
        gateway.close()
        records = list(log.drain())
        assert [(record.role, record.outcome) for record in records] == [
            ("extraction", "ok"),
            ("scoring", "ok"),
            ("generation", "ok"),
        ]
        assert all(record.cost_usd > 0 for record in records)
        for request in server.received:
            assert waits_for_no_thoughts(request.body)


def waits_for_no_thoughts(body: dict[str, Any]) -> bool:
    """Whether a model that thinks unless it is told not to is told so, in its own way."""
    name = body["model"]
    if name.startswith(("kimi", "deepseek", "claude-sonnet-5")):
        how = "between_tools" if name == "claude-sonnet-5-5" else "disabled"
        return bool(body["thinking"] == {"type": how})
    return not name.startswith("gpt-6") or body["reasoning_effort"] == "none"


def test_a_model_that_thinks_before_it_answers_is_understood() -> None:
    with provider_server(key=kit.KEY) as server:
        config = replace(
            kit.config({"generation": RoleChoice(provider="anthropic", model="claude-opus-5-5")}),
            base_urls={"anthropic": server.origin},
        )
        gateway = kit.gateway(config, kit.SetClock())
        server.script(Answer(data=kit.QUESTION))
        reply = gateway.run(OPENING_QUESTION, kit.OPENING, payer=kit.payer(), log=CallLog())
        gateway.close()
        assert reply.question == kit.QUESTION["question"]
        assert "temperature" not in server.received[0].body
