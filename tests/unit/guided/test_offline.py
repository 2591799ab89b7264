"""Guided questions by rules: every angle once before any comes again, in whole sentences."""

from __future__ import annotations

import pytest

from interviews.llm.providers.offline.guided import guided_question_only
from interviews.llm.tasks.guided_question import GuidedQuestionOnlyInputs

ANGLES = ("the first day", "the last day", "a day in between")


@pytest.mark.parametrize("language", ["en", "it"])
def test_every_angle_is_taken_once_before_any_is_taken_again(language: str) -> None:
    asked: list[str] = []
    for _ in ANGLES:
        inputs = GuidedQuestionOnlyInputs(
            topic="the job",
            aim="probe",
            angles=ANGLES,
            asked_questions=tuple(asked),
            language=language,
            seed=3,
        )
        asked.append(guided_question_only(inputs).question)
    assert [next(a for a in ANGLES if a in question) for question in asked] == list(ANGLES)
