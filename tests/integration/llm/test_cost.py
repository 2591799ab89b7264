"""What a session cost, wherever it is shown, is what the providers billed."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from analytics.exports import format_named
from analytics.exports.source import ExportOptions, OneSession
from interviews.llm.call_store import spent
from interviews.llm.errors import LLMError
from interviews.llm.tasks.questions import OPENING_QUESTION
from interviews.models import LLMCall, Session, Study
from interviews.turns.calls import CallLog
from tests.integration.llm.conftest import World
from tests.integration.llm.interviewing import Model, anthropic_at, interviewing, openai_at, use
from tests.llm_protocol import kit
from tests.llm_protocol.billing import Bill
from tests.llm_protocol.server import provider_server
from tests.llm_protocol.steps import (
    Answer,
    CutOff,
    EndedEarly,
    Failed,
    FailedInside,
    Refused,
    Step,
    Tokens,
    Truncated,
    rate_limited,
)

CENT = Decimal("0.01")
PRICES = {
    "claude-sonnet-4-6": ("3", "0.30", "3.75", "15"),
    "claude-haiku-4-5": ("1", "0.10", "1.25", "5"),
    "gpt-6-sol": ("2", "0.20", "2.50", "10"),
    "gpt-6-luna": ("0.10", "0.01", "0.125", "0.50"),
}
"""Dollars per million tokens: input, read from the cache, written to it, output."""


def dollars(bills: list[Bill]) -> Decimal:
    total = Decimal(0)
    for bill in bills:
        names = ("input", "cached", "written", "output")
        prices = dict(zip(names, map(Decimal, PRICES[bill.model]), strict=True))
        total += bill.dollars(prices)
    return total


@pytest.mark.parametrize(
    "steps",
    [
        [Answer(data=kit.QUESTION, tokens=Tokens(prompt=900, output=30, cached=500, written=70))],
        [rate_limited(), Answer(data=kit.QUESTION)],
        [Failed(status=529, kind="overloaded_error"), Answer(data=kit.QUESTION)],
        [FailedInside(kind="overloaded_error"), Answer(data=kit.QUESTION)],
        [FailedInside(kind="overloaded_error"), FailedInside(kind="overloaded_error")],
        [CutOff(), Answer(data=kit.QUESTION)],
        [EndedEarly(), EndedEarly()],
        [Answer(text="no JSON"), Answer(data=kit.QUESTION)],
        [Answer(text="no JSON"), rate_limited(), Answer(text="none again")],
        [Refused(tokens=Tokens(prompt=444, output=4))],
        [Truncated(tokens=Tokens(prompt=555, output=1024))],
    ],
    ids=lambda steps: "-".join(type(step).__name__ for step in steps),
)
def test_every_token_that_was_billed_is_counted(every_world: World, steps: list[Step]) -> None:
    every_world.server.script(*steps)
    log = CallLog()
    with suppress(LLMError):
        every_world.gateway.run(OPENING_QUESTION, kit.OPENING, payer=kit.payer(), log=log)
    (record,) = log.drain()
    billed = [bill.tokens for bill in every_world.server.bills]
    assert record.tokens_in == sum(tokens.prompt for tokens in billed)
    assert record.tokens_out == sum(tokens.output for tokens in billed)
    assert record.tokens_cached == sum(tokens.cached for tokens in billed)


@pytest.mark.parametrize("first", ["anthropic", "openai"])
def test_the_cost_of_a_session_is_the_sum_of_its_bills(
    study: Study, settings: Settings, client: Client, first: str
) -> None:
    """Cached, retried, repaired, refused, cut off, taken over by a fallback: in one interview."""
    model, other = Model(), Model()
    model.tokens = Tokens(prompt=90_000, output=800, cached=60_000, written=7_000)
    other.tokens = Tokens(prompt=70_001, output=333, cached=11)
    fallback = "openai" if first == "anthropic" else "anthropic"
    with (
        provider_server(key=kit.KEY, respond=model) as server,
        provider_server(key=kit.KEY, respond=other) as spare,
    ):
        at = {first: server, fallback: spare}
        use(
            settings,
            **anthropic_at(at["anthropic"]),
            **openai_at(at["openai"]),
            **{f"LLM_{role}_PROVIDER": first for role in ("EXTRACTION", "SCORING", "GENERATION")},
            LLM_GENERATION_FALLBACK=fallback,
        )
        with interviewing(study) as interview:
            model.script("extraction", Failed(status=529, kind="overloaded_error"))
            model.script("response_rating", Answer(text="no JSON", tokens=Tokens(prompt=50_000)))
            model.script("follow_up_question", Refused(tokens=Tokens(prompt=40_000, output=17)))
            interview.answer("It has taped seams, so I stay dry.")
            half = Truncated(tokens=Tokens(prompt=61_234, output=1_024, cached=9))
            model.script("extraction", FailedInside(kind="overloaded_error"))
            model.script("follow_up_question", half)
            interview.answer("The hood is stiff and keeps the wind off.")
            interview.answer("My brother laughs about it.")

    bills = server.bills + spare.bills
    expected = dollars(bills).quantize(CENT)
    assert expected > 1
    assert len(spare.bills) == 2, "the fallback asked twice"
    session = interview.session
    rows = LLMCall.objects.filter(session=session)
    assert {row.outcome for row in rows} == {"ok", "refused", "truncated"}
    assert sum((row.cost_usd for row in rows), Decimal(0)).quantize(CENT) == expected
    assert spent(study.pk).quantize(CENT) == expected
    assert sum(row.tokens_in for row in rows) == sum(bill.tokens.prompt for bill in bills)
    assert sum(row.tokens_cached for row in rows) == sum(bill.tokens.cached for bill in bills)
    for page in (
        reverse("analytics:session", args=[session.pk]),
        reverse("admin:interviews_session_change", args=[session.pk]),
    ):
        assert shown_on(page, client) == expected
    assert exported(session) == expected


def shown_on(page: str, client: Client) -> Decimal:
    """The one amount of dollars on a page, to the cent."""
    client.force_login(
        User.objects.get_or_create(username="root", is_superuser=True, is_staff=True)[0]
    )
    text = client.get(page).content.decode()
    (amount,) = set(re.findall(r"\$(\d+\.\d+)", text))
    return Decimal(amount).quantize(CENT)


def exported(session: Session) -> Decimal:
    """The sum of the calls in the complete export, to the cent."""
    written = format_named("json").write(OneSession(session=session), ExportOptions())
    calls = json.loads(b"".join(written))["llm_calls"]
    return sum((Decimal(str(call["cost_usd"])) for call in calls), Decimal(0)).quantize(CENT)
