"""Studies, their files, the library and simulations over the API; and what is no good request."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from interviews.models import AuditEntry, Invitation, Study, StudyRevision, Team, Trial
from methodologies.models import ConceptVersion
from tests.factories import (
    CONCEPT,
    ConceptVersionFactory,
    MethodologyVersionFactory,
    PersonaVersionFactory,
    StudyFactory,
    somebody,
)
from tests.programs import Programs, problem

pytestmark = pytest.mark.django_db
TOLD = {
    "researcher": "Ana",
    "contact": "ana@example.org",
    "research_purpose": "To learn.",
    "retention": "A year.",
    "withdrawal": "Write to us.",
}


def new_study() -> dict[str, Any]:
    concept, methodology = ConceptVersionFactory.create(), MethodologyVersionFactory.create()
    return {
        "slug": "jackets",
        "name": "Jackets",
        "concept": f"{concept.document.name}@{concept.number}",
        "methodology": methodology.document.name,
        **TOLD,
    }


def test_a_study_is_made_opened_changed_and_closed(program: Programs, person: User) -> None:
    manager = program("manage")
    body = new_study()
    made = manager.post("/api/studies/", body)
    assert made.status_code == 201, made.json()
    one = made["Location"]
    told = made.json()
    assert (told["status"], told["concept"], told["team"]) == ("draft", body["concept"], "Default")
    assert told["methodology"].startswith("small_ladder@")
    assert AuditEntry.objects.filter(by=person.username, action="created").exists()
    live = manager.post(f"{one}status/", {"status": "live"})
    assert live.json()["status"] == "live", live.json()
    etag = manager.get(one)["ETag"]
    changed = manager.patch(one, {"quota": 5}, If_Match=etag)
    assert changed.json()["quota"] == 5
    problem(manager.patch(one, {"quota": 6}, If_Match=etag), 412, "changed_since", "If-Match")
    problem(manager.patch(one, {"consent_text": "New."}), 409, "study_frozen")
    revised = manager.patch(one, {"consent_text": "New.", "new_revision": True})
    assert revised.json()["consent_text"] == "New."
    revisions = manager.get(f"{one}revisions/").json()["results"]
    assert [revision["number"] for revision in revisions] == [2, 1]
    assert manager.get(f"{one}revisions/2/").json()["data"]["consent_text"] == "New."
    problem(manager.get(f"{one}revisions/9/"), 404, "not_found")
    problem(manager.post(f"{one}status/", {"status": "archived"}), 422, "study_invalid")
    assert manager.post(f"{one}status/", {"status": "closed"}).json()["status"] == "closed"


def test_what_is_wrong_with_a_study_is_said_by_field_and_nothing_is_kept(
    program: Programs,
) -> None:
    manager = program("manage")
    body = new_study()
    for wrong, code, field in (
        ({"slug": "no slug"}, "invalid", "slug"),
        ({"slug": ""}, "blank", "slug"),
        ({"mode": "none"}, "study_invalid", "mode"),
        ({"concept": "none"}, "unknown_document", "concept"),
        ({"concept": "rain_jacket@99"}, "unknown_document", "concept"),
        ({"max_turns": 2}, "min_value", "max_turns"),
        ({"max_turns": "many"}, "invalid", "max_turns"),
        ({"language": "xx"}, "study_invalid", "language"),
        ({"data_fields": [{"key": "a", "type": "b"}]}, "study_invalid", "data_fields"),
        ({"llm_choice": {"generation": 5}}, "study_invalid", "llm_choice"),
        ({"redirect_url": "http://example.org"}, "invalid", "redirect_url"),
        ({"team": "Other"}, "invalid", "team"),
    ):
        answer = manager.post("/api/studies/", body | wrong)
        assert answer.status_code == 422, (wrong, answer.json())
        problem(answer, 422, code, field)
    assert not Study.objects.exists()
    manager.post("/api/studies/", body)
    problem(manager.post("/api/studies/", body), 422, "study_invalid", "slug")
    lacks = StudyFactory.create(researcher="")
    answer = manager.post(f"/api/studies/{lacks.slug}/status/", {"status": "live"})
    assert "researcher" in problem(answer, 409, "study_incomplete")
    assert not StudyRevision.objects.exists()


def test_a_study_goes_out_and_comes_in_as_a_file(program: Programs) -> None:
    manager = program("manage")
    manager.post("/api/studies/", new_study())
    text = manager.get("/api/studies/jackets/file/").content.decode()
    assert manager.get("/api/studies/jackets/file/")["Content-Type"].startswith("application/yaml")
    copy = text.replace("slug: jackets", "slug: coats")
    taken = manager.post("/api/study-files/", {"text": copy})
    assert taken.status_code == 201, taken.json()
    assert manager.get("/api/studies/coats/file/").content.decode() == copy
    for wrong in (
        "kind: study\nslug: x",
        "a: [",
        copy.replace("slug: coats", "slug: more") + "files: [/etc/passwd]\n",
        "kind: study\nslug: x\nname: X\nmethodology: ../../etc/x.yaml\nconcept: rain_jacket\n",
    ):
        problem(manager.post("/api/study-files/", {"text": wrong}), 422, "invalid", "text")
    elsewhere = somebody("researcher", Team.objects.create(name="Other"))
    stolen = program("manage", of=elsewhere).post("/api/study-files/", {"text": copy})
    assert "already" in problem(stolen, 422, "invalid", "text")
    assert set(Study.objects.values_list("slug", flat=True)) == {"jackets", "coats"}


def test_links_are_made_and_taken_back(program: Programs) -> None:
    study = StudyFactory.create()
    holder = program("collect")
    links = f"/api/studies/{study.slug}/invitations/"
    made = holder.post(links, {"note": "Ana", "expires_at": "2999-01-01T00:00:00Z"})
    assert made.status_code == 201
    assert "/i/" in made.json()["link"]
    assert holder.get(made["Location"]).json() == made.json()
    over = holder.post(links, {"expires_at": "2020-01-01T00:00:00Z"})
    problem(over, 422, "invalid", "expires_at")
    assert holder.delete(made["Location"]).status_code == 204
    assert Invitation.objects.get().revoked_at is not None
    [row] = holder.get(links).json()["results"]
    assert row["revoked_at"] is not None


def test_the_library_is_read_and_added_to(program: Programs) -> None:
    version = ConceptVersionFactory.create()
    manager = program("manage")
    assert [row["name"] for row in manager.get("/api/concepts/").json()["results"]] == [
        "rain_jacket"
    ]
    elements = [
        {"id": "seams", "label": "Taped seams", "aliases": ["welded seams"]},
        {"id": "hood", "label": "The hood"},
    ]
    text = json.dumps(CONCEPT | {"elements": elements})
    made = manager.post("/api/concepts/", {"text": text, "note": "Elements"})
    assert made.status_code == 201, made.json()
    assert made.json()["number"] == version.number + 1
    assert manager.get("/api/concepts/rain_jacket/").json()["text"] == text
    older = manager.get(f"/api/concepts/rain_jacket/?version={version.number}").json()
    assert older["parsed"]["id"] == "rain_jacket"
    assert len(manager.get("/api/concepts/rain_jacket/versions/").json()["results"]) == 2
    [seams, hood] = manager.get("/api/concepts/rain_jacket/elements/").json()["results"]
    assert (seams["aliases"], hood["aliases"]) == (["welded seams"], [])
    broken = manager.post("/api/concepts/", {"text": "id: x\nname: ["})
    assert "text:" in problem(broken, 422, "invalid", "text")
    problem(manager.get("/api/concepts/none/"), 404, "not_found")
    problem(manager.get("/api/concepts/rain_jacket/?version=x"), 400, "invalid", "version")
    problem(program("manage", of=somebody("analyst")).post("/api/concepts/", {}), 403, "forbidden")
    assert ConceptVersion.objects.count() == 2


def test_a_persona_is_asked_to_hold_an_interview(program: Programs) -> None:
    PersonaVersionFactory.create()
    unknown = StudyFactory.create()
    known = StudyFactory.create(
        concept_version=ConceptVersionFactory.create(document__name="hiking_backpacks")
    )
    manager = program("manage")
    body = {"study": known.slug, "persona": "calm", "turns": 3}
    made = manager.post("/api/simulations/", body)
    assert (made.status_code, made.json()["status"]) == (202, "waiting")
    assert made.json()["persona"].startswith("calm@")
    assert manager.get(made["Location"]).json() == made.json()
    none = manager.post("/api/simulations/", body | {"study": unknown.slug})
    assert "No persona knows this concept" in problem(none, 409, "study_incomplete")
    problem(manager.post("/api/simulations/", body | {"turns": 99}), 422, "max_value", "turns")
    unheard = manager.post("/api/simulations/", body | {"persona": "none"})
    problem(unheard, 422, "unknown_document", "persona")
    assert Trial.objects.count() == 1


def test_bodies_that_are_no_requests_are_problems(program: Programs) -> None:
    manager = program("manage")
    there = "/api/studies/"
    for body, status, code in (
        ("{", 400, "parse_error"),
        ("[1]", 422, "not_an_object"),
        ('"text"', 422, "not_an_object"),
        ('{"name": NaN}', 400, "parse_error"),
        ('{"name": "a\\u0000"}', 400, "parse_error"),
        ('{"name": "\\ud800"}', 400, "parse_error"),
        (b"\xff\xfe{}", 400, "parse_error"),
        ("[" * 100_000, 400, "parse_error"),
        ('{"a":' * 60 + "1" + "}" * 60, 400, "parse_error"),
        ('{"name": "' + "x" * 10_000_000 + '"}', 413, "too_large"),
    ):
        problem(manager.post(there, body), status, code)
    form = manager.client.post(there, {"name": "x"}, headers=manager.headers)
    problem(form, 415, "unsupported_media_type")
    problem(manager.client.put(there, headers=manager.headers), 405, "method_not_allowed")
    assert not Study.objects.exists()
