"""One row a concept of the graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from uuid import UUID

from analytics.exports.loaded import WholeRecord
from analytics.exports.spans import Protected, texts_of
from analytics.exports.tables.base import STANCES, Cell, Column, Shape, Table
from graphs.models import Mention


def rows(record: WholeRecord, shape: Shape) -> Iterator[Iterable[Cell]]:
    """The concepts, in the order in which they were first said; superseded ones too."""
    labels = {n.pk: n.label for n in record.nodes}
    of_nodes = [m for m in record.mentions if m.node_id]
    said, texts = first_mentions(of_nodes), texts_of(record, raw=shape.raw)
    slots = {slot.pk: slot.slot_name for slot in record.slots}
    mapped = {mapping.node_id: slots[mapping.slot_id] for mapping in record.mappings}
    counts = Counter(m.node_id for m in of_nodes)
    for n in record.nodes:
        yield (
            n.pk,
            n.label,
            n.node_type,
            n.level,
            STANCES.get(n.stance, ""),
            n.confidence,
            n.first_turn,
            quote_of(said.get(n.pk), texts),
            counts[n.pk],
            mapped.get(n.pk, ""),
            n.superseded_by_id,
            labels.get(n.superseded_by_id, "") if n.superseded_by_id else "",
        )


def first_mentions(mentions: Iterable[Mention]) -> Mapping[UUID, Mention]:
    """The first mention of each node or edge; mentions come in the order of the interview."""
    first: dict[UUID, Mention] = {}
    for mention in mentions:
        key = mention.node_id or mention.edge_id
        if key:
            first.setdefault(key, mention)
    return first


def quote_of(mention: Mention | None, texts: Mapping[UUID, Protected]) -> str:
    """A quote as it stands in its utterance's cell; "" for no mention."""
    if mention is None:
        return ""
    text = texts.get(mention.utterance_id)
    if text is None:
        return mention.quote
    start, end = text.span(mention.start, mention.end)
    return text.text[start:end]


TABLE = Table(
    name="nodes",
    meaning="One row a concept of the graph, superseded ones too.",
    columns=(
        Column("node id", "id", "The row's own id."),
        Column("label", "text", "The concept in the respondent's words."),
        Column("node type", "text", "Its type in the methodology."),
        Column("level", "number", "How abstract the type is, from 1."),
        Column(
            "stance",
            "text",
            "How the respondent stands to it.",
            "",
            {name: f"coded {code} in JSON" for code, name in STANCES.items()},
        ),
        Column("confidence", "number", "How sure its reader was.", "0 to 1"),
        Column("first turn", "number", "The turn in which it was first said."),
        Column("first quote", "text", "The words that said it first."),
        Column("mentions", "number", "How often it was said.", "mentions"),
        Column("slot", "text", "The canonical slot that it belongs to."),
        Column("superseded by id", "id", "The concept that replaced it, if one did."),
        Column("superseded by", "text", "That concept's label."),
    ),
    rows=rows,
)
