"""CSV: a ZIP of one table a file, with the words beside every id and no cell a formula."""

from __future__ import annotations

import csv
import io
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import IO
from uuid import UUID

from analytics.exports.cells import Value, row
from analytics.exports.source import ExportOptions, ExportSource
from analytics.records import SessionRecord
from graphs.models import KGNode, Mention
from interviews.record import readable_result_of

NAME = "csv"
CONTENT_TYPE = "application/zip"
EXTENSION = "csv.zip"

Row = Iterable[Value]
Table = Callable[[SessionRecord], Iterator[Row]]

STANCES: Mapping[int, str] = {-1: "against", 0: "neutral", 1: "for"}
SPOOL_BYTES = 1 << 20
CHUNK_BYTES = 1 << 16
BOM = b"\xef\xbb\xbf"


def write(source: ExportSource, options: ExportOptions) -> Iterator[bytes]:
    """Read each session once, keep the tables aside on disk, then stream them as a ZIP."""
    with ExitStack() as stack:
        files: dict[str, IO[bytes]] = {}
        for name in TABLES:
            file = stack.enter_context(tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES))
            file.write(BOM if options.bom else b"")
            file.write(_line(("session", *TABLES[name][0])))
            files[name] = file
        for record in source.records():
            session = str(record.session.pk)
            for name, (_, table) in TABLES.items():
                files[name].writelines(_line((session, *values)) for values in table(record))
        yield from _zipped(files)


class _Pipe(io.RawIOBase):
    """A file that cannot be sought, from which what was written can be taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: bytes | bytearray | memoryview, /) -> int:  # type: ignore[override]
        """Keep a copy of the data."""
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        """What was written since the last time."""
        taken, self._parts = b"".join(self._parts), []
        return taken


def _zipped(files: Mapping[str, IO[bytes]]) -> Iterator[bytes]:
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        for name, file in files.items():
            file.seek(0)
            with archive.open(name, "w", force_zip64=True) as entry:
                while chunk := file.read(CHUNK_BYTES):
                    entry.write(chunk)
                    yield pipe.take()
            yield pipe.take()
    yield pipe.take()


def _line(values: Row) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(row(values))
    return buffer.getvalue().encode()


def _utterances(record: SessionRecord) -> Iterator[Row]:
    for u in record.utterances:
        yield u.pk, u.turn_number, u.sequence, u.speaker, u.text, u.created_at


def _nodes(record: SessionRecord) -> Iterator[Row]:
    labels = _labels(record)
    said = _first_mentions(m for m in record.mentions if m.node_id)
    slots = {slot.pk: slot.slot_name for slot in record.slots}
    mapped = {mapping.node_id: slots[mapping.slot_id] for mapping in record.mappings}
    counts: dict[UUID, int] = defaultdict(int)
    for mention in record.mentions:
        if mention.node_id:
            counts[mention.node_id] += 1
    for n in record.nodes:
        first = said.get(n.pk)
        yield (
            n.pk,
            n.label,
            n.node_type,
            n.level,
            STANCES.get(n.stance, ""),
            n.confidence,
            n.first_turn,
            first.quote if first else "",
            counts[n.pk],
            mapped.get(n.pk, ""),
            n.superseded_by_id,
            labels.get(n.superseded_by_id, "") if n.superseded_by_id else "",
        )


def _edges(record: SessionRecord) -> Iterator[Row]:
    labels = _labels(record)
    said = _first_mentions(m for m in record.mentions if m.edge_id)
    provenance = record.provenance
    for e in record.edges:
        first = said.get(e.pk)
        yield (
            e.pk,
            e.source_id,
            labels.get(e.source_id, ""),
            e.edge_type,
            e.target_id,
            labels.get(e.target_id, ""),
            e.confidence,
            e.first_turn,
            first.quote if first else "",
            provenance.get(e.pk, ""),
        )


def _mentions(record: SessionRecord) -> Iterator[Row]:
    labels = _labels(record)
    ends = {e.pk: (e.source_id, e.edge_type, e.target_id) for e in record.edges}
    for m in record.mentions:
        of = labels.get(m.node_id, "") if m.node_id else ""
        if m.edge_id in ends:
            source, kind, target = ends[m.edge_id]
            of = f"{labels.get(source, '')} {kind} {labels.get(target, '')}"
        yield (
            m.pk,
            "edge" if m.edge_id else "node",
            m.node_id or m.edge_id,
            of,
            m.turn,
            m.quote,
            m.label,
            m.tier,
            m.similarity,
            m.doubtful,
            m.utterance_id,
            m.start,
            m.end,
            m.provenance,
            m.probe_id,
        )


def _slots(record: SessionRecord) -> Iterator[Row]:
    nodes: Mapping[UUID, KGNode] = {n.pk: n for n in record.nodes}
    members: dict[UUID, list[str]] = defaultdict(list)
    for mapping in record.mappings:
        if mapping.node_id in nodes:
            members[mapping.slot_id].append(nodes[mapping.node_id].label)
    for s in record.slots:
        yield (
            s.pk,
            s.slot_name,
            s.description,
            s.node_type,
            s.status,
            s.support_count,
            s.first_seen_turn,
            s.promoted_turn,
            "; ".join(members[s.pk]),
        )


def _turns(record: SessionRecord) -> Iterator[Row]:
    texts = {u.pk: u.text for u in record.utterances}
    for t in record.turns:
        result = readable_result_of(t)
        heard = result if result and result.extracted else None
        saturation = heard.saturation if heard else None
        yield (
            t.pk,
            t.number,
            t.status,
            texts.get(t.answer_id, "") if t.answer_id else "",
            texts.get(t.question_id, "") if t.question_id else "",
            t.strategy,
            t.focus_node_id,
            t.focus_label,
            t.phase,
            t.continuation,
            t.continuation_reason,
            len(heard.nodes_added) if heard else None,
            len(heard.edges_added) if heard else None,
            len(heard.merges) if heard else None,
            saturation.conversation if saturation else None,
            t.latency_ms,
            t.created_at,
        )


def _labels(record: SessionRecord) -> Mapping[UUID, str]:
    return {n.pk: n.label for n in record.nodes}


def _first_mentions(mentions: Iterable[Mention]) -> Mapping[UUID, Mention]:
    """The first mention of each node or edge; mentions come in the order of the interview."""
    first: dict[UUID, Mention] = {}
    for mention in mentions:
        key = mention.node_id or mention.edge_id
        if key:
            first.setdefault(key, mention)
    return first


TABLES: Mapping[str, tuple[tuple[str, ...], Table]] = {
    "utterances.csv": (
        ("utterance id", "turn", "sequence", "speaker", "text", "said at"),
        _utterances,
    ),
    "nodes.csv": (
        (
            "node id",
            "label",
            "node type",
            "level",
            "stance",
            "confidence",
            "first turn",
            "first quote",
            "mentions",
            "slot",
            "superseded by id",
            "superseded by",
        ),
        _nodes,
    ),
    "edges.csv": (
        (
            "edge id",
            "source id",
            "source",
            "edge type",
            "target id",
            "target",
            "confidence",
            "first turn",
            "quote",
            "provenance",
        ),
        _edges,
    ),
    "mentions.csv": (
        (
            "mention id",
            "of a",
            "of id",
            "of",
            "turn",
            "quote",
            "in these words",
            "matched by",
            "similarity",
            "doubtful",
            "utterance id",
            "start",
            "end",
            "provenance",
            "question id",
        ),
        _mentions,
    ),
    "slots.csv": (
        (
            "slot id",
            "slot",
            "description",
            "node type",
            "status",
            "support",
            "first seen in turn",
            "promoted in turn",
            "concepts",
        ),
        _slots,
    ),
    "turns.csv": (
        (
            "turn id",
            "turn",
            "status",
            "answer",
            "question asked next",
            "strategy",
            "focus id",
            "focus",
            "phase",
            "continuation",
            "reason",
            "concepts added",
            "links added",
            "merges",
            "saturation",
            "milliseconds",
            "accepted at",
        ),
        _turns,
    ),
}
