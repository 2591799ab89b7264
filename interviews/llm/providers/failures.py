"""From a status, an error code and a header to one of our errors."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from email.utils import parsedate_to_datetime

from interviews.llm.errors import (
    LLMConfigurationError,
    LLMError,
    LLMRateLimitError,
    LLMRequestRejected,
    LLMSpendLimitReached,
    LLMUnavailable,
)

SPEND_LIMIT_CODES = frozenset(
    {
        # Messages API: error.details.error_code, and the error's type
        "contract_spend_limit_reached",
        "enforced_spend_limit_reached",
        "linked_organization_billing_unavailable",
        "linked_organization_spend_limit_reached",
        "billing_error",
        # chat completions: error.code or error.type
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "credit_balance_exhausted",
        "organization_usage_limit_exceeded",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "exceeded_current_quota_error",
    }
)
"""Codes that tell a spent account from a rate limit: they come with a 429 and never pass soon."""

STATUS_BY_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "rate_limit_reached_error": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
    "engine_overloaded_error": 529,
}
"""What an error inside a stream would have been as a status; the stream itself said 200."""

SERVER_FAILURE = 500


def failure(
    who: str, *, status: int, codes: Iterable[object], headers: Mapping[str, str]
) -> LLMError:
    """The error for a provider's refusal of a request.

    `who` names provider and model. `codes` are whatever kinds and codes the error carries; they
    decide where the status does not (a stream that started well has status 200).
    """
    named = {code for code in codes if isinstance(code, str)}
    if status < 400:
        status = next((STATUS_BY_TYPE[c] for c in sorted(named) if c in STATUS_BY_TYPE), 500)
    if status == 402 or named & SPEND_LIMIT_CODES:
        return LLMSpendLimitReached(f"{who}: the account's spend limit is reached")
    if status == 429:
        return LLMRateLimitError(f"{who}: rate limit", retry_after=retry_after(headers))
    if status >= SERVER_FAILURE:
        return LLMUnavailable(f"{who}: failed with {status}", retry_after=retry_after(headers))
    if status in {401, 403}:
        return LLMConfigurationError(f"{who}: the key is not accepted ({status})")
    if status == 404:
        return LLMConfigurationError(f"{who}: the model or the address is unknown (404)")
    return LLMRequestRejected(f"{who}: the request was rejected ({status})")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the provider asks to wait, from `retry-after-ms` or `retry-after`, or None."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return max(milliseconds / 1000, 0.0)
    text = headers.get("retry-after", "")
    seconds = _number(text)
    if seconds is None:
        seconds = _seconds_until(text)
    return None if seconds is None else max(seconds, 0.0)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _seconds_until(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp() - time.time()
    except ValueError:
        return None
