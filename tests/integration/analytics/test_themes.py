"""Themes: grouped by themselves, decided by people, undone, and the commands that tell of them."""

from __future__ import annotations

import json
import random
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from graphs.models import CanonicalSlot, Merge, Theme, ThemeMember
from interviews import services
from interviews.errors import FormRefused, InterviewError
from interviews.models import AuditEntry, Study
from interviews.themes import renewal, service
from tests.factories import SlotFactory
from tests.study_material import held, place, study_of, themes_as_they_stand

pytestmark = pytest.mark.django_db


def told(*command: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*command, "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


@pytest.fixture
def study() -> Study:
    return study_of(["a1>c1 c1>v1", "a1>c1 c1>v1 a2>c1", "a2>c2 c2>v1", "a1>c2", "a3>c1 =a4>c1"])


def theme(study: Study, name: str) -> Theme:
    return study.themes.get(name=name)


def test_slots_of_all_interviews_are_grouped_and_lone_concepts_count_as_their_own(
    study: Study,
) -> None:
    found = told("themes", study.slug)
    assert list(found) == ["themes", "unthemed_share"]
    assert list(found["themes"][0]) == [
        *("id", "name", "node_type", "level", "respondents", "mentions", "slots")
    ]
    assert {(one["name"], one["respondents"], one["slots"]) for one in found["themes"]} == {
        ("theme a1", 3, 3),
        ("theme a2", 2, 2),
        ("theme a3", 1, 1),
        ("theme c1", 3, 3),
        ("theme c2", 2, 2),
        ("theme v1", 3, 3),
    }
    assert found["unthemed_share"] == pytest.approx(1 / 15, abs=1e-6)
    assert [one["level"] for one in found["themes"] if one["name"] == "theme v1"] == [3]


def test_merging_by_the_command_makes_one_theme_and_undo_brings_both_back(study: Study) -> None:
    told("themes", study.slug)
    before = themes_as_they_stand(study)
    merged = told("theme", "merge", study.slug, "theme a1", "theme a2")
    assert {one["name"]: one["respondents"] for one in merged["themes"]}["theme a1"] == 4
    assert "theme a2" not in {one["name"] for one in merged["themes"]}
    act = Merge.objects.get(study=study)
    assert (act.kind, act.made_by, act.number, act.version) == ("merge", "manage.py", 1, 1)
    assert "theme a" not in json.dumps([act.before, act.after])  # no words of respondents
    told("theme", "undo", study.slug)
    assert themes_as_they_stand(study) == before
    told("theme", "redo", study.slug)
    assert study.themes.filter(node_type="attribute").count() == 2
    assert [one.fields for one in AuditEntry.objects.filter(study_id=study.pk).order_by("pk")] == [
        ["merge"],
        ["undo"],
        ["redo"],
    ]


def test_what_a_person_decided_outlives_the_next_interviews(study: Study) -> None:
    renewal.renew(study.pk)
    service.merge(study.pk, [theme(study, "theme a1").pk, theme(study, "theme a2").pk], by="ann")
    service.rename(study.pk, theme(study, "theme v1").pk, "Freedom", by="ann")
    split = theme(study, "theme c1").members.order_by("slot_id")[:1].values_list("slot", flat=True)
    service.split(study.pk, theme(study, "theme c1").pk, list(split), name="Dryness", by="ann")
    decided = themes_as_they_stand(study)
    held(study, "a1>c3 c3>v1 a2>c3", number=9)
    renewal.ensure(study.pk)
    after = themes_as_they_stand(study)
    for pk, (name, _, named, _, members) in decided.items():
        assert after[pk][0] == name
        assert after[pk][2] == named
        assert {slot for slot, *_ in members} <= {slot for slot, *_ in after[pk][4]}
    assert theme(study, "theme a1").members.count() == 7
    assert theme(study, "Freedom").members.count() == 4
    assert study.themes.filter(name="theme c3").exists()


def test_any_run_of_acts_is_undone_to_what_was_before(study: Study) -> None:
    told("themes", study.slug)
    for seed in range(6):
        chance, before, done = random.Random(seed), themes_as_they_stand(study), 0
        for _ in range(8):
            try:
                act_at_random(study, chance)
                done += 1
            except FormRefused:
                continue
        assert done
        last = themes_as_they_stand(study)
        for _ in range(done):
            service.undo(study.pk, by="ann")
        assert themes_as_they_stand(study) == before
        for _ in range(done):
            service.redo(study.pk, by="ann")
        assert themes_as_they_stand(study) == last
        for _ in range(done):
            service.undo(study.pk, by="ann")


def act_at_random(study: Study, chance: random.Random) -> None:
    themes = list(study.themes.order_by("node_type", "name"))
    one = chance.choice(themes)
    slots = list(one.members.order_by("slot_id").values_list("slot", flat=True))
    match chance.choice(["merge", "split", "rename", "move"]):
        case "merge":
            service.merge(study.pk, [one.pk, chance.choice(themes).pk], by="ann")
        case "split":
            service.split(study.pk, one.pk, slots[:1], by="ann", name=chance.choice(["", "Own"]))
        case "rename":
            service.rename(study.pk, one.pk, f"Name {chance.randint(0, 99)}", by="ann")
        case _:
            service.move(study.pk, slots[:1], chance.choice(themes).pk, by="ann")


def test_slots_that_joined_meanwhile_go_where_their_theme_goes(study: Study) -> None:
    renewal.renew(study.pk)
    row = theme(study, "theme c1")
    first = row.members.order_by("slot_id").first()
    assert first is not None
    service.split(study.pk, row.pk, [first.slot_id], name="Dryness", by="ann")
    late = SlotFactory.create(session=first.slot.session, slot_name="late", node_type="consequence")
    place(late, 101)
    renewal.ensure(study.pk)
    service.undo(study.pk, by="ann")
    assert ThemeMember.objects.get(slot=late).theme == row
    assert not study.themes.filter(name="Dryness").exists()


def test_whoever_was_slower_is_told_and_nothing_is_stored(study: Study) -> None:
    renewal.renew(study.pk)
    service.rename(study.pk, theme(study, "theme a1").pk, "Light", by="ann", version=0)
    before = themes_as_they_stand(study)
    with pytest.raises(service.ThemesOutdated, match="version: meanwhile ann") as outdated:
        service.rename(study.pk, theme(study, "theme a2").pk, "Dry", by="ben", version=0)
    assert [one.made_by for one in outdated.value.since] == ["ann"]
    assert themes_as_they_stand(study) == before


@pytest.mark.parametrize(
    ("command", "field"),
    [
        (("theme", "merge", "{}", "theme a1"), "themes"),
        (("theme", "merge", "{}", "theme a1", "theme c1"), "themes"),
        (("theme", "merge", "{}", "theme a1", "nothing"), "theme"),
        (("theme", "rename", "{}", "theme a1", "THEME A2"), "name"),
        (("theme", "rename", "{}", "theme a1", " "), "name"),
        (("theme", "split", "{}", "theme a1", "x"), "slots"),
        (("theme", "swap", "{}", "theme a1", "x"), "act"),
        (("theme", "undo", "{}"), "nothing to undo"),
        (("themes", "nowhere"), "study"),
        (("themes", "{}", "--status", "gone"), "status"),
        (("value_map", "{}", "--cutoff", "0"), "cutoff"),
        (("value_map", "{}", "--cutoff", "99"), "cutoff"),
        (("value_map", "{}", "--cutoff", "x"), "cutoff"),
        (("matrix", "{}", "--count", "word"), "count"),
        (("matrix", "{}", "--provenance", "heard"), "provenance"),
        (("saturation", "{}", "--where", "age=9"), "where"),
    ],
)
def test_bad_input_ends_with_exit_code_1_and_the_fields_name(
    study: Study, command: tuple[str, ...], field: str
) -> None:
    renewal.renew(study.pk)
    before = themes_as_they_stand(study)
    with pytest.raises(CommandError, match=field) as refused:
        told(*(one.format(study.slug) for one in command))
    assert refused.value.returncode == 1
    assert themes_as_they_stand(study) == before


def test_erasing_an_interview_takes_its_slots_out(study: Study) -> None:
    renewal.renew(study.pk)
    service.merge(study.pk, [theme(study, "theme a3").pk, theme(study, "theme a2").pk], by="ann")
    last = study.sessions.order_by("-ended_at").first()
    assert last is not None
    gone = set(CanonicalSlot.objects.filter(session=last).values_list("pk", flat=True))
    services.erase_session(last.pk, by="ann")
    assert not ThemeMember.objects.filter(slot__in=gone).exists()
    # it had opened the merged theme, which goes by the words of those who are left
    assert {one.name for one in study.themes.all()} == {
        *("theme a1", "theme a2", "theme c1", "theme c2", "theme v1")
    }
    service.undo(study.pk, by="ann")
    assert study.themes.filter(node_type="attribute").count() == 2


def test_nothing_to_undo_is_said(study: Study) -> None:
    with pytest.raises(InterviewError, match="nothing to redo"):
        service.redo(study.pk, by="ann")


def test_commands_tell_the_figures_under_the_issues_names(study: Study) -> None:
    matrix = told("matrix", study.slug)
    assert list(matrix) == ["respondents", "count", "filter", "themes", "cells"]
    names = {one["id"]: one["name"] for one in matrix["themes"]}
    cells = {
        (names[one["source"]], names[one["target"]]): (one["direct"], one["indirect"])
        for one in matrix["cells"]
    }
    assert cells["theme a1", "theme c1"] == (2, 0)
    assert cells["theme a1", "theme v1"] == (0, 2)
    assert list(matrix["cells"][0]) == [
        *("source", "target", "direct", "indirect", "negative", "provenance")
    ]
    assert matrix["cells"][0]["provenance"] == {"stated": 1.0}
    assert told("matrix", study.slug, "--provenance", "inferred")["cells"] == []
    drawn = told("value_map", study.slug, "--cutoff", "2")
    assert list(drawn) == [
        *("cutoff", "relations_kept", "themes_kept", "upward_share", "nodes", "edges", "cutoffs")
    ]
    assert {(names[one["source"]], names[one["target"]]) for one in drawn["edges"]} == {
        ("theme a1", "theme c1"),
        ("theme a2", "theme v1"),
        ("theme c1", "theme v1"),
    }
    assert list(drawn["nodes"][0]) == [
        *("theme", "level", "in", "out", "abstractness", "centrality", "prestige")
    ]
    found = told("saturation", study.slug)
    assert list(found) == [
        *("interviews", "observed", "chao2", "low", "high", "coverage", "more_interviews", "curve")
    ]
    assert (found["interviews"], found["observed"]) == (5, 7)
    assert [point["themes"] for point in found["curve"]] == [3, 4, 5, 5, 7]
