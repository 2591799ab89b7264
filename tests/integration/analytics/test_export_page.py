"""The page of exports, and large files that a worker writes."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from analytics import export_files
from analytics.exports.source import ExportOptions
from analytics.inclusion import DEFAULT
from analytics.models import ExportFile, ExportPiece
from interviews import vault
from interviews.models import AuditEntry, Session, Study
from tests.factories import (
    SessionFactory,
    StudyFactory,
    UtteranceFactory,
    researcher,
    small_interview,
)

pytestmark = pytest.mark.django_db
FIELDS = [
    {"key": "country", "type": "choice", "options": ["Italy", "Spain"]},
    {"key": "who", "type": "name"},
]


@pytest.fixture
def study() -> Study:
    study = StudyFactory.create(data_fields=FIELDS)
    session = small_interview(study=study, segments={"country": "Italy"})
    vault.keep(session.pk, {"who": "Ada Byron"})
    SessionFactory.create(study=study, simulated=True)
    return study


def sent(response: Any) -> bytes:
    return b"".join(response.streaming_content)


def test_the_page_leads_to_a_file_of_what_was_chosen(reader: Client, study: Study) -> None:
    address = reverse("analytics:export", args=[study.slug])
    page = reader.get(address).content.decode()
    for name in ("csv", "xlsx", "json", "jsonl", "sav", "graphml", "qdpx", "md"):
        assert f'value="{name}"' in page
    assert 'name="where.country"' in page
    assert 'name="where.who"' not in page
    assert 'name="personal"' not in page
    chosen = {"format": "json", "include": "simulated", "where.country": "", "trace": "1"}
    response: Any = reader.post(address, chosen, follow=True)
    document = json.loads(sent(response))
    assert len(document["sessions"]) == 2
    assert document["options"] == ["trace"]
    assert AuditEntry.objects.get(action="exported").fields == ["json", "trace"]
    response = reader.post(address, {"format": "json", "where.country": "Italy"}, follow=True)
    assert json.loads(sent(response))["filter"] == {"where": ["country=Italy"]}


def test_what_is_wrong_is_named_and_stays_chosen(reader: Client, study: Study) -> None:
    address = reverse("analytics:export", args=[study.slug])
    for chosen, told in [
        ({"format": "pdf"}, "format: choose one"),
        ({"format": "md", "from": "soon"}, "from: &#x27;soon&#x27; is not a day"),
        ({"format": "md", "status": "abandoned"}, "status: nothing is left"),
        ({"format": "md", "revision": "4"}, "revision: the study has no revision 4"),
    ]:
        response = reader.post(address, chosen)
        assert response.status_code == 400
        assert told in response.content.decode()
    assert (
        "<option selected>Spain"
        in reader.post(address, {"format": "md", "where.country": "Spain"}).content.decode()
    )
    wrong = reader.get(reverse("analytics:study_export", args=[study.slug, "md"]) + "?status=done")
    assert wrong.status_code == 400
    assert wrong.content.startswith(b"status: 'done' is none of active")


def test_personal_data_takes_its_right(reader: Client, study: Study) -> None:
    address = reverse("analytics:study_export", args=[study.slug, "json"]) + "?personal=1"
    assert reader.get(address).status_code == 403
    user = User.objects.get(pk=reader.session["_auth_user_id"])
    user.user_permissions.add(Permission.objects.get(codename="export_personalvalue"))
    assert b"Ada Byron" in sent(reader.get(address))
    assert reader.get(address + "&pseudonymise=1").status_code == 400
    assert (
        'name="personal"'
        in reader.get(reverse("analytics:export", args=[study.slug])).content.decode()
    )


def test_a_large_file_is_written_beside_the_page_and_kept_for_a_day(
    reader: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analytics.export_views.MOST_AT_ONCE", 0)
    monkeypatch.setattr("analytics.export_files.PIECE_BYTES", 1000)
    address = reverse("analytics:export", args=[study.slug])
    response: Any = reader.post(address, {"format": "json", "pseudonymise": "1"})
    file = ExportFile.objects.get()
    assert response.url == reverse("analytics:export_file", args=[file.pk])
    assert "0 of 1 interviews are written" in reader.get(response.url).content.decode()
    link = reverse("analytics:export_content", args=[file.pk])
    assert reader.get(link).status_code == 404
    export_files.write(file.pk)
    export_files.write(file.pk)
    file.refresh_from_db()
    assert (file.status, file.done, file.total) == ("done", 1, 1)
    assert ExportPiece.objects.filter(file=file).count() > 2
    assert link in reader.get(response.url).content.decode()
    found = reader.get(link)
    data = sent(found)
    assert len(data) == file.size
    assert json.loads(data)["options"] == ["pseudonymise"]
    assert f'filename="{study.slug}.json"' in found["Content-Disposition"]
    export_files.sweep()
    assert ExportFile.objects.exists()
    large: Any = reader.get(reverse("analytics:study_export", args=[study.slug, "json"]))
    assert large.url == address + "?format=json"
    ExportFile.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert reader.get(link).status_code == 404
    export_files.sweep()
    assert not ExportPiece.objects.exists()


def test_a_file_that_cannot_be_written_says_so(study: Study) -> None:
    user = researcher()
    file = export_files.ask_for(study, "md", DEFAULT, ExportOptions(), by=user)
    Session.objects.all().delete()
    SessionFactory.create(study=study, simulated=True)
    export_files.write(file.pk)
    file.refresh_from_db()
    assert file.status == "failed"
    assert "nothing is left" in file.error


def test_a_file_whose_writer_died_is_begun_anew_and_given_up_after_three(study: Study) -> None:
    file = ExportFile.objects.create(
        study=study, made_by=researcher(), format_name="md", status="running", fence=1,
        lease_until=timezone.now() + timedelta(minutes=1), total=1,
        expires_at=timezone.now() + timedelta(hours=1),
    )  # fmt: skip
    export_files.write(file.pk)
    file.refresh_from_db()
    assert (file.status, file.fence) == ("running", 1)
    ExportFile.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    export_files.write(file.pk)
    file.refresh_from_db()
    assert (file.status, file.fence) == ("done", 2)
    late = timezone.now() - timedelta(seconds=1)
    ExportFile.objects.update(status="running", fence=3, lease_until=late)
    export_files.write(file.pk)
    file.refresh_from_db()
    assert (file.status, file.error) == ("failed", "It was begun three times.")


def test_whoever_was_overtaken_writes_nothing_more(study: Study) -> None:
    UtteranceFactory.create(session__study=study)
    file = export_files.ask_for(study, "md", DEFAULT, ExportOptions(), by=researcher())
    mine = export_files._claimed(file.pk)
    assert mine is not None
    ExportFile.objects.update(fence=9)
    with pytest.raises(export_files.Overtaken):
        export_files._written(mine)
    file.refresh_from_db()
    assert file.status == "running"


def test_the_bench_knows_every_format() -> None:
    from analytics.exports import formats
    from interviews.bench.export import FORMATS

    assert sorted(formats()) == sorted(FORMATS)
