"""A concept test from its interviews to figures, page and files."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from analytics import interchange
from analytics.exports import formats
from analytics.exports.source import ExportOptions, WholeStudy
from interviews.models import Session, Study
from interviews.simulation.driver import hold_interview
from interviews.simulation.respondent import SimulatedRespondent
from interviews.simulation.world import load_world
from methodologies.registry import (
    CONCEPT,
    LIBRARY,
    METHODOLOGY,
    PERSONA,
    persona_named,
    publish,
)
from tests.factories import StudyFactory, somebody

pytestmark = pytest.mark.django_db


def shipped(kind: Any, name: str) -> Any:
    folder = LIBRARY / kind.folder
    text = (folder / f"{name}.yaml").read_text(encoding="utf-8")
    return publish(kind, text, source=name, beside=folder)


def held(turns: int = 8) -> tuple[Study, Session]:
    shipped(PERSONA, "cooperative")
    study = Study.objects.create(
        slug="tea-test",
        name="Tea",
        mode="evaluative",
        methodology_version=shipped(METHODOLOGY, "means_end_chain"),
        concept_version=shipped(CONCEPT, "sparkling_tea"),
        max_turns=turns,
    )
    world = load_world("sparkling_tea")
    respondent = SimulatedRespondent(world, persona_named("cooperative"), 1)
    session = hold_interview(study, respondent.answer, seed=1)
    Session.objects.filter(pk=session.pk).update(simulated=False)
    return study, session


def command(*arguments: str) -> Any:
    out = StringIO()
    call_command("coverage", *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


def test_what_was_made_of_each_element_is_told_by_command_page_and_file(client: Client) -> None:
    study, session = held()
    found = command(study.slug)
    assert list(found) == ["study", "interviews", "elements"]
    assert (found["study"], found["interviews"]) == ("tea-test", 1)
    assert list(found["elements"][0]) == [
        "id", "label", "mentioned", "reactions", "understood", "depth_mean",
        "chains_to_terminal", "not_understood_by", "quotes",
    ]  # fmt: skip
    ids = [element["id"] for element in found["elements"]]
    assert ids == ["no_alcohol", "cold_brewed", "no_sugar", "glass_bottle", "tree_planted", "price"]
    kinds = ["positive", "negative", "neutral", "skeptical", "curious"]
    assert all(list(e["reactions"]) == kinds for e in found["elements"])
    assert sum(e["mentioned"] for e in found["elements"]) >= 3
    reacted = [s for e in found["elements"] for s in e["reactions"].values() if s["n"]]
    assert reacted
    assert all(0 <= s["low"] <= s["share"] <= s["high"] <= 1 for s in reacted)
    answers = " ".join(u.text for u in session.utterances.filter(speaker="respondent"))
    said = [quote for element in found["elements"] for quote in element["quotes"]]
    assert said
    assert all(quote["quote"] in answers for quote in said)
    assert all(quote["session"] == str(session.pk) for quote in said)

    changed = (LIBRARY / "concepts/sparkling_tea.yaml").read_text(encoding="utf-8")
    start, _, rest = changed.partition("  - id: tree_planted")
    study.concept_version = publish(
        CONCEPT, start + rest[rest.index("  - id: price") :], beside=LIBRARY / "concepts"
    )
    study.save()
    assert [e["id"] for e in command(study.slug)["elements"]][-1] == "tree_planted"

    client.force_login(somebody("researcher"))
    page = client.get(reverse("analytics:coverage", args=[study.slug]))
    text = page.content.decode()
    assert page.status_code == 200
    assert "dropped later" in text
    assert said[0]["quote"][:20] in text.replace("&#x27;", "'")
    image = client.get(reverse("analytics:stimulus_image", args=[study.slug, "sparkling_tea.webp"]))
    assert image["Content-Type"] == "image/webp"
    file = client.get(reverse("analytics:coverage_file", args=[study.slug])).content.decode()
    lines = file.splitlines()
    assert lines[0].startswith("element,label,session,shown,mentioned")
    assert len(lines) == 7
    archive: Any = client.get(reverse("analytics:study_export", args=[study.slug, "csv"]))
    with zipfile.ZipFile(io.BytesIO(b"".join(archive.streaming_content))) as zipped:
        tables = {
            name.removesuffix(".csv"): list(
                csv.DictReader(zipped.read(name).decode().splitlines(keepends=True))
            )
            for name in zipped.namelist()
        }
    table = tables["reactions"]
    assert {(row["element"], row["reaction"]) for row in table} >= {
        (element["id"], kind)
        for element in found["elements"]
        for kind, share in element["reactions"].items()
        if share["n"]
    }

    assert_files_tell(study, found := command(study.slug), tables)
    shares = [
        (row["element"], row["reaction"], int(row["n"]), row["share"])
        for row in tables["coverage_reactions"]
    ]
    assert shares == [
        (one["id"], kind, share["n"], "" if share["share"] is None else f"{share['share']:g}")
        for one in found["elements"]
        for kind, share in one["reactions"].items()
    ]


def assert_files_tell(study: Study, found: Any, tables: dict[str, list[dict[str, str]]]) -> None:
    """JSON and CSV hold what the command prints, the matrix and the chains beside it."""
    text = b"".join(formats()["json"].write(WholeStudy(study=study), ExportOptions()))
    told = json.loads(text)["coverage"]
    assert told["interviews"] == found["interviews"]
    beside = ("dropped", "never_understood", "cells", "chains")
    plain = [{k: v for k, v in one.items() if k not in beside} for one in told["elements"]]
    assert plain == found["elements"]
    read, _ = interchange.read(text)
    assert read.coverage is not None
    cells = [(one["id"], cell) for one in told["elements"] for cell in one["cells"]]
    assert [(row["element"], row["session"], int(row["depth"])) for row in tables["coverage"]] == [
        (element, cell["session"], cell["depth"]) for element, cell in cells
    ]
    steps = [
        (one["id"], chain["session"], step["label"], step["quote"])
        for one in told["elements"]
        for chain in one["chains"]
        for step in chain["steps"]
    ]
    assert steps
    assert [
        (row["element"], row["session"], row["concept"], row["quote"])
        for row in tables["coverage_chains"]
    ] == steps
    assert [one["id"] for one in told["elements"] if one["dropped"]] == ["tree_planted"]
    for name in ("coverage", "coverage_reactions", "coverage_chains"):
        explained = [row["column"] for row in tables["codebook"] if row["table"] == name]
        assert explained == list(tables[name][0])
    hidden = ExportOptions(pseudonymise=True)
    blanked = b"".join(formats()["json"].write(WholeStudy(study=study), hidden))
    assert json.loads(blanked)["coverage"] is None


def test_a_study_that_shows_nothing_has_no_coverage(client: Client) -> None:
    study = StudyFactory.create()
    with pytest.raises(CommandError, match="is no concept test") as caught:
        command(study.slug)
    assert caught.value.returncode == 1
    with pytest.raises(CommandError, match="there is no study 'nowhere'"):
        command("nowhere")
    client.force_login(somebody("researcher"))
    assert client.get(reverse("analytics:coverage", args=[study.slug])).status_code == 404
