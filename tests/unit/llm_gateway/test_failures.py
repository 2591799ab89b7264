from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from interviews.llm.errors import (
    LLMConfigurationError,
    LLMError,
    LLMRateLimitError,
    LLMRequestRejected,
    LLMSpendLimitReached,
    LLMUnavailable,
    PermanentLLMError,
    RetryableLLMError,
)
from interviews.llm.providers.failures import SPEND_LIMIT_CODES, failure, retry_after


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, LLMRequestRejected),
        (401, LLMConfigurationError),
        (402, LLMSpendLimitReached),
        (403, LLMConfigurationError),
        (404, LLMConfigurationError),
        (409, LLMRequestRejected),
        (413, LLMRequestRejected),
        (422, LLMRequestRejected),
        (429, LLMRateLimitError),
        (500, LLMUnavailable),
        (502, LLMUnavailable),
        (503, LLMUnavailable),
        (504, LLMUnavailable),
        (529, LLMUnavailable),
    ],
)
def test_a_status_says_whether_trying_again_can_help(status: int, error: type[LLMError]) -> None:
    found = failure("p m", status=status, codes=(), headers={})
    assert type(found) is error
    assert isinstance(found, RetryableLLMError if status >= 429 else PermanentLLMError)
    assert str(found).startswith("p m: ")


@pytest.mark.parametrize("code", sorted(SPEND_LIMIT_CODES))
def test_a_spend_limits_code_outweighs_the_status(code: str) -> None:
    found = failure("p m", status=429, codes=("rate_limit_error", code, None), headers={})
    assert type(found) is LLMSpendLimitReached


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("overloaded_error", LLMUnavailable),
        ("api_error", LLMUnavailable),
        ("rate_limit_error", LLMRateLimitError),
        ("invalid_request_error", LLMRequestRejected),
        ("never_heard_of", LLMUnavailable),
        (None, LLMUnavailable),
    ],
)
def test_inside_a_stream_the_kind_decides(kind: str | None, error: type[LLMError]) -> None:
    assert type(failure("p m", status=200, codes=(kind,), headers={})) is error


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-4"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after-ms": "250", "retry-after": "3"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "3"}, 3.0),
    ],
)
def test_the_wait_is_read_off_the_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_the_wait_may_be_a_date() -> None:
    found = retry_after({"retry-after": formatdate(time.time() + 20, usegmt=True)})
    assert found is not None
    assert 18.0 <= found <= 20.0


@pytest.mark.parametrize("text", ["nan", "inf"])
def test_a_wait_that_is_no_number_is_none(text: str) -> None:
    assert retry_after({"retry-after": text}) is None
