"""Exports through their addresses and on the command line."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from django.test import AsyncClient, Client
from django.urls import reverse

from analytics import exports
from analytics.exports import UnknownFormat, format_named, formats
from graphs.models import KGNode, Mention
from interviews.models import Session, Utterance
from tests.factories import (
    MentionFactory,
    NodeFactory,
    SessionFactory,
    UtteranceFactory,
    fresh_id,
    researcher,
    small_interview,
)

pytestmark = pytest.mark.django_db
TABLES = [
    *("sessions", "utterances", "turns", "nodes", "edges", "mentions", "canonical_links"),
    *("corrections", "link_provenance", "memos", "ratings", "reactions", "slots"),
    *("starred_quotes", "theme_members", "codebook", "about"),
]
FORMATS = ["csv", "graphml", "json", "jsonl", "md", "qdpx", "sav", "xlsx"]


def downloaded(reader: Client, name: str, *args: object) -> bytes:
    response: Any = reader.get(reverse(f"analytics:{name}", args=args))
    assert response.status_code == 200
    assert response.streaming
    return b"".join(response.streaming_content)


def tables(archive: bytes) -> dict[str, list[dict[str, str]]]:
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        assert file.testzip() is None
        return {
            name.removesuffix(".csv"): list(
                csv.DictReader(io.StringIO(file.read(name).decode("utf-8-sig"), newline=""))
            )
            for name in file.namelist()
        }


def test_the_formats_are_these() -> None:
    assert sorted(formats()) == FORMATS
    with pytest.raises(UnknownFormat, match="No export format is called 'pdf'; there are: csv, gr"):
        format_named("pdf")


def test_two_formats_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from analytics.exports import csv_archive

    monkeypatch.setattr(csv_archive, "NAME", "json")
    exports.formats.cache_clear()
    with pytest.raises(exports.DuplicateFormat, match="'json'"):
        formats()
    exports.formats.cache_clear()


def test_the_json_of_a_session_holds_everything(reader: Client) -> None:
    session = small_interview()
    document = json.loads(downloaded(reader, "session_export", session.pk, "json"))
    assert document["schema"] == "adaptive-interview/session"
    assert document["schema_version"] == 2
    assert document["about"]["interviews"] == "One interview, chosen by its id."
    assert document["session"]["id"] == str(session.pk)
    assert document["session"]["state"]["focus_history"][1]["label"] == "stay dry"
    assert document["session"]["methodology"]["name"] == "small_ladder"
    (methodology,) = [one for one in document["documents"] if one["kind"] == "methodology"]
    assert methodology["text"].startswith("{")
    counts = {key: len(value) for key, value in document.items() if isinstance(value, list)}
    assert counts == {
        "options": 0,
        "documents": 2,
        "revisions": 0,
        "plans": 0,
        "memos": 0,
        "themes": 2,
        "theme_acts": 0,
        "backlog": 0,
        "utterances": 4,
        "nodes": 3,
        "edges": 2,
        "mentions": 6,
        "slots": 2,
        "mappings": 2,
        "canonical_edges": 1,
        "turns": 3,
        "llm_calls": 1,
        "corrections": 0,
        "questions": 0,
        "facts": 0,
    }
    turn = document["turns"][1]
    assert turn["result"]["saturation"]["conversation"] == 0.0
    assert len(turn["result"]["nodes_added"]) == 2
    assert not {"evidence", "signals", "decomposition"} & turn.keys()
    assert document["canonical_edges"][0]["surface_edge_ids"] == [document["edges"][0]["id"]]
    assert document["summary"]["saturation"] == 0.5


def test_the_trace_of_each_choice_is_there_when_asked_for(tmp_path: Path) -> None:
    session = small_interview()
    out = tmp_path / "trace.json"
    call_command("export", str(session.pk), "--trace", "--out", str(out))
    turn = json.loads(out.read_text())["turns"][1]
    assert turn["decomposition"][0]["final"] == 0.7
    assert turn["node_signals"] == {turn["focus_node_id"]: {"graph.node.exhausted": False}}
    assert turn["signals"]["llm.engagement"] == 0.75
    assert (turn["mode"], turn["evidence"]["mode"]) == ("exploratory", "exploratory")
    assert turn["evidence"]["best"][0]["final_score"] == 0.7


def test_every_reference_in_the_json_leads_somewhere(reader: Client) -> None:
    session = small_interview()
    document = json.loads(downloaded(reader, "session_export", session.pk, "json"))
    ids = {key: {row["id"] for row in document[key]} for key in ("nodes", "edges", "utterances")}
    for edge in document["edges"]:
        assert {edge["source_id"], edge["target_id"]} <= ids["nodes"]
    said = {row["id"]: row["text"] for row in document["utterances"]}
    for mention in document["mentions"]:
        text = said[mention["utterance_id"]]
        assert text[mention["start"] : mention["end"]] == mention["quote"]
        assert (mention["node_id"] or mention["edge_id"]) in ids["nodes"] | ids["edges"]


def test_the_json_of_a_study_holds_its_sessions_and_no_others(reader: Client) -> None:
    one = small_interview()
    two = SessionFactory.create(study=one.study)
    small_interview()
    document = json.loads(downloaded(reader, "study_export", one.study.slug, "json"))
    assert document["schema"] == "adaptive-interview/study"
    assert {s["session"]["id"] for s in document["sessions"]} == {str(one.pk), str(two.pk)}


def test_the_json_of_a_study_without_sessions_is_complete(reader: Client) -> None:
    study = small_interview().study
    Session.objects.all().delete()
    assert json.loads(downloaded(reader, "study_export", study.slug, "json"))["sessions"] == []


def test_a_spreadsheet_reader_can_trace_a_concept_to_its_words(reader: Client) -> None:
    session = small_interview()
    found = tables(downloaded(reader, "session_export", session.pk, "csv"))
    assert list(found) == TABLES
    node = found["nodes"][1]
    assert (node["label"], node["first quote"], node["first turn"], node["mentions"]) == (
        "stay dry",
        "I stay dry",
        "1",
        "2",
    )
    assert (node["slot"], node["stance"]) == ("dryness", "neutral")
    edge = found["edges"][0]
    assert (edge["source"], edge["edge type"], edge["target"]) == (
        "taped seams",
        "leads_to",
        "stay dry",
    )
    assert [m["of"] for m in found["mentions"] if m["of a"] == "edge"] == [
        "taped seams leads_to stay dry",
        "stay dry leads_to enjoy the day",
    ]
    turn = found["turns"][1]
    assert (turn["focus"], turn["question asked next"], turn["concepts added"]) == (
        "stay dry",
        "Why does staying dry matter to you?",
        "2",
    )
    of_sessions = [rows for name, rows in found.items() if name not in {"codebook", "about"}]
    assert {row["session"] for rows in of_sessions for row in rows} == {str(session.pk)}


def test_an_export_says_where_a_link_comes_from_and_which_merge_is_in_doubt(
    reader: Client,
) -> None:
    session = small_interview()
    probe = Utterance.objects.get(session=session, sequence=3)
    of_edges = Mention.objects.filter(session=session, edge__isnull=False)
    of_edges.filter(turn=1).update(provenance="stated")
    of_edges.filter(turn=2).update(provenance="answer_to_probe", probe=probe)
    again = Mention.objects.filter(session=session, node__label="stay dry", turn=2)
    again.update(doubtful=True, tier="embedding", similarity=0.55)

    found = tables(downloaded(reader, "session_export", session.pk, "csv"))
    assert [edge["provenance"] for edge in found["edges"]] == ["stated", "answer_to_probe"]
    mentions = {(m["of"], m["turn"]): m for m in found["mentions"]}
    probed = mentions["stay dry leads_to enjoy the day", "2"]
    assert (probed["provenance"], probed["question id"]) == ("answer_to_probe", str(probe.pk))
    assert mentions["stay dry", "2"]["doubtful"] == "yes"
    assert mentions["stay dry", "1"]["doubtful"] == "no"

    document = json.loads(downloaded(reader, "session_export", session.pk, "json"))
    assert [edge["provenance"] for edge in document["edges"]] == ["stated", "answer_to_probe"]
    assert [(m["provenance"], m["probe_id"]) for m in document["mentions"] if m["edge_id"]] == [
        ("stated", None),
        ("answer_to_probe", str(probe.pk)),
    ]
    assert [m["doubtful"] for m in document["mentions"]].count(True) == 1


def test_a_link_that_was_read_before_provenance_was_told_has_none(reader: Client) -> None:
    session = small_interview()
    found = tables(downloaded(reader, "session_export", session.pk, "csv"))
    assert {edge["provenance"] for edge in found["edges"]} == {""}
    document = json.loads(downloaded(reader, "session_export", session.pk, "json"))
    assert {edge["provenance"] for edge in document["edges"]} == {""}


def test_no_cell_is_a_formula(reader: Client) -> None:
    session = small_interview()
    bad = '=HYPERLINK("http://x")\n  @SUM(A1)\r\n\t+1'
    answer = UtteranceFactory.create(
        session=session, turn_number=3, sequence=5, speaker="respondent", text=bad
    )
    node = NodeFactory.create(session=session, label="-1+2", node_type="+attribute", stance=-1)
    MentionFactory.create(
        node=node, utterance=answer, quote=bad, start=0, end=len(bad), similarity=-0.25
    )
    KGNode.objects.filter(session=session, label="taped seams").update(label="@cmd|' /C calc'!A0")
    found = tables(downloaded(reader, "session_export", session.pk, "csv"))
    cells = [cell for rows in found.values() for row in rows for cell in row.values()]
    assert "'=HYPERLINK(\"http://x\")\n'  @SUM(A1)\r\n'\t+1" in cells
    for cell in cells:
        for line in cell.splitlines():
            assert not line.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))


@pytest.mark.parametrize(("query", "start"), [("", b""), ("?bom=1", b"\xef\xbb\xbf")])
def test_a_byte_order_mark_is_there_when_asked_for(
    reader: Client, query: str, start: bytes
) -> None:
    session = small_interview()
    response: Any = reader.get(
        reverse("analytics:session_export", args=[session.pk, "csv"]) + query
    )
    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as file:
        firsts = [file.read(name) for name in file.namelist()]
    assert all(
        first.startswith((start + b"session,", start + b"table", start + b"name"))
        for first in firsts
    )


def test_a_download_is_named_and_not_kept_by_caches(reader: Client) -> None:
    session = small_interview()
    response = reader.get(reverse("analytics:session_export", args=[session.pk, "csv"]))
    stem = f"{session.study.slug}-{str(session.pk)[:8]}"
    assert response["Content-Disposition"] == f'attachment; filename="{stem}.csv.zip"'
    assert response["Cache-Control"] == "no-store"
    response.close()


@pytest.mark.django_db(transaction=True)
async def test_under_asgi_the_pieces_are_sent_one_by_one() -> None:
    from asgiref.sync import sync_to_async

    session = await sync_to_async(small_interview)()
    client = AsyncClient()
    await client.aforce_login(
        await sync_to_async(researcher)(), "django.contrib.auth.backends.ModelBackend"
    )
    response: Any = await client.get(reverse("analytics:session_export", args=[session.pk, "json"]))
    assert response.is_async
    pieces = [piece async for piece in response.streaming_content]
    await sync_to_async(connections.close_all)()
    assert len(pieces) > 10
    assert json.loads(b"".join(pieces))["session"]["id"] == str(session.pk)


def test_the_command_writes_a_session_or_a_study(tmp_path: Path) -> None:
    session = small_interview()
    targets: list[tuple[str, str]] = [
        (str(session.pk), "adaptive-interview/session"),
        (session.study.slug, "adaptive-interview/study"),
        (str(session.study.pk), "adaptive-interview/study"),
    ]
    for target, schema in targets:
        call_command("export", target, "--output", str(tmp_path / "out.json"))
        assert json.loads((tmp_path / "out.json").read_text())["schema"] == schema


def test_the_command_names_the_file_itself(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    session = small_interview()
    call_command("export", session.study.slug, "--format", "csv", "--bom")
    with zipfile.ZipFile(tmp_path / f"{session.study.slug}.csv.zip") as file:
        names = [*TABLES, "themes", "matrix"]
        assert sorted(file.namelist()) == sorted(f"{name}.csv" for name in names)
        assert sorted(file.read("matrix.csv").decode("utf-8-sig").splitlines()[1:]) == [
            "dryness,enjoy the day,consequence,value,1,0,0,0,0,0,1",
            "seam sealing,dryness,attribute,consequence,1,0,0,0,0,0,1",
            "seam sealing,enjoy the day,attribute,value,0,1,0,0,0,0,1",
        ]


def test_the_command_prints_only_the_document(capfdbinary: Any) -> None:
    session = small_interview()
    call_command("export", str(session.pk), "--output", "-")
    assert json.loads(capfdbinary.readouterr().out)["session"]["id"] == str(session.pk)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["no-such-study"], "There is no session or study 'no-such-study'"),
        ([str(fresh_id())], "There is no session or study"),
        (["x", "--format", "pdf"], "format: No export format is called 'pdf'; there are: csv, "),
        (["x", "--include", "trails"], "include: 'trails' is none of trial, simulated"),
        (["x", "--personal", "--pseudonymise"], "personal: a pseudonymised file has no"),
    ],
)
def test_the_command_refuses_what_it_does_not_know(args: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message) as refused:
        call_command("export", *args)
    assert refused.value.returncode == 1


def test_the_command_says_when_a_file_cannot_be_written(tmp_path: Path) -> None:
    session = small_interview()
    with pytest.raises(CommandError, match="cannot be written") as refused:
        call_command("export", str(session.pk), "--output", str(tmp_path / "no" / "folder"))
    assert refused.value.returncode == 1


def test_a_filter_that_leaves_nothing_writes_no_file(tmp_path: Path) -> None:
    session = small_interview()
    out = tmp_path / "none.json"
    with pytest.raises(CommandError, match="status: nothing is left") as refused:
        call_command("export", session.study.slug, "--status", "active", "--out", str(out))
    assert refused.value.returncode == 1
    with pytest.raises(CommandError, match="status: these choose among a study's interviews"):
        call_command("export", str(session.pk), "--status", "active", "--out", str(out))
    assert list(tmp_path.iterdir()) == []


def test_the_command_leaves_out_trials_unless_they_are_asked_for(tmp_path: Path) -> None:
    session = small_interview()
    SessionFactory.create(study=session.study, simulated=True)
    out = tmp_path / "out.json"
    for more, sessions in [([], 1), (["--include", "trial,simulated"], 2)]:
        call_command("export", session.study.slug, *more, "--out", str(out))
        assert len(json.loads(out.read_text())["sessions"]) == sessions
