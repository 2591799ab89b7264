"""JSON Lines: the study in the first line, then an interview a line, as in JSON; importable."""

from __future__ import annotations

from collections.abc import Iterator

from analytics.exports.documents import head, session_document
from analytics.exports.json_text import dumps
from analytics.exports.source import ExportOptions, ExportSource

NAME = "jsonl"
CONTENT_TYPE = "application/jsonl; charset=utf-8"
EXTENSION = "jsonl"


def write(source: ExportSource, options: ExportOptions) -> Iterator[bytes]:
    """One object a line."""
    yield (dumps(head(source, options)) + "\n").encode()
    for record in source.records(options):
        yield (dumps(session_document(record, options)) + "\n").encode()
