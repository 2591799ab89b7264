"""Corrections of an interview as its page tells them, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from analytics.records import SessionRecord
from graphs.models import KGEdge, KGNode
from interviews.corrections.machine import MachineReading, machine_reading
from interviews.corrections.service import DELETIONS, redoable
from interviews.models import Correction
from methodologies.signals.words import human

_NODES, _EDGES = KGNode._meta.db_table, KGEdge._meta.db_table
_SENTENCES: Mapping[str, str] = {
    "rename": "renamed {node} to “{label}”",
    "retype": "made {node} one of the type “{node_type}”",
    "retype_link": "made the link {edge} one of the type “{edge_type}”",
    "reverse": "turned the link {edge} round",
    "delete_node": "deleted {node}",
    "delete_link": "deleted the link {edge}",
    "restore": "restored what had been deleted",
    "add_node": "added “{label}” as {node_type}",
    "add_link": "added the link from {source} to {target}",
    "merge": "merged {node} into {into}",
    "split": "split “{label}” off {node}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Labels of concepts and ends of links (source, target), by id."""

    labels: Mapping[str, str]
    ends: Mapping[str, tuple[str, str]]

    def of(self, node_id: object) -> str:
        """A concept's name in quotation marks."""
        label = self.labels.get(str(node_id))
        return f"“{label}”" if label else "a concept"

    def with_what_is_gone(self, corrections: Iterable[Correction]) -> Names:
        """These, and those of what corrections took out or put in, where it is not there now."""
        labels, ends = dict(self.labels), dict(self.ends)
        for one in corrections:
            for key, row in _whole_rows(one.changes.get(_NODES, {})):
                labels.setdefault(key, row["label"])
            for key, row in _whole_rows(one.changes.get(_EDGES, {})):
                ends.setdefault(key, (row["source_id"], row["target_id"]))
        return Names(labels=labels, ends=ends)


def _whole_rows(changes: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for key, (before, after) in changes.items():
        row = before or after
        if before is None or after is None:
            yield key, row


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionRow:
    """A correction in the page's list; `restores` is its id where it can be restored from."""

    correction: Correction
    sentence: str
    restores: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionsShown:
    """What people corrected of an interview, and the machine's own reading beside it.

    `machine` is None where no correction stands: then both are the same.
    """

    rows: Sequence[CorrectionRow]
    standing: int
    can_undo: bool
    can_redo: bool
    machine: MachineReading | None

    @property
    def note(self) -> str:
        """Which graph the page's figures are of, and what the machine's own comes to."""
        if self.machine is None:
            return ""
        own = self.machine.figures
        chains = "" if own.chains is None else f", {own.chains} complete chains"
        return (
            f"Figures of the graph as corrected by hand ({self.standing}); the machine’s own "
            f"reading: {own.nodes} concepts, {own.edges} links{chains}"
        )


def corrections_shown(record: SessionRecord) -> CorrectionsShown:
    """What the page of a session tells of its corrections, the newest first."""
    standing = [one for one in record.corrections if one.undone_at is None]
    names = Names(
        labels={str(node.pk): node.label for node in record.nodes},
        ends={str(edge.pk): (str(edge.source_id), str(edge.target_id)) for edge in record.edges},
    )
    sentences = sentences_of(record.corrections, names)
    return CorrectionsShown(
        rows=[
            CorrectionRow(
                correction=one,
                sentence=sentence,
                restores=str(one.pk) if one.act in DELETIONS and one.undone_at is None else "",
            )
            for one, sentence in reversed(list(zip(record.corrections, sentences, strict=True)))
        ],
        standing=len(standing),
        can_undo=bool(standing),
        can_redo=redoable(record.corrections) is not None,
        machine=machine_reading(record.session.pk, record.ontology) if standing else None,
    )


def sentences_of(corrections: Sequence[Correction], names: Names) -> list[str]:
    """What each correction did, without who did it: "renamed “dry” to “stay dry”"."""
    known = names.with_what_is_gone(corrections)
    return [_sentence(one, known) for one in corrections]


def sentences_of_others(since: Sequence[Correction], session_id: UUID) -> list[str]:
    """Who did what, for somebody who did not know of it: "ana deleted “stay dry”"."""
    told = zip(since, sentences_of(since, names_in(session_id)), strict=True)
    return [
        f"{one.undone_by} undid: {did}" if one.undone_by else f"{one.made_by} {did}"
        for one, did in told
    ]


def names_in(session_id: UUID) -> Names:
    """The names in a session's graph as it stands."""
    edges = KGEdge.objects.filter(session_id=session_id)
    return Names(
        labels={
            str(pk): label for pk, label in KGNode.objects.of(session_id).values_list("pk", "label")
        },
        ends={
            str(pk): (str(source), str(target))
            for pk, source, target in edges.values_list("pk", "source_id", "target_id")
        },
    )


def machine_label(machine: MachineReading | None, node: KGNode) -> str:
    """How the machine read a concept, "" where it read it as it stands now."""
    own = machine.nodes.get(str(node.pk)) if machine else None
    if machine is None:
        return ""
    if own is None:
        return "not read by the machine"
    if (own.label, own.node_type) == (node.label, node.node_type):
        return ""
    return f"read by the machine as “{own.label}”, {human(own.node_type)}"


def _sentence(correction: Correction, names: Names) -> str:
    detail = correction.detail
    said = {name: names.of(detail.get(name)) for name in ("node", "into", "source", "target")}
    if correction.act == "rename":
        pair = correction.changes.get(_NODES, {}).get(str(detail["node"]))
        said["node"] = f"“{pair[0]['label']}”" if pair and pair[0] else said["node"]
    source, target = names.ends.get(str(detail.get("edge")), ("", ""))
    said["edge"] = f"from {names.of(source)} to {names.of(target)}"
    said["label"] = " ".join(str(detail.get("label", "")).split())
    said["node_type"] = human(str(detail.get("node_type", "")))
    said["edge_type"] = human(str(detail.get("edge_type", "")))
    return _SENTENCES[correction.act].format(**said)
