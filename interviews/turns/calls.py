"""What the gateway remembers of each call, before it becomes a row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from threading import Lock

LAST_RESORT = "last_resort"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Degraded:
    """A task that was not answered by whom it was meant for.

    `by` is the provider that answered instead, "offline" for the rules, "last_resort" for a plain
    question that nobody worded; `after` is the outcome of the failure.
    """

    task: str
    by: str
    after: str


class CallLog:
    """Collects the calls of one turn; safe to share between the threads that make them."""

    def __init__(self) -> None:
        self._records: list[CallRecord] = []
        self._degraded: list[Degraded] = []
        self._lock = Lock()

    def add(self, record: CallRecord) -> None:
        """Keep a record; one that stands in for a failed call makes its task a degraded one."""
        with self._lock:
            self._records.append(record)
            if record.stands_in_for and record.outcome == "ok":
                self._degraded.append(
                    Degraded(task=record.task, by=record.provider, after=record.stands_in_for)
                )

    def add_last_resort(self, task: str, *, after: str) -> None:
        """Note that nobody worded the question of `task` and a plain one is asked instead."""
        with self._lock:
            self._degraded.append(Degraded(task=task, by=LAST_RESORT, after=after))

    @property
    def degraded(self) -> tuple[Degraded, ...]:
        """The tasks of this turn that others answered, in order; `drain` leaves them."""
        with self._lock:
            return tuple(self._degraded)

    def drain(self) -> Iterable[CallRecord]:
        """Return what was collected and forget it."""
        with self._lock:
            records, self._records = self._records, []
        return records
