"""What analysts wrote, as pages show it and exports carry it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q

from analytics.records import SessionRecord
from graphs.models import KGEdge, KGNode, Theme
from interviews.models import (
    Memo,
    Session,
    SessionReview,
    StarredQuote,
    Study,
    Utterance,
    WrittenSummary,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoRow:
    """A memo and what it is on, in words."""

    memo: Memo
    on: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionNotes:
    """What was written beside one interview, and what can be written on."""

    session: Session
    memos: list[MemoRow]
    starred: list[StarredQuote]
    review: SessionReview | None
    stale: bool
    summary: WrittenSummary | None
    subjects: list[tuple[str, str]]
    answers: list[Utterance]

    @property
    def summary_waits(self) -> bool:
        """Whether the summary is being written."""
        return self.summary is not None and self.summary.status in ("queued", "working")


def notes_of(record: SessionRecord) -> SessionNotes:
    """Everything beside an interview, of which the record was read."""
    session = record.session
    nodes = {n.pk: n.label for n in record.nodes if n.superseded_by_id is None}
    links = {
        e.pk: f"{nodes[e.source_id]} → {nodes[e.target_id]}"
        for e in record.edges
        if e.source_id in nodes and e.target_id in nodes
    }
    memos = Memo.objects.filter(session=session).select_related("utterance")
    answers = [u for u in record.utterances if u.speaker == Utterance.Speaker.RESPONDENT]
    starred = StarredQuote.objects.filter(session=session).select_related("utterance")
    review: SessionReview | None = getattr(session, "review", None)
    return SessionNotes(
        session=session,
        memos=[MemoRow(memo=memo, on=_on(memo, {**nodes, **links})) for memo in memos],
        starred=list(starred),
        review=review,
        stale=review is not None and review.graph_version != session.graph_version,
        summary=getattr(session, "written_summary", None),
        subjects=[
            ("session:", "the interview"),
            *((f"node:{pk}", f"the concept {label}") for pk, label in nodes.items()),
            *((f"link:{pk}", f"the link {told}") for pk, told in links.items()),
        ],
        answers=answers,
    )


def names_in(record: SessionRecord) -> dict[UUID, str]:
    """What memos on concepts and links of an interview may name, replaced concepts too."""
    nodes = {n.pk: n.label for n in record.nodes}
    links = {e.pk: f"{nodes[e.source_id]} → {nodes[e.target_id]}" for e in record.edges}
    return nodes | links


def rows_of_memos(memos: Iterable[Memo], names: dict[UUID, str]) -> list[MemoRow]:
    """Memos with what they are on, by these names."""
    return [MemoRow(memo=memo, on=_on(memo, names)) for memo in memos]


def study_memos(study: Study, sessions: Iterable[UUID] | None = None) -> list[MemoRow]:
    """The memos of a study, of its themes and of its interviews, newest first."""
    memos = Memo.objects.filter(study=study).select_related("utterance", "session")
    if sessions is not None:
        memos = memos.filter(Q(session__isnull=True) | Q(session__in=list(sessions)))
    return memo_rows(list(memos))


def memo_rows(rows: Sequence[Memo]) -> list[MemoRow]:
    """Memos with what they are on in words, at a number of queries that does not grow."""
    targets = [memo.target for memo in rows]
    names = dict(Theme.objects.filter(pk__in=targets).values_list("pk", "name"))
    names |= dict(KGNode.objects.filter(pk__in=targets).values_list("pk", "label"))
    for edge in KGEdge.objects.filter(pk__in=targets).select_related("source", "target"):
        names[edge.pk] = f"{edge.source.label} → {edge.target.label}"
    return [MemoRow(memo=memo, on=_on(memo, names)) for memo in rows]


def _on(memo: Memo, names: dict[UUID, str]) -> str:
    if memo.about == Memo.About.STUDY:
        return "the study"
    if memo.about == Memo.About.SESSION:
        return "the interview"
    if memo.utterance is not None:
        return f"“{memo.utterance.text[memo.start : memo.end]}”"
    name = names.get(memo.target)
    return f"the {memo.get_about_display().lower()} {name or 'that is gone'}"


def memo_document(row: MemoRow) -> dict[str, Any]:
    """A memo as exports and programs have it."""
    memo = row.memo
    return {
        "id": str(memo.pk),
        "about": memo.about,
        "target": str(memo.target),
        "on": row.on,
        "session": str(memo.session_id) if memo.session_id else None,
        "turn": memo.utterance.turn_number if memo.utterance else None,
        "start": memo.start,
        "end": memo.end,
        "text": memo.text,
        "version": memo.version,
        "written_by": memo.written_by,
        "written_at": memo.written_at.isoformat(),
        "changed_by": memo.changed_by or None,
        "changed_at": memo.changed_at.isoformat() if memo.changed_at else None,
    }


def notes_document(record: SessionRecord) -> dict[str, Any]:
    """What was written beside an interview, as exports have it: memos, stars, review, summary."""
    notes = notes_of(record)
    summary = notes.summary
    return {
        "memos": [memo_document(row) for row in notes.memos],
        "starred_quotes": [
            {
                "utterance_id": str(one.utterance_id),
                "turn": one.utterance.turn_number,
                "start": one.start,
                "end": one.end,
                "quote": one.quote,
                "starred_by": one.starred_by,
            }
            for one in notes.starred
        ],
        "review": {
            "reviewed_by": notes.review.reviewed_by,
            "reviewed_at": notes.review.reviewed_at.isoformat(),
            "graph_version": notes.review.graph_version,
        }
        if notes.review
        else None,
        "written_summary": {
            **summary.told,
            "provider": summary.provider,
            "model": summary.model,
            "turns": summary.turns,
        }
        if summary and summary.told
        else None,
    }
