"""The gateway against a provider on a real socket, in every way that a provider may be spoken to.

The server checks each request against the SDK's own types; a fixture fails the test otherwise.
"""

from __future__ import annotations

import logging
import time
import traceback
from decimal import Decimal

import pytest

from interviews.llm.errors import (
    LLMConfigurationError,
    LLMError,
    LLMInvalidOutput,
    LLMRateLimitError,
    LLMRefused,
    LLMRequestRejected,
    LLMSpendLimitReached,
    LLMTimeoutError,
    LLMTruncated,
    LLMUnavailable,
    PermanentLLMError,
    RetryableLLMError,
)
from interviews.llm.gateway import Deadline
from interviews.llm.providers.base import Structure
from interviews.llm.tasks.questions import OPENING_QUESTION, Question
from interviews.llm.tasks.response_rating import RESPONSE_RATING, RatingOutput
from interviews.turns.calls import CallRecord
from tests.integration.llm.conftest import MODEL, World
from tests.llm_protocol import kit
from tests.llm_protocol.steps import (
    Answer,
    CutOff,
    EndedEarly,
    Failed,
    FailedInside,
    Page,
    Refused,
    Stalled,
    Step,
    Tokens,
    Trickled,
    TrickledHead,
    Truncated,
    rate_limited,
)

GOOD = Answer(data=kit.QUESTION)
BRIEFLY = kit.quick(OPENING_QUESTION, 0.3)


def ask(world: World, llm_choice: dict[str, object] | None = None) -> Question:
    return world.gateway.run(
        OPENING_QUESTION,
        kit.OPENING,
        payer=kit.payer(llm_choice=llm_choice or {}),
        log=world.log,
    )


def ask_briefly(world: World) -> Question:
    return world.gateway.run(BRIEFLY, kit.OPENING, payer=kit.payer(), log=world.log)


def test_an_answer_is_validated_counted_and_priced(every_world: World) -> None:
    tokens = Tokens(prompt=1_000, output=200, cached=600, written=100)
    every_world.server.script(Answer(data=kit.QUESTION, tokens=tokens))

    assert ask(every_world) == Question(question="What comes to mind first?")

    (record,) = every_world.records()
    # 300 plain at 3, 600 read at 0.3, 100 written at 3.75, 200 out at 15 dollars per million:
    # 0.0009 + 0.00018 + 0.000375 + 0.003
    assert record.cost_usd == Decimal("0.004455")
    assert record == CallRecord(
        task="opening_question",
        role="generation",
        provider="main",
        model=MODEL,
        prompt_hash=record.prompt_hash,
        tokens_in=1_000,
        tokens_out=200,
        tokens_cached=600,
        cost_usd=Decimal("0.004455"),
        latency_ms=0,
        attempts=1,
        outcome="ok",
    )
    assert len(record.prompt_hash) == 64


def test_a_nested_schema_comes_back_whole(every_world: World) -> None:
    every_world.server.script(Answer(data=kit.RATING))
    rating = every_world.gateway.run(
        RESPONSE_RATING, kit.RATING_INPUTS, payer=kit.payer(), log=every_world.log
    )
    assert isinstance(rating, RatingOutput)
    assert set(rating.scores().values()) == {3}


def test_the_request_says_what_the_task_and_the_model_allow(every_world: World) -> None:
    every_world.server.script(GOOD)
    ask(every_world)
    (request,) = every_world.server.received
    assert request.body["model"] == MODEL
    assert request.body["max_tokens"] == OPENING_QUESTION.max_tokens
    assert request.body["temperature"] == OPENING_QUESTION.temperature
    assert bool(request.body.get("stream")) is every_world.way.stream
    assert request.headers.get("x-stainless-retry-count", "0") == "0"
    if every_world.way.protocol == "anthropic":
        assert request.body["output_config"]["effort"] == "low"
        assert request.body["system"][-1]["cache_control"] == {"type": "ephemeral"}
    else:
        assert request.body["reasoning_effort"] == "low"
        assert request.body["messages"][0]["role"] == "system"


def test_a_stalled_provider_is_tried_twice_and_then_reported_in_time(world: World) -> None:
    world.server.script(Stalled(), Stalled())
    started = time.monotonic()
    with pytest.raises(LLMTimeoutError):
        ask_briefly(world)
    assert time.monotonic() - started < 3.0
    assert world.clock.slept == [1.0]
    (record,) = world.records()
    assert (record.attempts, record.outcome) == (2, "timeout")


@pytest.mark.parametrize("step", [Trickled(), TrickledHead()], ids=["body", "head"])
def test_a_trickle_ends_at_the_time_limit_though_bytes_keep_coming(
    world: World, step: Step
) -> None:
    world.server.script(step, GOOD)
    started = time.monotonic()
    assert ask_briefly(world).question == kit.QUESTION["question"]
    assert time.monotonic() - started < 2.0
    assert len(world.server.received) == 2


def test_what_is_left_of_the_turn_limits_the_call(world: World) -> None:
    world.server.script(Trickled())
    started = time.monotonic()
    with pytest.raises(LLMTimeoutError):
        world.gateway.run(
            OPENING_QUESTION,
            kit.OPENING,
            payer=kit.payer(),
            log=world.log,
            deadline=Deadline(0.3, time.monotonic),
        )
    assert time.monotonic() - started < 1.5
    assert len(world.server.received) == 1, "a retry after the deadline helps nobody"


@pytest.mark.parametrize(
    "step",
    [
        CutOff(),
        EndedEarly(),
        Page(),
        Failed(status=529, kind="overloaded_error"),
        Failed(status=500, kind="api_error"),
        Failed(status=503, kind="api_error"),
        FailedInside(kind="overloaded_error"),
        FailedInside(kind="api_error"),
        rate_limited(),
    ],
    ids=lambda step: (
        getattr(step, "kind", "") + type(step).__name__ + str(getattr(step, "status", ""))
    ),
)
def test_a_passing_failure_is_retried_once(world: World, step: Step) -> None:
    world.server.script(step, GOOD)
    assert ask(world).question == kit.QUESTION["question"]
    assert world.clock.slept == [1.0]
    (record,) = world.records()
    assert (record.attempts, record.outcome) == (2, "ok")


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (CutOff(), LLMUnavailable),
        (EndedEarly(), LLMUnavailable),
        (Page(), LLMUnavailable),
        (Failed(status=529, kind="overloaded_error"), LLMUnavailable),
        (FailedInside(kind="overloaded_error"), LLMUnavailable),
        (FailedInside(kind="rate_limit_error"), LLMRateLimitError),
        (rate_limited(), LLMRateLimitError),
    ],
)
def test_a_lasting_failure_is_reported_by_its_kind(
    world: World, step: Step, error: type[LLMError]
) -> None:
    world.server.script(step, step, GOOD)
    with pytest.raises(error) as caught:
        ask(world)
    assert isinstance(caught.value, RetryableLLMError)
    assert len(world.server.received) == 2
    (record,) = world.records()
    assert (record.attempts, record.outcome) == (2, error.outcome)


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (Failed(status=400, kind="invalid_request_error"), LLMRequestRejected),
        (Failed(status=413, kind="invalid_request_error"), LLMRequestRejected),
        (Failed(status=422, kind="invalid_request_error"), LLMRequestRejected),
        (Failed(status=401, kind="authentication_error"), LLMConfigurationError),
        (Failed(status=403, kind="permission_error"), LLMConfigurationError),
        (Failed(status=404, kind="not_found_error"), LLMConfigurationError),
        (Failed(status=402, kind="billing_error"), LLMSpendLimitReached),
    ],
    ids=lambda value: str(getattr(value, "status", "")),
)
def test_what_cannot_get_better_is_not_retried(
    world: World, step: Step, error: type[LLMError]
) -> None:
    world.server.script(step, GOOD)
    with pytest.raises(error) as caught:
        ask(world)
    assert isinstance(caught.value, PermanentLLMError)
    assert len(world.server.received) == 1
    assert world.clock.slept == []


def test_a_spend_limit_is_told_from_a_rate_limit_by_its_code(world: World) -> None:
    code = (
        "enforced_spend_limit_reached"
        if world.way.protocol == "anthropic"
        else "insufficient_quota"
    )
    world.server.script(Failed(status=429, kind="rate_limit_error", code=code), GOOD)
    with pytest.raises(LLMSpendLimitReached):
        ask(world)
    assert len(world.server.received) == 1


def test_the_wait_is_what_the_provider_asks_for(world: World) -> None:
    world.server.script(rate_limited(retry_after="7"), GOOD)
    ask(world)
    assert world.clock.slept == [7.0]


def test_a_wait_that_is_too_long_is_not_begun(world: World) -> None:
    world.server.script(rate_limited(retry_after="3600"), GOOD)
    with pytest.raises(LLMRateLimitError):
        ask(world)
    assert world.clock.slept == []
    assert len(world.server.received) == 1


def test_a_refusal_is_no_answer_and_is_paid_for(every_world: World) -> None:
    every_world.server.script(Refused(tokens=Tokens(prompt=50, output=5)), GOOD)
    with pytest.raises(LLMRefused):
        ask(every_world)
    assert len(every_world.server.received) == 1
    (record,) = every_world.records()
    assert (record.outcome, record.tokens_in, record.tokens_out) == ("refused", 50, 5)
    assert record.cost_usd == Decimal("0.000225")


def test_half_an_answer_is_not_parsed(every_world: World) -> None:
    # The text is valid on its own: only the stop reason tells that it is not all.
    every_world.server.script(
        Truncated(text='{"question": "What"}', tokens=Tokens(prompt=50)), GOOD
    )
    with pytest.raises(LLMTruncated):
        ask(every_world)
    (record,) = every_world.records()
    assert (record.outcome, record.attempts, record.tokens_in) == ("truncated", 1, 50)


def test_an_invalid_answer_is_repaired_with_what_is_wrong_with_it(every_world: World) -> None:
    every_world.server.script(
        Answer(data={"question": ""}, tokens=Tokens(prompt=100, output=10)),
        Answer(data=kit.QUESTION, tokens=Tokens(prompt=150, output=20)),
    )
    assert ask(every_world).question == kit.QUESTION["question"]
    first, second = every_world.server.received
    said = [m["content"] for m in second.body["messages"] if m["role"] != "system"]
    assert [m["content"] for m in first.body["messages"] if m["role"] != "system"] == said[:1]
    assert said[1] == '{"question": ""}'
    assert "question: String should have at least 1 character" in said[2]
    (record,) = every_world.records()
    assert (record.attempts, record.tokens_in, record.tokens_out) == (2, 250, 30)
    assert every_world.clock.slept == []


@pytest.mark.parametrize("text", ["no JSON at all", '{"question": ', "[]", "", '{"answer": "x"}'])
def test_an_answer_that_stays_invalid_is_reported(every_world: World, text: str) -> None:
    every_world.server.script(Answer(text=text), Answer(text=text), GOOD)
    with pytest.raises(LLMInvalidOutput):
        ask(every_world)
    assert len(every_world.server.received) == 2
    (record,) = every_world.records()
    assert record.outcome == "invalid_output"


def test_a_fence_around_the_answer_is_taken_off(world: World) -> None:
    world.server.script(Answer(text='```json\n{"question": "Why?"}\n```'))
    assert ask(world).question == "Why?"


def test_the_fallback_answers_where_the_provider_is_down(world: World) -> None:
    down = Failed(status=529, kind="overloaded_error")
    world.server.script(down, down)
    world.spare.script(GOOD)
    reply = ask(world, {"generation": {"fallback": "spare"}})
    assert reply.question == kit.QUESTION["question"]
    assert [(r.provider, r.outcome, r.attempts) for r in world.records()] == [
        ("main", "unavailable", 2),
        ("spare", "ok", 1),
    ]


def test_a_study_chooses_its_provider_without_a_restart(world: World) -> None:
    world.spare.script(GOOD)
    ask(world, {"generation": {"provider": "spare", "model": "another-model"}})
    (request,) = world.spare.received
    assert request.body["model"] == "another-model"
    assert world.server.received == []


def test_the_circuit_opens_after_five_failures_and_closes_again(world: World) -> None:
    world.server.script(*[Failed(status=500, kind="api_error")] * 5)
    for _ in range(4):
        with pytest.raises(LLMUnavailable):
            ask(world)
    assert len(world.server.received) == 5, "the circuit is open: nothing is sent"
    outcomes = [record.outcome for record in world.records()]
    assert outcomes == ["unavailable", "unavailable", "unavailable", "circuit_open"]

    world.clock.now += 30.0
    world.server.script(GOOD, GOOD)
    assert ask(world).question == ask(world).question
    assert len(world.server.received) == 7


def test_neither_key_nor_words_show_in_logs_errors_or_records(
    world: World, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = f"prompt was {kit.SECRET_WORDS}, key was {kit.KEY}"
    world.server.script(
        Failed(status=400, kind="invalid_request_error", message=echo),
        Answer(text=f'"{kit.SECRET_WORDS}"'),
        Answer(data={kit.SECRET_WORDS: kit.SECRET_WORDS}),
        GOOD,
    )
    errors = []
    for _ in range(2):
        with pytest.raises(PermanentLLMError) as caught:
            ask(world)
        errors.append("".join(traceback.format_exception(caught.value)) + repr(caught.value))
    ask(world)
    out = capsys.readouterr()
    shown = "".join([*errors, caplog.text, out.out, out.err, repr(world.records())])
    assert "opening_question" in shown
    assert kit.KEY not in shown
    assert "Ottilie" not in shown


def test_a_wrong_key_is_told_without_showing_it(world: World) -> None:
    world.server.key = "another"
    with pytest.raises(LLMConfigurationError, match="the key is not accepted") as caught:
        ask(world)
    assert kit.KEY not in str(caught.value)


def test_structure_follows_the_catalogue(every_world: World) -> None:
    every_world.server.script(GOOD)
    ask(every_world)
    body = every_world.server.received[0].body
    asked = {
        Structure.SCHEMA: ("output_config" in body and "format" in body["output_config"])
        or body.get("response_format", {}).get("type") == "json_schema",
        Structure.TOOL: "tools" in body,
        Structure.JSON: "JSON schema" in str(body),
    }
    assert [kind for kind, used in asked.items() if used] == [every_world.way.structure]
