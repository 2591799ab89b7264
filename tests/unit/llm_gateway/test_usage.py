"""Tokens read from a provider's cache are found wherever the provider counts them."""

from __future__ import annotations

from typing import Any

import pytest
from openai.types import CompletionUsage

from interviews.llm.providers.openai_compatible import _usage


@pytest.mark.parametrize(
    ("own", "cached"),
    [
        ({}, 0),
        ({"prompt_tokens_details": {"cached_tokens": 70}}, 70),
        ({"prompt_cache_hit_tokens": 60, "prompt_cache_miss_tokens": 40}, 60),
        ({"cached_tokens": 50}, 50),
        ({"prompt_tokens_details": {"cached_tokens": None}, "cached_tokens": 50}, 50),
        ({"cached_tokens": "many"}, 0),
    ],
)
def test_cached_tokens_are_found(own: dict[str, Any], cached: int) -> None:
    usage = CompletionUsage.model_validate(
        {"prompt_tokens": 100, "completion_tokens": 9, "total_tokens": 109, **own}
    )
    counted = _usage(usage)
    assert (counted.tokens_in, counted.tokens_out, counted.tokens_cached) == (100, 9, cached)


def test_a_server_that_counts_nothing_is_free() -> None:
    assert _usage(None).tokens_in == 0
