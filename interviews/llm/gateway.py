"""One door to language models: who answers, who takes over, what it cost.

The gateway picks the provider for a task's role, renders the prompt, has the provider asked, falls
back where it fails, and leaves one record for each provider that was asked. It knows no Django;
`setup.build_gateway` reads the settings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotDoneInTimeError
from contextvars import copy_context
from dataclasses import dataclass
from threading import Lock
from typing import Any, cast

import structlog
from pydantic import BaseModel

from interviews.llm.budget import Budget, Payer
from interviews.llm.caller import Caller, Errand, Tally
from interviews.llm.config import (
    OFFLINE,
    OFFLINE_MODEL,
    ROLES,
    Choice,
    LLMConfig,
    check_price,
)
from interviews.llm.errors import LLMBudgetExceeded, LLMError, LLMTimeoutError
from interviews.llm.providers.base import ChatProvider, RuleProvider
from interviews.llm.samples import SAMPLES
from interviews.llm.tasks.base import In, Out, RenderedPrompt, Task, TaskModel, render
from interviews.turns.calls import CallLog, CallRecord
from interviews.turns.deadline import Deadline
from interviews.turns.lane import computing, waiting

__all__ = ["Deadline", "Gateway"]

log_event = structlog.get_logger(__name__)

RESERVED_FOR_FALLBACK = 10.0
RESERVED_FOR_RULES = 3.0
"""Seconds; the rules take a fraction of one, and what is left of the turn comes after them."""
GRACE = 1.0
THREADS = 1024
"""Calls that may be under way at once; a thread is made when it is first needed."""

Reply = BaseModel | LLMError


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """One task with its inputs on the way to an answer."""

    task: Task[Any, Any]
    inputs: TaskModel
    log: CallLog
    deadline: Deadline | None
    payer: Payer

    def left(self) -> float:
        """Seconds until the turn's deadline, without end where there is none."""
        return float("inf") if self.deadline is None else self.deadline.left()


class Gateway:
    """Runs tasks. One a process, shared between threads; the constructor opens nothing.

    `config`, `rules` and `connect` give the settings, the offline provider and a network provider
    when each is first needed. `clock` is monotonic seconds; `sleep` and `random` (in [0, 1)) serve
    the retry. Where all providers of a call fail the rules answer it, unless `rules_stand_in` says
    no.
    """

    def __init__(
        self,
        *,
        config: Callable[[], LLMConfig],
        rules: Callable[[], RuleProvider],
        connect: Callable[[Choice], ChatProvider],
        budget: Budget,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        random: Callable[[], float],
        rules_stand_in: bool = True,
    ) -> None:
        self._rules_stand_in = rules_stand_in
        self._make_config = config
        self._make_rules = rules
        self._connect = connect
        self._budget = budget
        self._clock = clock
        self._caller = Caller(clock=clock, sleep=sleep, random=random)
        self._config: LLMConfig | None = None
        self._rules: RuleProvider | None = None
        self._providers: dict[str, ChatProvider] = {}
        self._threads: ThreadPoolExecutor | None = None
        self._lock = Lock()

    @property
    def config(self) -> LLMConfig:
        """Who may be asked; read when it is first needed, so that constructing costs nothing."""
        with self._lock:
            if self._config is None:
                self._config = self._make_config()
            return self._config

    def run(
        self,
        task: Task[In, Out],
        inputs: In,
        *,
        payer: Payer,
        log: CallLog,
        deadline: Deadline | None = None,
    ) -> Out:
        """Return the task's validated output.

        Where the rules have no answer either, raises the LLMError of the last provider that was
        asked, or LLMBudgetExceeded before any is. What was asked is on `log` either way.
        """
        (reply,) = self.run_all([(task, inputs)], payer=payer, log=log, deadline=deadline)
        if isinstance(reply, LLMError):
            raise reply
        return cast("Out", reply)

    def run_all(
        self,
        calls: Sequence[tuple[Task[Any, Any], TaskModel]],
        *,
        payer: Payer,
        log: CallLog,
        deadline: Deadline | None = None,
        stand_in: bool = True,
    ) -> list[Reply]:
        """Run calls that do not need each other side by side; a failed one gives its error.

        With `stand_in` the rules answer what no provider could, where they can.
        What rules answer runs in the calling thread, and so does one of the other calls where
        there is no deadline. With one, a call that hangs is left behind in its own thread.
        """
        replies: dict[int, Reply] = {}
        by_rules: dict[int, Callable[[], Reply]] = {}
        by_model: dict[int, Callable[[], Reply]] = {}
        made = [
            _Call(task=task, inputs=inputs, log=log, deadline=deadline, payer=payer)
            for task, inputs in calls
        ]
        for place, call in enumerate(made):
            try:
                choices = self.config.choices(call.task.role, payer.llm_choice)
            except LLMError as error:
                replies[place] = error
            else:
                kind = by_rules if choices[0].is_offline else by_model
                kind[place] = self._answering(call, choices)
        if by_model and (refusal := self._refusal(payer)):
            replies |= dict.fromkeys(by_model, refusal)
            by_model = {}
        asked = list(by_model.items())
        here = 0 if deadline else 1
        futures = {
            place: self._pool().submit(copy_context().run, answer) for place, answer in asked[here:]
        }
        for place, answer in by_rules.items():
            replies[place] = answer()
        if asked:
            with waiting():
                for place, answer in asked[:here]:
                    replies[place] = answer()
                for place, future in futures.items():
                    replies[place] = self._wait(future, made[place])
        if not stand_in:
            return [replies[place] for place in range(len(made))]
        return [self._settled(call, replies[place]) for place, call in enumerate(made)]

    def stand_in(self, task: Task[In, Out], inputs: In, *, log: CallLog, after: str) -> Out | None:
        """Return the rules' answer to a task that failed for good, None where they have none.

        `after` is the outcome of the failure; the record of the answer carries it.
        """
        if not self._rules_stand_in:
            return None
        started = self._clock()
        with computing():
            reply = self._rule_provider().stand_in(task, inputs)
        if reply is not None:
            log_event.warning("llm_stand_in", task=task.name, outcome=after)
            log.add(_rules_record(task, self._milliseconds_since(started), stands_in_for=after))
        return reply

    def warm_up(self) -> None:
        """Load what the settings' providers need, so that no respondent waits for it.

        For a worker's start: SDKs are imported and connections prepared, rules load their
        lexicons; nothing is sent. A provider that is not usable is left for its first call to tell.
        """
        for role in ROLES:
            try:
                choices = self.config.choices(role, {})
                for choice in choices:
                    if choice.is_offline:
                        self._rule_provider().complete(*SAMPLES[role])
                    else:
                        self._provider(choice)
            except LLMError as error:
                log_event.warning("llm_not_usable", role=role, outcome=error.outcome)

    def close(self) -> None:
        """Close connections and threads; the gateway may be used again afterwards."""
        with self._lock:
            threads, self._threads = self._threads, None
            providers, self._providers = self._providers, {}
        if threads is not None:
            threads.shutdown(wait=True)
        for provider in providers.values():
            provider.close()

    def _answering(self, call: _Call, choices: tuple[Choice, ...]) -> Callable[[], Reply]:
        def answer() -> Reply:
            try:
                return self._first_answer(call, choices)
            except LLMError as error:
                return error

        return answer

    def _refusal(self, payer: Payer) -> LLMError | None:
        """The error of a study that may spend nothing any more; read in the calling thread."""
        try:
            self._budget.check(payer)
        except LLMBudgetExceeded as error:
            log_event.warning("llm_budget_exceeded", study=payer.study_id)
            return error
        return None

    def _settled(self, call: _Call, reply: Reply) -> Reply:
        """What was answered, by the rules where no provider could."""
        if not isinstance(reply, LLMError):
            return reply
        return self.stand_in(call.task, call.inputs, log=call.log, after=reply.outcome) or reply

    def _wait(self, future: Future[Reply], call: _Call) -> Reply:
        """Calls end by themselves in time; this is for one that hangs outside a socket.

        Looking up a provider's address is such a place. Nobody can say how far the call came.
        """
        seconds = None
        if call.deadline is not None:
            seconds = max(call.left() - self._reserved_for_rules, 0.0) + GRACE
        try:
            return future.result(seconds)
        except NotDoneInTimeError:
            future.cancel()
        error = LLMTimeoutError(f"{call.task.name}: the turn's time is used up")
        record = CallRecord(
            task=call.task.name,
            role=call.task.role,
            provider="",
            model="",
            prompt_hash="",
            outcome=error.outcome,
        )
        call.log.add(record)
        _log_record(record)
        return error

    def _first_answer(self, call: _Call, choices: tuple[Choice, ...]) -> BaseModel:
        """Ask the role's provider, then its fallback where there is one and time is left.

        Rules as a fallback are not asked here: they stand in wherever everybody else fails.
        """
        first, *behind = choices
        if first.is_offline:
            return self._by_rules(call)
        behind = [choice for choice in behind if not choice.is_offline]
        reserve = RESERVED_FOR_FALLBACK * len(behind) + self._reserved_for_rules
        try:
            return self._by_model(call, first, reserve=reserve)
        except LLMError as error:
            if not behind or call.left() <= 0:
                raise
            log_event.warning(
                "llm_fallback",
                task=call.task.name,
                provider=first.provider,
                fallback=behind[0].provider,
                outcome=error.outcome,
            )
            after = error.outcome
        return self._by_model(
            call, behind[0], reserve=self._reserved_for_rules, stands_in_for=after
        )

    @property
    def _reserved_for_rules(self) -> float:
        return RESERVED_FOR_RULES if self._rules_stand_in else 0.0

    def _by_rules(self, call: _Call) -> BaseModel:
        """No prompt, no tokens, no cost; a rule that raises is a bug, not a provider's failure."""
        started = self._clock()
        with computing():
            reply: BaseModel = self._rule_provider().complete(call.task, call.inputs)
        call.log.add(_rules_record(call.task, self._milliseconds_since(started)))
        return reply

    def _by_model(
        self, call: _Call, choice: Choice, *, reserve: float, stands_in_for: str = ""
    ) -> BaseModel:
        """Ask one provider and put what came of it on the log, whatever it is.

        Raises LLMUnpriced before it is asked where the study has a budget and the model no price.
        """
        errand = Errand(
            task=call.task,
            output=call.task.asked_for(call.inputs),
            prompt=render(call.task, call.inputs),
            choice=choice,
            tally=Tally(),
            left=lambda: call.left() - reserve,
        )
        started, outcome = self._clock(), "error"
        log_event.debug("llm_call_start", task=call.task.name, provider=choice.provider)
        try:
            check_price(choice, call.payer.llm_choice)
            reply = self._caller.ask(errand, self._provider(choice))
            outcome = "ok"
        except LLMError as error:
            outcome = error.outcome
            raise
        else:
            return reply
        finally:
            milliseconds = self._milliseconds_since(started)
            record = _record(errand, outcome, milliseconds, stands_in_for=stands_in_for)
            call.log.add(record)
            _log_record(record)

    def _rule_provider(self) -> RuleProvider:
        with self._lock:
            if self._rules is None:
                self._rules = self._make_rules()
            return self._rules

    def _provider(self, choice: Choice) -> ChatProvider:
        with self._lock:
            if choice.provider not in self._providers:
                self._providers[choice.provider] = self._connect(choice)
            return self._providers[choice.provider]

    def _pool(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="llm")
            return self._threads

    def _milliseconds_since(self, started: float) -> int:
        return round((self._clock() - started) * 1000)


def prompt_hash(prompt: RenderedPrompt) -> str:
    """SHA-256 of the rendered prompt, so that equal prompts can be told without keeping them."""
    return hashlib.sha256(f"{prompt.system}\0{prompt.user}".encode()).hexdigest()


def _rules_record(task: Task[Any, Any], latency_ms: int, *, stands_in_for: str = "") -> CallRecord:
    return CallRecord(
        task=task.name,
        role=task.role,
        provider=OFFLINE,
        model=OFFLINE_MODEL,
        prompt_hash="",
        latency_ms=latency_ms,
        stands_in_for=stands_in_for,
    )


def _record(errand: Errand, outcome: str, latency_ms: int, *, stands_in_for: str) -> CallRecord:
    usage = errand.tally.usage
    return CallRecord(
        task=errand.task.name,
        role=errand.task.role,
        provider=errand.choice.provider,
        model=errand.choice.model,
        prompt_hash=prompt_hash(errand.prompt),
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        tokens_cached=usage.tokens_cached,
        cost_usd=errand.choice.traits.cost(usage),
        latency_ms=latency_ms,
        attempts=errand.tally.requests,
        outcome=outcome,
        stands_in_for=stands_in_for,
    )


def _log_record(record: CallRecord) -> None:
    facts: Mapping[str, object] = {
        "task": record.task,
        "provider": record.provider,
        "model": record.model,
        "outcome": record.outcome,
        "ms": record.latency_ms,
        "attempts": record.attempts,
        "tokens_in": record.tokens_in,
        "tokens_out": record.tokens_out,
    }
    if record.outcome == "ok":
        log_event.info("llm_call_complete", **facts)
    else:
        log_event.warning("llm_call_failed", **facts)
