"""What a provider bills, read off the bodies that it sent and not off any adapter.

Both protocols report a request's usage in an object named `usage`; in a stream a later one takes
the place of what an earlier one said.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.llm_protocol.steps import Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """The usage of one request that the provider reported, with the model it was for."""

    model: str
    tokens: Tokens

    def dollars(self, prices: Mapping[str, Decimal]) -> Decimal:
        """What it costs at `prices` in dollars per million tokens: input, cached, written, output.

        Not rounded.
        """
        tokens = self.tokens
        plain = tokens.prompt - tokens.cached - tokens.written
        return (
            plain * prices["input"]
            + tokens.cached * prices["cached"]
            + tokens.written * prices["written"]
            + tokens.output * prices["output"]
        ) / 1_000_000


def bill(model: str, sent: Iterable[str]) -> Bill | None:
    """The bill for a request that `sent` (a body, or events) answered; None without usage."""
    usage: dict[str, Any] = {}
    for document in _documents(sent):
        found = document.get("usage") or document.get("message", {}).get("usage")
        usage |= {name: value for name, value in (found or {}).items() if value is not None}
    if not usage:
        return None
    if "prompt_tokens" in usage:
        details = usage.get("prompt_tokens_details", {})
        tokens = Tokens(
            prompt=usage["prompt_tokens"],
            output=usage["completion_tokens"],
            cached=details.get("cached_tokens", 0),
            written=details.get("cache_write_tokens", 0),
        )
    else:
        cached = usage.get("cache_read_input_tokens", 0)
        written = usage.get("cache_creation_input_tokens", 0)
        tokens = Tokens(
            prompt=usage["input_tokens"] + cached + written,
            output=usage["output_tokens"],
            cached=cached,
            written=written,
        )
    return Bill(model=model, tokens=tokens)


def _documents(sent: Iterable[str]) -> Iterable[dict[str, Any]]:
    for text in sent:
        for line in text.splitlines():
            data = line.removeprefix("data: ")
            if data.startswith("{"):
                yield json.loads(data)
