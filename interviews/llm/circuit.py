"""Leaves a provider alone for a while after it failed several times in a row."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

FAILURES_TO_OPEN = 5
SECONDS_OPEN = 30.0


class Circuit:
    """Closed, open or trying: one provider's circuit, safe to share between threads.

    It opens after `failures_to_open` failures without a success between them. After `seconds_open`
    it lets exactly one call try: its success closes the circuit, its failure opens it again. A try
    that never reports back counts as given up after another `seconds_open`.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        failures_to_open: int = FAILURES_TO_OPEN,
        seconds_open: float = SECONDS_OPEN,
    ) -> None:
        self._clock = clock
        self._limit = failures_to_open
        self._seconds = seconds_open
        self._failures = 0
        self._blocked_until: float | None = None
        self._lock = Lock()

    def allows(self) -> bool:
        """Whether a call may be made now; a True while the circuit is open takes its one try."""
        with self._lock:
            if self._blocked_until is None:
                return True
            now = self._clock()
            if now < self._blocked_until:
                return False
            self._blocked_until = now + self._seconds
            return True

    def succeeded(self) -> None:
        """The provider answered, whatever it answered: close."""
        with self._lock:
            self._failures = 0
            self._blocked_until = None

    def failed(self) -> bool:
        """The provider did not answer. Returns whether the circuit is open now."""
        with self._lock:
            self._failures += 1
            if self._failures < self._limit:
                return False
            self._blocked_until = self._clock() + self._seconds
            return True

    @property
    def is_open(self) -> bool:
        """Whether calls are refused at this moment; takes no try."""
        with self._lock:
            return self._blocked_until is not None and self._clock() < self._blocked_until


class Circuits:
    """One circuit a provider, made when it is first asked for."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._by_provider: dict[str, Circuit] = {}
        self._lock = Lock()

    def of(self, provider: str) -> Circuit:
        """The circuit of this provider."""
        with self._lock:
            if provider not in self._by_provider:
                self._by_provider[provider] = Circuit(clock=self._clock)
            return self._by_provider[provider]
