"""GraphML: the concepts of all interviews and the links between them, for network programs."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from lxml import etree

from analytics.exports.about import about
from analytics.exports.loaded import WholeRecord
from analytics.exports.source import ExportOptions, ExportSource
from analytics.exports.tables.nodes import first_mentions
from analytics.exports.zipped import CHUNK_BYTES

NAME = "graphml"
CONTENT_TYPE = "application/graphml+xml"
EXTENSION = "graphml"

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
NODE_KEYS = {
    "session": "string",
    "label": "string",
    "node_type": "string",
    "level": "int",
    "stance": "int",
    "confidence": "double",
    "first_turn": "int",
    "mentions": "int",
    "quote": "string",
    "slot": "string",
}
EDGE_KEYS = {
    "edge_type": "string",
    "confidence": "double",
    "first_turn": "int",
    "provenance": "string",
    "quote": "string",
}
OF_A_NODE = ("label", "node_type", "level", "stance", "confidence", "first_turn")
OF_AN_EDGE = ("edge_type", "confidence", "first_turn")
"""What a row says itself."""
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(source: ExportSource, options: ExportOptions) -> Iterator[bytes]:
    """One directed graph of the concepts that stand, an interview after the other."""
    told = about(source, options)
    with tempfile.TemporaryFile() as file:
        with etree.xmlfile(file, encoding="utf-8") as xml:
            xml.write_declaration()
            with xml.element("graphml", nsmap={None: NAMESPACE}):
                _keys(xml, told)
                with xml.element("graph", edgedefault="directed", id=source.of_study.slug):
                    for name, text in told.items():
                        _data(xml, f"graph_{_name(name)}", text)
                    for record in source.records(options):
                        _interview(xml, record)
        file.seek(0)
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def xml_text(text: str) -> str:
    """The text without characters that XML cannot have, one stand-in for each."""
    return _NOT_XML.sub("\ufffd", text)


def _keys(xml: Any, told: Mapping[str, str]) -> None:
    of = {"graph": dict.fromkeys(map(_name, told), "string"), "node": NODE_KEYS, "edge": EDGE_KEYS}
    for what, keys in of.items():
        for name, kind in keys.items():
            attributes = {"id": f"{what}_{name}", "for": what}
            with xml.element("key", {**attributes, "attr.name": name, "attr.type": kind}):
                pass


def _interview(xml: Any, record: WholeRecord) -> None:
    """Its nodes, then its edges; those of concepts that were replaced are left out."""
    live = record.live
    slots = {slot.pk: slot.slot_name for slot in record.slots}
    mapped = {mapping.node_id: slots[mapping.slot_id] for mapping in record.mappings}
    said = first_mentions(record.mentions)
    counts: dict[object, int] = {}
    for mention in record.mentions:
        counts[mention.node_id] = counts.get(mention.node_id, 0) + 1
    for node in record.nodes:
        if node.pk not in live:
            continue
        with xml.element("node", id=str(node.pk)):
            values = {
                "session": record.session.pk,
                **{name: getattr(node, name) for name in OF_A_NODE},
                "mentions": counts.get(node.pk, 0),
                "quote": said[node.pk].quote if node.pk in said else None,
                "slot": mapped.get(node.pk),
            }
            for name, value in values.items():
                _data(xml, f"node_{name}", value)
    provenance = record.provenance
    for edge in record.edges:
        if edge.source_id not in live or edge.target_id not in live:
            continue
        ends = {"source": str(edge.source_id), "target": str(edge.target_id)}
        with xml.element("edge", {"id": str(edge.pk), **ends}):
            values = {
                **{name: getattr(edge, name) for name in OF_AN_EDGE},
                "provenance": provenance.get(edge.pk),
                "quote": said[edge.pk].quote if edge.pk in said else None,
            }
            for name, value in values.items():
                _data(xml, f"edge_{name}", value)


def _data(xml: Any, key: str, value: object) -> None:
    if value is not None:
        with xml.element("data", key=key):
            xml.write(xml_text(str(value)))


def _name(text: str) -> str:
    return text.replace(" ", "_")
