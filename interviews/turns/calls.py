"""What the gateway remembers of each call, before it becomes a row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from threading import Lock


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """One call, failed ones too. Latency in milliseconds, cost in US dollars; no prompt text.

    `stands_in_for` is the outcome of the call before it that failed, "" for a first choice.
    """

    task: str
    role: str
    provider: str
    model: str
    prompt_hash: str
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost_usd: Decimal = Decimal(0)
    latency_ms: int = 0
    attempts: int = 1
    outcome: str = "ok"
    stands_in_for: str = ""


class CallLog:
    """Collects the calls of one turn; safe to share between the threads that make them."""

    def __init__(self) -> None:
        self._records: list[CallRecord] = []
        self._lock = Lock()

    def add(self, record: CallRecord) -> None:
        with self._lock:
            self._records.append(record)

    def drain(self) -> Iterable[CallRecord]:
        """Return what was collected and forget it."""
        with self._lock:
            records, self._records = self._records, []
        return records
