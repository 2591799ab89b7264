"""What the page of a handover's files shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from interviews.models import BacklogQuestion, HandoverBrief, SourceFile, SourceFinding, Study
from interviews.modes.handover.store import open_of

MOST_FINDINGS = 300
_FIRST = {"contradiction": 0, "gap": 1, "threshold": 2, "formula": 3, "constant": 4, "decision": 5}
_WAITING = (SourceFile.Status.QUEUED, SourceFile.Status.WORKING)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """A file and how far it is; `percent` is None before it is known how much there is."""

    file: SourceFile
    state: str
    percent: int | None
    waits: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRow:
    """A question and what became of it in files and interviews."""

    question: BacklogQuestion
    state: str


def files_page(study: Study) -> dict[str, Any]:
    """Files, findings, summary and backlog of a study."""
    rows = [_row(file) for file in SourceFile.objects.filter(study=study).defer("content")]
    brief = HandoverBrief.objects.filter(study=study).first()
    comparing = brief is not None and brief.status in _WAITING and bool(rows)
    findings = SourceFinding.objects.filter(file__study=study).exclude(kind="artefact")
    shown = sorted(findings.select_related("file"), key=lambda f: (_FIRST.get(f.kind, 9), f.pk))
    return {
        "rows": rows,
        "waits": comparing or any(row.waits for row in rows),
        "comparing": comparing,
        "brief": brief,
        "findings": shown[:MOST_FINDINGS],
        "findings_in_all": len(shown),
        "questions": list(_questions(study)),
        "priorities": BacklogQuestion.Priority.values,
    }


def _row(file: SourceFile) -> FileRow:
    waits = file.status in _WAITING
    percent = None
    if waits and file.passages_in_all:
        percent = round(100 * file.dived / file.passages_in_all)
    states = {
        SourceFile.Status.QUEUED: "waits to be read",
        SourceFile.Status.WORKING: "is analysed" if percent is not None else "is read",
        SourceFile.Status.DONE: "read",
        SourceFile.Status.UNREADABLE: "not read",
        SourceFile.Status.SAME: "listed only",
        SourceFile.Status.FAILED: "read, not analysed",
    }
    state = states[SourceFile.Status(file.status)]
    return FileRow(file=file, state=state, percent=percent, waits=waits)


def _questions(study: Study) -> Iterator[QuestionRow]:
    still = set(open_of(str(study.pk)).values_list("pk", flat=True))
    for question in BacklogQuestion.objects.filter(study=study):
        if question.pk in still:
            state = "open"
        elif question.status == BacklogQuestion.Status.OPEN:
            state = "answered in an interview"
        else:
            state = question.status.replace("_", " ").lower()
        yield QuestionRow(question=question, state=state)
