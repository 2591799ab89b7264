"""JSON of strangers: so much of it, so deep, and only text that a database can hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from interviews.api.problems import Problem

MOST_BYTES = 2 * 1024 * 1024
MOST_DEPTH = 40


class BoundedJSONParser(BaseParser):
    """An object in UTF-8; what is larger than `MOST_BYTES` is refused without being read."""

    media_type = "application/json"
    most = MOST_BYTES

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the object. Raises ParseError, or Problem 413."""
        raw = stream.read(self.most + 1)
        if len(raw) > self.most:
            said = f"This body is larger than {self.most // 1024 // 1024} MiB."
            raise Problem(413, "too_large", said)
        try:
            found = json.loads(raw.decode("utf-8"), parse_constant=_refused)
        except (ValueError, RecursionError) as error:
            raise ParseError(f"This body is no JSON in UTF-8: {str(error)[:120]}") from error
        if not isinstance(found, dict):
            raise Problem(422, "not_an_object", "Send a JSON object: {…}.")
        _check(found, 0)
        return found


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")


def _check(value: Any, depth: int) -> None:
    if depth > MOST_DEPTH:
        raise ParseError("This body is nested too deeply.")
    if isinstance(value, dict):
        for name, inner in value.items():
            _check(name, depth)
            _check(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _check(inner, depth + 1)
    elif isinstance(value, str):
        _check_text(value)


def _check_text(text: str) -> None:
    if "\0" in text:
        raise ParseError("This body holds the character NUL, which no text here may.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ParseError("This body holds half of a character (a lone surrogate).") from error
