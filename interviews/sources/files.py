"""Files of a study as faces give them: taken in within limits, repeated, erased."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from uuid import UUID

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from interviews import dispatch
from interviews.errors import ErrorCode, InterviewError
from interviews.ingest.limits import FILE_BYTES, MB, STUDY_BYTES, STUDY_FILES
from interviews.models import BacklogQuestion, HandoverBrief, SourceFile, SourceFinding, Study

FOLDER_SIGNS = ("/", "\\")


def add(study: Study, name: str, content: bytes) -> SourceFile:
    """Take a file in and have it read; content that is there already is listed and not read again.

    Raises InterviewError FILE_REFUSED where it is larger than a file may be, or the study is full.
    """
    if len(content) > FILE_BYTES:
        raise _refused(f"{name} is larger than {FILE_BYTES // MB} MB.")
    digest = hashlib.sha256(content).hexdigest()
    with transaction.atomic():
        Study.objects.select_for_update(of=("self",)).get(pk=study.pk)
        known = (
            SourceFile.objects.filter(study=study)
            .exclude(status=SourceFile.Status.SAME)
            .filter(sha256=digest)
            .first()
        )
        if known is not None:
            return _same(study, name, known)
        held = SourceFile.objects.filter(study=study).aggregate(bytes=Sum("size"))["bytes"] or 0
        if SourceFile.objects.filter(study=study).count() >= STUDY_FILES:
            raise _refused(f"This study has {STUDY_FILES} files already.")
        if held + len(content) > STUDY_BYTES:
            raise _refused(f"The files of a study have {STUDY_BYTES // MB} MB at most.")
        file = SourceFile.objects.create(
            study=study, name=name[:300], sha256=digest, size=len(content), content=content
        )
        brief_is_due(study)
        dispatch.enqueue_task(dispatch.READ_FILE, file.pk)
    return file


def _same(study: Study, name: str, known: SourceFile) -> SourceFile:
    if known.name == name:
        return known
    file, _ = SourceFile.objects.get_or_create(
        study=study,
        name=name[:300],
        sha256=known.sha256,
        status=SourceFile.Status.SAME,
        defaults={"size": 0, "kind": known.kind, "reason": f"The same content as {known.name}."},
    )
    return file


def brief_is_due(study: Study) -> None:
    """What all files come to is to be made anew, once every one of them is read."""
    due = {"status": HandoverBrief.Status.QUEUED, "attempt": 0, "queued_at": timezone.now()}
    HandoverBrief.objects.update_or_create(study=study, defaults=due)


def add_paths(study: Study, paths: Iterable[Path]) -> list[SourceFile]:
    """Take in files from disk, by their names. Raises InterviewError, and OSError."""
    return [add(study, path.name, path.read_bytes()) for path in paths]


def repeat(file: SourceFile) -> None:
    """Analyse a file anew that was read; one that failed, or one that is done."""
    with transaction.atomic():
        found = SourceFile.objects.select_for_update().get(pk=file.pk)
        if found.passages_in_all is None and found.content is None:
            raise _refused(f"{found.name} could not be read: upload it again.")
        SourceFinding.objects.filter(file=found).delete()
        SourceFile.objects.filter(pk=found.pk).update(
            status=SourceFile.Status.QUEUED, reason="", dived=0, dropped=0, attempt=0
        )
        brief_is_due(found.study)
        dispatch.enqueue_task(dispatch.READ_FILE, found.pk)


def erase(study: Study, file_ids: Iterable[UUID | str]) -> int:
    """Erase files with passages, vectors, findings, and the questions that rest on them alone.

    What all files came to is made anew of those that are left. Returns how many files went.
    """
    with transaction.atomic():
        files = SourceFile.objects.filter(study=study, pk__in=list(file_ids))
        names = set(files.values_list("name", flat=True))
        gone, _ = files.delete()
        if not gone:
            return 0
        _forget(study, names)
        brief_is_due(study)
        emptied = {"summary": "", "corpus": "", "names": [], "files": []}
        HandoverBrief.objects.filter(study=study).update(**emptied)
        dispatch.enqueue_task(dispatch.RECONCILE, study.pk)
    return len(names)


def _forget(study: Study, names: set[str]) -> None:
    """Take the quotes of files that are gone out of the backlog, and questions of theirs alone."""
    for question in BacklogQuestion.objects.filter(study=study):
        left = [place for place in question.reference if place["file"] not in names]
        if len(left) == len(question.reference):
            continue
        if left and not any(name in question.text for name in names):
            question.reference = left
            question.save(update_fields=["reference"])
        else:
            question.delete()


def _refused(message: str) -> InterviewError:
    return InterviewError(ErrorCode.FILE_REFUSED, message)
