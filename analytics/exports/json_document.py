"""JSON: everything a session left behind, in a versioned schema, streamed; it can be imported."""

from __future__ import annotations

from collections.abc import Iterator

from analytics.exports.documents import head, session_document
from analytics.exports.json_text import members
from analytics.exports.source import ExportOptions, ExportSource

NAME = "json"
CONTENT_TYPE = "application/json; charset=utf-8"
EXTENSION = "json"


def write(source: ExportSource, options: ExportOptions) -> Iterator[bytes]:
    """One object: the study, and the members of a session, or `sessions` with one for each."""
    yield b"{"
    yield from members(head(source, options))
    if source.study is None:
        for record in source.records(options):
            yield b","
            yield from members(session_document(record, options))
    else:
        yield b',"sessions":['
        for index, record in enumerate(source.records(options)):
            yield b",\n{" if index else b"{"
            yield from members(session_document(record, options))
            yield b"}"
        yield b"]"
    yield b"}\n"
