"""Sessions and studies as lists, with their figures, at a number of queries that does not grow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from analytics.records import count_complete_chains, ontology_of
from graphs.models import KGEdge, KGNode
from interviews.explain_words import reason_of
from interviews.models import Session, Study

GraphRow = TypeVar("GraphRow", KGNode, KGEdge)

PAGE_SIZE = 25
STUDIES_SHOWN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A session in a list. `chains` is None where the ontology has no terminal type."""

    session: Session
    short_id: str
    concepts: int
    links: int
    chains: int | None
    reason: str


def sessions_of(study: Study | None, status: str) -> QuerySet[Session]:
    """Sessions, newest first, of one study or of all, with what a row needs of their study."""
    found = (
        Session.objects.select_related("study", "methodology_version__document")
        .only(
            "status",
            "turn_count",
            "max_turns",
            "simulated",
            "started_at",
            "ended_at",
            "termination_reason",
            "study__name",
            "study__slug",
            "methodology_version__number",
            "methodology_version__checksum",
            "methodology_version__document__name",
        )
        .order_by("-started_at", "pk")
    )
    if study is not None:
        found = found.filter(study=study)
    return found.filter(status=status) if status in Session.Status.values else found


def rows_of(sessions: Sequence[Session]) -> list[SessionRow]:
    """Figures for one page of sessions: two queries, and one for each methodology not yet read."""
    ids = [session.pk for session in sessions]
    nodes = _by_session(
        KGNode.objects.filter(session_id__in=ids)
        .only("id", "session_id", "node_type", "superseded_by_id")
        .order_by("first_turn", "position")
    )
    edges = _by_session(
        KGEdge.objects.filter(session_id__in=ids).only(
            "id", "session_id", "source_id", "target_id", "edge_type"
        )
    )
    return [_row(session, nodes[session.pk], edges[session.pk]) for session in sessions]


def studies_shown() -> QuerySet[Study]:
    """The newest studies with their counts of interviews."""
    return (
        Study.objects.select_related("methodology_version__document")
        .defer("methodology_version__text", "methodology_version__parsed")
        .annotate(
            held=Count("sessions"),
            completed=Count("sessions", filter=Q(sessions__status=Session.Status.COMPLETED)),
        )
        .order_by("-created_at")[:STUDIES_SHOWN]
    )


def _by_session(rows: Iterable[GraphRow]) -> dict[UUID, list[GraphRow]]:
    found: dict[UUID, list[GraphRow]] = defaultdict(list)
    for row in rows:
        found[row.session_id].append(row)
    return found


def _row(session: Session, nodes: Sequence[KGNode], edges: Sequence[KGEdge]) -> SessionRow:
    live = {node.pk for node in nodes if node.superseded_by_id is None}
    return SessionRow(
        session=session,
        short_id=str(session.pk)[:4],
        concepts=len(live),
        links=sum(e.source_id in live and e.target_id in live for e in edges),
        chains=count_complete_chains(nodes, edges, ontology_of(session.methodology_version)),
        reason=reason_of(session.termination_reason) if session.termination_reason else "",
    )
