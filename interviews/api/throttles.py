"""How often each caller may ask, by what the asking does."""

from __future__ import annotations

from typing import Any

from django.core.cache import caches
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.throttling import SimpleRateThrottle

from interviews.api.authentication import caller_of

CACHE = "throttles"


class ScopeThrottle(SimpleRateThrottle):
    """So many requests a minute to read, to hold interviews, to manage; each process counts."""

    cache = caches[CACHE]

    def __init__(self) -> None:
        """The rate is known when it is known what is asked."""

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count the request, and say whether it is one too many."""
        self.scope = view.throttle_of(request)
        rate: Any = api_settings.DEFAULT_THROTTLE_RATES[self.scope]
        self.rate = rate
        self.num_requests, self.duration = self.parse_rate(rate)
        return super().allow_request(request, view)

    def get_cache_key(self, request: Request, view: Any) -> str:
        """A caller's count of one kind."""
        return f"throttle:{self.scope}:{caller_of(request)}"
