"""One row a canonical slot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from uuid import UUID

from analytics.exports.loaded import WholeRecord
from analytics.exports.tables.base import Cell, Column, Shape, Table


def rows(record: WholeRecord, shape: Shape) -> Iterator[Iterable[Cell]]:
    """The slots, in the order in which they were first seen."""
    labels = {n.pk: n.label for n in record.nodes}
    members: dict[UUID, list[str]] = defaultdict(list)
    for mapping in record.mappings:
        if mapping.node_id in labels:
            members[mapping.slot_id].append(labels[mapping.node_id])
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


TABLE = Table(
    name="slots",
    meaning="One row a canonical slot: what paraphrases of one interview share.",
    columns=(
        Column("slot id", "id", "The row's own id."),
        Column("slot", "text", "Its name."),
        Column("description", "text", "What it stands for."),
        Column("node type", "text", "The type of its concepts."),
        Column(
            "status",
            "text",
            "Whether it counts.",
            "",
            {"candidate": "too little support yet", "active": "supported"},
        ),
        Column("support", "number", "For each of its concepts the answers that said it."),
        Column("first seen in turn", "number", "The turn that opened it."),
        Column("promoted in turn", "number", "The turn that made it active."),
        Column("concepts", "text", "Labels of its concepts, with semicolons between them."),
    ),
    rows=rows,
)
