"""A provider on loopback that takes a given time for every call, for measuring under load.

It speaks chat completions over real sockets, so that the product's clients, pools and time limits
are measured with it. It runs on an event loop and costs little, however many calls wait.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, cast

from interviews.bench.latency import Call, model_answer

PROVIDER = "standin"
MODEL = "standin-1"
_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"


class StandIn:
    """Answers every task as its schema wants, `seconds` after it was asked."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.calls: list[Call] = []
        self.port = 0
        self._numbers = count(1)
        self._open: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[StandIn]:
        """Listen on a free port of loopback while the block runs."""
        server = await asyncio.start_server(self._talk, "127.0.0.1", 0, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for writer in self._open:
                writer.close()
            await asyncio.gather(*self._open.values())

    def catalogue(self) -> str:
        """The `llm.yaml` that makes this provider known to a site."""
        return json.dumps(
            {
                "providers": {
                    PROVIDER: {
                        "protocol": "openai",
                        "base_url": f"http://127.0.0.1:{self.port}/v1",
                        "models": dict.fromkeys(("extraction", "scoring", "generation"), MODEL),
                    }
                }
            }
        )

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: request after request, until the client leaves."""
        self._open[writer] = cast("asyncio.Task[None]", asyncio.current_task())
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                body = await reader.readexactly(_length(head))
                reply = await self._answered(json.loads(body))
                writer.write(_HEAD.format(length=len(reply)).encode() + reply)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._open.pop(writer)
            writer.close()

    async def _answered(self, request: dict[str, Any]) -> bytes:
        started = time.monotonic()
        task = request["response_format"]["json_schema"]["name"]
        prompt = request["messages"][-1]["content"]
        await asyncio.sleep(self.seconds)
        text = json.dumps(model_answer(task, prompt, next(self._numbers)))
        self.calls.append(Call(task=task, started=started, ended=time.monotonic()))
        return json.dumps(_completion(request["model"], text)).encode()


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    return 0


def _completion(model: str, text: str) -> dict[str, Any]:
    return {
        "id": "standin",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
