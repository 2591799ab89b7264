"""REFI-QDA: a project for programs of qualitative analysis; types and concepts are codes.

The format is that of the REFI-QDA standard, version 1.5 (urn:QDA-XML:project:1.0): a ZIP of
`project.qde` and a folder of plain texts. Each interview is a source, each quote a coded span of
it, counted in characters.
"""

from __future__ import annotations

import io
import tempfile
import uuid
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, Any, Final
from uuid import UUID

from lxml import etree

from analytics.exports.about import about
from analytics.exports.graph_file import xml_text
from analytics.exports.loaded import WholeRecord
from analytics.exports.source import ExportOptions, ExportSource
from analytics.exports.zipped import Pipe
from interviews.models import Utterance

NAME = "qdpx"
CONTENT_TYPE = "application/zip"
EXTENSION = "qdpx"

NAMESPACE: Final = "urn:QDA-XML:project:1.0"
ORIGIN: Final = "adaptive-interviews"
LONGEST_NAME: Final = 60
_TAG = f"{{{NAMESPACE}}}"


@dataclass
class _Project:
    """What is known of the project while its sources are written."""

    namespace: UUID
    at: str
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def user(self) -> str:
        return self.guid("user")

    def guid(self, *names: str) -> str:
        return str(uuid.uuid5(self.namespace, "\0".join(names)))

    def code(self, node_type: str, label: str) -> str:
        """The code of a concept; one for all interviews that say it alike."""
        self.codes.setdefault(node_type, {}).setdefault(label.casefold(), label)
        return self.guid("code", node_type, label.casefold())


def write(source: ExportSource, options: ExportOptions) -> Iterator[bytes]:
    """Texts first, one interview at a time; the codes are known when all are written."""
    now = datetime.now(tz=UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    project = _Project(namespace=options.namespace, at=now)
    pipe = Pipe()
    with (
        tempfile.TemporaryFile() as sources,
        zipfile.ZipFile(pipe, "w", compression=zipfile.ZIP_DEFLATED) as archive,
    ):
        for number, record in enumerate(source.records(options), start=1):
            name, text = _text_source(project, record, number, sources)
            archive.writestr(f"sources/{name}", text)
            yield pipe.take()
        sources.seek(0)
        with archive.open("project.qde", "w", force_zip64=True) as entry:
            for piece in _project(project, source, options, sources):
                entry.write(piece)
                yield pipe.take()
    yield pipe.take()


def _project(
    project: _Project, source: ExportSource, options: ExportOptions, sources: IO[bytes]
) -> Iterator[bytes]:
    """The project's parts in the order of the standard's schema."""
    told = about(source, options)
    attributes = {
        "name": xml_text(told["study"]),
        "origin": ORIGIN,
        "creatingUserGUID": project.user,
        "creationDateTime": project.at,
    }
    opened = io.BytesIO()
    with etree.xmlfile(opened, encoding="utf-8") as xml:
        xml.write_declaration(standalone=True)
        with xml.element(f"{_TAG}Project", attributes, nsmap={None: NAMESPACE}):
            xml.write(_users(project))
            xml.write(_code_book(project))
            xml.flush()
            if sources.seek(0, io.SEEK_END):
                with xml.element(f"{_TAG}Sources"):
                    xml.write("")
                    xml.flush()
                    yield _taken(opened)
                    sources.seek(0)
                    while chunk := sources.read(1 << 16):
                        yield chunk
            description = etree.Element(f"{_TAG}Description")
            description.text = xml_text("\n".join(f"{name}: {text}" for name, text in told.items()))
            xml.write(description)
    yield _taken(opened)


def _taken(buffer: io.BytesIO) -> bytes:
    taken = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return taken


def _users(project: _Project) -> Any:
    users = etree.Element(f"{_TAG}Users")
    etree.SubElement(users, f"{_TAG}User", guid=project.user, name=ORIGIN)
    return users


def _code_book(project: _Project) -> Any:
    """A code a type, and below it one a concept."""
    book = etree.Element(f"{_TAG}CodeBook")
    codes = etree.SubElement(book, f"{_TAG}Codes")
    for node_type, labels in sorted(project.codes.items()):
        of_type = _code(codes, project.guid("type", node_type), node_type, codable="false")
        for folded, label in sorted(labels.items()):
            _code(of_type, project.guid("code", node_type, folded), label, codable="true")
    if not project.codes:  # a code book has one code at least
        _code(codes, project.guid("type", ""), "concept", codable="false")
    return book


def _code(parent: Any, guid: str, name: str, *, codable: str) -> Any:
    attributes = {"guid": guid, "name": xml_text(name), "isCodable": codable}
    return etree.SubElement(parent, f"{_TAG}Code", attributes)


def _text_source(
    project: _Project, record: WholeRecord, number: int, sources: IO[bytes]
) -> tuple[str, str]:
    """Append an interview's source with its coded spans; return its file's name and text."""
    session = str(record.session.pk)
    guid = project.guid("source", session)
    text, places = _transcript(record)
    made = record.session.started_at.astimezone(UTC).isoformat(timespec="seconds")
    made = made.replace("+00:00", "Z")
    by = {"creatingUser": project.user, "creationDateTime": made}
    source = etree.Element(
        f"{_TAG}TextSource",
        {
            "guid": guid,
            "name": f"Interview {number} ({session[:8]})",
            "plainTextPath": f"internal://{guid}.txt",
            **by,
        },
        nsmap={None: NAMESPACE},
    )
    nodes = {node.pk: node for node in record.nodes}
    for mention in record.mentions:
        node = nodes.get(mention.node_id) if mention.node_id else None
        if node is None or mention.utterance_id not in places:
            continue
        start = places[mention.utterance_id] + mention.start
        end = start + mention.end - mention.start
        name = " ".join(text[start:end].split())[:LONGEST_NAME]
        span = etree.SubElement(
            source,
            f"{_TAG}PlainTextSelection",
            {
                "guid": project.guid("span", str(mention.pk)),
                "name": name,
                "startPosition": str(start),
                "endPosition": str(end),
                **by,
            },
        )
        coding = etree.SubElement(
            span, f"{_TAG}Coding", {"guid": project.guid("coding", str(mention.pk)), **by}
        )
        code = project.code(node.node_type, node.label)
        etree.SubElement(coding, f"{_TAG}CodeRef", targetGUID=code)
    sources.write(etree.tostring(source, encoding="unicode").encode() + b"\n")
    return f"{guid}.txt", text


def _transcript(record: WholeRecord) -> tuple[str, dict[UUID, int]]:
    """The interview as plain text, and where each utterance begins in it."""
    parts: list[str] = []
    places: dict[UUID, int] = {}
    length = 0
    for said in record.utterances:
        who = "Respondent" if said.speaker == Utterance.Speaker.RESPONDENT else "Interviewer"
        start = f"{who}: "
        places[said.pk] = length + len(start)
        parts.append(f"{start}{xml_text(said.text)}\n\n")
        length += len(parts[-1])
    return "".join(parts), places
