"""Files of a study: taken in, read, analysed once, repeated, erased."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from interviews.errors import InterviewError
from interviews.ingest.limits import FILE_BYTES
from interviews.models import (
    BacklogQuestion,
    HandoverBrief,
    LLMCall,
    SourceFile,
    SourceFinding,
    SourcePassage,
    SourceVector,
    Study,
)
from interviews.sources import files, work
from interviews.sources.lease import MAX_CLAIMS, Superseded, claim
from tests import ingest_files
from tests.integration.handover.conftest import EXAMPLE, killed_at

pytestmark = pytest.mark.django_db

NOTES = b"""# Rules

The seat limit is 40 because the fire office said so.

## Shifts

The shift length is 6 hours.
"""
CODE = b"SEAT_LIMIT = 45\n\n\ndef load(seats, open_seats):\n    return seats * 1.1 / open_seats\n"


def prepared(*arguments: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("handover", "prepare", *arguments, "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def snapshot(study: Study) -> list[Any]:
    return [
        list(SourceFile.objects.filter(study=study).values_list("name", "status", "dived")),
        list(SourcePassage.objects.filter(file__study=study).values_list("text", flat=True)),
        SourceVector.objects.filter(study=study).count(),
        list(
            SourceFinding.objects.filter(file__study=study)
            .order_by("file__name", "kind", "name")
            .values_list("kind", "name", "value", "place")
        ),
        list(BacklogQuestion.objects.filter(study=study).values_list("question_id", "text")),
    ]


def test_the_example_is_read_with_places_contradictions_and_questions() -> None:
    found = prepared(str(EXAMPLE))
    assert [(file["name"], file["status"]) for file in found["files"]] == [
        ("loss_model.xlsx", "done"),
        ("fit_curves.py", "done"),
        ("weekly_run.py", "done"),
        ("notes.md", "done"),
        ("history.csv", "done"),
    ]
    places = {(f["file"], f["name"], f["value"]): f["place"] for f in found["findings"]}
    assert places["loss_model.xlsx", "Loss threshold", "0.3"] == "Params!B4"
    assert places["fit_curves.py", "HISTORY_QUARTERS", "4"] == "line 9"
    first = found["question_backlog"][0]
    assert first["priority"] == "P0"
    assert first["origin"] == "GLOBAL"
    assert {place["file"] for place in first["reference"]} == {
        "loss_model.xlsx",
        "fit_curves.py",
        "notes.md",
    }
    assert 0 < len(found["summary"].split()) <= 400
    assert all(f["quote"] for f in found["findings"])


def test_a_second_preparation_changes_nothing_and_asks_nobody(example: Study) -> None:
    work.prepare(example)
    before, calls = snapshot(example), LLMCall.objects.count()
    assert calls > 0
    prepared(str(EXAMPLE))
    assert snapshot(example) == before
    assert LLMCall.objects.count() == calls


def test_what_cannot_be_read_is_listed_with_the_reason_and_stops_nothing(study: Study) -> None:
    files.add(study, "notes.md", NOTES)
    files.add(study, "secret.pdf", ingest_files.pdf("x", password="p"))
    files.add(study, "bomb.zip", ingest_files.BOMBS["ratio"][1]())
    files.add(study, "empty.txt", b"")
    found = prepared(study.slug)
    status = {file["name"]: (file["status"], file["reason"]) for file in found["files"]}
    assert status["notes.md"][0] == "done"
    assert status["secret.pdf"] == (
        "unreadable",
        "The PDF is protected by a password. Upload it without one.",
    )
    assert status["bomb.zip"][1] == "The archive unpacks to more than 100 times its size."
    assert status["empty.txt"][1] == "The file is empty."


def test_no_file_read_is_exit_code_one(study: Study) -> None:
    files.add(study, "empty.txt", b"")
    with pytest.raises(CommandError) as failed:
        call_command("handover", "prepare", study.slug, stdout=io.StringIO())
    assert failed.value.returncode == 1


def test_the_same_content_is_read_once_and_listed(study: Study) -> None:
    files.add(study, "notes.md", NOTES)
    again = files.add(study, "copy.md", NOTES)
    assert (again.status, again.reason) == ("same", "The same content as notes.md.")
    work.prepare(study)
    assert SourcePassage.objects.filter(file__study=study).values("file").distinct().count() == 1


def test_a_zip_is_read_file_by_file(study: Study) -> None:
    content = ingest_files.archive({"a/notes.md": NOTES, "b/load.py": CODE})
    files.add(study, "all.zip", content)
    work.prepare(study)
    found = SourceFile.objects.filter(study=study).values_list("name", "kind", "status")
    assert set(found) == {
        ("all.zip", "zip", "done"),
        ("all.zip/a/notes.md", "markdown", "done"),
        ("all.zip/b/load.py", "code", "done"),
    }


def test_a_file_that_is_too_large_is_refused_before_it_is_stored(study: Study) -> None:
    with pytest.raises(InterviewError, match="larger than 25 MB"):
        files.add(study, "large.txt", b"x" * (FILE_BYTES + 1))
    assert not SourceFile.objects.exists()


def test_the_content_is_gone_once_it_is_read(study: Study) -> None:
    file = files.add(study, "notes.md", NOTES)
    work.prepare(study)
    file.refresh_from_db()
    assert file.content is None


def test_a_worker_killed_between_any_two_steps_repeats_nothing(study: Study) -> None:
    files.add(study, "notes.md", NOTES)
    files.add(study, "load.py", CODE)
    work.prepare(study)
    whole = snapshot(study)
    assert any(kind == "contradiction" for kind, *_ in whole[3])
    for statement in range(1, 400):
        SourceFile.objects.filter(study=study).delete()
        HandoverBrief.objects.filter(study=study).delete()
        BacklogQuestion.objects.filter(study=study).delete()
        files.add(study, "notes.md", NOTES)
        files.add(study, "load.py", CODE)
        if not killed_at(statement, lambda: work.prepare(study)):
            break
        late = timezone.now() - timedelta(seconds=1)
        SourceFile.objects.filter(status="working").update(lease_until=late)
        HandoverBrief.objects.filter(status="working").update(lease_until=late)
        for _ in range(3):
            for pk in SourceFile.objects.filter(study=study).values_list("pk", flat=True):
                work.work_on_file(pk)
            work.work_on_brief(study.pk)
        assert snapshot(study) == whole, statement
    assert statement > 20


def test_a_late_worker_writes_nothing(study: Study) -> None:
    file = files.add(study, "notes.md", NOTES)
    held = claim(SourceFile, file.pk)
    assert held is not None
    SourceFile.objects.filter(pk=file.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    work.work_on_file(file.pk)
    before = snapshot(study)
    with pytest.raises(Superseded):
        held.advance(purpose="mine")
    assert snapshot(study) == before


def test_the_sweeper_rings_for_what_nobody_is_at(study: Study) -> None:
    file = files.add(study, "notes.md", NOTES)
    assert work.sweep() == 0
    long_ago = timezone.now() - timedelta(minutes=5)
    SourceFile.objects.filter(pk=file.pk).update(queued_at=long_ago)
    assert work.sweep() == 1
    SourceFile.objects.filter(pk=file.pk).update(
        status="working", lease_until=long_ago, attempt=MAX_CLAIMS
    )
    assert work.sweep() == 0
    file.refresh_from_db()
    assert file.status == "failed"


def test_erasing_a_file_takes_passages_vectors_findings_and_its_questions(study: Study) -> None:
    notes, code = files.add(study, "notes.md", NOTES), files.add(study, "load.py", CODE)
    work.prepare(study)
    assert files.erase(study, [notes.pk]) == 1
    work.prepare(study)
    assert set(SourceFinding.objects.values_list("file_id", flat=True)) == {code.pk}
    assert SourceVector.objects.count() == SourcePassage.objects.filter(file=code).count()
    texts = " ".join(BacklogQuestion.objects.values_list("text", flat=True))
    assert "notes.md" not in texts
    assert "load.py" in texts
    assert "notes.md" not in json.dumps(list(BacklogQuestion.objects.values_list("reference")))


def test_a_question_that_was_edited_or_dropped_stays_as_it_is(study: Study) -> None:
    file = files.add(study, "load.py", CODE)
    work.prepare(study)
    question = BacklogQuestion.objects.filter(study=study).first()
    assert question is not None
    BacklogQuestion.objects.filter(pk=question.pk).update(
        text="Mine?", status="DROPPED", edited=True
    )
    files.repeat(file)
    work.prepare(study)
    question.refresh_from_db()
    assert (question.text, question.status) == ("Mine?", "DROPPED")
