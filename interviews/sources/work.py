"""Works on files step by step; each step is one commit, so that a killed worker repeats one."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from itertools import islice
from uuid import UUID

from django.conf import settings
from django.db import transaction

from graphs.language.embeddings import shared_embedder
from interviews import dispatch
from interviews.ingest import sandbox
from interviews.ingest.limits import STUDY_BYTES, STUDY_FILES
from interviews.ingest.passages import Passage
from interviews.llm.errors import LLMError
from interviews.llm.gateway import Gateway
from interviews.llm.setup import build_gateway
from interviews.llm.study_calls import ask_for
from interviews.llm.tasks.handover_files import (
    DEEP_DIVE,
    FILE_SUMMARY,
    DeepDiveInputs,
    FileSummaryInputs,
    FindingInPassage,
    KnownFinding,
)
from interviews.models import (
    HandoverBrief,
    SourceFile,
    SourceFinding,
    SourcePassage,
    SourceVector,
    Study,
)
from interviews.sources import brief
from interviews.sources.lease import Claim, Superseded, claim, give_up, unattended

logger = logging.getLogger(__name__)

BATCH = 64
"""Passages that are embedded and written at once."""
DIVED_AT_ONCE = 8
"""Passages between two commits of an analysis."""
BEGINNING = 2_000
MOST_TOLD = 80
"""Findings that a summary of a file is told of."""


def work_on_file(file_id: UUID | str, *, gateway: Gateway | None = None) -> None:
    """Read and analyse a file, from where the last worker left it; twice at once does no harm."""
    held = claim(SourceFile, file_id)
    if held is None:
        return
    try:
        file = SourceFile.objects.select_related("study").get(pk=file_id)
        if file.passages_in_all is None:
            _read(file, held)
            file.refresh_from_db()
        if file.status == SourceFile.Status.WORKING:
            _dive(file, held, gateway or build_gateway())
    except (Superseded, SourceFile.DoesNotExist):
        logger.info("file_superseded file=%s", file_id)
        return
    _brief_if_last(file.study_id)


def _read(file: SourceFile, held: Claim) -> None:
    """Read the content into passages with vectors, all or nothing."""
    with sandbox.read(bytes(file.content or b""), file.name) as outcome, transaction.atomic():
        done = {"content": None, "kind": outcome.kind, "lease_until": None}
        if outcome.status != "read":
            held.advance(**done, status=SourceFile.Status.UNREADABLE, reason=outcome.reason)
            return
        if outcome.kind == "zip":
            held.advance(**done, status=SourceFile.Status.DONE, passages_in_all=0)
            _unpack(file, outcome.members)
            return
        file.passages.all().delete()
        count = 0
        found = outcome.passages()
        while batch := list(islice(found, BATCH)):
            _write(file, batch, count)
            count += len(batch)
        held.advance(content=None, kind=outcome.kind, passages_in_all=count)


def _write(file: SourceFile, batch: Sequence[Passage], first: int) -> None:
    rows = SourcePassage.objects.bulk_create(
        SourcePassage(
            file=file,
            number=number,
            place=passage.place[:400],
            text=passage.text,
            heading=passage.heading,
            marks=[list(mark) for mark in passage.marks],
        )
        for number, passage in enumerate(batch, start=first)
    )
    vectors = shared_embedder(settings.EMBEDDING_MODEL).embed([passage.text for passage in batch])
    SourceVector.objects.bulk_create(
        SourceVector(passage=row, study_id=file.study_id, embedding=vector)
        for row, vector in zip(rows, vectors, strict=True)
    )


def _unpack(archive: SourceFile, members: Sequence[sandbox.Member]) -> None:
    """List what is in an archive as files of the study, each to be read by itself."""
    held = sum(SourceFile.objects.filter(study=archive.study).values_list("size", flat=True))
    room = STUDY_FILES - SourceFile.objects.filter(study=archive.study).count()
    for member in members:
        content = member.path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        held += len(content)
        room -= 1
        if SourceFile.objects.filter(study=archive.study, sha256=digest).exists():
            continue
        fits = room >= 0 and held <= STUDY_BYTES
        file = SourceFile.objects.create(
            study=archive.study,
            name=f"{archive.name}/{member.name}"[:300],
            sha256=digest,
            size=len(content) if fits else 0,
            content=content if fits else None,
            status=SourceFile.Status.QUEUED if fits else SourceFile.Status.UNREADABLE,
            reason="" if fits else "There is no room for it: the study is full.",
        )
        if fits:
            dispatch.enqueue_task(dispatch.READ_FILE, file.pk)


def passage_of(row: SourcePassage) -> Passage:
    """The passage as the readers gave it."""
    marks = tuple((int(start), str(mark)) for start, mark in row.marks)
    return Passage(text=row.text, marks=marks, heading=row.heading)


def _dive(file: SourceFile, held: Claim, gateway: Gateway) -> None:
    """Look for findings passage by passage, then say what the file is for."""
    try:
        while batch := _next(file):
            _dive_into(file, held, batch, gateway)
        purpose = _purpose(file, gateway)
    except LLMError as error:
        reason = f"The analysis failed ({error.outcome}). The file can be used; repeat it later."
        held.advance(status=SourceFile.Status.FAILED, reason=reason, lease_until=None)
        return
    held.advance(
        status=SourceFile.Status.DONE, purpose=purpose, reason="", lease_until=None, attempt=0
    )


def _next(file: SourceFile) -> list[SourcePassage]:
    """The passages that come after those that were analysed."""
    rows = file.passages.filter(number__gte=file.dived).order_by("number")
    return list(rows[:DIVED_AT_ONCE])


def _dive_into(
    file: SourceFile, held: Claim, batch: Sequence[SourcePassage], gateway: Gateway
) -> None:
    """Analyse some passages and store what stands in them, in one commit."""
    found: list[SourceFinding] = []
    dropped = 0
    for row in batch:
        inputs = DeepDiveInputs(file=file.name, kind=file.kind, place=row.place, text=row.text)
        reply = ask_for(file.study, DEEP_DIVE, inputs, gateway=gateway)
        kept = [placed for f in reply.findings if (placed := _placed(file, row, f)) is not None]
        dropped += len(reply.findings) - len(kept)
        found += kept
    with transaction.atomic():
        held.advance(dived=batch[-1].number + 1, dropped=file.dropped + dropped)
        SourceFinding.objects.bulk_create(found)
    file.dived, file.dropped = batch[-1].number + 1, file.dropped + dropped


def _placed(file: SourceFile, row: SourcePassage, found: FindingInPassage) -> SourceFinding | None:
    """The finding with its place, None where its quote stands nowhere in the passage."""
    at = row.text.find(found.quote)
    if at < 0:
        return None
    place = passage_of(row).place_of(at)[:400]
    return SourceFinding(
        file=file,
        passage=row,
        kind=found.kind,
        name=found.name,
        value=found.value,
        place=place,
        quote=found.quote,
        places=[{"file": file.name, "place": place, "quote": found.quote}],
    )


def known(findings: Sequence[SourceFinding]) -> tuple[KnownFinding, ...]:
    """Findings as tasks are told of them, numbered as they come."""
    return tuple(
        KnownFinding(
            ref=ref,
            file=found.file.name,
            kind=found.kind,
            name=found.name,
            value=found.value,
            place=found.place,
            quote=found.quote,
        )
        for ref, found in enumerate(findings)
    )


def _purpose(file: SourceFile, gateway: Gateway) -> str:
    first = file.passages.order_by("number").values_list("text", flat=True)[:3]
    inputs = FileSummaryInputs(
        file=file.name,
        kind=file.kind,
        beginning="\n".join(first)[:BEGINNING],
        findings=known(list(file.findings.select_related("file")[:MOST_TOLD])),
    )
    return ask_for(file.study, FILE_SUMMARY, inputs, gateway=gateway).purpose


# -- the whole -----------------------------------------------------------------------------------
def _brief_if_last(study_id: UUID) -> None:
    """Ring for the brief once no file of the study is under way; it has been due since."""
    if not _under_way(study_id):
        dispatch.enqueue_task(dispatch.RECONCILE, study_id)


def _under_way(study_id: UUID | str) -> bool:
    working = [SourceFile.Status.QUEUED, SourceFile.Status.WORKING]
    return SourceFile.objects.filter(study_id=study_id, status__in=working).exists()


def work_on_brief(study_id: UUID | str, *, gateway: Gateway | None = None) -> None:
    """Make the backlog of a study whose files are read; twice at once does no harm."""
    if _under_way(study_id):
        return
    held = claim(HandoverBrief, study_id)
    if held is None:
        return
    try:
        brief.make(Study.objects.get(pk=study_id), held, gateway or build_gateway())
    except Superseded:
        logger.info("brief_superseded study=%s", study_id)


def prepare(study: Study, *, gateway: Gateway | None = None) -> None:
    """Work on everything of a study here and now, as the command line does."""
    while waiting := SourceFile.objects.filter(
        study=study, status=SourceFile.Status.QUEUED
    ).first():
        work_on_file(waiting.pk, gateway=gateway)
    if HandoverBrief.objects.filter(study=study, status=HandoverBrief.Status.QUEUED).exists():
        work_on_brief(study.pk, gateway=gateway)


def sweep() -> int:
    """Ring again for files and briefs that nobody is at; return how many."""
    for model in (SourceFile, HandoverBrief):
        give_up(model)
    files, briefs = unattended(SourceFile), unattended(HandoverBrief)
    for pk in files:
        dispatch.enqueue_task(dispatch.READ_FILE, pk)
    for pk in briefs:
        dispatch.enqueue_task(dispatch.RECONCILE, pk)
    return len(files) + len(briefs)
