"""Programs that come to the API, as tests play them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from django.test import Client


class Program:
    """A client that sends JSON with a token, and reads JSON."""

    def __init__(self, token: str | None) -> None:
        self.client = Client()
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(path, headers={**self.headers, **headers})

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self._sent("post", path, body, headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Any:
        return self._sent("patch", path, body, headers)

    def delete(self, path: str) -> Any:
        return self.client.delete(path, headers=self.headers)

    def _sent(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, (str, bytes)) else json.dumps({} if body is None else body)
        send = getattr(self.client, method)
        return send(path, data, content_type="application/json", headers={**self.headers, **named})


Programs = Callable[..., Program]


def problem(answer: Any, status: int, code: str, field: str | None = None) -> str:
    """Check that an answer is this problem; return its sentence."""
    told = answer.json()
    assert answer["Content-Type"] == "application/problem+json"
    assert (answer.status_code, told["status"], told["code"]) == (status, status, code), told
    assert told["field"] == field, told
    return str(told["detail"])
