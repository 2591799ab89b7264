"""What search reads of interviews, kept up with them: by the sweeper, or at once where asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.postgres.search import SearchVector
from django.db import transaction
from django.db.models import F, Q, QuerySet, Value
from django.utils import timezone

from graphs.language.embeddings import shared_embedder
from graphs.language.vectors import Embedder
from graphs.models import KGNode
from interviews import dispatch
from interviews.models import SearchedSession, SearchEntry, Session, Utterance
from interviews.retrieval.ranking import config_of

MOST_AT_ONCE = 10
PAUSE = timedelta(minutes=2)
"""An interview that goes on is read again after this time: its own turns come first."""
LOST = timedelta(minutes=10)
"""What was asked for so long ago is asked for again: its message was lost."""
KINDS = {
    Utterance.Speaker.RESPONDENT.value: SearchEntry.Kind.ANSWER,
    Utterance.Speaker.INTERVIEWER.value: SearchEntry.Kind.QUESTION,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What search has an entry for."""

    kind: str
    source: UUID
    turn: int
    text: str


def due(sessions: QuerySet[Session]) -> QuerySet[Session]:
    """Those of `sessions` of which search has not read everything."""
    behind = (
        Q(searched__isnull=True)
        | ~Q(searched__graph_version=F("graph_version"))
        | ~Q(searched__last_sequence=F("last_sequence"))
    )
    return sessions.filter(behind, last_sequence__gt=0)


def refresh(sessions: QuerySet[Session], *, embedder: Embedder | None = None) -> int:
    """Read what is due of `sessions` now; return how many that were."""
    ids = list(due(sessions).order_by("pk").values_list("pk", flat=True))
    for session_id in ids:
        index_session(session_id, embedder=embedder)
    return len(ids)


def sweep() -> int:
    """Have interviews read that search lacks; return how many. Open ones not at every turn."""
    now = timezone.now()
    over = Q(status__in=[Session.Status.COMPLETED, Session.Status.ABANDONED])
    late = Q(searched__isnull=True, started_at__lt=now - PAUSE)
    late |= Q(searched__isnull=False, searched__read_at__isnull=True)
    late |= Q(searched__read_at__lt=now - PAUSE)
    free = Q(searched__queued_at__isnull=True) | Q(searched__queued_at__lt=now - LOST)
    waiting = due(Session.objects.filter(over | late)).filter(free).order_by("-started_at")
    ids = list(waiting.values_list("pk", flat=True)[:MOST_AT_ONCE])
    SearchedSession.objects.bulk_create(
        [SearchedSession(session_id=pk, queued_at=now) for pk in ids],
        update_conflicts=True,
        unique_fields=["session"],
        update_fields=["queued_at"],
    )
    for session_id in ids:
        dispatch.enqueue_task(dispatch.INDEX, session_id)
    return len(ids)


def index_session(session_id: UUID | str, *, embedder: Embedder | None = None) -> int:
    """Bring an interview's entries up to what stands in it; return how many were written.

    Doing it twice, or twice at once, does no harm: what was taken back while texts were embedded is
    looked at again under the session's lock.
    """
    session = Session.objects.filter(pk=session_id).first()
    if session is None:
        return 0
    seen = SearchEntry.objects.filter(session=session).values_list("source", "text")
    known = dict(seen)
    fresh = [said for said in _said_in(session.pk) if known.get(said.source) != said.text]
    embed = (embedder or shared_embedder(settings.EMBEDDING_MODEL)).embed
    vectors = dict(zip((s.text for s in fresh), embed([s.text for s in fresh]), strict=True))
    with transaction.atomic():
        if not Session.objects.select_for_update(of=("self",)).filter(pk=session.pk).exists():
            return 0
        standing = list(_said_in(session.pk))
        written = [said for said in standing if said.text in vectors]
        _drop(session, standing, written)
        SearchEntry.objects.bulk_create(_rows(session, written, vectors))
        marks = {
            "graph_version": session.graph_version,
            "last_sequence": session.last_sequence,
            "read_at": timezone.now(),
            "queued_at": None,
        }
        SearchedSession.objects.update_or_create(session=session, defaults=marks)
    return len(written)


def _said_in(session_id: UUID) -> Iterator[Said]:
    spoken = Utterance.objects.filter(session_id=session_id).exclude(text="").order_by("sequence")
    for said in spoken.only("pk", "speaker", "turn_number", "text"):
        yield Said(kind=KINDS[said.speaker], source=said.pk, turn=said.turn_number, text=said.text)
    for node in KGNode.objects.of(session_id).live().order_by("position"):
        yield Said(
            kind=SearchEntry.Kind.CONCEPT, source=node.pk, turn=node.first_turn, text=node.label
        )


def _drop(session: Session, standing: Iterable[Said], written: Iterable[Said]) -> None:
    """Take out what is gone, and what is written anew because its words changed."""
    entries = SearchEntry.objects.filter(session=session)
    entries.exclude(source__in=[said.source for said in standing]).delete()
    entries.filter(source__in=[said.source for said in written]).delete()


def _rows(session: Session, written: Iterable[Said], vectors: dict[str, Any]) -> Iterator[Any]:
    config = config_of(session.language)
    for said in written:
        yield SearchEntry(
            study_id=session.study_id,
            session=session,
            kind=said.kind,
            source=said.source,
            turn=said.turn,
            text=said.text,
            words=SearchVector(Value(said.text), config=config),
            embedding=vectors[said.text],
        )
