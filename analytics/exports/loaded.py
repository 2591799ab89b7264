"""Everything one session left behind, as exports read it: the rows of its page, and the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from uuid import UUID

from django.core.exceptions import ObjectDoesNotExist

from analytics.records import SessionRecord, load_record
from graphs.models import CanonicalEdgeSupport, ThemeMember
from interviews import vault
from interviews.corrections.machine import MachineReading, machine_reading
from interviews.models import (
    HandoverFact,
    Memo,
    Session,
    SessionQuestion,
    SessionReview,
    SessionSummary,
    StarredQuote,
    WrittenSummary,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeRecord(SessionRecord):
    """One session's rows; `personal` is empty unless it was asked for."""

    summary: SessionSummary
    supports: Sequence[CanonicalEdgeSupport]
    questions: Sequence[SessionQuestion]
    facts: Sequence[HandoverFact]
    memos: Sequence[Memo] = ()
    starred: Sequence[StarredQuote] = ()
    members: Sequence[ThemeMember] = ()
    """Its slots in themes of the study."""
    review: SessionReview | None = None
    written_summary: WrittenSummary | None = None
    machine: MachineReading | None = None
    """What the machine read, where corrections by people stand."""
    handover_summary: str = ""
    is_trial: bool = False
    personal: Mapping[str, str] = field(default_factory=dict)

    def with_personal_values(self) -> WholeRecord:
        """The record with what the respondent gave of themselves, in clear."""
        return replace(self, personal=vault.values_of(self.session.pk))

    def with_links(self, counts: Callable[[str | None], bool]) -> WholeRecord:
        """The record with the links that count, by their provenance, and what hangs on them."""
        provenance = self.provenance
        kept = {edge.pk for edge in self.edges if counts(provenance.get(edge.pk))}
        supports = [one for one in self.supports if one.surface_edge_id in kept]
        held = {one.canonical_edge_id for one in supports}
        return replace(
            self,
            edges=[edge for edge in self.edges if edge.pk in kept],
            mentions=[one for one in self.mentions if not one.edge_id or one.edge_id in kept],
            supports=supports,
            support={
                edge: [one for one in surface if one in kept]
                for edge, surface in self.support.items()
            },
            canonical_edges=[edge for edge in self.canonical_edges if edge.pk in held],
        )

    @property
    def quotes(self) -> Iterator[tuple[UUID, int]]:
        """Where quotes begin: utterance and character, of mentions, stars and memos."""
        for mention in self.mentions:
            yield mention.utterance_id, mention.start
        for star in self.starred:
            yield star.utterance_id, star.start
        for memo in self.memos:
            if memo.utterance_id is not None and memo.start is not None:
                yield memo.utterance_id, memo.start

    @property
    def live(self) -> frozenset[UUID]:
        """Ids of the concepts that no later statement has replaced."""
        return frozenset(node.pk for node in self.nodes if node.superseded_by_id is None)


def load_whole(session: Session) -> WholeRecord:
    """Read a session's rows; some twenty queries whatever the size."""
    record = load_record(session)
    try:
        summary = session.summary
    except ObjectDoesNotExist:
        summary = SessionSummary(session=session)
    corrected = any(one.undone_at is None for one in record.corrections)
    told = getattr(session, "handover_summary", None) if session.study.mode == "handover" else None
    return WholeRecord(
        **{one.name: getattr(record, one.name) for one in fields(record)},
        summary=summary,
        supports=list(CanonicalEdgeSupport.objects.filter(session_id=session.pk).order_by("pk")),
        questions=list(SessionQuestion.objects.filter(session_id=session.pk)),
        facts=list(HandoverFact.objects.filter(session_id=session.pk)),
        memos=list(Memo.objects.filter(session_id=session.pk).select_related("utterance")),
        starred=list(
            StarredQuote.objects.filter(session_id=session.pk).select_related("utterance")
        ),
        members=list(
            ThemeMember.objects.filter(slot__session_id=session.pk)
            .select_related("theme")
            .order_by("slot")
        ),
        review=getattr(session, "review", None),
        written_summary=getattr(session, "written_summary", None),
        machine=machine_reading(session.pk, record.ontology) if corrected else None,
        handover_summary=told.text if told else "",
        is_trial=hasattr(session, "trial"),
    )
