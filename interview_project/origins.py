"""Who may open a socket: the pages of this site, and origins that were named in the settings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import validate_host

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class SameOriginOnly:
    """Refuses a WebSocket handshake whose Origin is missing, foreign, or of another port."""

    def __init__(self, application: Application) -> None:
        """Guard `application`."""
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the handshake on, or answer it with 403."""
        if permitted(scope):
            await self.application(scope, receive, send)
            return
        await receive()
        await send({"type": "websocket.close", "code": 4403})


def permitted(scope: Scope) -> bool:
    """Does the handshake come from a page of this site or from a trusted origin?"""
    headers: dict[bytes, bytes] = dict(scope.get("headers", []))
    origin = headers.get(b"origin", b"").decode("latin-1").rstrip("/").lower()
    host = headers.get(b"host", b"").decode("latin-1").lower()
    if not origin:
        return False
    if origin in {trusted.rstrip("/").lower() for trusted in settings.CSRF_TRUSTED_ORIGINS}:
        return True
    parts = urlsplit(origin)
    schemes = {"https"} if settings.HTTPS else {"http", "https"}
    if parts.scheme not in schemes or not parts.hostname or parts.netloc != host:
        return False
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return validate_host(name, settings.ALLOWED_HOSTS)
