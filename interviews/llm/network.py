"""A wall clock for HTTP: a time limit that also ends a response that trickles in.

An HTTP client's read timeout starts anew with every byte that arrives, so a peer that sends one
byte now and then can hold a call for ever. Here each socket operation gets what is left of the
call's whole time.
"""

from __future__ import annotations

import logging
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore2
import httpx2

CONNECT_SECONDS = 10.0
MAX_CONNECTIONS = 1024
KEPT_CONNECTIONS = 100

CHATTY_LOGGERS = ("anthropic", "openai", "httpx2", "httpcore2")
"""At level DEBUG these log whole requests, and so what a respondent wrote."""

_call = threading.local()


@contextmanager
def wall_clock(seconds: float) -> Iterator[None]:
    """Everything that this thread sends or reads inside ends after `seconds` in all."""
    _call.ends = time.monotonic() + seconds
    try:
        yield
    finally:
        _call.ends = None


def bounded_client() -> httpx2.Client:
    """An HTTP client whose connections know `wall_clock`; honours proxies of the environment.

    It follows no redirects: a request carries a key, and a key stays with the address it is for.
    """
    for name in CHATTY_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
    client = httpx2.Client(
        timeout=httpx2.Timeout(CONNECT_SECONDS),
        limits=httpx2.Limits(
            max_connections=MAX_CONNECTIONS, max_keepalive_connections=KEPT_CONNECTIONS
        ),
        follow_redirects=False,
    )
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx2.HTTPTransport):
            pool = transport._pool
            pool._network_backend = _Backend(pool._network_backend)
    return client


def _left(timeout: float | None, error: type[httpcore2.TimeoutException]) -> float | None:
    """The timeout of one socket operation: no more than what is left of the call."""
    ends: float | None = getattr(_call, "ends", None)
    if ends is None:
        return timeout
    left = ends - time.monotonic()
    if left <= 0:
        raise error("the call's time is used up")
    return left if timeout is None else min(left, timeout)


class _Backend(httpcore2.NetworkBackend):
    def __init__(self, inner: httpcore2.NetworkBackend) -> None:
        self._inner = inner

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        return _Stream(
            self._inner.connect_tcp(
                host,
                port,
                timeout=_left(timeout, httpcore2.ConnectTimeout),
                local_address=local_address,
                socket_options=socket_options,
            )
        )

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore2.NetworkStream:
        return _Stream(
            self._inner.connect_unix_socket(
                path,
                timeout=_left(timeout, httpcore2.ConnectTimeout),
                socket_options=socket_options,
            )
        )

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, timeout=_left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout=_left(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        limit = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, timeout=limit))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
