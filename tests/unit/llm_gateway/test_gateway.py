from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest

from interviews.llm.config import Choice, RoleChoice
from interviews.llm.errors import (
    LLMBudgetExceeded,
    LLMConfigurationError,
    LLMError,
    LLMRateLimitError,
    LLMRefused,
    LLMTimeoutError,
    LLMUnavailable,
    LLMUnpriced,
    RetryableLLMError,
)
from interviews.llm.gateway import Deadline, Gateway
from interviews.llm.providers.base import ChatReply, ChatRequest, Stop, Usage
from interviews.llm.setup import build_gateway
from interviews.llm.tasks.questions import (
    FOLLOW_UP_QUESTION,
    OPENING_QUESTION,
    FollowUpInputs,
    Question,
    StrategyInput,
)
from interviews.llm.tasks.response_rating import RESPONSE_RATING, RatingOutput
from interviews.turns.calls import CallLog, Degraded
from tests.llm_protocol import kit

GOOD = ChatReply(text='{"question": "Why?"}', stop=Stop.COMPLETE, usage=Usage())
Played = ChatReply | Exception | Callable[[ChatRequest], ChatReply]


@dataclass(slots=True)
class Scripted:
    """A provider that plays its script, then answers well."""

    script: list[Played] = field(default_factory=list)
    requests: list[ChatRequest] = field(default_factory=list)
    closed: bool = False

    def send(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        step = self.script.pop(0) if self.script else GOOD
        if isinstance(step, Exception):
            raise step
        return step if isinstance(step, ChatReply) else step(request)

    def close(self) -> None:
        self.closed = True


@dataclass(slots=True)
class Stage:
    gateway: Gateway
    providers: dict[str, Scripted]
    clock: kit.SetClock
    rules: kit.EchoRules
    log: CallLog = field(default_factory=CallLog)

    def ask(self, deadline: Deadline | None = None) -> Question:
        return self.gateway.run(
            OPENING_QUESTION, kit.OPENING, payer=kit.payer(), log=self.log, deadline=deadline
        )

    def outcomes(self) -> list[tuple[str, str, int]]:
        return [(r.provider, r.outcome, r.attempts) for r in self.log.drain()]


def stage(
    *script: Played,
    fallback: str | None = None,
    behind: Iterable[Played] = (),
    chance: float = 0.0,
    budget: object = None,
) -> Stage:
    clock = kit.SetClock()
    rules = kit.rules()
    providers = {"anthropic": Scripted(list(script)), "openai": Scripted(list(behind))}
    choice = RoleChoice(provider="anthropic", fallback=fallback)
    gateway = kit.gateway(
        kit.config({"generation": choice, "scoring": choice}),
        clock,
        connecting=lambda c: providers[c.provider],
        offline=rules,
        budget=budget,
        chance=lambda: chance,
        rules_stand_in=fallback == "offline",
    )
    return Stage(gateway, providers, clock, rules)


def slow(clock: kit.SetClock, error: Exception) -> Callable[[ChatRequest], ChatReply]:
    """A provider that uses up its whole time."""

    def play(request: ChatRequest) -> ChatReply:
        clock.now += request.timeout
        raise error

    return play


@pytest.mark.parametrize(("chance", "delay"), [(0.0, 1.0), (0.5, 1.25), (0.999, 1.4995)])
def test_a_retry_waits_one_second_and_some_jitter(chance: float, delay: float) -> None:
    on = stage(LLMUnavailable("x"), chance=chance)
    assert on.ask() == Question(question="Why?")
    assert on.clock.slept == [pytest.approx(delay)]


def test_a_retry_is_given_once() -> None:
    on = stage(LLMUnavailable("x"), LLMTimeoutError("y"))
    with pytest.raises(LLMTimeoutError):
        on.ask()
    assert on.outcomes() == [("anthropic", "timeout", 2)]


@pytest.mark.parametrize(("asked", "slept"), [(0.2, [1.0]), (12.0, [12.0]), (31.0, [])])
def test_the_wait_that_is_asked_for_is_kept_up_to_half_a_minute(
    asked: float, slept: list[float]
) -> None:
    on = stage(LLMRateLimitError("x", retry_after=asked), LLMRateLimitError("x"))
    with pytest.raises(LLMRateLimitError):
        on.ask()
    assert on.clock.slept == slept


def test_a_calls_time_is_thirty_seconds_or_what_is_left() -> None:
    on = stage()
    on.ask()
    on.ask(Deadline(45, on.clock))
    on.ask(Deadline(12, on.clock))
    assert [r.timeout for r in on.providers["anthropic"].requests] == [30.0, 30.0, 12.0]


def test_the_retry_after_a_timeout_gets_what_the_turn_has_left() -> None:
    on = stage()
    on.providers["anthropic"].script = [slow(on.clock, LLMTimeoutError("x"))] * 2
    with pytest.raises(LLMTimeoutError):
        on.ask(Deadline(45, on.clock))
    # 45 − 30 for the first − 1 of waiting
    assert [r.timeout for r in on.providers["anthropic"].requests] == [30.0, 14.0]
    assert on.clock.now == 1_045.0


def test_a_retry_for_which_no_time_is_left_is_not_begun() -> None:
    on = stage()
    on.providers["anthropic"].script = [slow(on.clock, LLMTimeoutError("x"))]
    with pytest.raises(LLMTimeoutError):
        on.ask(Deadline(30, on.clock))
    assert on.clock.slept == []
    assert on.outcomes() == [("anthropic", "timeout", 1)]


def test_after_the_deadline_nobody_is_asked() -> None:
    on = stage(fallback="openai")
    deadline = Deadline(10, on.clock)
    on.clock.now += 10
    with pytest.raises(LLMTimeoutError):
        on.ask(deadline)
    assert on.providers["anthropic"].requests == on.providers["openai"].requests == []
    assert on.outcomes() == [("anthropic", "timeout", 0)]


def test_a_hanging_provider_leaves_ten_seconds_to_its_fallback() -> None:
    on = stage(fallback="openai")
    hang = slow(on.clock, LLMTimeoutError("x"))
    on.providers["anthropic"].script = [hang, hang]
    assert on.ask(Deadline(45, on.clock)) == Question(question="Why?")
    assert [r.timeout for r in on.providers["anthropic"].requests] == [30.0, 4.0]
    assert [r.timeout for r in on.providers["openai"].requests] == [10.0]
    assert on.outcomes() == [("anthropic", "timeout", 2), ("openai", "ok", 1)]


def test_a_hanging_provider_leaves_three_seconds_to_the_rules_and_the_rest_of_the_turn() -> None:
    on = stage(fallback="offline")
    hang = slow(on.clock, LLMTimeoutError("x"))
    on.providers["anthropic"].script = [hang, hang]
    assert on.ask(Deadline(45, on.clock)).question == kit.QUESTION["question"]
    assert [r.timeout for r in on.providers["anthropic"].requests] == [30.0, 11.0]
    assert on.outcomes() == [("anthropic", "timeout", 2), ("offline", "ok", 1)]


@pytest.mark.parametrize(
    "reply",
    [
        ChatReply(text="", stop=Stop.REFUSED, usage=Usage(tokens_in=7)),
        ChatReply(text="{", stop=Stop.TRUNCATED, usage=Usage(tokens_in=7)),
        LLMConfigurationError("no key"),
    ],
)
def test_the_fallback_also_answers_what_the_provider_cannot(reply: Played) -> None:
    on = stage(reply, fallback="openai")
    assert on.ask() == Question(question="Why?")
    assert [provider for provider, _, _ in on.outcomes()] == ["anthropic", "openai"]


def test_the_last_providers_error_is_raised() -> None:
    on = stage(LLMConfigurationError("x"), fallback="openai", behind=[LLMRefused("y")])
    with pytest.raises(LLMRefused):
        on.ask()


def test_a_missing_key_is_told_by_its_variable() -> None:
    gateway = kit.gateway(
        kit.config({"generation": RoleChoice(provider="anthropic")}, key=None), kit.SetClock()
    )
    log = CallLog()
    with pytest.raises(LLMConfigurationError, match="anthropic has no key: set ANTHROPIC_API_KEY"):
        gateway.run(OPENING_QUESTION, kit.OPENING, payer=kit.payer(), log=log)
    assert [(r.outcome, r.attempts) for r in log.drain()] == [("configuration", 0)]


def test_a_spent_budget_means_no_call_at_all() -> None:
    purse = kit.EmptyPurse()
    on = stage(budget=purse)
    with pytest.raises(LLMBudgetExceeded):
        on.ask()
    replies = on.gateway.run_all(
        [(OPENING_QUESTION, kit.OPENING), (RESPONSE_RATING, kit.RATING_INPUTS)],
        payer=kit.payer(),
        log=on.log,
    )
    assert [type(reply) for reply in replies] == [LLMBudgetExceeded, LLMBudgetExceeded]
    assert on.providers["anthropic"].requests == []
    assert on.rules.asked == []
    assert on.outcomes() == []
    assert purse.asked == 2, "once for several calls"


def test_rules_cost_nothing_and_ask_no_budget() -> None:
    purse = kit.EmptyPurse()
    gateway = kit.gateway(kit.config(), kit.SetClock(), budget=purse)
    log = CallLog()
    reply = gateway.run(OPENING_QUESTION, kit.OPENING, payer=kit.payer(), log=log)
    assert reply.question == kit.QUESTION["question"]
    assert purse.asked == 0
    (record,) = log.drain()
    assert (record.provider, record.model, record.cost_usd) == ("offline", "rules", Decimal(0))


def test_calls_run_side_by_side_and_keep_their_places() -> None:
    both_are_here = threading.Barrier(2, timeout=5)

    def meet(request: ChatRequest) -> ChatReply:
        both_are_here.wait()
        text = GOOD.text
        if request.name == RESPONSE_RATING.name:
            text = RatingOutput.model_validate(kit.RATING).model_dump_json()
        return ChatReply(text=text, stop=Stop.COMPLETE, usage=Usage())

    on = stage(meet, meet)
    replies = on.gateway.run_all(
        [(RESPONSE_RATING, kit.RATING_INPUTS), (OPENING_QUESTION, kit.OPENING)],
        payer=kit.payer(),
        log=on.log,
    )
    on.gateway.close()
    assert [type(reply) for reply in replies] == [RatingOutput, Question]
    assert len(on.outcomes()) == 2


def test_one_failed_call_leaves_the_others_their_answers() -> None:
    def by_task(request: ChatRequest) -> ChatReply:
        if request.name == RESPONSE_RATING.name:
            raise LLMRefused("no")
        return GOOD

    on = stage(by_task, by_task)
    rating, question = on.gateway.run_all(
        [(RESPONSE_RATING, kit.RATING_INPUTS), (OPENING_QUESTION, kit.OPENING)],
        payer=kit.payer(),
        log=on.log,
    )
    on.gateway.close()
    assert isinstance(rating, LLMRefused)
    assert question == Question(question="Why?")


def test_a_wrong_choice_fails_its_own_call_only() -> None:
    on = stage()
    rating, question = on.gateway.run_all(
        [(RESPONSE_RATING, kit.RATING_INPUTS), (OPENING_QUESTION, kit.OPENING)],
        payer=kit.payer(llm_choice={"scoring": {"provider": "nobody"}}),
        log=on.log,
    )
    assert isinstance(rating, LLMConfigurationError)
    assert question == Question(question="Why?")


def test_a_call_that_hangs_outside_a_socket_is_left_behind() -> None:
    let_go = threading.Event()

    def hang(request: ChatRequest) -> ChatReply:
        let_go.wait(10)
        return GOOD

    on = stage(hang)
    deadline = Deadline(5, on.clock)
    on.clock.now += 4.9
    with pytest.raises(LLMTimeoutError, match="the turn's time is used up"):
        on.ask(deadline)
    assert on.outcomes() == [("", "timeout", 1)]
    let_go.set()
    on.gateway.close()


def test_rules_alone_start_no_thread() -> None:
    gateway = kit.gateway(kit.config(), kit.SetClock())
    before = threading.active_count()
    gateway.run_all(
        [(RESPONSE_RATING, kit.RATING_INPUTS), (OPENING_QUESTION, kit.OPENING)],
        payer=kit.payer(),
        log=CallLog(),
    )
    assert threading.active_count() == before


def test_nothing_to_run_gives_nothing() -> None:
    assert stage().gateway.run_all([], payer=kit.payer(), log=CallLog()) == []


def test_a_bug_in_a_provider_is_no_providers_failure_but_is_recorded() -> None:
    on = stage(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        on.ask()
    assert on.outcomes() == [("anthropic", "error", 1)]


def test_only_silence_counts_against_a_provider() -> None:
    refused = ChatReply(text="", stop=Stop.REFUSED, usage=Usage())
    on = stage(*[LLMUnavailable("x")] * 4, refused, *[LLMUnavailable("x")] * 4)
    for _ in range(5):
        with pytest.raises(LLMError):
            on.ask()
    assert len(on.providers["anthropic"].requests) == 9, "the refusal showed that it is alive"


def test_the_fifth_failure_in_a_row_spends_no_retry() -> None:
    on = stage(*[LLMUnavailable("x")] * 5)
    for _ in range(3):
        with pytest.raises(RetryableLLMError):
            on.ask()
    assert [attempts for _, _, attempts in on.outcomes()] == [2, 2, 1]


def test_equal_prompts_have_equal_hashes() -> None:
    on = stage()
    on.ask()
    on.ask()
    hashes = {record.prompt_hash for record in on.log.drain()}
    assert len(hashes) == 1


def test_closing_closes_the_providers() -> None:
    on = stage()
    on.ask()
    on.gateway.close()
    assert on.providers["anthropic"].closed


def test_warming_up_connects_everybody_once_and_forgives_a_missing_key() -> None:
    connected: list[str] = []

    def connecting(choice: Choice) -> Scripted:
        connected.append(choice.provider)
        if choice.provider == "openai":
            raise LLMConfigurationError("no key")
        return Scripted()

    choice = RoleChoice(provider="anthropic", fallback="openai")
    config = kit.config(
        {"generation": choice, "scoring": choice, "extraction": RoleChoice(provider="anthropic")}
    )
    gateway = kit.gateway(config, kit.SetClock(), connecting=connecting)
    gateway.warm_up()
    assert connected == ["anthropic", "openai", "openai"]


def test_warming_up_lets_the_rules_load_what_they_need() -> None:
    network = RoleChoice(provider="anthropic")
    rules = kit.rules()
    gateway = kit.gateway(
        kit.config({"extraction": network, "scoring": RoleChoice(), "generation": network}),
        kit.SetClock(),
        connecting=lambda choice: Scripted(),
        offline=rules,
    )
    gateway.warm_up()
    assert rules.asked == ["response_rating"]


def test_the_process_has_one_gateway_and_building_it_reads_nothing() -> None:
    assert build_gateway() is build_gateway()


# -- rules in a provider's place ---------------------------------------------------------------
def test_where_every_provider_fails_the_rules_answer_and_the_log_says_so() -> None:
    on = stage(LLMUnavailable("x"), LLMTimeoutError("y"), fallback="offline")
    assert on.ask().question == kit.QUESTION["question"]
    assert on.log.degraded == (Degraded(task="opening_question", by="offline", after="timeout"),)
    assert on.outcomes() == [("anthropic", "timeout", 2), ("offline", "ok", 1)]


def test_another_provider_in_the_firsts_place_is_told_too() -> None:
    on = stage(LLMRefused("x"), fallback="openai")
    on.ask()
    assert on.log.degraded == (Degraded(task="opening_question", by="openai", after="refused"),)
    assert [record.stands_in_for for record in on.log.drain()] == ["", "refused"]


def test_an_answer_of_whom_was_chosen_degrades_nothing() -> None:
    on = stage(LLMUnavailable("x"), fallback="offline")
    on.ask()
    assert on.log.degraded == ()


def test_a_fallback_that_fails_leaves_the_task_to_the_rules() -> None:
    on = stage(LLMRefused("x"), fallback="openai", behind=[LLMConfigurationError("y")])
    on.gateway = kit.gateway(
        on.gateway.config,
        on.clock,
        connecting=lambda choice: on.providers[choice.provider],
        offline=on.rules,
        rules_stand_in=True,
    )
    assert on.ask().question == kit.QUESTION["question"]
    assert on.log.degraded == (
        Degraded(task="opening_question", by="offline", after="configuration"),
    )


@pytest.mark.parametrize(
    ("choice", "outcome"),
    [({"generation": {"provider": "gpt"}}, "configuration"), ({"writing": {}}, "configuration")],
)
def test_a_choice_that_nobody_can_follow_leaves_the_task_to_the_rules(
    choice: dict[str, Any], outcome: str
) -> None:
    on = stage(fallback="offline")
    reply = on.gateway.run(
        OPENING_QUESTION, kit.OPENING, payer=kit.payer(llm_choice=choice), log=on.log
    )
    assert reply.question == kit.QUESTION["question"]
    assert on.log.degraded == (Degraded(task="opening_question", by="offline", after=outcome),)


def test_a_spent_budget_leaves_the_turn_under_way_to_the_rules() -> None:
    on = stage(fallback="offline", budget=kit.EmptyPurse())
    assert on.ask().question == kit.QUESTION["question"]
    assert on.providers["anthropic"].requests == []
    assert on.log.degraded == (Degraded(task="opening_question", by="offline", after="budget"),)


def test_what_the_rules_cannot_answer_fails_as_the_provider_did() -> None:
    on = stage(LLMRefused("x"), fallback="offline")
    del on.rules.answers[OPENING_QUESTION.name]
    with pytest.raises(LLMRefused):
        on.ask()
    assert on.log.degraded == ()


def test_a_call_that_hangs_outside_a_socket_is_answered_by_the_rules() -> None:
    let_go = threading.Event()

    def hang(request: ChatRequest) -> ChatReply:
        let_go.wait(10)
        return GOOD

    on = stage(hang, fallback="offline")
    deadline = Deadline(5, on.clock)
    on.clock.now += 1.9
    assert on.ask(deadline).question == kit.QUESTION["question"]
    assert on.log.degraded == (Degraded(task="opening_question", by="offline", after="timeout"),)
    let_go.set()
    on.gateway.close()


# -- prices ------------------------------------------------------------------------------------
def test_a_study_with_a_budget_refuses_a_model_without_a_price_and_says_how_to_price_it() -> None:
    on = stage()
    payer = kit.payer(llm_choice={"budget_usd": 5, "generation": {"model": "claude-next"}})
    with pytest.raises(LLMUnpriced, match=r"models: \{claude-next: \{input: …, output: …\}\}"):
        on.gateway.run(OPENING_QUESTION, kit.OPENING, payer=payer, log=on.log)
    assert on.providers["anthropic"].requests == []
    assert on.outcomes() == [("anthropic", "unpriced", 0)]


@pytest.mark.parametrize(
    "choice",
    [
        {"generation": {"model": "claude-next"}},
        {"budget_usd": 5, "generation": {"model": "claude-haiku-4-5"}},
    ],
)
def test_a_model_without_a_price_works_without_a_budget_and_a_priced_one_with_it(
    choice: dict[str, Any],
) -> None:
    on = stage()
    payer = kit.payer(llm_choice=choice)
    reply = on.gateway.run(OPENING_QUESTION, kit.OPENING, payer=payer, log=on.log)
    assert reply == Question(question="Why?")


DRAFTS = {
    "candidates": ["What does it give you?", "What would be missing?", "Who notices?"],
    "reason": "easiest to answer",
    "pick": 2,
}


def drafted(**changes: Any) -> ChatReply:
    text = json.dumps(DRAFTS | changes)
    return ChatReply(text=text, stop=Stop.COMPLETE, usage=Usage())


def select(on: Stage) -> Question:
    inputs = FollowUpInputs(subject="tea", strategy=StrategyInput(name="s"), self_selection=True)
    return on.gateway.run(FOLLOW_UP_QUESTION, inputs, payer=kit.payer(), log=on.log)


def test_of_three_drafts_the_pick_alone_leaves_the_gateway_after_one_call() -> None:
    on = stage(drafted())
    assert select(on) == Question(question="What would be missing?")
    (request,) = on.providers["anthropic"].requests
    assert list(request.schema["properties"]) == ["candidates", "reason", "pick"]
    assert "three different candidates" in request.system


@pytest.mark.parametrize("changes", [{"pick": 4}, {"candidates": ["Who?", "When?"]}])
def test_drafts_that_hold_no_pick_are_sent_back_once(changes: dict[str, Any]) -> None:
    on = stage(drafted(**changes), drafted())
    assert select(on) == Question(question="What would be missing?")
    assert len(on.providers["anthropic"].requests) == 2
