"""Long polls that hold no thread and no connection: a view that is asked again once it is time.

The view itself is an ordinary one. While what is waited for is not there, the request sleeps in the
event loop; each look is one small query, after which the connection goes back. In the end the view
answers anew, so that who asks is checked again as well.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from asgiref.sync import sync_to_async
from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase

MOST_SECONDS = 20
FIRST_LOOK, LONGEST_BETWEEN = 0.1, 1.0
View = Callable[..., HttpResponseBase]


def seconds_of(value: str | None) -> int:
    """What `?wait=` asks for, 20 at most; 0 where it is no number."""
    if value is None or not (value.isascii() and value.isdigit()):
        return 0
    return min(int(value[:4]), MOST_SECONDS)


def waiting(view: View, is_there: Callable[..., bool]) -> Any:
    """Return `view` as an async one that waits until `is_there` of the address's parts."""

    async def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        until = time.monotonic() + seconds_of(request.GET.get("wait"))
        answer = await sync_to_async(_asked)(view, request, *args, **kwargs)
        if request.method != "GET" or answer.status_code != 200:
            return answer
        pause, waited = FIRST_LOOK, False
        while time.monotonic() < until and not await sync_to_async(_looked)(is_there, kwargs):
            waited = True
            await asyncio.sleep(min(pause, max(until - time.monotonic(), 0)))
            pause = min(pause * 1.5, LONGEST_BETWEEN)
        return await sync_to_async(_asked)(view, request, *args, **kwargs) if waited else answer

    asked.csrf_exempt = True  # type: ignore[attr-defined]
    asked.cls = getattr(view, "cls", None)  # type: ignore[attr-defined]
    asked.initkwargs = getattr(view, "initkwargs", {})  # type: ignore[attr-defined]
    return asked


def _asked(view: View, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
    try:
        return view(request, *args, **kwargs)
    finally:
        _give_back_connection()


def _looked(is_there: Callable[..., bool], kwargs: dict[str, Any]) -> bool:
    try:
        return is_there(**kwargs)
    finally:
        _give_back_connection()


def _give_back_connection() -> None:
    if not connection.in_atomic_block:
        connection.close()
