"""The team lead's files page and the successor's Ask page."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from interviews.models import AuditEntry, BacklogQuestion, SourceFile, Study
from interviews.sources import work
from tests.factories import analyst, researcher

pytestmark = pytest.mark.django_db
NOTES = (
    b"# Rules\n\nThe seat limit is 40 because the fire office said so. <script>alert(1)</script>\n"
)
SIGNED_IN = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def lead(client: Client) -> Client:
    client.force_login(researcher(), SIGNED_IN)
    return client


def address(name: str, study: Study, *more: Any) -> str:
    return reverse(f"analytics:handover_{name}", args=[study.slug, *more])


def uploaded(client: Client, study: Study) -> SourceFile:
    content = [SimpleUploadedFile("notes.md", NOTES), SimpleUploadedFile("empty.txt", b"")]
    answer = client.post(address("files", study), {"files": content})
    assert answer.status_code == 302
    return SourceFile.objects.get(study=study, name="notes.md")


def test_a_team_lead_uploads_files_and_sees_what_became_of_them(lead: Client, study: Study) -> None:
    uploaded(lead, study)
    waiting = lead.get(address("files", study)).content.decode()
    assert "waits to be read" in waiting
    assert 'http-equiv="refresh"' in waiting
    work.prepare(study)
    page = lead.get(address("files", study)).content.decode()
    assert "The file is empty." in page
    assert "seat limit" in page
    assert 'http-equiv="refresh"' not in page
    assert "<script>alert" not in page
    assert AuditEntry.objects.filter(study_id=study.pk, fields=["files"]).exists()


def test_the_backlog_is_edited_dropped_and_added_to(lead: Client, study: Study) -> None:
    uploaded(lead, study)
    work.prepare(study)
    question = BacklogQuestion.objects.filter(study=study).first()
    assert question is not None
    lead.post(
        address("backlog", study),
        {"question": question.question_id, "text": "Mine?", "priority": "P1", "dropped": "on"},
    )
    question.refresh_from_db()
    assert (question.text, question.priority, question.status) == ("Mine?", "P1", "DROPPED")
    lead.post(address("backlog", study), {"text": "Who else knows?", "priority": "P0"})
    added = BacklogQuestion.objects.get(study=study, text="Who else knows?")
    assert (added.priority, added.edited) == ("P0", True)
    page = lead.post(address("backlog", study), {"text": " ", "priority": "P0"}, follow=True)
    assert "A question has between 1 and 500 characters." in page.content.decode()


def test_a_file_is_analysed_again_and_erased(lead: Client, study: Study) -> None:
    file = uploaded(lead, study)
    work.prepare(study)
    lead.post(address("file", study, file.pk), {"repeat": ""})
    file.refresh_from_db()
    assert file.status == "queued"
    lead.post(address("file", study, file.pk), {"erase": ""})
    assert not SourceFile.objects.filter(pk=file.pk).exists()


def test_a_successor_asks_and_opens_the_place_and_changes_nothing(
    client: Client, lead: Client, study: Study
) -> None:
    file = uploaded(lead, study)
    work.prepare(study)
    client.force_login(analyst(), SIGNED_IN)
    page = client.get(address("ask", study), {"q": "What is the seat limit?"}).content.decode()
    passage = file.passages.get(text__contains="seat limit")
    assert address("passage", study, passage.pk) in page
    assert "because the fire office said so" in page
    missing = client.get(address("ask", study), {"q": "Who won the cup?"}).content.decode()
    assert "This is not in the material." in missing
    opened = client.get(address("passage", study, passage.pk)).content.decode()
    assert "&lt;script&gt;" in opened
    assert client.post(address("files", study), {}).status_code == 403
    assert client.post(address("backlog", study), {"text": "x"}).status_code == 403
    for name, kind in (("md", "text/markdown"), ("pdf", "application/pdf")):
        answer = client.get(address("package", study, name))
        assert answer["Content-Type"].startswith(kind)
    assert client.get(address("package", study, "exe")).status_code == 404


def test_files_come_by_the_api_too(client: Client, study: Study) -> None:
    path = f"/api/studies/{study.slug}/files"
    content = {"files": [SimpleUploadedFile("notes.md", NOTES)]}
    assert client.post(path, content).status_code == 401
    client.force_login(analyst(), SIGNED_IN)
    assert client.post(path, content).status_code == 403
    client.force_login(researcher(), SIGNED_IN)
    taken = client.post(path, {"files": [SimpleUploadedFile("notes.md", NOTES)]})
    assert taken.status_code == 202
    assert [(f["name"], f["status"]) for f in taken.json()["files"]] == [("notes.md", "queued")]
    work.prepare(study)
    assert client.get(path).json()["files"][0]["status"] == "done"
    large = SimpleUploadedFile("large.txt", b"x" * (25 * 1024 * 1024 + 1))
    refused = client.post(path, {"files": [large]})
    assert (refused.status_code, refused.json()["refused"][0]["name"]) == (422, "large.txt")


def test_another_study_has_no_such_pages(lead: Client, study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(mode="exploratory")
    assert lead.get(address("files", study)).status_code == 404
