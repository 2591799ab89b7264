"""Edits of an interview's graph beside its turns, safe while the interview goes on.

An edit locks the session, raises its graph's version, and leaves tracker and summary in order. A
turn that was being thought about meanwhile is thought again; the next one loads the edited graph,
whichever process keeps a copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from uuid import UUID

from django.conf import settings
from django.db import transaction

from graphs import edits
from graphs.figures import graph_figures
from graphs.language.embeddings import shared_embedder
from graphs.language.vectors import Embedder
from graphs.ontology import NOTHING_PERMITTED, Ontology
from graphs.resident import resident_graphs
from graphs.store import load_session_graph
from graphs.tracker import NodeStateTracker, TrackerStateInvalid
from interviews.errors import ErrorCode, FormRefused, InterviewError
from interviews.models import Session, SessionSummary
from methodologies.registry import methodology_of

Id = UUID | str


def relabel_node(
    session_id: Id, node_id: Id, label: str, *, embedder: Embedder | None = None
) -> None:
    """Give a concept another label. Raises InterviewError EDIT_REFUSED, having changed nothing."""
    label = " ".join(label.split())
    (vector,) = (embedder or shared_embedder(settings.EMBEDDING_MODEL)).embed([label])
    with editing(session_id):
        edits.relabel_node(session_id, node_id, label, vector)


def retype_node(session_id: Id, node_id: Id, node_type: str) -> None:
    """Make a concept one of another type of the session's methodology; it leaves its slot.

    Raises InterviewError EDIT_REFUSED, having changed nothing.
    """
    with editing(session_id) as (_, ontology):
        edits.retype_node(session_id, node_id, node_type, ontology)


def remove_node(session_id: Id, node_id: Id) -> None:
    """Take a concept out. Raises InterviewError EDIT_REFUSED, having changed nothing."""
    with editing(session_id):
        edits.remove_node(session_id, node_id)


def remove_edge(session_id: Id, edge_id: Id) -> None:
    """Take a link out. Raises InterviewError EDIT_REFUSED, having changed nothing."""
    with editing(session_id):
        edits.remove_edge(session_id, edge_id)


def ontology_of(session: Session) -> Ontology:
    """The ontology of a session's methodology; one that permits nothing where it has none."""
    version = session.methodology_version
    return methodology_of(version).graph_ontology if version else NOTHING_PERMITTED


def follow(session: Session, ontology: Ontology) -> None:
    """Bring tracker and summary in order with an edited graph, and raise its version.

    The session is locked. The tracker is written from `session.node_tracker_state`.
    """
    graph = load_session_graph(session.pk)
    if session.node_tracker_state:
        try:
            tracker = NodeStateTracker.from_dict(session.node_tracker_state)
            tracker.follow_edits(graph, ontology)
            session.node_tracker_state = tracker.to_dict()
        except TrackerStateInvalid:
            pass  # the next turn tells it anew, from the edited graph
    session.graph_version += 1
    session.save(update_fields=["graph_version", "node_tracker_state"])
    SessionSummary.objects.update_or_create(
        session=session, defaults=asdict(graph_figures(graph, ontology))
    )


@contextmanager
def editing(session_id: Id) -> Iterator[tuple[Session, Ontology]]:
    """Edit under the session's lock: all that follows from the edit is written with it."""
    try:
        with transaction.atomic():
            session = (
                Session.objects.select_for_update(of=("self",))
                .select_related("methodology_version")
                .get(pk=session_id)
            )
            ontology = ontology_of(session)
            yield session, ontology
            follow(session, ontology)
    except edits.EditRefused as refused:
        raise _told(refused) from refused
    resident_graphs.forget(str(session_id))


def _told(refused: edits.EditRefused) -> InterviewError:
    code, said = ErrorCode.EDIT_REFUSED, str(refused)
    if refused.field:
        return FormRefused(said, fields={refused.field: said}, code=code)
    return InterviewError(code, said)
