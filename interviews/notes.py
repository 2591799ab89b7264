"""Memos, stars and reviews: each checked against what it is on, and in the audit log."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from graphs.models import KGEdge, KGNode, Theme
from interviews import audit
from interviews.errors import ErrorCode, FormRefused, InterviewError
from interviews.models import Memo, Session, SessionReview, StarredQuote, Study, Utterance
from interviews.pipeline.grounding import locate

MOST_TEXT = 10_000


class MemoOutdated(InterviewError):
    """Another analyst changed the memo meanwhile: `theirs` is how it reads now, `yours` yours."""

    def __init__(self, theirs: Memo, yours: str) -> None:
        self.theirs, self.yours = theirs, yours
        who = theirs.changed_by or theirs.written_by
        super().__init__(
            ErrorCode.MEMO_OUTDATED,
            f"version: meanwhile {who} changed this memo; nothing of yours was stored. "
            f"It now reads: “{theirs.text}”. Yours was: “{yours}”.",
        )


def write_memo(
    study: Study,
    *,
    about: str,
    text: str,
    by: str,
    session: Session | None = None,
    target: UUID | None = None,
    words: str = "",
) -> Memo:
    """Write a memo on something of the study, or of an interview of it.

    `target` is the id of the theme, node, link or, for a quote, of the answer in which `words`
    stand. Raises FormRefused with the field that is wrong, having stored nothing.
    """
    text = _checked(text)
    place = _place(study, about, session, target, words)
    with transaction.atomic():
        memo = Memo.objects.create(study=study, about=about, text=text, written_by=by, **place)
        audit.record(audit.Action.CREATED, memo, by=by, fields=[about])
    return memo


def change_memo(memo: Memo, *, text: str, by: str, version: int) -> Memo:
    """Write a memo anew. Raises FormRefused, and MemoOutdated where it is not that version."""
    text = _checked(text)
    with transaction.atomic():
        now = Memo.objects.select_for_update(of=("self",)).get(pk=memo.pk)
        if now.version != version:
            raise MemoOutdated(now, text)
        now.text, now.version = text, version + 1
        now.changed_by, now.changed_at = by, timezone.now()
        now.save(update_fields=["text", "version", "changed_by", "changed_at"])
        audit.record(audit.Action.CHANGED, now, by=by, fields=["text"])
    return now


def delete_memo(memo: Memo, *, by: str) -> None:
    """Delete a memo."""
    with transaction.atomic():
        audit.record(audit.Action.DELETED, memo, by=by)
        memo.delete()


def star(session: Session, utterance: UUID | None, words: str, *, by: str) -> StarredQuote:
    """Star words of an answer, all of it where `words` is empty; starring twice changes nothing.

    Raises FormRefused with the field that is wrong.
    """
    answer, start, end = _words_in(session, utterance, words)
    with transaction.atomic():
        made, new = StarredQuote.objects.get_or_create(
            session=session, utterance=answer, start=start, end=end, defaults={"starred_by": by}
        )
        if new:
            audit.record(audit.Action.CREATED, made, by=by)
    return made


def unstar(starred: StarredQuote, *, by: str) -> None:
    """Take a star away."""
    with transaction.atomic():
        audit.record(audit.Action.DELETED, starred, by=by)
        starred.delete()


def review(session: Session, *, reviewed: bool, by: str) -> None:
    """Say that an interview and its graph were read, or that they are to be read again."""
    with transaction.atomic():
        if reviewed:
            marks = {
                "reviewed_by": by,
                "reviewed_at": timezone.now(),
                "graph_version": session.graph_version,
            }
            SessionReview.objects.update_or_create(session=session, defaults=marks)
        elif not SessionReview.objects.filter(session=session).delete()[0]:
            return
        audit.record(audit.Action.CHANGED, session, by=by, fields=["reviewed"])


def _checked(text: str) -> str:
    text = text.strip()
    if not text or len(text) > MOST_TEXT:
        told = f"between 1 and {MOST_TEXT} characters"
        raise FormRefused(f"text: {told}.", fields={"text": told})
    return text


def _place(
    study: Study, about: str, session: Session | None, target: UUID | None, words: str
) -> dict[str, Any]:
    """What of a memo says what it is on."""
    if about not in Memo.About.values:
        told = f"one of {', '.join(Memo.About.values)}"
        raise FormRefused(f"about: {about!r} is not {told}.", fields={"about": told})
    if about == Memo.About.STUDY:
        return {"target": study.pk}
    if about == Memo.About.THEME:
        if target is None or not Theme.objects.filter(study=study, pk=target).exists():
            raise _missing("target", "a theme of this study")
        return {"target": target}
    if session is None or session.study_id != study.pk:
        raise _missing("session", "an interview of this study")
    if about == Memo.About.SESSION:
        return {"session": session, "target": session.pk}
    if about == Memo.About.QUOTE:
        answer, start, end = _words_in(session, target, words)
        where = {"utterance": answer, "start": start, "end": end}
        return {"session": session, "target": answer.pk, **where}
    rows = KGNode.objects if about == Memo.About.NODE else KGEdge.objects
    if target is None or not rows.filter(session=session, pk=target).exists():
        raise _missing("target", f"a {about} of this interview")
    return {"session": session, "target": target}


def _words_in(session: Session, utterance: UUID | None, words: str) -> tuple[Utterance, int, int]:
    spoken = Utterance.objects.filter(session=session, speaker=Utterance.Speaker.RESPONDENT)
    answer = spoken.filter(pk=utterance).first() if utterance else None
    if answer is None:
        raise _missing("target", "an answer of this interview")
    span = locate(words, answer.text) if words.strip() else (0, len(answer.text))
    if span is None or span[0] == span[1]:
        told = "these words do not stand in the answer"
        raise FormRefused(f"words: {told}.", fields={"words": told})
    return answer, *span


def _missing(field: str, what: str) -> FormRefused:
    return FormRefused(f"{field}: name {what}.", fields={field: f"name {what}"})
