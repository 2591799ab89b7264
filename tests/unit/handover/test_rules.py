"""What rules find in files and hear in answers."""

from __future__ import annotations

import pytest

from interviews.llm.providers.offline.handover_files import deep_dive, reconcile
from interviews.llm.providers.offline.handover_rounds import extract_facts, rephrase
from interviews.llm.providers.offline.handover_values import amount, terms
from interviews.llm.tasks.handover_files import (
    DeepDiveInputs,
    FileLine,
    KnownFinding,
    OpenQuestion,
    ReconcileInputs,
)
from interviews.llm.tasks.handover_rounds import ExtractFactsInputs, RephraseInputs
from interviews.llm.tasks.questions import TurnInput


def found(kind: str, text: str, place: str = "line 1") -> set[tuple[str, str, str]]:
    inputs = DeepDiveInputs(file="f", kind=kind, place=place, text=text)
    findings = deep_dive(inputs).findings
    assert all(finding.quote in text for finding in findings)
    return {(finding.kind, finding.name, finding.value) for finding in findings}


@pytest.mark.parametrize(
    ("kind", "text", "finding"),
    [
        ("code", "MAX_LOAD = 0.85", ("threshold", "MAX_LOAD", "0.85")),
        ("code", "seats: int = 40  # per room", ("constant", "seats", "40")),
        ("code", "const WAIT = 30;", ("constant", "WAIT", "30")),
        ("code", "def f(x, window=4):", ("constant", "window", "4")),
        ("code", "    if ratio >= 0.35:", ("threshold", "ratio", "0.35")),
        ("code", "score = hits * weight + base", ("formula", "score", "hits * weight + base")),
        ("code", "ROOM = None", ("gap", "no value: ROOM", "None")),
        ("sql", "SELECT paid * 1.2 AS gross FROM t", ("formula", "gross", "SELECT paid * 1.2")),
        ("xlsx", "A4: Load limit | B4: 0.85", ("threshold", "Load limit", "0.85")),
        ("xlsx", "A4: Wait | B4: 30 | C4: days", ("constant", "Wait", "30 days")),
        ("xlsx", "A5: Net | B5: =B3*1.2 → 7", ("formula", "Net", "=B3*1.2")),
        ("xlsx", "A5: Rate | B5: TBD", ("gap", "no value: Rate", "TBD")),
        (
            "markdown",
            "Stop when the queue exceeds 20 minutes.",
            ("threshold", "queue", "20 minutes"),
        ),
        ("text", "Nobody but Ines Prado has the keys.", ("person", "Ines Prado", "")),
        ("docx", "This chapter is unfinished.", ("gap", "not finished: This chapter", "")),
    ],
)
def test_rules_find_what_was_set_as_it_stands(
    kind: str, text: str, finding: tuple[str, str, str]
) -> None:
    names = found(kind, text)
    if finding[0] == "person":
        assert any(name.startswith("only Ines Prado knows") for _, name, _ in names)
    else:
        assert finding in names


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("code", "i = 0"),
        ("code", "result = None"),
        ("code", 'name = first + " " + last'),
        ("csv", "region: north; paid: 4512"),
        ("xlsx", "A2: north | B2: 4512 | C2: 91 | D2: 17"),
        ("markdown", "The weather was fine."),
    ],
)
def test_rules_leave_alone_what_nobody_set(kind: str, text: str) -> None:
    assert {
        f for f in found(kind, text) if f[0] in ("threshold", "constant", "gap", "formula")
    } == (set())


def test_numbers_are_compared_by_their_amount() -> None:
    assert amount("15%") == amount("0.15") == amount("15 percent")
    assert amount("200_000") == amount("200,000")
    assert terms("HISTORY_QUARTERS") == terms("history", "12 quarters")


def finding(ref: int, file: str, name: str, value: str, kind: str = "constant") -> KnownFinding:
    return KnownFinding(
        ref=ref, file=file, kind=kind, name=name, value=value, place=f"line {ref}", quote=name
    )


def test_one_thing_with_two_values_is_a_contradiction_that_names_every_place() -> None:
    findings = (
        finding(0, "a.md", "history", "12 quarters"),
        finding(1, "b.py", "HISTORY_QUARTERS", "4"),
        finding(2, "b.py", "RETRIES", "4"),
        finding(3, "c.md", "retries", "4"),
    )
    files = (FileLine(file="a.md", purpose="A."),)
    (conflict,) = reconcile(ReconcileInputs(files=files, findings=findings)).conflicts
    assert conflict.refs == (0, 1)
    assert "`a.md` at line 0" in conflict.question
    assert "`b.py` at line 1" in conflict.question


def test_a_reason_in_another_file_answers_a_question() -> None:
    reason = KnownFinding(
        ref=1,
        file="notes.md",
        kind="decision",
        name="the tail factor",
        place="line 2",
        quote="The tail factor is 1.045 because the auditor asked for it.",
    )
    inputs = ReconcileInputs(
        files=(),
        findings=(finding(0, "b.xlsx", "Tail factor", "1.045"), reason),
        questions=(OpenQuestion(question_id="file-00000001", text="why?", refs=(0,)),),
    )
    (answered,) = reconcile(inputs).answered
    assert (answered.question_id, answered.ref) == ("file-00000001", 1)


@pytest.mark.parametrize(
    ("answer", "confidence"),
    [
        ("No idea.", "low"),
        ("Maybe, I think it was always there somehow.", "low"),
        ("It came from the old sheet of the team.", "medium"),
        (
            "It was set in 2021 after the audit, because two brokers had sent the same file twice.",
            "high",
        ),
    ],
)
def test_confidence_is_by_length_hedges_and_specifics(answer: str, confidence: str) -> None:
    read = extract_facts(ExtractFactsInputs(question="Why?", about="the cap", answer=answer))
    assert read.confidence == confidence
    assert (read.follow_up is None) is (confidence == "high")


def test_facts_stand_alone_and_new_names_raise_questions() -> None:
    answer = "It was set by Ines Prado in 2021. Because the auditor wanted it."
    read = extract_facts(ExtractFactsInputs(question="Why 0.3?", about="the cap", answer=answer))
    assert read.facts == (
        "The cap was set by Ines Prado in 2021.",
        "The cap is so because the auditor wanted it.",
    )
    assert [found.about for found in read.discovered_questions] == ["Ines Prado"]
    known = ExtractFactsInputs(question="?", about="x", answer=answer, known=("Ines Prado",))
    assert extract_facts(known).discovered_questions == ()


def test_a_question_takes_up_the_answer_and_stays_short() -> None:
    raw = "In `a.py` at line 3 the cap is 0.3: where does that number come from?"
    turn = TurnInput(question="Who?", answer="Well. Ines set it in 2021 after the audit.")
    asked = rephrase(RephraseInputs(raw_question=raw, turns=(turn,)))
    assert "Ines set it in 2021 after the audit" in asked.question
    assert asked.question.endswith(raw)
    first = rephrase(RephraseInputs(raw_question=raw, files=("a.py", "b.md"), first=True))
    assert "I have read `a.py`, `b.md`" in first.question
    long = rephrase(RephraseInputs(raw_question=" ".join(["word"] * 55) + "?", turns=(turn,)))
    assert len(long.question.split()) < 60
