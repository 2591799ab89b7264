"""Everything one session left behind, read once: what pages and exports are made from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast
from uuid import UUID

from pydantic import ValidationError

from graphs.domain import Provenance
from graphs.models import (
    CanonicalEdge,
    CanonicalEdgeSupport,
    CanonicalSlot,
    KGEdge,
    KGNode,
    Mention,
    SlotMapping,
)
from graphs.ontology import NOTHING_PERMITTED, Ontology
from graphs.provenance import by_edge
from interviews.models import Correction, LLMCall, Session, Turn, Utterance
from methodologies.models import MethodologyVersion
from methodologies.schema import MethodologySchema


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """One session's rows, each list in the order in which things were said or made."""

    session: Session
    ontology: Ontology
    utterances: Sequence[Utterance]
    turns: Sequence[Turn]
    nodes: Sequence[KGNode]
    edges: Sequence[KGEdge]
    mentions: Sequence[Mention]
    slots: Sequence[CanonicalSlot]
    mappings: Sequence[SlotMapping]
    canonical_edges: Sequence[CanonicalEdge]
    support: Mapping[UUID, Sequence[UUID]]
    """Surface edge ids by the id of the canonical edge that they support."""
    llm_calls: Sequence[LLMCall]
    corrections: Sequence[Correction] = ()

    @property
    def provenance(self) -> Mapping[UUID, Provenance]:
        """The best evidence for each edge that has any, by its id."""
        return by_edge(
            (mention.edge_id, cast("Provenance | None", mention.provenance or None))
            for mention in self.mentions
        )


def load_record(session: Session) -> SessionRecord:
    """Read a session's rows; eleven queries whatever the size.

    `session` should come with its study and versions selected.
    """
    pk = session.pk
    support: dict[UUID, list[UUID]] = defaultdict(list)
    pairs = CanonicalEdgeSupport.objects.filter(session_id=pk)
    for canonical, surface in pairs.order_by("pk").values_list(
        "canonical_edge_id", "surface_edge_id"
    ):
        support[canonical].append(surface)
    return SessionRecord(
        session=session,
        ontology=ontology_of(session.methodology_version),
        utterances=list(Utterance.objects.filter(session_id=pk).order_by("sequence")),
        turns=list(Turn.objects.filter(session_id=pk).order_by("number")),
        nodes=list(KGNode.objects.filter(session_id=pk).order_by("first_turn", "position", "pk")),
        edges=list(KGEdge.objects.filter(session_id=pk).order_by("first_turn", "created_at", "pk")),
        mentions=list(Mention.objects.filter(session_id=pk).order_by("turn", "start", "end", "pk")),
        slots=list(
            CanonicalSlot.objects.filter(session_id=pk).order_by("first_seen_turn", "slot_name")
        ),
        mappings=list(SlotMapping.objects.filter(session_id=pk).order_by("assigned_turn", "pk")),
        canonical_edges=list(CanonicalEdge.objects.filter(session_id=pk).order_by("pk")),
        support=dict(support),
        llm_calls=list(LLMCall.objects.filter(session_id=pk).order_by("created_at", "pk")),
        corrections=list(Correction.objects.filter(session_id=pk).order_by("number")),
    )


def ontology_of(version: MethodologyVersion | None) -> Ontology:
    """The ontology that a session was held with; empty without one, or where it cannot be read.

    A page about a session must open even when a newer release reads methodologies differently.
    """
    return _ontology(version.pk, version.checksum) if version else NOTHING_PERMITTED


@lru_cache(maxsize=64)
def _ontology(pk: int, checksum: str) -> Ontology:
    """Versions are immutable, so their ontology is read once a process; `checksum` is the key."""
    parsed = MethodologyVersion.objects.values_list("parsed", flat=True).get(pk=pk)
    try:
        return MethodologySchema.model_validate(parsed).graph_ontology
    except ValidationError:
        return NOTHING_PERMITTED
