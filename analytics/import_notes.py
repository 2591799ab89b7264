"""What analysts wrote and grouped, taken in again: memos, stars, reviews, summaries, themes."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from analytics.interchange import Head, Notes, Written
from analytics.renewed_ids import Renewal, renamed
from graphs.models import Merge, Theme, ThemeMember
from interviews.models import (
    Memo,
    Session,
    SessionReview,
    StarredQuote,
    Study,
    WrittenSummary,
)

BY: Final = frozenset({"provider", "model", "turns"})
"""Of a summary: who wrote it and how much of the interview it sums up; the rest is its text."""


def keep_notes(session: Session, notes: Notes, renew: Renewal) -> None:
    """Store what was written beside an interview."""
    for one in notes.memos:
        target = renew.ids.get(one.target, one.target)
        place: dict[str, Any] = {"session": session, "target": target}
        if one.about == "quote":
            place |= {"utterance_id": target, "start": one.start, "end": one.end}
        _memo(session.study, one, renew.ids[one.id], place)
    StarredQuote.objects.bulk_create(
        StarredQuote(
            session=session,
            utterance_id=renew.ids[one.utterance_id],
            start=one.start,
            end=one.end,
            starred_by=one.starred_by,
        )
        for one in notes.starred_quotes
    )
    if notes.review:
        SessionReview.objects.create(session=session, **notes.review.model_dump())
    if notes.written_summary:
        told = notes.written_summary
        WrittenSummary.objects.create(
            session=session,
            told={name: value for name, value in told.items() if name not in BY},
            **{name: told[name] for name in BY if name in told},
            status=WrittenSummary.Status.DONE,
        )


def keep_themes(study: Study, head: Head, slots: Mapping[UUID, UUID]) -> None:
    """Store the study's themes, what people did to them, and the memos on both.

    `slots` are the new ids of the slots. What acts name and the file does not hold gets ids of its
    own: it may be there in another study.
    """
    ids = {head.study.id: study.pk, **slots, **{one.id: uuid.uuid4() for one in head.themes}}
    for act in head.theme_acts:
        for side in (act.before, act.after):
            for old in (*side.themes, *side.members):
                ids.setdefault(old, uuid.uuid4())
    Theme.objects.bulk_create(
        Theme(pk=ids[one.id], study=study, **one.model_dump(exclude={"id", "members"}))
        for one in head.themes
    )
    ThemeMember.objects.bulk_create(
        ThemeMember(
            slot_id=ids[one.slot_id],
            theme_id=ids[theme.id],
            similarity=one.similarity,
            decided=one.decided,
        )
        for theme in head.themes
        for one in theme.members
    )
    Merge.objects.bulk_create(
        Merge(
            study=study,
            scope=Merge.Scope.STUDY,
            before=renamed(one.before.model_dump(mode="json"), ids),
            after=renamed(one.after.model_dump(mode="json"), ids),
            **one.model_dump(exclude={"before", "after"}),
        )
        for one in head.theme_acts
    )
    for memo in head.memos:
        target = ids.get(memo.target) or uuid.uuid4()  # of a theme that is gone
        _memo(study, memo, uuid.uuid4(), {"target": target})


def _memo(study: Study, one: Written, pk: UUID, place: Mapping[str, Any]) -> None:
    Memo.objects.create(
        pk=pk,
        study=study,
        about=one.about,
        text=one.text,
        version=one.version,
        written_by=one.written_by,
        written_at=one.written_at,
        changed_by=one.changed_by or "",
        changed_at=one.changed_at,
        **place,
    )
