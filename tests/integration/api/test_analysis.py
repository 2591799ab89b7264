"""What a study's interviews say together, over the API: the same numbers everywhere."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db.models.signals import post_save
from django.test import Client
from django.urls import reverse

from analytics import export_files
from graphs.models import KGEdge, KGNode, Theme
from interviews.models import Correction, Memo, Study, Team
from methodologies.registry import load_library
from tests.factories import analyst, small_interview, somebody
from tests.programs import Programs, problem
from tests.study_material import held, study_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    made = study_of(["a1>c1 c1>v1", "a1>c1 c1>v1 a2>c1", "a2>c2 c2>v1", "a1>c2", "a3>c1"])
    held(made, "a1>c1 c1>v1", number=6, against="c1", provenance="inferred")
    held(made, "a1>c1", number=8, simulated=True)
    return made


def printed(*command: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*command, "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def on_page(client: Client, study: Study, query: str) -> dict[str, Any]:
    client.force_login(analyst(), "django.contrib.auth.backends.ModelBackend")
    page = client.get(f"{reverse('analytics:study_map', args=[study.slug])}{query}")
    found = re.search(
        r'<script id="study-data" type="application/json">(.*?)</script>', page.content.decode()
    )
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


@pytest.mark.parametrize(
    ("query", "options"),
    [("", ()), ("?include=simulated&provenance=stated",
               ("--include", "simulated", "--provenance", "stated"))],
)  # fmt: skip
def test_page_api_command_and_export_say_the_same_numbers(
    study: Study,
    program: Programs,
    client: Client,
    tmp_path: Path,
    query: str,
    options: tuple[str, ...],
) -> None:
    asking = program("read")
    base = f"/api/studies/{study.slug}/"

    def read(what: str, more: str = "") -> dict[str, Any]:
        answer = asking.get(f"{base}{what}/{query}{more}")
        assert answer.status_code == 200, answer.json()
        assert answer["ETag"]
        found: dict[str, Any] = answer.json()
        return found

    themes, matrix, saturation = read("themes"), read("matrix"), read("saturation")
    second = f"{'&' if query else '?'}cutoff=2"
    drawn = read("map", second)
    said = matrix["filter"]
    assert [one.pop("filter") for one in (themes, saturation, drawn)] == [said] * 3
    assert themes.pop("version") == 0
    assert themes == printed("themes", study.slug, *options)
    assert matrix == printed("matrix", study.slug, *options)
    assert saturation == printed("saturation", study.slug, *options)
    assert drawn == printed("value_map", study.slug, "--cutoff", "2", *options)
    page = on_page(client, study, query)
    assert page["respondents"] == matrix["respondents"]
    names = ("source", "target", "direct", "indirect", "negative", "provenance")
    assert [{name: cell[name] for name in names} for cell in page["cells"]] == matrix["cells"]
    told = ("id", "name", "node_type", "level", "respondents", "mentions", "slots")
    assert [{name: one[name] for name in told} for one in page["themes"]] == matrix["themes"]
    taken = _taken(asking.get(f"{base}exports/csv/{query}"))
    assert taken == _taken_by_command(study, options, tmp_path)
    called = {one["id"]: one["name"] for one in matrix["themes"]}
    numbers = ("direct", "indirect", "negative")
    assert [row[:2] + row[4:7] for row in taken["matrix"][1:]] == [
        [called[c["source"]], called[c["target"]], *(str(c[name]) for name in numbers)]
        for c in matrix["cells"]
    ]
    assert [row[:2] + row[3:6] for row in taken["themes"][1:]] == [
        [
            one["name"],
            one["node_type"],
            *(str(one[n]) for n in ("respondents", "mentions", "slots")),
        ]
        for one in matrix["themes"]
    ]
    assert len(taken["sessions"]) == 1 + matrix["respondents"]


def _taken(answer: Any) -> dict[str, list[list[str]]]:
    assert answer.status_code == 200
    return _tables(b"".join(answer.streaming_content))


def _taken_by_command(study: Study, options: tuple[str, ...], folder: Path) -> Any:
    file = folder / "study.zip"
    call_command("export", study.slug, "--format", "csv", "--out", str(file), *options)
    return _tables(file.read_bytes())


def _tables(archive: bytes) -> dict[str, list[list[str]]]:
    with zipfile.ZipFile(BytesIO(archive)) as file:
        return {
            name: list(csv.reader(StringIO(file.read(f"{name}.csv").decode())))
            for name in ("matrix", "themes", "sessions")
        }


@pytest.mark.parametrize(
    ("what", "field"),
    [
        ("matrix/?count=word", "count"),
        ("matrix/?provenance=heard", "provenance"),
        ("themes/?include=trails", "include"),
        ("saturation/?from=yesterday", "from"),
        ("saturation/?where=pet=cat", "where"),
        ("map/?where=pet=%00", "where"),
        ("map/?cutoff=0", "cutoff"),
        ("map/?cutoff=99", "cutoff"),
        ("map/?cutoff=two", "cutoff"),
        ("exports/json/?status=finished", "status"),
        ("exports/json/?status=abandoned", "status"),
        ("memos/?about=weather", "about"),
        ("search/?text=%20", "text"),
        ("search/?text=rain&kind=memo", "kind"),
    ],
)
def test_what_is_wrong_in_a_query_is_named(
    study: Study, program: Programs, what: str, field: str
) -> None:
    answer = program("read").get(f"/api/studies/{study.slug}/{what}")
    assert (answer.status_code, answer.json()["field"]) == (400, field), answer.json()
    assert answer.json()["detail"]


def test_themes_are_changed_undone_and_guarded(study: Study, program: Programs) -> None:
    analysts, other = analyst(), program("manage", of=somebody("analyst"))
    writer = program("manage", of=analysts)
    base = f"/api/studies/{study.slug}/themes/"
    listed = writer.get(base).json()["themes"]
    by_name = {one["name"].removeprefix("theme ").removeprefix("theme_"): one["id"]
               for one in listed}  # fmt: skip
    assert set(by_name) >= {"a1", "a2", "c1"}
    merged = writer.post(
        base, {"act": "merge", "version": 0, "themes": [by_name["a1"], by_name["a2"]]}
    )
    assert merged.status_code == 200
    told = merged.json()
    assert told["version"] == 1
    assert told["themes"] == printed("themes", study.slug)["themes"]
    assert len(told["themes"]) == len(listed) - 1
    late = other.post(base, {"act": "rename", "version": 0, "theme": by_name["c1"], "name": "Dry"})
    problem(late, 409, "themes_outdated", "version")
    name = next(one["name"] for one in listed if one["id"] == by_name["a1"])
    assert late.json()["errors"][0]["detail"] == f"{analysts.username} merged “{name}”"
    one = writer.get(f"{base}{by_name['a1']}/").json()
    off = [slot["id"] for slot in one["slots"] if slot["name"] == "theme_a2"]
    assert off
    assert one["version"] == 1
    for body, field in (
        ({"act": "split", "version": 1, "theme": by_name["c1"], "slots": off}, "slots"),
        ({"act": "rename", "version": 1, "name": "Dry"}, "theme"),
        ({"act": "rename", "version": 1, "theme": by_name["c1"], "name": " "}, "name"),
        ({"act": "merge", "version": 1, "themes": [by_name["c1"]]}, "themes"),
        ({"act": "dance", "version": 1}, "act"),
        ({"act": "undo"}, "version"),
    ):
        refused = other.post(base, body)
        assert (refused.status_code, refused.json()["field"]) == (422, field), refused.json()
    split = {"act": "split", "version": 1, "theme": by_name["a1"], "slots": off, "name": "Pockets"}
    assert "Pockets" in {one["name"] for one in other.post(base, split).json()["themes"]}
    for version in (2, 3):
        assert other.post(base, {"act": "undo", "version": version}).status_code == 200
    problem(other.post(base, {"act": "undo", "version": 4}), 409, "themes_refused")
    assert other.post(base, {"act": "redo", "version": 4}).json()["version"] == 5
    problem(program("read").post(base, {"act": "undo", "version": 5}), 403, "scope_missing")
    stranger = program("manage", of=somebody("analyst", Team.objects.create(name="Far")))
    problem(stranger.get(base), 404, "not_found")
    assert Theme.objects.filter(study=study, pk=by_name["a1"]).exists()


def test_an_interview_is_corrected_undone_and_guarded(program: Programs) -> None:
    session = small_interview()
    fixing, late = program("manage", of=analyst()), program("manage")
    one = f"/api/sessions/{session.pk}/"
    base = f"{one}corrections/"
    graph = fixing.get(f"{one}graph/").json()
    nodes = {node["label"]: node for node in graph["nodes"]}
    dry, version = nodes["stay dry"], graph["version"]
    done = fixing.post(
        base,
        {"version": version, "act": "split", "node": dry["id"], "label": "dryness",
         "mentions": [dry["mentions"][1]["id"]]},
        Idempotency_Key="split",
    )  # fmt: skip
    assert done.status_code == 200, done.json()
    assert done.json()["told"] == "split “dryness” off “stay dry”"
    answer = fixing.get(f"{one}utterances/").json()["results"][1]
    added = {"act": "add_node", "utterance": answer["id"], "start": 0, "end": 3, "label": "tape",
             "node_type": "attribute"}  # fmt: skip
    after = done.json()["version"]
    assert fixing.post(base, {"version": after, **added}).status_code == 200
    outdated = late.post(
        base, {"version": version, "act": "rename", "node": dry["id"], "label": "x"}
    )
    problem(outdated, 409, "correction_outdated", "version")
    who = Correction.objects.latest("number").made_by
    assert [fault["detail"] for fault in outdated.json()["errors"]] == [
        f"{who} split “dryness” off “stay dry”",
        f"{who} added “tape” as attribute",
    ]
    link = str(KGEdge.objects.get(session=session, source__label="taped seams").pk)
    newest = Correction.objects.latest("number").graph_version
    for body, field in (
        ({"act": "reverse", "edge": link}, "edge"),
        ({"act": "retype", "node": dry["id"], "node_type": "mood"}, "node_type"),
        ({"act": "rename", "node": "x", "label": "y"}, "node"),
        ({"act": "rename", "node": dry["id"]}, "label"),
        ({"act": "rename", "node": dry["id"], "label": "y", "colour": "red"}, "colour"),
        ({"act": "dance"}, "act"),
        ({"act": "undo", "version": -1}, "version"),
    ):
        refused = late.post(base, {"version": newest, **body})
        assert (refused.status_code, refused.json()["field"]) == (422, field), refused.json()
    listed = late.get(f"{base}?page_size=1").json()
    assert [row["act"] for row in listed["results"]] == ["add_node"]
    assert [row["act"] for row in late.get(listed["next"]).json()["results"]] == ["split"]
    for _ in range(2):
        undone = late.post(base, {"version": newest, "act": "undo"})
        newest = undone.json()["version"]
        assert undone.json()["undone_by"]
    problem(late.post(base, {"version": newest, "act": "undo"}), 422, "edit_refused")
    labels = KGNode.objects.filter(session=session).values_list("label", flat=True)
    assert set(labels) == set(nodes)
    problem(program("collect").get(base), 403, "scope_missing")


def test_memos_are_written_changed_and_guarded(program: Programs) -> None:
    session = small_interview()
    writer, late = program("manage", of=analyst()), program("manage")
    base = f"/api/studies/{session.study.slug}/memos/"
    node = str(KGNode.objects.get(session=session, label="stay dry").pk)
    told = {"session": str(session.pk), "text": "Look here."}
    made = writer.post(base, {"about": "node", "target": node, **told}, Idempotency_Key="m")
    assert made.status_code == 201, made.json()
    assert made.json()["on"] == "the node “stay dry”".replace("“", "").replace("”", "")
    writer.post(base, {"about": "node", "target": node, **told}, Idempotency_Key="m")
    answer = writer.get(f"/api/sessions/{session.pk}/utterances/").json()["results"][1]["id"]
    quote = {"about": "quote", "target": answer, "words": "taped seams", **told}
    assert writer.post(base, quote).json()["on"] == "“taped seams”"
    assert Memo.objects.count() == 2
    one = made["Location"]
    changed = late.patch(one, {"text": "Look there.", "version": 1})
    assert (changed.json()["text"], changed.json()["version"]) == ("Look there.", 2)
    outdated = problem(
        writer.patch(one, {"text": "Mine.", "version": 1}), 409, "memo_outdated", "version"
    )
    assert "Look there." in outdated
    assert "Mine." in outdated
    for body, field in (
        ({"about": "node", "target": answer, **told}, "target"),
        ({"about": "weather", **told}, "about"),
        ({"about": "study", "text": " "}, "text"),
        ({"about": "session", "text": "x"}, "session"),
        (quote | {"words": "never said"}, "words"),
    ):
        refused = writer.post(base, body)
        assert (refused.status_code, refused.json()["field"]) == (422, field), refused.json()
    assert [m["about"] for m in late.get(f"{base}?about=quote").json()["results"]] == ["quote"]
    assert writer.get(one).json()["id"] == made.json()["id"]
    stranger = program("manage", of=somebody("analyst", Team.objects.create(name="Far")))
    problem(stranger.get(one), 404, "not_found")
    problem(stranger.delete(one), 404, "not_found")
    problem(program("read").delete(one), 403, "scope_missing")
    assert writer.delete(one).status_code == 204
    problem(writer.get(one), 404, "not_found")


def test_a_large_study_is_written_beside_the_request(
    study: Study, program: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = program("read")
    base = f"/api/studies/{study.slug}/exports/"
    small = b"".join(asking.get(f"{base}jsonl/?include=simulated").streaming_content)
    monkeypatch.setattr("analytics.api.exports.MOST_AT_ONCE", 2)
    problem(asking.get(f"{base}jsonl/"), 409, "too_many_interviews")
    no_such = problem(asking.post(f"{base}pdf/"), 404, "unknown_format", "format_name")
    assert "csv" in no_such
    problem(asking.post(f"{base}jsonl/?status=abandoned"), 400, "invalid", "status")
    personal = "/?personal=1&pseudonymise=1"
    problem(program("read").post(f"{base}jsonl{personal}"), 403, "forbidden")
    ordered = asking.post(f"{base}jsonl/?include=simulated", Idempotency_Key="large")
    assert ordered.status_code == 202
    one = ordered["Location"]
    assert asking.get(one).json()["status"] == "queued"
    problem(asking.get(f"{one}content/"), 404, "not_found")
    export_files.write(ordered.json()["id"])
    told = asking.get(one).json()
    assert (told["status"], told["done"], told["total"]) == ("done", 7, 7)
    large = b"".join(asking.get(told["content"]).streaming_content)
    assert large.count(b"\n") == small.count(b"\n")
    problem(program("read", of=analyst()).get(one), 403, "forbidden")


def test_an_export_comes_in_again_and_transcripts_are_read(program: Programs) -> None:
    session = small_interview()
    manager = program("manage")
    taken = manager.get(f"/api/studies/{session.study.slug}/exports/json/")
    export = b"".join(taken.streaming_content)

    def sent(name: str, data: bytes, **fields: str) -> Any:
        body = {"file": SimpleUploadedFile(name, data), **fields}
        return manager.client.post("/api/imports/", body, headers=manager.headers)

    done = sent("study.json", export, slug="again")
    assert done.status_code == 201, done.json()
    assert done.json() == {"study": "again", "sessions": 1, "nodes": 3, "edges": 2, "faults": []}
    assert manager.get("/api/studies/again/").status_code == 200
    before = Study.objects.count()
    for name, data, fields, field in (
        ("study.json", export, {"slug": "again"}, "study.slug"),
        ("study.json", export[: len(export) // 2], {"slug": "half"}, "file"),
        ("talk.csv", b"session,speaker,text\n1,respondent,Soft straps.\n", {}, "slug"),
        ("study.json", export, {"slug": "far", "team": "Far"}, "team"),
    ):
        refused = sent(name, data, **fields)
        assert (refused.status_code, refused.json()["field"]) == (422, field), refused.json()
    assert Study.objects.count() == before
    problem(manager.post("/api/imports/", {}), 415, "unsupported_media_type")
    analysts = program("manage", of=analyst())
    body = {"file": SimpleUploadedFile("study.json", export), "slug": "third"}
    problem(analysts.client.post("/api/imports/", body, headers=analysts.headers), 403, "forbidden")


@pytest.mark.parametrize("name", ["study.json", "talk.csv"])
def test_what_comes_in_belongs_to_its_team_from_the_first_moment(
    program: Programs, name: str
) -> None:
    session = small_interview()
    taken = program("manage").get(f"/api/studies/{session.study.slug}/exports/json/")
    export = b"".join(taken.streaming_content)
    talk = b"session,speaker,text\n1,interviewer,Why?\n1,respondent,It keeps me dry.\n"
    list(load_library())
    somebody_far = somebody("researcher", Team.objects.create(name="Far"))
    seen: set[str] = set()

    def note(instance: Study, **_: Any) -> None:
        seen.add(Study.objects.get(pk=instance.pk).team.name)

    post_save.connect(note, sender=Study)
    try:
        far = program("manage", of=somebody_far)
        body = {
            "file": SimpleUploadedFile(name, export if name.endswith("json") else talk),
            "slug": "far-away",
        }
        done = far.client.post("/api/imports/", body, headers=far.headers)
    finally:
        post_save.disconnect(note, sender=Study)
    assert (done.status_code, seen) == (201, {"Far"}), done.json()
