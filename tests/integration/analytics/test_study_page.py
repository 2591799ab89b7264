"""The page of a study: the same numbers as the commands, and the sentences behind each of them."""

from __future__ import annotations

import csv
import json
import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from graphs.models import Theme
from interviews.bench.turn import counted_queries
from interviews.models import Study
from interviews.themes import renewal, service
from tests.factories import STARTED, TurnFactory, analyst
from tests.study_material import held, study_of, themes_as_they_stand

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    made = study_of(["a1>c1 c1>v1", "a1>c1 c1>v1 a2>c1", "a2>c2 c2>v1", "a1>c2", "a3>c1"])
    made.data_fields = [{"key": "country", "type": "choice", "options": ["Italy", "Spain"]}]
    made.save()
    held(made, "a1>c1 c1>v1", number=6, against="c1", segments={"country": "Italy"})
    held(made, "a2>c2", number=7, provenance="inferred", segments={"country": "Spain"})
    held(made, "a1>c1", number=8, simulated=True)
    return made


def page_data(text: str) -> dict[str, Any]:
    found = re.search(r'<script id="study-data" type="application/json">(.*?)</script>', text)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def told(*command: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*command, "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def read(reader: Client, study: Study, query: str = "") -> str:
    answer = reader.get(f"{reverse('analytics:study_map', args=[study.slug])}{query}")
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("", ()),
        ("?count=ladder&cutoff=2", ("--count", "ladder")),
        (
            "?include=simulated&provenance=stated",
            ("--include", "simulated", "--provenance", "stated"),
        ),
        ("?where=country=Italy", ("--where", "country=Italy")),
    ],
)
def test_page_commands_and_table_say_the_same_numbers(
    reader: Client, study: Study, query: str, options: tuple[str, ...]
) -> None:
    text = read(reader, study, query)
    data = page_data(text)
    matrix = told("matrix", study.slug, *options)
    hidden = {(one["source"], one["target"]): one.pop("hidden") for one in data["cells"]}
    assert data["cells"] == matrix["cells"]
    assert data["respondents"] == matrix["respondents"]
    assert matrix["filter"] in text
    for one in data["themes"]:
        del one["band"], one["own"]
    assert data["themes"] == matrix["themes"]
    once = [one for one in options if one in ("--count", "ladder")]
    rest = [one for one in options if one not in ("--count", "ladder")]
    for cutoff in range(1, data["highest"] + 1):
        drawn = told("value_map", study.slug, "--cutoff", str(cutoff), *once, *rest)
        on_page = [
            {name: cell[name] for name in ("source", "target", "direct", "indirect")}
            for cell in data["cells"]
            if cell["direct"] + cell["indirect"] >= cutoff
        ]
        steps = [1, *(c["direct"] + c["indirect"] for c in data["cells"])]
        step = min(one for one in steps if one >= cutoff)
        assert drawn["edges"] == [
            one for one in on_page if step not in hidden[one["source"], one["target"]]
        ]
        assert data["cutoffs"][cutoff - 1] == pytest.approx(
            [drawn["relations_kept"], drawn["themes_kept"]], abs=1e-6
        )
    found = told("saturation", study.slug, *rest)
    assert f"<dd>{found['observed']}</dd>" in text
    rows = re.search(r'id="saturation-table">(.*?)</table>', text, re.DOTALL)
    assert rows
    themes = re.findall(r'</th><td class="num">(\d+)</td>', rows[1])
    assert [int(one) for one in themes] == [point["themes"] for point in found["curve"]]
    out = StringIO()
    call_command("matrix", study.slug, *options, "--csv", stdout=out)
    names = {one["id"]: one["name"] for one in matrix["themes"]}
    assert [row[:2] + row[4:7] for row in list(csv.reader(StringIO(out.getvalue())))[1:]] == [
        [
            names[c["source"]],
            names[c["target"]],
            *(str(c[n]) for n in ("direct", "indirect", "negative")),
        ]
        for c in matrix["cells"]
    ]


def test_a_cell_opens_question_and_answer_with_provenance(reader: Client, study: Study) -> None:
    data = page_data(read(reader, study))
    names = {one["id"]: one["name"] for one in data["themes"]}
    cell = next(
        one
        for one in data["cells"]
        if (names[one["source"]], names[one["target"]]) == ("theme a1", "theme v1")
    )
    address = reverse("analytics:study_sentences", args=[study.slug])
    query = {"kind": "relation", "source": cell["source"], "target": cell["target"]}
    text = reader.get(address, query).content.decode()
    # three interviews, two links each; one of them speaks against
    assert (cell["indirect"], cell["negative"]) == (2, 1)
    assert "6 sentences of 3 interviews" in text
    assert "Why does this matter to you?" in text
    assert "In answer 0: <mark>a1&gt;c1</mark>, c1&gt;v1" in text
    assert "turn 1</a> · said" in text
    only = reader.get(address, query | {"part": "1", "where": "country=Italy"}).content.decode()
    assert "2 sentences of 1 interview<" in only
    assert "<html" not in only


@pytest.mark.parametrize("kind", ["theme", "chain", "strategy", "left", "act", "degraded"])
def test_every_number_opens_its_sentences(reader: Client, study: Study, kind: str) -> None:
    session = study.sessions.order_by("ended_at")[0]
    answer = session.utterances.get(turn_number=1)
    question = session.utterances.get(turn_number=0)
    TurnFactory.create(session=session, number=0, strategy="deepen", question=question)
    TurnFactory.create(
        session=session,
        number=1,
        answer=answer,
        active_seconds=90,
        result={"heard": {"act": "refuses"}, "degraded": [{"task": "extract"}], "ratings": {}},
    )
    data = page_data(read(reader, study))
    ids = {one["name"]: one["id"] for one in data["themes"]}
    asked = {
        "theme": {"theme": ids["theme a1"]},
        "chain": {"themes": ",".join(ids[f"theme {one}"] for one in ("a1", "c1", "v1"))},
        "strategy": {"value": "deepen"},
        "left": {"value": "1"},
        "act": {"value": "refuses"},
        "degraded": {},
    }[kind]
    address = reverse("analytics:study_sentences", args=[study.slug])
    text = reader.get(address, {"kind": kind, **asked}).content.decode()
    assert "nswer 0: a1&gt;c1" in text
    assert f"/dashboard/sessions/{session.pk}/?turn=1" in text


def test_the_page_needs_a_dozen_queries_at_most_however_many_interviews(
    reader: Client, study: Study
) -> None:
    read(reader, study)
    for number in range(10, 14):
        held(study, "a1>c1 c1>v1 a4>c4", number=number)
    read(reader, study)
    with counted_queries() as count:
        read(reader, study)
    assert count() <= 12


def test_too_few_interviews_are_said_to_be(reader: Client) -> None:
    text = read(reader, study_of(["a1>c1", "a1>c1"]))
    assert "2 interviews are too few to say how much is still unheard" in text
    assert "Chao2" not in text


def test_a_map_that_levels_do_not_bear_out_is_said_to_be(reader: Client) -> None:
    down = study_of(["v1>a1"] * 3)
    assert "do not bear out a map of levels" in read(reader, down)


def test_nobody_but_simulated_ones_is_said_and_how_to_take_them_in(reader: Client) -> None:
    empty = study_of([])
    held(empty, "a1>c1", simulated=True)
    assert "No interview counts." in read(reader, empty)


def test_two_groups_stand_beside_each_other_with_intervals(reader: Client, study: Study) -> None:
    text = read(reader, study, "?by=field:country&first=Italy&second=Spain")
    assert "Italy (n = 1)" in text
    assert "100 % (21 to 100)" in text
    assert "seed 20" in text
    assert "What is not known" in text


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("?cutoff=99", "cutoff"),
        ("?cutoff=x", "cutoff"),
        ("?count=word", "count"),
        ("?status=gone", "status"),
        ("?where=age=9", "where"),
        ("?by=moon", "by"),
        ("?by=field:country&first=France", "first"),
    ],
)
def test_what_cannot_be_shown_is_told_with_the_fields_name(
    reader: Client, study: Study, query: str, field: str
) -> None:
    answer = reader.get(f"{reverse('analytics:study_map', args=[study.slug])}{query}")
    assert answer.status_code == 400
    assert f"<code>{field}</code>" in answer.content.decode()


@pytest.mark.parametrize(
    "query", ["", "?kind=all", "?kind=relation&source=x", "?kind=chain&themes=x"]
)
def test_sentences_of_nothing_are_a_clear_error(reader: Client, study: Study, query: str) -> None:
    answer = reader.get(f"{reverse('analytics:study_sentences', args=[study.slug])}{query}")
    assert answer.status_code == 400
    assert "<code>" in answer.content.decode()


# -- themes on the page ----------------------------------------------------------------------------
def act(reader: Client, study: Study, **data: Any) -> Any:
    return reader.post(reverse("analytics:study_themes", args=[study.slug]), data)


def test_themes_are_merged_named_split_and_undone_on_the_page(reader: Client, study: Study) -> None:
    read(reader, study)
    before = themes_as_they_stand(study)
    one, two = (Theme.objects.get(study=study, name=name) for name in ("theme a1", "theme a2"))
    detail = reader.get(reverse("analytics:study_theme", args=[study.slug, one.pk]))
    assert str(one.members.first().slot_id) in detail.content.decode()  # type: ignore[union-attr]
    merged = act(
        reader, study, act="merge", version=0, themes=[one.pk, two.pk], query="count=ladder"
    )
    assert (merged.status_code, merged["Location"]) == (
        302,
        f"{reverse('analytics:study_map', args=[study.slug])}?count=ladder#themes-title",
    )
    assert (
        act(reader, study, act="rename", version=1, theme=one.pk, name="Light").status_code == 302
    )
    assert "Light" in read(reader, study)
    slot = one.members.order_by("slot_id").first()
    assert slot
    act(reader, study, act="split", version=2, theme=one.pk, slots=[slot.slot_id], name="Own")
    into = Theme.objects.get(study=study, name="Own")
    other = one.members.order_by("slot_id").first()
    assert other
    act(reader, study, act="move", version=3, slots=[other.slot_id], into=into.pk)
    assert into.members.count() == 2
    assert steps(reader, study) == (True, False)
    for version in range(4, 8):
        assert act(reader, study, act="undo", version=version).status_code == 302
    assert themes_as_they_stand(study) == before
    assert steps(reader, study) == (False, True)
    assert act(reader, study, act="redo", version=8).status_code == 302
    assert steps(reader, study) == (True, True)
    assert service.version_of(study.pk) == 9


def steps(reader: Client, study: Study) -> tuple[bool, bool]:
    """Whether the page lets one undo and redo."""
    html = reader.get(reverse("analytics:study_map", args=[study.slug])).content.decode()
    undo, redo = ('value="undo">' in html), ('value="redo">' in html)
    return undo, redo


def test_a_slower_analyst_sees_both_and_may_store_all_the_same(
    reader: Client, study: Study
) -> None:
    renewal.renew(study.pk)
    one = Theme.objects.get(study=study, name="theme a1")
    service.rename(study.pk, one.pk, "Light", by="ann", version=0)
    refused = act(reader, study, act="rename", version=0, theme=one.pk, name="Dry")
    text = refused.content.decode()
    assert refused.status_code == 409
    assert "ann named a theme “Light”" in text
    assert "name: Dry" in text
    assert 'name="version" value="1"' in text
    assert Theme.objects.get(pk=one.pk).name == "Light"


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"act": "merge", "version": 0, "themes": []}, "themes"),
        ({"act": "merge", "version": 0, "themes": ["x"]}, "themes"),
        ({"act": "rename", "version": 0, "name": "x"}, "theme"),
        ({"act": "swap", "version": 0}, "act"),
        ({"act": "merge"}, "version"),
    ],
)
def test_a_change_that_cannot_be_made_says_which_field(
    reader: Client, study: Study, data: dict[str, Any], field: str
) -> None:
    refused = act(reader, study, **data)
    assert refused.status_code == 400
    assert f"{field}: " in refused.content.decode()


def test_who_may_not_correct_reads_only(client: Client, study: Study) -> None:
    somebody = analyst()
    somebody.groups.clear()
    client.force_login(somebody, "django.contrib.auth.backends.ModelBackend")
    assert act(client, study, act="undo", version=0).status_code == 403


def test_days_choose_interviews(reader: Client, study: Study) -> None:
    day = (STARTED + timedelta(days=2)).date().isoformat()
    assert "No interview counts." in read(reader, study, f"?from={day}")
