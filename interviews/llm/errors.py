"""What can go wrong with a language model; whether trying again can help is a type.

No message holds what a provider, a model or a respondent wrote: a provider's error text may echo a
prompt or a part of a key. Messages are made of names, statuses and codes only.
"""

from __future__ import annotations

from typing import ClassVar

from interviews.llm.providers.base import Usage


class LLMError(Exception):
    """Root of all failures of a call. `outcome` (20 characters at most) is what a row stores.

    `usage` is what the provider counted before it failed: it is paid for all the same.
    """

    outcome: ClassVar[str] = "error"
    usage: Usage = Usage()


class RetryableLLMError(LLMError):
    """The same call may succeed a little later.

    `retry_after` is what the provider asked to wait, in seconds, or None where it did not say.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class PermanentLLMError(LLMError):
    """The same call will fail again; another provider may still answer it."""


class LLMTimeoutError(RetryableLLMError):
    """No complete answer came within the time that the call had."""

    outcome = "timeout"


class LLMRateLimitError(RetryableLLMError):
    """The provider asked for fewer calls (429 that is no spend limit)."""

    outcome = "rate_limit"


class LLMUnavailable(RetryableLLMError):
    """No connection, a broken one, an overload or another failure on the provider's side."""

    outcome = "unavailable"


class LLMCircuitOpen(LLMUnavailable):
    """The provider failed too often in a row and is left alone for a while; nothing was sent."""

    outcome = "circuit_open"


class LLMAnswerUnusable(PermanentLLMError):
    """The provider answered, and nothing can be done with what it says."""


class LLMRefused(LLMAnswerUnusable):
    """The model or the provider's filter declined to answer."""

    outcome = "refused"


class LLMTruncated(LLMAnswerUnusable):
    """The answer hit the token limit or the context window and is incomplete."""

    outcome = "truncated"


class LLMInvalidOutput(LLMAnswerUnusable):
    """The answer does not fit the task or repeats its prompt, and so does the repaired one."""

    outcome = "invalid_output"


class LLMRequestRejected(PermanentLLMError):
    """The provider says that the request itself is wrong (400, 413, 422 and the like)."""

    outcome = "rejected"


class LLMSpendLimitReached(PermanentLLMError):
    """The account at the provider has no credit left or reached its own spend limit."""

    outcome = "spend_limit"


class LLMConfigurationError(PermanentLLMError):
    """A key, a model, a provider's name or an address is missing or wrong."""

    outcome = "configuration"


class LLMUnpriced(LLMConfigurationError):
    """The study has a budget and the model no price, so that the budget would never act."""

    outcome = "unpriced"


class LLMBudgetExceeded(PermanentLLMError):
    """The study's own budget is spent: no provider is called, whichever it is."""

    outcome = "budget"
