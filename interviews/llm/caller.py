"""Asks one provider: sends, retries once, minds its circuit, has an invalid answer repaired."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import structlog
from pydantic import BaseModel

from interviews.llm.answers import InvalidAnswerError, parse
from interviews.llm.circuit import Circuits
from interviews.llm.config import Choice
from interviews.llm.errors import (
    LLMCircuitOpen,
    LLMError,
    LLMInvalidOutput,
    LLMRefused,
    LLMTimeoutError,
    LLMTruncated,
    RetryableLLMError,
)
from interviews.llm.leaks import gives_away
from interviews.llm.providers.base import (
    ChatProvider,
    ChatReply,
    ChatRequest,
    Repair,
    Stop,
    Usage,
)
from interviews.llm.schemas import portable_schema
from interviews.llm.tasks.base import Drafts, RenderedPrompt, Task, fill

log_event = structlog.get_logger(__name__)

RETRIES = 1
FIRST_DELAY = 1.0
JITTER = 0.5
LONGEST_DELAY = 30.0
WORTH_TRYING = 1.0
REPAIRED_CHARACTERS = 4_000


@dataclass(slots=True, kw_only=True)
class Tally:
    """What a provider was asked and what it took, filled while it is being asked."""

    requests: int = 0
    retries: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """One task on its way to one provider, and the model of what is to come of it.

    `left` gives the seconds that it may still take.
    """

    task: Task[Any, Any]
    output: type[BaseModel]
    prompt: RenderedPrompt
    choice: Choice
    tally: Tally
    left: Callable[[], float]

    @property
    def who(self) -> str:
        """Provider and model, for messages."""
        return f"{self.choice.provider} {self.choice.model}"

    def request(self) -> ChatRequest:
        """The request for the choice's model: what it does not take is left out."""
        task, traits = self.task, self.choice.traits
        return ChatRequest(
            name=task.name,
            model=self.choice.model,
            system=self.prompt.system,
            user=self.prompt.user,
            schema=portable_schema(self.output),
            structure=self.choice.structure,
            max_tokens=task.max_tokens,
            timeout=task.timeout,
            temperature=task.temperature if traits.temperature else None,
            effort=traits.effort.get(task.role),
            thinking=traits.thinking,
        )


class Caller:
    """Shared between threads. `sleep` takes seconds, `random` gives a number in [0, 1)."""

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        random: Callable[[], float],
    ) -> None:
        self._sleep = sleep
        self._random = random
        self._circuits = Circuits(clock=clock)

    def ask(self, errand: Errand, provider: ChatProvider) -> BaseModel:
        """Return the validated answer; an invalid one is sent back once with what is wrong.

        Raises the LLMError of the last request.
        """
        task = errand.task
        request = errand.request()
        reply = self._complete(errand, provider, request)
        try:
            return _read(errand, reply)
        except InvalidAnswerError as invalid:
            log_event.info("llm_repair", task=task.name, provider=errand.choice.provider)
            repair = Repair(answer=reply.text[:REPAIRED_CHARACTERS], complaint=invalid.complaint)
        reply = self._complete(errand, provider, replace(request, repair=repair))
        try:
            return _read(errand, reply)
        except InvalidAnswerError as invalid:
            kinds = invalid.kinds
        raise LLMInvalidOutput(f"{errand.who}: {task.name} has {kinds}")

    def _complete(self, errand: Errand, provider: ChatProvider, request: ChatRequest) -> ChatReply:
        """Send one request, again where that can help, and take only a whole answer."""
        reply = self._send_until_answered(errand, provider, request)
        if reply.stop is Stop.REFUSED:
            raise LLMRefused(f"{errand.who}: {errand.task.name} was declined")
        if reply.stop is Stop.TRUNCATED:
            raise LLMTruncated(
                f"{errand.who}: {errand.task.name} did not fit into {request.max_tokens} tokens"
            )
        return reply

    def _send_until_answered(
        self, errand: Errand, provider: ChatProvider, request: ChatRequest
    ) -> ChatReply:
        while True:
            timeout = min(errand.task.timeout, errand.left())
            if timeout <= 0:
                raise LLMTimeoutError(f"{errand.who}: no time is left for {errand.task.name}")
            try:
                return self._send(errand, provider, replace(request, timeout=timeout))
            except RetryableLLMError as error:
                delay = self._delay(error, errand)
                if delay is None:
                    raise
                log_event.info(
                    "llm_retry",
                    provider=errand.choice.provider,
                    outcome=error.outcome,
                    delay=round(delay, 3),
                )
            errand.tally.retries += 1
            self._sleep(delay)

    def _send(self, errand: Errand, provider: ChatProvider, request: ChatRequest) -> ChatReply:
        """One request behind the provider's circuit.

        Only a provider that did not answer counts against it: one that says no is alive.
        """
        name = errand.choice.provider
        circuit = self._circuits.of(name)
        if not circuit.allows():
            raise LLMCircuitOpen(f"{name}: left alone for a while after failures")
        errand.tally.requests += 1
        try:
            reply = provider.send(request)
        except LLMError as error:
            errand.tally.usage += error.usage
            if not isinstance(error, RetryableLLMError):
                circuit.succeeded()
            elif circuit.failed():
                log_event.warning("llm_circuit_open", provider=name)
            raise
        except BaseException:
            circuit.failed()
            raise
        circuit.succeeded()
        errand.tally.usage += reply.usage
        return reply

    def _delay(self, error: RetryableLLMError, errand: Errand) -> float | None:
        """Seconds to wait before trying again, None where trying again is no use.

        1 s doubled for each retry before, times 1 to 1.5 by chance, and never less than what the
        provider asks for. No use: the retries are spent, the circuit is open, the wait is longer
        than 30 s or leaves less than a second for the call.
        """
        retries = errand.tally.retries
        if retries >= RETRIES or self._circuits.of(errand.choice.provider).is_open:
            return None
        delay = FIRST_DELAY * (1 << retries) * (1 + JITTER * self._random())
        delay = max(delay, error.retry_after or 0.0)
        if delay > LONGEST_DELAY or delay + WORTH_TRYING > errand.left():
            return None
        return delay


def _read(errand: Errand, reply: ChatReply) -> BaseModel:
    """The answer as the task's output. Raises InvalidAnswerError, also for a recited prompt."""
    answer = parse(errand.output, reply.text)
    output = answer.picked() if isinstance(answer, Drafts) else answer
    if gives_away(errand.prompt, output):
        complaint = fill("_answer_leak.md")
        raise InvalidAnswerError(complaint=complaint, kinds="words of the instructions")
    return output
