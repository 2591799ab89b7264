"""Stands in for a provider over a real socket on loopback, and does what its script says."""

from __future__ import annotations

import json
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any

from interviews.llm.tasks import load_tasks
from interviews.llm.tasks.base import mark_of, prompt_text
from tests.llm_protocol.billing import Bill, bill
from tests.llm_protocol.dialects import AnthropicDialect, Dialect, OpenAIDialect
from tests.llm_protocol.steps import (
    Answer,
    CutOff,
    EndedEarly,
    Failed,
    FailedInside,
    Page,
    Refused,
    Stalled,
    Step,
    Trickled,
    TrickledHead,
    Truncated,
)

DIALECTS: tuple[Dialect, ...] = (AnthropicDialect(), OpenAIDialect())


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A request as it came in."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """Everything that the model is told, protocol and all."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def task(self) -> str:
        """The task whose prompt this is."""
        return next((name for mark, name in _tasks().items() if mark in self.text), "")


@cache
def _tasks() -> Mapping[str, str]:
    return {mark_of(prompt_text(task.prompt)): name for name, task in load_tasks().items()}


class ProviderServer:
    """Answers both protocols; takes one step of its script a request, then asks `respond` for ever.

    `bills` are what it reported as used, whatever became of the request.
    """

    def __init__(self, *, key: str, respond: Callable[[Received], Step] | None = None) -> None:
        self.key = key
        self.respond = respond or (lambda _: Answer(data={}))
        self.received: list[Received] = []
        self.bills: list[Bill] = []
        self.complaints: list[str] = []
        self.stopped = Event()
        self._script: deque[Step] = deque()
        self._lock = Lock()
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.provider = self
        self._thread = Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def origin(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def script(self, *steps: Step) -> None:
        """Add steps to what the next requests get."""
        with self._lock:
            self._script.extend(steps)

    def take(self, request: Received) -> Step:
        """Note a request and give the step for it."""
        with self._lock:
            self.received.append(request)
            if self._script:
                return self._script.popleft()
        return self.respond(request)

    def note(self, request: Received, sent: Iterable[str]) -> None:
        """Keep what `sent` says about the usage of a request."""
        found = bill(request.body["model"], sent)
        if found is not None:
            with self._lock:
                self.bills.append(found)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.stopped.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


@contextmanager
def provider_server(
    *, key: str, respond: Callable[[Received], Step] | None = None
) -> Iterator[ProviderServer]:
    """A running server; on leaving, every request must have been one that a provider takes."""
    server = ProviderServer(key=key, respond=respond)
    server.start()
    try:
        yield server
    finally:
        server.stop()
    assert not server.complaints, server.complaints


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = True
    provider: ProviderServer

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is what many steps are about; anything else is a bug here."""
        import sys

        if not isinstance(sys.exception(), OSError):
            self.provider.complaints.append(repr(sys.exception()))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    timeout = 5.0

    def do_POST(self) -> None:
        dialect = next((d for d in DIALECTS if d.path == self.path), None)
        length = int(self.headers.get("content-length", 0))
        body = json.loads(self.rfile.read(length))
        headers = {name.lower(): value for name, value in self.headers.items()}
        if dialect is None:
            self._send(404, json.dumps({"error": {"type": "not_found_error", "message": "path"}}))
            return
        request = Received(path=self.path, headers=headers, body=body)
        if dialect.key(headers) != self.server.provider.key:
            wrong = Failed(status=401, kind="authentication_error", message="invalid api key")
            self._send(401, dialect.error(wrong))
            return
        if complaints := dialect.complaints(body, headers):
            self.server.provider.complaints += complaints
            invalid = Failed(
                status=400, kind="invalid_request_error", message="; ".join(complaints)
            )
            self._send(400, dialect.error(invalid))
            return
        self._play(dialect, request, self.server.provider.take(request))

    def _play(self, dialect: Dialect, request: Received, step: Step) -> None:
        streamed = bool(request.body.get("stream"))
        match step:
            case Answer() | Truncated() | Refused():
                self._answer(dialect, request, step)
            case Failed():
                self._send(step.status, dialect.error(step), headers=step.headers)
            case FailedInside() | EndedEarly():
                self._fail_inside(dialect, request, step)
            case Page():
                self._send(200, "<html>It works!</html>", kind="text/html")
            case Stalled():
                self.server.provider.stopped.wait(step.seconds)
                self.close_connection = True
            case Trickled():
                self._trickle(streamed, step.pause)
            case TrickledHead():
                self._drip(b"HTTP/1.1 200 OK\r\nx-slow: ", step.pause)
            case CutOff():
                self._break_off(dialect, request)

    def _fail_inside(
        self, dialect: Dialect, request: Received, step: FailedInside | EndedEarly
    ) -> None:
        """Status 200 has been said when the failure comes."""
        begun = list(dialect.events(request.body, Answer(data={})))[:2]
        if isinstance(step, FailedInside):
            body, event = dialect.error(step), [dialect.error_event(step)]
        else:
            body, event = "{}", []
        if request.body.get("stream"):
            self.server.provider.note(request, begun + event)
            self._stream(begun + event)
        else:
            self._send(200, body)

    def _answer(
        self, dialect: Dialect, request: Received, step: Answer | Truncated | Refused
    ) -> None:
        if request.body.get("stream"):
            events = list(dialect.events(request.body, step))
            self.server.provider.note(request, events)
            self._stream(events)
        else:
            body = dialect.whole(request.body, step)
            self.server.provider.note(request, [body])
            self._send(200, body)

    def _send(
        self,
        status: int,
        text: str,
        *,
        kind: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _open_stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def _stream(self, events: list[str]) -> None:
        self._open_stream()
        for event in events:
            self._write_chunk(event.encode())
        self.wfile.write(b"0\r\n\r\n")

    def _write_chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _trickle(self, streamed: bool, pause: float) -> None:
        if streamed:
            self._open_stream()
            while not self.server.provider.stopped.wait(pause):
                self._write_chunk(b": still there\n\n")
        else:
            self._drip(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
                b"content-length: 100000\r\n\r\n",
                pause,
            )
        self.close_connection = True

    def _drip(self, head: bytes, pause: float) -> None:
        self.wfile.write(head)
        while not self.server.provider.stopped.wait(pause):
            self.wfile.write(b" ")
            self.wfile.flush()
        self.close_connection = True

    def _break_off(self, dialect: Dialect, request: Received) -> None:
        events = list(dialect.events(request.body, Answer(data={})))
        if request.body.get("stream"):
            self.server.provider.note(request, events[:1])
            self._open_stream()
            self._write_chunk(events[0].encode())
        else:
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", "100000")
            self.end_headers()
            self.wfile.write(b'{"id": "half')
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Requests are kept in `received`; nothing goes to stderr."""
