"""What was made of a study's files, as scripts read it."""

from __future__ import annotations

from typing import Any

from interviews.models import BacklogQuestion, HandoverBrief, SourceFile, SourceFinding, Study
from interviews.modes.handover.store import backlog_entry

READ = (SourceFile.Status.DONE, SourceFile.Status.FAILED)


def prepared(study: Study) -> dict[str, Any]:
    """Files with what became of each, findings with their places, the summary, the backlog."""
    brief = HandoverBrief.objects.filter(study=study).first()
    findings = SourceFinding.objects.filter(file__study=study).select_related("file")
    return {
        "files": listed(study),
        "findings": [
            {
                "file": found.file.name,
                "kind": found.kind,
                "name": found.name,
                "value": found.value,
                "place": found.place,
                "quote": found.quote,
                "places": found.places,
            }
            for found in findings
        ],
        "summary": brief.summary if brief else "",
        "question_backlog": [
            backlog_entry(question) for question in BacklogQuestion.objects.filter(study=study)
        ],
    }


def was_read(study: Study) -> bool:
    """Whether at least one file of the study was read."""
    return SourceFile.objects.filter(study=study, status__in=READ).exists()


def listed(study: Study) -> list[dict[str, Any]]:
    """The files of a study, with what became of each."""
    return [
        {
            "name": file.name,
            "kind": file.kind,
            "status": file.status,
            "reason": file.reason,
            "passages": file.passages_in_all or 0,
            "purpose": file.purpose,
            "dropped": file.dropped,
        }
        for file in SourceFile.objects.filter(study=study).defer("content")
    ]
