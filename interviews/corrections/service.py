"""Making, undoing and redoing corrections: one transaction each, under the session's lock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from graphs import edits, regrouping
from graphs.language.embeddings import shared_embedder
from graphs.language.vectors import Embedder, Vector
from graphs.models import KGNode
from graphs.models import Mention as MentionRow
from graphs.ontology import Ontology
from graphs.provenance import End, provenance_of
from graphs.regrouping import Passage
from graphs.row_changes import (
    AFTER,
    BEFORE,
    difference,
    newest_turn,
    put_back,
    read_rows,
    restorable,
)
from interviews import audit, graph_edits
from interviews.corrections.acts import (
    Act,
    AddLink,
    AddNode,
    DeleteLink,
    DeleteNode,
    Merge,
    Rename,
    Restore,
    Retype,
    RetypeLink,
    Reverse,
    Split,
)
from interviews.errors import ErrorCode, InterviewError
from interviews.models import Correction, Session, Utterance

DELETIONS = ("delete_node", "delete_link")


class CorrectionOutdated(InterviewError):
    """Another analyst was faster: `since` are the corrections that the change did not know."""

    def __init__(self, since: Iterable[Correction]) -> None:
        self.since = tuple(since)
        who = ", ".join(sorted({one.undone_by or one.made_by for one in self.since}))
        super().__init__(
            ErrorCode.CORRECTION_OUTDATED,
            f"Meanwhile {who} corrected this interview; nothing of yours was stored. "
            "Look at both, then send yours again.",
        )


def correct(
    session_id: UUID,
    act: Act,
    *,
    by: str,
    version: int,
    embedder: Embedder | None = None,
) -> Correction:
    """Correct a session's graph; `version` is the graph's that the change is based on.

    Turns that were held since do not matter, other corrections do. Raises InterviewError
    EDIT_REFUSED for what the graph or its ontology forbids and CorrectionOutdated, having changed
    nothing.
    """
    label = getattr(act, "label", None)
    vector = _vector(label, embedder) if label else None
    with _locked(session_id, version) as (session, ontology):
        before = read_rows(session_id)
        _do(session, act, ontology, vector)
        changes = difference(before, read_rows(session_id))
        if not changes:
            raise edits.EditRefused("This changes nothing: it is so already.")
        last = session.corrections.aggregate(last=Max("number"))["last"] or 0
        stands = session.corrections.standing().aggregate(last=Max("number"))["last"] or 0
        correction = Correction.objects.create(
            session=session,
            number=last + 1,
            follows=stands,
            act=act.act,
            detail=act.model_dump(mode="json"),
            changes=changes,
            newest_turn=newest_turn(changes),
            graph_version=session.graph_version + 1,
            made_by=by,
        )
        audit.record(audit.Action.CORRECTED, session, by=by, fields=[act.act])
    return correction


def undo(session_id: UUID, *, by: str, version: int) -> Correction:
    """Undo the newest correction that stands.

    Raises InterviewError EDIT_REFUSED where there is none or the interview has gone on since, and
    CorrectionOutdated, having changed nothing.
    """
    with _locked(session_id, version) as (session, _):
        correction = session.corrections.standing().order_by("-number").first()
        if correction is None:
            raise edits.EditRefused("There is no correction to undo.")
        put_back(session_id, correction.changes, BEFORE)
        _stamp(correction, session, undone_by=by, undone_at=timezone.now())
        audit.record(audit.Action.UNDONE, session, by=by, fields=[correction.act])
    return correction


def redo(session_id: UUID, *, by: str, version: int) -> Correction:
    """Make the correction again that was undone last, unless another was made since.

    Raises InterviewError EDIT_REFUSED where there is none or the interview has gone on since, and
    CorrectionOutdated, having changed nothing.
    """
    with _locked(session_id, version) as (session, _):
        correction = redoable(session.corrections.all())
        if correction is None:
            raise edits.EditRefused("There is no correction to redo.")
        put_back(session_id, correction.changes, AFTER)
        _stamp(correction, session, undone_by="", undone_at=None)
        audit.record(audit.Action.REDONE, session, by=by, fields=[correction.act])
    return correction


def redoable(corrections: Iterable[Correction]) -> Correction | None:
    """The correction that `redo` would make again, None where there is none."""
    known = list(corrections)
    newest = max((one.number for one in known if one.undone_at is None), default=0)
    undone = [one for one in known if one.undone_at is not None and one.follows == newest]
    return max(undone, key=lambda one: one.number, default=None)


def _stamp(correction: Correction, session: Session, **fields: Any) -> None:
    fields["graph_version"] = session.graph_version + 1
    for name, value in fields.items():
        setattr(correction, name, value)
    correction.save(update_fields=list(fields))


@contextmanager
def _locked(session_id: UUID, version: int) -> Iterator[tuple[Session, Ontology]]:
    """The session under its lock, which nobody has corrected since `version`."""
    with graph_edits.editing(session_id) as (session, ontology):
        since = session.corrections.filter(graph_version__gt=version)
        found = list(since.order_by("graph_version"))
        if found:
            raise CorrectionOutdated(found)
        yield session, ontology


def _vector(label: str, embedder: Embedder | None) -> Vector:
    (vector,) = (embedder or shared_embedder(settings.EMBEDDING_MODEL)).embed([_tidy(label)])
    return vector


def _tidy(label: str) -> str:
    return " ".join(label.split())


def _do(session: Session, act: Act, ontology: Ontology, vector: Vector | None) -> None:
    pk = session.pk
    match act:
        case Retype():
            edits.retype_node(pk, act.node, act.node_type, ontology)
        case RetypeLink():
            regrouping.retype_edge(pk, act.edge, act.edge_type, ontology)
        case Reverse():
            regrouping.reverse_edge(pk, act.edge, ontology)
        case DeleteNode():
            edits.remove_node(pk, act.node)
        case DeleteLink():
            edits.remove_edge(pk, act.edge)
        case Restore():
            _restore(session, act)
        case AddLink():
            _add_link(session, act, ontology)
        case Merge():
            regrouping.merge_nodes(pk, act.node, act.into, ontology)
        case Rename() | AddNode() | Split():
            assert vector is not None
            _do_named(session, act, ontology, vector)


def _do_named(
    session: Session, act: Rename | AddNode | Split, ontology: Ontology, vector: Vector
) -> None:
    """What gives a label, whose vector is at hand."""
    label = _tidy(act.label)
    match act:
        case Rename():
            edits.relabel_node(session.pk, act.node, label, vector)
        case AddNode():
            regrouping.add_node(
                session.pk,
                _passage(session, act),
                label=label,
                node_type=act.node_type,
                stance=act.stance,
                vector=vector,
                ontology=ontology,
            )
        case Split():
            regrouping.split_node(
                session.pk,
                act.node,
                label=label,
                mentions=act.mentions,
                edges=act.edges,
                vector=vector,
            )


def _restore(session: Session, act: Restore) -> None:
    found = session.corrections.standing().filter(pk=act.correction, act__in=DELETIONS).first()
    if found is None:
        raise edits.EditRefused("This deletion is not there, or it has been undone.", "correction")
    put_back(session.pk, restorable(session.pk, found.changes), BEFORE)
    regrouping.regroup(session.pk)


def _answer(session: Session, act: AddNode | AddLink) -> Utterance:
    answer = session.utterances.filter(
        pk=act.utterance, speaker=Utterance.Speaker.RESPONDENT
    ).first()
    if answer is None:
        said = "This answer is not in the interview; it may have been taken back."
        raise edits.EditRefused(said, "utterance")
    return answer


def _passage(session: Session, act: AddNode | AddLink) -> Passage:
    answer = _answer(session, act)
    if not act.start < act.end <= len(answer.text):
        raise edits.EditRefused(
            f"start and end: a selection lies within the answer's {len(answer.text)} characters.",
            "start",
        )
    return Passage(
        utterance_id=answer.pk,
        turn=answer.turn_number,
        quote=answer.text[act.start : act.end],
        start=act.start,
        end=act.end,
    )


def _add_link(session: Session, act: AddLink, ontology: Ontology) -> None:
    passage = _passage(session, act)
    answer = _answer(session, act)
    asked = session.utterances.filter(
        turn_number=answer.turn_number - 1, speaker=Utterance.Speaker.INTERVIEWER, aside=False
    ).first()
    regrouping.add_edge(
        session.pk,
        passage,
        source_id=act.source,
        target_id=act.target,
        edge_type=act.edge_type,
        provenance=provenance_of(
            _end(session, act.source, answer),
            _end(session, act.target, answer),
            answer=answer.text,
            quote=(act.start, act.end),
            question=asked.text if asked else "",
        ),
        ontology=ontology,
    )


def _end(session: Session, node_id: UUID, answer: Utterance) -> End:
    label = KGNode.objects.of(session.pk).filter(pk=node_id).values_list("label", flat=True)
    said = MentionRow.objects.filter(node_id=node_id, utterance=answer)
    return End(words=tuple(label), said=tuple(said.values_list("start", "end")))
