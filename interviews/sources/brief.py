"""What all files of a study come to: a summary, contradictions between them, and the backlog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import transaction

from graphs.language.embeddings import shared_embedder
from interviews.ingest.passages import cut_to_tokens
from interviews.llm.errors import LLMError
from interviews.llm.gateway import Gateway
from interviews.llm.study_calls import ask_for
from interviews.llm.tasks.handover_files import (
    BACKLOG,
    RECONCILE,
    BacklogInputs,
    FileLine,
    KnownFinding,
    OpenQuestion,
    ReconcileInputs,
    ReconcileOutput,
)
from interviews.models import BacklogQuestion, HandoverBrief, SourceFile, SourceFinding, Study
from interviews.modes.handover.questions import Draft, merged, question_id
from interviews.sources.lease import Claim

MOST_FINDINGS = 600
"""Findings of a study that are compared with each other."""
MOST_WORDS = 400
PER_CALL = 60
"""Findings that one call words questions for."""
CORPUS_TOKENS = 1_200
MOST_NAMES = 400
NAMED = frozenset(["person", "system", "artefact", "constant", "threshold", "formula"])
WHYS = frozenset(["threshold", "formula", "decision", "gap", "contradiction"])
"""What is asked about first: why it is so."""
ASKED_ABOUT = WHYS | {"constant", "open_question", "person", "system"}


def make(study: Study, held: Claim, gateway: Gateway) -> None:
    """Word the questions, compare the files, and store what is new; edited questions stay.

    Raises lease.Superseded where somebody else is at it.
    """
    findings = list(
        SourceFinding.objects.filter(file__study=study)
        .exclude(kind="contradiction")
        .select_related("file", "passage")
        .order_by("file__created_at", "file__name", "pk")
    )
    try:
        made = _Made(study, findings)
        for file in {found.file_id: found.file for found in findings}.values():
            made.ask_about(file, gateway)
            held.advance()
        reply = made.compare(gateway)
    except LLMError as error:
        reason = f"The files could not be compared ({error.outcome}). Repeat it later."
        held.advance(status=HandoverBrief.Status.FAILED, reason=reason, lease_until=None)
        return
    summary = " ".join(reply.summary.split(" ")[:MOST_WORDS])
    with transaction.atomic():
        held.advance(
            status=HandoverBrief.Status.DONE,
            summary=summary,
            corpus=cut_to_tokens(_corpus(study, findings), CORPUS_TOKENS),
            names=_names(findings),
            files=_files(study),
            reason="",
            lease_until=None,
        )
        SourceFinding.objects.filter(file__study=study, kind="contradiction").delete()
        SourceFinding.objects.bulk_create(made.contradictions(reply))
        _store(study, made.backlog(reply))


@dataclass(slots=True)
class _Made:
    """Questions on their way: which findings each is about."""

    study: Study
    findings: Sequence[SourceFinding]
    drafts: list[Draft] = field(default_factory=list)

    def ask_about(self, file: SourceFile, gateway: Gateway) -> None:
        """Have questions worded about one file's findings."""
        from_file = [
            known
            for known in self._known()
            if self.findings[known.ref].file_id == file.pk and known.kind in ASKED_ABOUT
        ]
        for at in range(0, len(from_file), PER_CALL):
            inputs = BacklogInputs(
                file=file.name,
                purpose=file.purpose,
                findings=tuple(from_file[at : at + PER_CALL]),
                language=self.study.language,
            )
            told = {known.ref for known in inputs.findings}
            for asked in ask_for(self.study, BACKLOG, inputs, gateway=gateway).questions:
                if asked.ref in told:
                    found = self.findings[asked.ref]
                    self.drafts.append(_about(found, asked.ref, asked.text, asked.priority))

    def _known(self) -> list[KnownFinding]:
        from interviews.sources.work import known

        return list(known(self.findings))

    def compare(self, gateway: Gateway) -> ReconcileOutput:
        """Have the files compared: what contradicts, what answers what."""
        files = SourceFile.objects.filter(study=self.study, status=SourceFile.Status.DONE)
        known = self._known()
        inputs = ReconcileInputs(
            files=tuple(FileLine(file=file.name, purpose=file.purpose) for file in files),
            findings=tuple(found for found in known if found.kind != "artefact")[:MOST_FINDINGS],
            questions=tuple(
                OpenQuestion(question_id=draft.id, text=draft.text, refs=draft.refs)
                for draft in self.drafts[:MOST_FINDINGS]
            ),
            language=self.study.language,
        )
        return ask_for(self.study, RECONCILE, inputs, gateway=gateway)

    def contradictions(self, reply: ReconcileOutput) -> list[SourceFinding]:
        """A finding for each conflict, with all its places."""
        return [
            SourceFinding(
                file=places[0].file,
                passage=places[0].passage,
                kind="contradiction",
                name=conflict.about,
                value=" / ".join(dict.fromkeys(found.value for found in places))[:300],
                place=places[0].place,
                quote=places[0].quote,
                places=[place for found in places for place in found.places],
            )
            for conflict in reply.conflicts
            if len(places := self._refs(conflict.refs)) >= 2
        ]

    def backlog(self, reply: ReconcileOutput) -> list[Draft]:
        """All questions, contradictions and gaps first, each thing asked once."""
        conflicts = [
            Draft(
                id=question_id("global", f"{conflict.about} {[f.quote for f in places]}"),
                text=conflict.question,
                about=conflict.about,
                key=f"{conflict.about} {' '.join(found.value for found in places)}",
                kind="contradiction",
                priority="P0",
                origin="GLOBAL",
                refs=conflict.refs,
                reference=tuple(place for found in places for place in found.places),
            )
            for conflict in reply.conflicts
            if len(places := self._refs(conflict.refs)) >= 2
        ]
        contradicted = {ref for conflict in conflicts for ref in conflict.refs}
        # What a contradiction asks about all its places need not be asked of each.
        single = [draft for draft in self.drafts if not contradicted.issuperset(draft.refs)]
        answers = {
            answer.question_id: found
            for answer in reply.answered
            for found in self._refs((answer.ref,))
        }
        embedder = shared_embedder(settings.EMBEDDING_MODEL)
        drafts = merged([*conflicts, *single], embed=embedder.embed)
        return [
            draft.answered_by(_cited(answers[draft.id])) if draft.id in answers else draft
            for draft in drafts
        ]

    def _refs(self, refs: Sequence[int]) -> list[SourceFinding]:
        return [self.findings[ref] for ref in refs if 0 <= ref < len(self.findings)]


def _files(study: Study) -> list[str]:
    done = [SourceFile.Status.DONE, SourceFile.Status.FAILED]
    read = SourceFile.objects.filter(study=study, status__in=done, passages_in_all__gt=0)
    return list(read.values_list("name", flat=True))


def _corpus(study: Study, findings: Sequence[SourceFinding]) -> str:
    """What is in the files: what each is for, then what decides in them."""
    purposes = (
        SourceFile.objects.filter(study=study).exclude(purpose="").values_list("name", "purpose")
    )
    told = [f"{name}: {purpose}" for name, purpose in purposes]
    for kind in ("threshold", "formula", "decision", "person", "system"):
        told += [
            f"{found.file.name}, {found.place}: {found.name} {found.value}".strip()
            for found in findings
            if found.kind == kind
        ]
    return "\n".join(told)


def _names(findings: Sequence[SourceFinding]) -> list[str]:
    """Names that may be said as they are written, and that nobody needs to discover."""
    named = (f.name for f in findings if f.kind in NAMED)
    headings = (
        f.passage.heading.removeprefix("function ").removeprefix("class ")
        for f in findings
        if f.passage is not None and f.passage.heading
    )
    files = (found.file.name for found in findings)
    return list(dict.fromkeys([*files, *headings, *named]))[:MOST_NAMES]


def _about(found: SourceFinding, ref: int, text: str, priority: str) -> Draft:
    return Draft(
        id=question_id("file", f"{found.file.sha256} {found.kind} {found.name} {found.place}"),
        text=text,
        about=found.name.rpartition(": ")[2] or found.name,
        key=f"{found.name} {found.value}" if found.value else found.quote,
        kind=found.kind,
        priority="P0" if found.kind in WHYS or priority == "P0" else "P1",
        origin="FILE",
        refs=(ref,),
        reference=tuple(found.places),
    )


def _cited(found: SourceFinding) -> str:
    return f"{' '.join(found.quote.split())} [{found.file.name}, {found.place}]"


def _store(study: Study, drafts: Sequence[Draft]) -> None:
    """Make the backlog what the drafts are; what a team lead dropped or edited stays theirs."""
    there = {q.question_id: q for q in BacklogQuestion.objects.filter(study=study)}
    fresh = [draft for draft in drafts if draft.id not in there]
    BacklogQuestion.objects.filter(study=study, edited=False).exclude(
        question_id__in=[draft.id for draft in drafts]
    ).exclude(origin=BacklogQuestion.Origin.FOLLOW_UP).delete()
    BacklogQuestion.objects.bulk_create(
        BacklogQuestion(study=study, question_id=draft.id, **_fields(draft, at))
        for at, draft in enumerate(drafts)
        if draft in fresh
    )
    for at, draft in enumerate(drafts):
        known = there.get(draft.id)
        if known is not None and not known.edited:
            BacklogQuestion.objects.filter(pk=known.pk).update(**_fields(draft, at))


def _fields(draft: Draft, position: int) -> Mapping[str, Any]:
    return {
        "text": draft.text,
        "about": draft.about[:300],
        "priority": draft.priority,
        "origin": draft.origin,
        "reference": list(draft.reference),
        "status": draft.status,
        "answer": draft.answer,
        "position": position,
    }
