"""S1: a socket from a foreign page, or from no page, is refused."""

from __future__ import annotations

from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from pytest_django import Settings

from interview_project.origins import SameOriginOnly, permitted


def scope(origin: str | None, host: str = "127.0.0.1:8000") -> dict[str, Any]:
    headers = [(b"host", host.encode())]
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    return {"type": "websocket", "path": "/", "headers": headers}


@pytest.fixture(autouse=True)
def _hosts(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["127.0.0.1", "[::1]", "interviews.example"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://portal.example"]
    settings.HTTPS = False


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000"),
        ("http://[::1]:8000", "[::1]:8000"),
        ("https://interviews.example", "interviews.example"),
        ("HTTPS://Interviews.Example", "interviews.example"),
        ("https://portal.example", "interviews.example"),
    ],
)
def test_own_pages_and_trusted_origins_may_open_a_socket(origin: str, host: str) -> None:
    assert permitted(scope(origin, host))


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        (None, "127.0.0.1:8000"),
        ("", "127.0.0.1:8000"),
        ("null", "127.0.0.1:8000"),
        ("http://evil.example", "127.0.0.1:8000"),
        ("http://127.0.0.1:9000", "127.0.0.1:8000"),
        ("file://127.0.0.1:8000", "127.0.0.1:8000"),
        ("http://portal.example", "interviews.example"),
        ("http://evil.example", "evil.example"),
        ("http://127.0.0.1:8000.evil.example", "127.0.0.1:8000"),
    ],
)
def test_foreign_and_missing_origins_are_refused(origin: str | None, host: str) -> None:
    assert not permitted(scope(origin, host))


def test_behind_tls_a_plain_page_is_foreign(settings: Settings) -> None:
    settings.HTTPS = True
    assert not permitted(scope("http://interviews.example", "interviews.example"))
    assert permitted(scope("https://interviews.example", "interviews.example"))


async def test_a_refused_handshake_never_reaches_the_application() -> None:
    async def application(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("reached")

    communicator = WebsocketCommunicator(SameOriginOnly(application), "/")
    connected, code = await communicator.connect()
    assert (connected, code) == (False, 4403)
