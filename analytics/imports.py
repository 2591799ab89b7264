"""Exports taken in again: the same interviews and graphs, with ids of their own.

Everything is checked before anything is stored, and stored in one transaction.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, models, transaction

from analytics import interchange
from analytics.exports.documents import KINDS
from analytics.import_checks import faults_of
from analytics.import_notes import keep_notes, keep_themes
from analytics.interchange import Head, ImportRefused, Interview, Reference
from analytics.renewed_ids import Renewal
from graphs.canonical import slot_text
from graphs.language.embeddings import shared_embedder
from graphs.language.vectors import Embedder
from graphs.models import (
    CanonicalEdge,
    CanonicalEdgeSupport,
    CanonicalSlot,
    KGEdge,
    KGNode,
    Mention,
    NodeVector,
    SlotMapping,
    SlotVector,
)
from interviews import audit, vault
from interviews.models import (
    BacklogQuestion,
    Correction,
    GuidePlan,
    HandoverFact,
    HandoverSummary,
    LLMCall,
    Session,
    SessionQuestion,
    SessionSummary,
    Study,
    StudyRevision,
    Team,
    Trial,
    Turn,
    Utterance,
)
from methodologies.registry import Kind
from methodologies.yaml_loader import DocumentInvalid

MOST_BYTES: Final = 1 << 28
Versions = dict[tuple[str, str, int], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What was stored."""

    study: Study
    sessions: int
    nodes: int
    edges: int

    def as_json(self) -> dict[str, Any]:
        """As the command prints it."""
        counts = {"sessions": self.sessions, "nodes": self.nodes, "edges": self.edges}
        return {"study": self.study.slug, **counts, "faults": []}


def import_file(
    data: bytes,
    *,
    by: str,
    slug: str = "",
    team: Team | None = None,
    embedder: Embedder | None = None,
) -> Imported:
    """Store the study of an export with its interviews; `slug` is another one for it.

    It belongs to `team`, else to the default one.
    Raises ImportRefused with all that is wrong; nothing is stored then.
    """
    if len(data) > MOST_BYTES:
        raise ImportRefused([("", f"the file has {len(data)} bytes; {MOST_BYTES} is the most")])
    head, interviews = interchange.read(data)
    named = slug or head.study.slug
    faults = list(faults_of(head, interviews))
    if Study.objects.filter(slug=named).exists():
        faults.append(("study.slug", f"there is a study {named!r} already; give another slug"))
    if faults:
        raise ImportRefused(faults[: interchange.MOST_FAULTS])
    vectors = _vectors(interviews, embedder or shared_embedder(settings.EMBEDDING_MODEL))
    try:
        with transaction.atomic():
            study = _Importer(head, named, vectors, team).store(interviews)
            audit.record(audit.Action.IMPORTED, study, by=by)
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
                cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    except IntegrityError as error:
        told = str(error).splitlines()[0]
        raise ImportRefused([("", f"the file contradicts itself: {told}")]) from error
    return Imported(
        study=study,
        sessions=len(interviews),
        nodes=sum(len(one.nodes) for one in interviews),
        edges=sum(len(one.edges) for one in interviews),
    )


def _vectors(interviews: Sequence[Interview], embedder: Embedder) -> dict[str, Any]:
    """The embeddings of all labels and slots: made before anything is locked."""
    texts = {node.label for one in interviews for node in one.nodes}
    texts |= {slot_text(s.slot_name, s.description) for one in interviews for s in one.slots}
    ordered = sorted(texts)
    return dict(zip(ordered, embedder.embed(ordered), strict=True)) if ordered else {}


class _Importer:
    """Writes one file's rows."""

    def __init__(
        self, head: Head, slug: str, vectors: Mapping[str, Any], team: Team | None
    ) -> None:
        self._head, self._slug, self._vectors = head, slug, vectors
        self._team = {"team": team} if team else {}
        self._versions = _stored_documents(head)
        self._study = self._stored_study()
        self._revisions = {
            one.number: StudyRevision.objects.create(
                study=self._study,
                number=one.number,
                made_by=one.made_by,
                made_at=one.made_at,
                data=self._revised(one.data),
            )
            for one in head.revisions
        }

    def store(self, interviews: Iterable[Interview]) -> Study:
        """Store the rest of the study and its interviews."""
        study = self._study
        GuidePlan.objects.bulk_create(
            GuidePlan(study=study, **one.model_dump()) for one in self._head.plans
        )
        BacklogQuestion.objects.bulk_create(
            BacklogQuestion(study=study, **one.model_dump()) for one in self._head.backlog
        )
        ids: dict[UUID, UUID] = {}
        for one in interviews:
            ids |= self._interview(one)
        keep_themes(study, self._head, ids)
        return study

    def _version(self, kind: Kind, reference: Reference | None) -> Any:
        if reference is None:
            return None
        return self._versions[kind.title, reference.name, reference.number]

    def _stored_study(self) -> Study:
        said = self._head.study
        documents = {
            f"{kind.title}_version": self._version(kind, getattr(said, kind.title))
            for kind in KINDS
        }
        plain = said.model_dump(exclude={"id", "slug", *(kind.title for kind in KINDS)})
        study = Study(slug=self._slug, **self._team, **plain, **documents)
        try:
            study.clean_fields(exclude=["team", "language"])
        except ValidationError as error:
            wrong = error.message_dict.items()
            raise ImportRefused(
                [(f"study.{field}", message) for field, told in wrong for message in told]
            ) from error
        study.save(force_insert=True)
        return study

    def _revised(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """A revision's content with the ids of its documents here."""
        found = dict(data)
        for kind in KINDS:
            said = found.pop(kind.title, None)
            version = self._version(kind, Reference.model_validate(said) if said else None)
            found[f"{kind.title}_version"] = version.pk if version else None
        return found

    def _interview(self, one: Interview) -> dict[UUID, UUID]:
        """Store an interview; return the new ids of its slots."""
        renew = Renewal(one, self._head.study.id, self._study.pk)
        session = self._session(one, renew)
        _create(Utterance, one.utterances, renew, session=session)
        self._graph(one, renew, session)
        turns = [
            turn.model_copy(update={"status": "queued"}) if turn.status == "running" else turn
            for turn in one.turns
        ]
        left = {"mode", "evidence", "signals", "node_signals", "decomposition", "result"}
        Turn.objects.bulk_create(
            Turn(
                session=session,
                result=renew.json(
                    {**turn.result, "evidence": turn.evidence} if turn.result else {}
                ),
                **renew.fields(turn.model_dump(exclude=left)),
            )
            for turn in turns
        )
        _create(LLMCall, one.llm_calls, renew, session=session, study=self._study)
        _create(Correction, one.corrections, renew, session=session)
        _create(SessionQuestion, one.questions, renew, session=session, study=self._study)
        _create(HandoverFact, one.facts, renew, session=session)
        SessionSummary.objects.create(session=session, **one.summary.model_dump())
        if one.handover_summary:
            done = HandoverSummary.Status.DONE
            HandoverSummary.objects.create(session=session, text=one.handover_summary, status=done)
        if one.session.trial:
            Trial.objects.create(study=self._study, session=session)
        vault.keep(session.pk, one.personal)
        if one.notes:
            keep_notes(session, one.notes, renew)
        return {slot.id: renew.ids[slot.id] for slot in one.slots}

    def _session(self, one: Interview, renew: Renewal) -> Session:
        said = one.session
        left = {"trial", "revision", *(kind.title for kind in KINDS)}
        documents = {
            f"{kind.title}_version": self._version(kind, getattr(said, kind.title))
            for kind in KINDS
        }
        revision = self._revisions[said.revision] if said.revision is not None else None
        return Session.objects.create(
            study=self._study,
            revision=revision,
            **documents,
            **renew.fields(said.model_dump(exclude=left)),
        )

    def _graph(self, one: Interview, renew: Renewal, session: Session) -> None:
        of: dict[str, Any] = {"session": session}
        nodes = _create(KGNode, one.nodes, renew, **of)
        NodeVector.objects.bulk_create(
            NodeVector(
                node=node, node_type=node.node_type, embedding=self._vectors[node.label], **of
            )
            for node in nodes
        )
        _create(KGEdge, one.edges, renew, leave={"provenance"}, **of)
        _create(Mention, one.mentions, renew, **of)
        slots = _create(CanonicalSlot, one.slots, renew, **of)
        SlotVector.objects.bulk_create(
            SlotVector(
                slot=slot,
                node_type=slot.node_type,
                embedding=self._vectors[slot_text(slot.slot_name, slot.description)],
                **of,
            )
            for slot in slots
        )
        _create(SlotMapping, one.mappings, renew, **of)
        leave = {"surface_edge_ids", "support_ids"}
        _create(CanonicalEdge, one.canonical_edges, renew, leave=leave, **of)
        CanonicalEdgeSupport.objects.bulk_create(
            CanonicalEdgeSupport(
                pk=renew.support[pk],
                canonical_edge_id=renew.ids[edge.id],
                surface_edge_id=renew.ids[surface],
                **of,
            )
            for edge in one.canonical_edges
            for pk, surface in zip(edge.support_ids, edge.surface_edge_ids, strict=True)
        )


def _create(
    model: type[models.Model],
    parts: Iterable[Any],
    renew: Renewal,
    *,
    leave: Iterable[str] = (),
    **more: Any,
) -> list[Any]:
    rows = [model(**more, **renew.fields(part.model_dump(exclude=set(leave)))) for part in parts]
    return list(model._base_manager.bulk_create(rows, batch_size=500))


def _stored_documents(head: Head) -> Versions:
    """Each document of the file as a version here: one of the same text, or a new one.

    Raises ImportRefused with every document that cannot be read.
    """
    found: Versions = {}
    faults: list[tuple[str, str]] = []
    kinds = {kind.title: kind for kind in KINDS}
    for place, one in enumerate(head.documents):
        try:
            found[one.kind, one.name, one.number] = _document(kinds[one.kind], one)
        except DocumentInvalid as error:
            faults.append((f"documents.{place}.text", str(error)))
    if faults:
        raise ImportRefused(faults)
    return found


def _document(kind: Kind, one: interchange.Document) -> Any:
    parsed = kind.parse(one.text, f"{one.kind} {one.name}")
    checksum = hashlib.sha256(one.text.encode()).hexdigest()
    document, _ = kind.document.objects.get_or_create(name=one.name)  # type: ignore[attr-defined]
    same = document.versions.filter(checksum=checksum).order_by("-number")
    known = same.filter(number=one.number).first() or same.first()
    if known is not None:
        return known
    newest = document.versions.order_by("-number").first()
    taken = document.versions.filter(number=one.number).exists()
    return document.versions.create(
        number=newest.number + 1 if taken else one.number,
        text=one.text,
        parsed=parsed.model_dump(mode="json"),
        checksum=checksum,
        note="Imported",
    )


def told(refused: ImportRefused) -> str:
    """The faults as the command prints them."""
    faults = [{"field": field, "fault": fault} for field, fault in refused.faults]
    nothing = {"study": None, "sessions": 0, "nodes": 0, "edges": 0}
    return json.dumps(nothing | {"faults": faults}, ensure_ascii=False)
