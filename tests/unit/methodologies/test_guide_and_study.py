"""Guides and study files: what is read, and every fault at its place."""

from __future__ import annotations

import pytest

from methodologies.schema import GuideSchema, StudySchema
from methodologies.yaml_loader import (
    DocumentInvalid,
    load_document,
    load_guide,
    load_study,
)

GUIDE = """\
id: exit_talks
title: Leaving
language: it
research_goal: Learn why people leave
max_duration_minutes: 15
topics:
  - id: decision
    label: The decision
    sub_goals: [when it began, what tipped it]
  - id: manager
    label: The manager
"""

STUDY = """\
kind: study
slug: exit-talks
name: Exit talks
mode: guided
guide:
  id: exit_talks
  title: Leaving
  research_goal: Learn why
  max_duration_minutes: 15
  topics:
    - {id: decision, label: The decision}
methodology: topic_guide
"""


def faults(text: str, source: str = "f.yaml") -> list[str]:
    with pytest.raises(DocumentInvalid) as caught:
        load_document(text, source)
    return str(caught.value).splitlines()


def test_guide_is_read_and_recognised_by_its_keys() -> None:
    loaded = load_document(GUIDE)
    assert (loaded.kind, loaded.warnings) == ("guide", ())
    assert isinstance(loaded.schema, GuideSchema)
    assert [topic.id for topic in loaded.schema.topics] == ["decision", "manager"]
    assert loaded.schema.topics[1].sub_goals == ()
    assert loaded.schema == load_guide(GUIDE)


def test_every_fault_of_a_guide_is_told_at_its_place() -> None:
    text = (
        GUIDE.replace("language: it", "language: tlh")
        .replace("max_duration_minutes: 15", "max_duration_minutes: 200")
        .replace("id: manager", "id: decision")
        .replace("label: The manager", "lable: The manager")
        .replace("what tipped it", "when it began")
    )
    found = faults(text)
    assert found[0].startswith("f.yaml:3:11: language: found \"tlh\", expected 'en', 'it'")
    assert found[1:] == [
        "f.yaml:5:23: max_duration_minutes: found the number 200, expected at most 120",
        'f.yaml:9:32: sub-goal "when it began" is there already; expected each once',
        'f.yaml:10:5: key "label" is missing; found id, lable',
        'f.yaml:10:9: topic "decision" is there already; expected each id once',
        'f.yaml:11:5: unknown key "lable"; did you mean "label"?',
    ]


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        ("topics: []", "f.yaml:6:9: topics: found a list of 0, expected at least 1"),
        ("topics: no", 'f.yaml:6:9: topics: found "no", expected a list'),
    ],
)
def test_guide_needs_topics(topics: str, message: str) -> None:
    assert faults(GUIDE[: GUIDE.index("topics:")] + topics + "\n") == [message]


def test_study_file_holds_its_guide_or_names_it() -> None:
    study = load_study(STUDY)
    assert isinstance(study.schema, StudySchema)
    assert (study.schema.slug, study.schema.methodology) == ("exit-talks", "topic_guide")
    assert load_guide(study.inline["guide"]).topics[0].label == "The decision"
    named = STUDY[: STUDY.index("guide:\n")] + "guide: exit_talks\n"
    assert load_study(named).inline == {}
    assert load_study(named).schema.guide == "exit_talks"
    assert load_document(named.replace("kind: study\n", "")).kind == "study"


def test_faults_of_a_study_and_of_the_guide_in_it_are_told_together() -> None:
    text = STUDY.replace("slug: exit-talks", "slug: Exit Talks").replace("id: exit_talks", "id: 7")
    text += "max_turns: many\nwrong: 1\n"
    found = faults(text)
    assert [line.split(": ")[0] for line in found] == [
        "f.yaml:2:7",
        "f.yaml:6:7",
        "f.yaml:13:12",
        "f.yaml:14:1",
    ]
