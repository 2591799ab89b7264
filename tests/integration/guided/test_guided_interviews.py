"""Whole guided interviews through the services, by the offline rules."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from interviews.models import GuidePlan, LLMCall, Study
from methodologies.models import GuideVersion
from methodologies.registry import load_library

pytestmark = pytest.mark.django_db

STUDY = """\
kind: study
slug: {slug}
name: Leaving
mode: guided
{extra}
guide:
  id: {slug}_guide
  title: Leaving
  language: {language}
  research_goal: Learn why people leave
  max_duration_minutes: 3
  topics:
    - id: decision
      label: {first}
      sub_goals: [{goals}]
    - id: manager
      label: {second}
      sub_goals: [{others}]
"""
RICH = (
    "I hated that project because the approval was a real problem: in March 2024 we waited three "
    "weeks for a signature, nobody told us anything, my whole team in Milan lost a customer, and "
    "I was the one who had to explain it to everybody in the room."
)


@pytest.fixture(autouse=True)
def library() -> None:
    list(load_library())


def study_file(folder: Path, **values: str) -> Path:
    written = {
        "slug": "leaving",
        "extra": "",
        "language": "en",
        "first": "the decision",
        "goals": "the first thought of leaving, what tipped it",
        "second": "the manager",
        "others": "the support you got",
    } | values
    path = folder / "study.yaml"
    path.write_text(STUDY.format(**written), encoding="utf-8")
    return path


def command(name: str, *arguments: str) -> str:
    out = io.StringIO()
    call_command(name, *arguments, stdout=out)
    return out.getvalue()


def interview(folder: Path, path: Path, *answers: str, seconds: int = 20) -> dict[str, Any]:
    said = folder / "answers.txt"
    said.write_text("\n".join(answers), encoding="utf-8")
    found: dict[str, Any] = json.loads(
        command(
            "interview",
            "--study",
            str(path),
            "--answers",
            str(said),
            "--turn-seconds",
            str(seconds),
            "--json",
        )
    )
    return found


def guided(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [turn["guided"] for turn in report["turns"]]


def test_interview_covers_its_guide_and_tells_where_it_stood(tmp_path: Path) -> None:
    report = interview(
        tmp_path,
        study_file(tmp_path),
        "The pay was the reason why I began to look around, I think.",
        "Then my friend told me about her company in the city.",
        "No.",
        "She was always there for us, and she listened.",
    )
    assert report["mode"] == "guided"
    assert report["plan"]["number"] == 1
    assert [turn["strategy"] for turn in report["turns"]][-1] == ""
    found = guided(report)
    assert [turn["status"] for turn in found][-1] == "data_collection_consent"
    assert found[-1]["phase"] == "DATA_COLLECTION"
    assert {turn["topic"] for turn in found} == {"decision", "manager"}
    assert set(found[0]) == {
        "phase", "status", "topic", "turn_in_topic", "turns_used", "score", "band", "bonus",
        "donor", "sub_goal", "sub_goals_left", "remaining_seconds", "guards",
    }  # fmt: skip
    assert found[0]["remaining_seconds"] == 160
    assert report["guided"]["phase"] == "DATA_COLLECTION"
    assert report["guided"]["topic_budgets"]["decision"]["turns_used"] >= 1
    questions = [report["opening"], *(turn["question"] for turn in report["turns"][:-1])]
    assert len(set(questions)) == len(questions)
    assert all(question.count("?") == 1 for question in questions)


def test_rich_answers_get_a_bonus_turn_at_the_later_topics_cost(tmp_path: Path) -> None:
    report = interview(tmp_path, study_file(tmp_path), *[RICH] * 3)
    third = guided(report)[1]
    assert (third["status"], third["bonus"], third["donor"]) == ("exploring_deep", True, "manager")
    assert report["guided"]["topic_budgets"]["manager"]["max_turns"] == 2
    assert report["guided"]["topic_key_insights"]["decision"].startswith("I hated that project")


@pytest.mark.parametrize(
    ("replies", "phases", "reason"),
    [
        (["Yes, let's go on", "She was kind to me all year."], ["DEEPEN"], "guide_covered"),
        (["No, that's enough"], ["DATA_COLLECTION"], "offer_declined"),
        (["Hmm, the weather", "It depends on things"], ["DEEP_OFFER"], "offer_declined"),
    ],
)
def test_offer_when_the_time_is_used_up(
    tmp_path: Path, replies: list[str], phases: list[str], reason: str
) -> None:
    first = "The pay was the reason why I began to look around, I think."
    report = interview(
        tmp_path, study_file(tmp_path, goals="the thought"), first, *replies, seconds=180
    )
    offered, after = report["turns"][0], report["turns"][1]
    assert offered["guided"]["status"] == "deep_offer_ask"
    assert offered["block"] == {
        "kind": "choice",
        "options": ["Yes, let's go on", "No, that's enough"],
    }
    assert "the manager" in offered["question"]
    assert [after["guided"]["phase"]] == phases
    assert report["termination_reason"] == reason


def test_italian_interview_speaks_italian(tmp_path: Path) -> None:
    path = study_file(
        tmp_path,
        language="it",
        first="la decisione",
        goals="il primo pensiero, il momento decisivo",
        second="il responsabile",
        others="il sostegno ricevuto",
    )
    report = interview(
        tmp_path,
        path,
        "La decisione è nata per lo stipendio, e poi per gli orari della settimana.",
        "Il momento decisivo della decisione è stato a marzo, dopo la riunione.",
        seconds=90,
    )
    assert "la decisione" in report["opening"]
    asked = report["turns"][1]["question"]
    assert asked.startswith("Il tempo previsto è finito")
    assert report["turns"][1]["block"]["options"] == ["Sì, continuiamo", "No, basta così"]


def test_wish_to_stop_ends_it_and_a_question_not_understood_is_reworded(tmp_path: Path) -> None:
    report = interview(
        tmp_path, study_file(tmp_path), "What do you mean?", "I want to stop the interview now."
    )
    first, second = report["turns"]
    assert (first["guided"]["turns_used"], first["continuation"]["reason"]) == (
        0,
        "not_understood",
    )
    assert first["guided"]["sub_goal"] == "the first thought of leaving"
    assert report["termination_reason"] == "respondent_ended"
    assert second["guided"]["phase"] == "DATA_COLLECTION"


def test_max_turns_lead_to_data_collection(tmp_path: Path) -> None:
    path = study_file(tmp_path, extra="max_turns: 3")
    report = interview(tmp_path, path, *["I liked the work with the people there."] * 5)
    assert len(report["turns"]) == 3
    assert report["termination_reason"] == "max_turns_reached"


DATA = """\
data_collection: {way}
reward: Your voucher is THANKS-1.
data_fields:
  - {{key: email, type: email, required: true}}
  - {{key: team, type: choice, label: Your team, options: [Sales, Support]}}
"""
ENDS = [
    "The pay was the reason why I began to look around, I think.",
    "I want to stop the interview now.",
]


@pytest.mark.parametrize("way", ["form", "chat"])
def test_data_is_collected_after_the_last_answer_and_stored_apart(tmp_path: Path, way: str) -> None:
    path = study_file(tmp_path, extra=DATA.format(way=way))
    report = interview(
        tmp_path, path, *ENDS, "Yes, you may ask", "ana@example.org", "Support", seconds=20
    )
    collected = report["data_collection"]
    assert (collected["status"], collected["consent"]) == ("complete", "given")
    assert collected["fields"] == {"email": "given", "team": "given"}
    answers = [s["text"] for s in collected["said"] if s["speaker"] == "respondent"]
    assert answers.count("[stored apart]") >= 1
    assert "ana@example.org" not in json.dumps(report)
    assert report["guided"]["phase"] == "DATA_COLLECTION"


def test_values_print_the_same_in_every_language(tmp_path: Path) -> None:
    path = study_file(tmp_path, language="it", extra=DATA.format(way="chat"))
    said = ["Vorrei fermarmi qui.", "Sì, va bene", "ana@example.org", "Support"]
    collected = interview(tmp_path, path, *said)["data_collection"]
    answers = [s["text"] for s in collected["said"] if s["speaker"] == "respondent"]
    assert answers[:2] == ["Sì, va bene", "[stored apart]"]


def test_who_declines_is_asked_for_no_field(tmp_path: Path) -> None:
    path = study_file(tmp_path, extra=DATA.format(way="chat"))
    collected = interview(tmp_path, path, *ENDS, "No, thank you")["data_collection"]
    assert (collected["status"], collected["consent"]) == ("refused", "refused")
    assert collected["fields"] == {"email": "not_asked", "team": "not_asked"}


def test_no_contact_is_asked_for_before_data_collection(tmp_path: Path) -> None:
    path = study_file(tmp_path, extra=DATA.format(way="chat"))
    report = interview(tmp_path, path, *[RICH] * 3, *ENDS)
    questions = [report["opening"], *(turn["question"] or "" for turn in report["turns"])]
    assert not [q for q in questions if "e-mail" in q.casefold() or "address" in q.casefold()]


def test_plan_is_made_once_and_printed_the_same(tmp_path: Path) -> None:
    path = study_file(tmp_path)
    first = command("plan", str(path), "--json")
    calls = LLMCall.objects.filter(task="guided_plan").count()
    assert command("plan", "leaving", "--json") == first
    assert LLMCall.objects.filter(task="guided_plan").count() == calls == 1
    plan = json.loads(first)
    assert plan["meta"]["total_turns"] == 4
    assert plan["intelligence"] == {"status": "ready", "message": ""}
    assert all(len(topic["probe_angles"]) == 3 for topic in plan["explore"]["topics"])


def test_plan_follows_its_guide_and_a_session_keeps_its_own(tmp_path: Path) -> None:
    report = interview(tmp_path, study_file(tmp_path), "I liked it there.")
    path = study_file(tmp_path, first="another topic")
    numbers = [json.loads(command("plan", str(path), "--json"))["number"] for _ in range(2)]
    assert numbers == [numbers[0]] * 2
    assert numbers[0] > report["plan"]["number"]
    back = json.loads(command("plan", str(study_file(tmp_path)), "--json"))
    assert (back["number"], back["signature"]) == (
        report["plan"]["number"],
        report["plan"]["signature"],
    )


def test_faults_of_a_study_file_are_told_together_and_nothing_is_saved(tmp_path: Path) -> None:
    path = study_file(tmp_path, language="tlh", extra="max_turns: 500\nwrong: 1")
    with pytest.raises(CommandError) as caught:
        command("interview", "--study", str(path), "--json")
    assert caught.value.returncode == 1
    places = [
        line.split(": ")[0].removeprefix(str(path)) for line in str(caught.value).splitlines()
    ]
    assert places == [":5:12", ":6:1", ":10:13"]
    assert not Study.objects.exists()
    assert not GuideVersion.objects.filter(document__name="leaving_guide").exists()


def test_study_without_a_guide_is_refused_by_field(tmp_path: Path) -> None:
    path = tmp_path / "bare.yaml"
    path.write_text("slug: bare\nname: Bare\nmode: guided\n", encoding="utf-8")
    with pytest.raises(CommandError, match="guide_version: The mode Guided needs a guide"):
        command("plan", str(path))
    assert not Study.objects.exists()
    assert not GuidePlan.objects.exists()


@pytest.mark.parametrize("slug", ["exit_interviews", "esperienza_clienti"])
def test_shipped_studies_can_be_planned(slug: str) -> None:
    plan = json.loads(command("plan", f"methodologies/library/studies/{slug}.yaml", "--json"))
    assert plan["intelligence"]["status"] == "ready"


def test_file_does_not_change_a_study_under_its_respondents(tmp_path: Path) -> None:
    command("plan", str(study_file(tmp_path)))
    Study.objects.update(status=Study.Status.LIVE)
    before = Study.objects.values().get()
    changed = study_file(tmp_path, first="another topic", extra="reward: A voucher")
    with pytest.raises(CommandError) as caught:
        command("interview", "--study", str(changed), "--json")
    assert caught.value.returncode == 1
    assert str(caught.value) == (
        f"{changed}: slug: the study 'leaving' is live, and this file would change its "
        "guide_version; give the file another slug, or confirm a revision of the study in the "
        "console"
    )
    assert Study.objects.values().get() == before
    assert GuideVersion.objects.filter(document__name="leaving_guide").count() == 1
    again = json.loads(command("plan", str(study_file(tmp_path)), "--json"))
    assert again["number"] == 1
