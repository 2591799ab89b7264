"""What the machine itself read in the answers of a sample: corrections by people taken back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from analytics.agreement.measure import Coded
from graphs.models import KGEdge, KGNode, Mention
from graphs.row_changes import rows_of
from interviews.corrections.machine import machine_rows
from interviews.models import Correction, SampledAnswer

Row = Mapping[str, Any]


def machine_reading(sample: Sequence[SampledAnswer]) -> dict[int, Coded]:
    """What the machine read in each answer: concepts by their mentions, and links between them.

    Interviews that people corrected are read as they were without: who corrected an answer and
    coded it would else agree with themselves.
    """
    found: dict[int, Coded] = {}
    for mentions, types, ends, own in _read(sample):
        said: dict[str, list[Row]] = {}
        for mention in sorted(mentions, key=lambda row: (row["start"], row["end"], row["id"])):
            said.setdefault(mention["utterance_id"], []).append(mention)
        for one in own:
            found[one.pk] = _coded(one, said.get(str(one.utterance_id), ()), types, ends)
    return found


Read = tuple[list[Row], Mapping[str, str], Mapping[str, tuple[str, str]], list[SampledAnswer]]
"""Mentions, types of nodes and ends of links by id, and the answers that they are of."""


def _read(sample: Sequence[SampledAnswer]) -> Iterator[Read]:
    """Each corrected interview by itself, and all the others in two queries."""
    sessions = {one.utterance.session_id for one in sample}
    standing = Correction.objects.filter(session__in=sessions).standing()
    corrected = set(standing.values_list("session_id", flat=True))
    for session_id in sorted(corrected):
        rows = machine_rows(session_id)
        if rows is not None:
            yield (
                list(rows_of(rows, Mention)),
                {row["id"]: row["node_type"] for row in rows_of(rows, KGNode)},
                {row["id"]: (row["source_id"], row["target_id"]) for row in rows_of(rows, KGEdge)},
                [one for one in sample if one.utterance.session_id == session_id],
            )
    yield _as_stored([one for one in sample if one.utterance.session_id not in corrected])


def _as_stored(sample: list[SampledAnswer]) -> Read:
    rows = Mention.objects.filter(utterance__in=[one.utterance_id for one in sample]).values(
        "id", "utterance_id", "node_id", "edge_id", "start", "end",
        "node__node_type", "edge__source_id", "edge__target_id",
    )  # fmt: skip
    mentions: list[Row] = [
        {name: str(value) if isinstance(value, UUID) else value for name, value in row.items()}
        for row in rows
    ]
    return (
        mentions,
        {row["node_id"]: row["node__node_type"] for row in mentions if row["node_id"]},
        {
            row["edge_id"]: (row["edge__source_id"], row["edge__target_id"])
            for row in mentions
            if row["edge_id"]
        },
        sample,
    )


def _coded(
    answer: SampledAnswer,
    mentions: Sequence[Row],
    types: Mapping[str, str],
    ends: Mapping[str, tuple[str, str]],
) -> Coded:
    """One answer: a concept by its first mention, a link where both ends are said here."""
    spans: dict[str, tuple[int, int, str]] = {}
    links: dict[tuple[str, str], None] = {}
    for row in mentions:
        if row["node_id"] in types:
            spans.setdefault(row["node_id"], (row["start"], row["end"], types[row["node_id"]]))
        elif row["edge_id"] in ends:
            links.setdefault(ends[row["edge_id"]])
    place = {node: number for number, node in enumerate(spans)}
    return Coded(
        text=answer.utterance.text,
        concepts=tuple(spans.values()),
        links=tuple((place[s], place[t]) for s, t in links if s in place and t in place),
    )
