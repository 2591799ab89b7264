"""How fast one interview may be written to, and how many sockets it may hold.

Both are counted per session in this process: they protect it before it does any work. Several web
processes each keep their own count, so that the ceiling of a whole site is this one times their
number; the service's own checks (one lease a session) hold whatever happens here.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

SOCKETS: Final = 3
"""Open sockets one interview may have: a phone, a computer, and one that died unnoticed."""

BURST: Final = 5.0
"""Answers that may come at once: after a reconnection several may be waiting."""

PER_SECOND: Final = 1.0
"""Answers a second that may be sustained."""


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class AnswerRate:
    """A token bucket for each session. Full buckets are forgotten, so memory stays small."""

    def __init__(
        self,
        *,
        burst: float = BURST,
        per_second: float = PER_SECOND,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._burst = burst
        self._per_second = per_second
        self._clock = clock
        self._buckets: dict[UUID, _Bucket] = {}
        self._swept_at = clock()
        self._lock = threading.Lock()

    def allow(self, session_id: UUID) -> bool:
        """Take one token; False where none is left."""
        now = self._clock()
        with self._lock:
            self._forget_full(now)
            bucket = self._buckets.setdefault(session_id, _Bucket(self._burst, now))
            bucket.tokens = min(self._burst, bucket.tokens + (now - bucket.at) * self._per_second)
            bucket.at = now
            if bucket.tokens < 1.0:
                return False
            bucket.tokens -= 1.0
            return True

    def __len__(self) -> int:
        """Buckets kept."""
        return len(self._buckets)

    def _forget_full(self, now: float) -> None:
        refill = self._burst / self._per_second
        if now - self._swept_at < refill:
            return
        self._swept_at = now
        self._buckets = {
            key: bucket for key, bucket in self._buckets.items() if now - bucket.at < refill
        }


class OpenSockets:
    """Counts the open sockets of each session."""

    def __init__(self, *, limit: int = SOCKETS) -> None:
        self._limit = limit
        self._open: dict[UUID, int] = {}
        self._lock = threading.Lock()

    def enter(self, session_id: UUID) -> bool:
        """Count one more; False where the limit is reached (then there is nothing to leave)."""
        with self._lock:
            count = self._open.get(session_id, 0)
            if count >= self._limit:
                return False
            self._open[session_id] = count + 1
            return True

    def leave(self, session_id: UUID) -> None:
        """Count one less."""
        with self._lock:
            count = self._open.get(session_id, 0) - 1
            if count > 0:
                self._open[session_id] = count
            else:
                self._open.pop(session_id, None)

    def count(self, session_id: UUID) -> int:
        """Sockets open now."""
        return self._open.get(session_id, 0)
