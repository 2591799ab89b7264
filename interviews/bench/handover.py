"""Handovers by the rules: what is found in the shipped project, asked, elicited and answered.

What is looked for was put into the project's files on purpose (`handover.yaml`); what only the
colleague knows stands in the simulation's own file.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from interviews import study_files
from interviews.bench.turn import rolled_back
from interviews.ingest import sandbox
from interviews.models import BacklogQuestion, HandoverFact, Session, SourceFinding, Study
from interviews.modes.handover.store import QuestionStore
from interviews.simulation.colleague import Answers, elicited, load_colleague
from interviews.simulation.driver import hold_interview
from interviews.sources import ask, work
from methodologies.registry import LIBRARY, load_library

PROJECT = "loss_forecast"
STUDY = LIBRARY / "studies" / f"{PROJECT}_handover.yaml"
FILES = LIBRARY / "handover" / PROJECT
ROUNDS = 10

Place = Sequence[str]
"""A file and how its place begins."""


def bench_handover() -> dict[str, Any]:
    """Prepare, interview and ask; nothing of it is kept."""
    planted = _planted()
    peak = max(_peak_mb(path) for path in sorted(FILES.iterdir()))
    with rolled_back():
        list(load_library())
        study = study_files.study_of_file(STUDY)
        work.prepare(study)
        findings = list(SourceFinding.objects.filter(file__study=study).select_related("file"))
        asked = _asked(study, planted)
        interviewed = _interviewed(study)
    return {
        **_found(findings, planted),
        **interviewed,
        **asked,
        "peak_mb": round(peak, 1),
        "conditions": {
            "project": PROJECT,
            "rounds": ROUNDS,
            "provider": "as configured; offline where no key is set",
            "python": platform.python_version(),
        },
    }


def _planted() -> Mapping[str, Any]:
    path = resources.files("interviews.bench").joinpath("handover.yaml")
    planted: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return planted


def _peak_mb(path: Path) -> float:
    with sandbox.read(path.read_bytes(), path.name) as outcome:
        return outcome.peak_mb


def _found(findings: Sequence[SourceFinding], planted: Mapping[str, Any]) -> dict[str, Any]:
    """How much of what was planted is there, and what is there that was not."""
    said = {(f.file.name, f.value, f.place) for f in findings}
    values = [p for p in planted["planted"] if (p["file"], p["value"], p["place"]) in said]
    conflicts = [f for f in findings if f.kind == "contradiction"]
    gaps = [f for f in findings if f.kind == "gap"]
    true_conflicts = {
        f.pk: at
        for f in conflicts
        for at, places in enumerate(planted["contradictions"])
        if sum(any(_at(there, place) for there in f.places) for place in places) >= 2
    }
    true_gaps = {
        f.pk: at
        for f in gaps
        for at, place in enumerate(planted["gaps"])
        if _at({"file": f.file.name, "place": f.place}, place)
    }
    false = Counter(
        f.file.name for f in (*conflicts, *gaps) if f.pk not in true_conflicts.keys() | true_gaps
    )
    return {
        "planted": len(planted["planted"]),
        "planted_found": len(values),
        "contradictions": len(planted["contradictions"]),
        "contradictions_found": len(set(true_conflicts.values())),
        "gaps": len(planted["gaps"]),
        "gaps_found": len(set(true_gaps.values())),
        "most_false_in_a_file": max(false.values(), default=0),
    }


def _at(there: Mapping[str, str], place: Place) -> bool:
    return there["file"] == place[0] and there["place"].startswith(place[1])


def _interviewed(study: Study) -> dict[str, Any]:
    colleague = load_colleague(PROJECT)
    session = hold_interview(study, Answers(colleague=colleague, told=[]), seed=0, max_turns=ROUNDS)
    facts = HandoverFact.objects.filter(session=session).values_list("text", flat=True)
    return {
        "held_back": len(colleague.facts),
        "held_back_elicited": elicited(colleague, list(facts)),
        "asked_although_answered": _asked_again(study, session),
    }


def _asked_again(study: Study, session: Session) -> int:
    """Rounds with a question that a file or an earlier round had answered."""
    by_files = BacklogQuestion.objects.filter(study=study, status="ANSWERED_BY_FILES").values_list(
        "question_id", flat=True
    )
    rounds = QuestionStore().report(str(session.pk))["interview_transcript"]
    asked = [entry["question_id"] for entry in rounds]
    return len(asked) - len(set(asked)) + len(set(asked) & set(by_files))


def _asked(study: Study, planted: Mapping[str, Any]) -> dict[str, Any]:
    questions, without = planted["questions"], planted["not_in_material"]
    missed = []
    for question in questions:
        place = (question["file"], question["place"])
        near = ask.nearest(study, question["ask"])
        cited = ({"file": c.file or "", "place": c.place or ""} for c in near)
        if not any(_at(there, place) for there in cited):
            missed.append(question["ask"])
    answered = [text for text in without if ask.ask(study, text).found]
    return {
        "questions": len(questions),
        "recall_at_5": round(1 - len(missed) / len(questions), 3),
        "missed": missed,
        "not_in_material": len(without),
        "not_in_material_right": len(without) - len(answered),
        "answered_without_material": answered,
    }
