from __future__ import annotations

import pytest
from pydantic import ValidationError

from interviews.llm.tasks.questions import QUESTION_REPAIR, RepairInputs
from interviews.modes.base import Ask, QuestionTask
from interviews.turns.blocks import Block

CALL = QuestionTask(
    QUESTION_REPAIR,
    RepairInputs(question="Why?", problems=("bare_why",), subject="a bag"),
)


def test_a_question_is_fixed_text_or_a_call_and_not_both_or_neither() -> None:
    assert Ask(text="Why this bag?").call is None
    assert Ask(call=CALL).text == ""
    for wrong in ({}, {"text": "  "}, {"text": "Why?", "call": CALL}):
        with pytest.raises(ValueError, match="fixed text or a call"):
            Ask(**wrong)


def test_a_block_has_a_kind_and_whatever_belongs_to_it() -> None:
    given = {"kind": "choice", "options": ["a", "b"], "most": 1}
    assert Block.model_validate(given).model_dump(mode="json") == given
    for kind in ("", "Choice", "a-b", "x" * 21):
        with pytest.raises(ValidationError, match="kind"):
            Block.model_validate({"kind": kind})
    with pytest.raises(ValidationError, match="options"):
        Block.model_validate({"kind": "choice", "options": object()})
