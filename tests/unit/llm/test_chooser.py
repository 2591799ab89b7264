"""Choosing among questions: how they are read, fitted and held against each other."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from interviews.llm.providers.offline.chooser.choosing import (
    MOST_ASKED_TOKENS,
    MOST_SAID_TOKENS,
    Chooser,
    place,
    shared_chooser,
)
from interviews.llm.providers.offline.chooser.network import load, save
from interviews.llm.providers.offline.questions import follow_up_question
from interviews.llm.tasks.questions import FocusInput, FollowUpInputs, StrategyInput, TurnInput
from interviews.training.chooser import (
    JUDGED,
    JudgedQuestion,
    fit_choices,
    ordered,
    read_questions,
)
from interviews.training.errors import LabelsUnusable

ANSWER = "I was stuck in the lift for two hours, and nobody picked up the emergency phone."
ROOT = Path(__file__).parents[3]


def _judged(question: str, *, good: bool, answer: str = ANSWER) -> JudgedQuestion:
    return JudgedQuestion(
        field="lifts", point="stuck in the lift", answer=answer, question=question, good=good
    )


QUESTIONS = [
    _judged("What happened then?", good=True),
    _judged("How did you feel at that moment?", good=True),
    _judged("What would you give up without that?", good=False),
    _judged("Which side do you prefer when it comes to that?", good=False),
]


def test_a_question_stands_after_what_was_said() -> None:
    found = place(ANSWER, "stuck in the lift", "What happened then?")
    assert len(found.ids) == len(found.segments)
    assert found.segments == (0,) * found.asked_at + (1,) * (len(found.ids) - found.asked_at)


def test_of_a_long_answer_what_stands_around_the_point_is_read() -> None:
    answer = " ".join([*["well"] * 200, "the brass bell rang", *["so"] * 200])
    near = place(answer, "the brass bell rang", "Why?")
    assert near.asked_at == MOST_SAID_TOKENS + 2
    assert place("the brass bell rang", "", "Why?").ids[1:5] == near.ids[9:13]
    elsewhere = place(answer, "a wooden spoon", "Why?")
    assert elsewhere.asked_at <= MOST_SAID_TOKENS + 2
    assert place("a wooden spoon", "", "Why?").ids[1:4] == elsewhere.ids[1:4]
    assert len(place("Yes.", "yes", "why " * 300).ids) <= MOST_ASKED_TOKENS + 6


def test_nothing_cannot_be_fitted_or_held_against_each_other() -> None:
    with pytest.raises(ValueError, match="nothing to fit"):
        fit_choices([])
    with pytest.raises(ValueError, match="good and bad"):
        ordered(QUESTIONS[:2], shared_chooser())


@pytest.mark.material
def test_fitting_can_be_repeated() -> None:
    first, again = (fit_choices(QUESTIONS, epochs=3).state_dict() for _ in range(2))
    for name, value in first.items():
        assert torch.equal(value, again[name]), name


@pytest.mark.material
def test_fitting_learns_what_suits(tmp_path: Path) -> None:
    reports: list[str] = []
    network = fit_choices(QUESTIONS, epochs=20, progress=reports.append)
    assert len(reports) == 20
    save(network, "four questions", tmp_path / "chooser.safetensors")
    assert ordered(QUESTIONS, Chooser(load(tmp_path / "chooser.safetensors"))) == 1.0


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (("field\tpoint\tanswer\tquestion\tgood", "a\tb\tc\td\tyes"), "expected the columns"),
        (("field\tpoint",), None),
        (("field\tpoint", "a\tb"), "expected the columns"),
    ],
)
def test_unreadable_questions_say_what_is_wrong(
    tmp_path: Path, lines: tuple[str, ...], complaint: str | None
) -> None:
    file = tmp_path / "q.tsv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if complaint is None:
        assert read_questions(file) == []
        return
    with pytest.raises(LabelsUnusable, match=complaint):
        read_questions(file)


def test_missing_questions_are_named(tmp_path: Path) -> None:
    with pytest.raises(LabelsUnusable, match=r"q\.tsv: the judged questions are missing"):
        read_questions(tmp_path / "q.tsv")


@pytest.mark.material
def test_the_shipped_chooser_tells_what_suits_from_what_does_not() -> None:
    # A sample of the fields that it was not fitted to; 0.5 would be chance.
    judged = read_questions(JUDGED)
    left_out = sorted({q.field for q in judged})[::10][:15]
    assert ordered([q for q in judged if q.field in left_out], shared_chooser()) >= 0.7


def test_an_event_is_asked_about_as_one() -> None:
    question = follow_up_question(
        FollowUpInputs(
            subject="lifts",
            strategy=StrategyInput(
                name="follow", description="Ask on.", probes=("sequence", "feelings")
            ),
            focus=FocusInput(label="stuck in the lift", quote="I was stuck in the lift", stance=-1),
            recent_turns=(TurnInput(question="What happened?", answer=ANSWER),),
        )
    ).question
    assert "lift" in question
    assert question.count("?") == 1
