"""Markdown: each interview as a page to read, its concepts with their numbered quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from uuid import UUID

from analytics.exports.about import about
from analytics.exports.loaded import WholeRecord
from analytics.exports.source import ExportOptions, ExportSource
from graphs.models import Mention
from interviews.models import Utterance

NAME = "md"
CONTENT_TYPE = "text/markdown; charset=utf-8"
EXTENSION = "md"

_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~])")
_LINE_MARKS = re.compile(r"^(\s*)([-+=>]|\d+[.)])", re.MULTILINE)


def write(source: ExportSource, options: ExportOptions) -> Iterator[bytes]:
    """What it is, then an interview after the other; quotes are numbered through the file."""
    yield f"# {plain(source.of_study.name)}\n\n".encode()
    for name, text in about(source, options).items():
        yield f"- {name}: {plain(text)}\n".encode()
    number = 0
    for record in source.records(options):
        numbers = {m.pk: number + place for place, m in enumerate(record.mentions, start=1)}
        number += len(numbers)
        yield "".join(_interview(record, numbers)).encode()


def plain(text: str) -> str:
    """Words that Markdown takes for nothing else, on one line."""
    return _LINE_MARKS.sub(r"\1\\\2", _MARKS.sub(r"\\\1", " ".join(text.split())))


def _interview(record: WholeRecord, numbers: Mapping[UUID, int]) -> Iterator[str]:
    session = record.session
    yield f"\n## Interview {session.pk}\n\n{session.status}, {session.turn_count} answers, "
    yield f"begun {session.started_at.isoformat(timespec='minutes')}\n\n### What was said\n\n"
    quoted: dict[UUID, list[Mention]] = {}
    for mention in record.mentions:
        quoted.setdefault(mention.utterance_id, []).append(mention)
    for said in record.utterances:
        who = "Respondent" if said.speaker == Utterance.Speaker.RESPONDENT else "Interviewer"
        marks = "".join(f"[{numbers[m.pk]}]" for m in quoted.get(said.pk, ()))
        yield f"**{who}:** {plain(said.text)}{' ' if marks else ''}{marks}\n\n"
    if record.nodes:
        yield "### Concepts\n\n"
        yield from _concepts(record, numbers)
    if record.edges:
        yield "\n### Links\n\n"
        yield from _links(record, numbers)


def _concepts(record: WholeRecord, numbers: Mapping[UUID, int]) -> Iterator[str]:
    labels = {node.pk: node.label for node in record.nodes}
    for node in record.nodes:
        later = labels.get(node.superseded_by_id) if node.superseded_by_id else None
        replaced = f", replaced by {plain(later)}" if later else ""
        yield f"- **{plain(node.label)}** ({plain(node.node_type)}{replaced})\n"
        yield from _quotes([m for m in record.mentions if m.node_id == node.pk], numbers)


def _links(record: WholeRecord, numbers: Mapping[UUID, int]) -> Iterator[str]:
    labels = {node.pk: plain(node.label) for node in record.nodes}
    provenance = record.provenance
    for edge in record.edges:
        evidence = provenance.get(edge.pk, "").replace("_", " ")
        yield f"- {labels.get(edge.source_id, '')} → *{plain(edge.edge_type)}* → "
        yield f"{labels.get(edge.target_id, '')}{f' ({evidence})' if evidence else ''}\n"
        yield from _quotes([m for m in record.mentions if m.edge_id == edge.pk], numbers)


def _quotes(mentions: list[Mention], numbers: Mapping[UUID, int]) -> Iterator[str]:
    for mention in mentions:
        yield f"  - [{numbers[mention.pk]}] “{plain(mention.quote)}” (answer {mention.turn})\n"
