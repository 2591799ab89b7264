from __future__ import annotations

from pathlib import Path

import pytest

from interviews.training.answers import fitted_answers, labelled_answers, small_talk
from interviews.training.errors import LabelsUnusable


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (
            "- answer: It is warm.\n  concepts: [{quote: cold, type: attribute}]",
            "not in the answer",
        ),
        ("- answer: It is warm.\n  concepts: [{quote: warm, type: colour}]", "'colour'"),
        ("- answer: It is warm.\n  edges: [[F, 0]]", "focus"),
        ("- answer: It is warm.\n  edges: [[0, 1]]", "concept 0"),
        ("- answer: [", "answers.yaml"),
    ],
)
def test_a_labelled_set_that_is_not_valid_says_where(
    tmp_path: Path, document: str, said: str
) -> None:
    file = tmp_path / "answers.yaml"
    file.write_text(document, encoding="utf-8")
    with pytest.raises(LabelsUnusable, match=said):
        labelled_answers(file)


def test_a_missing_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(LabelsUnusable, match=r"answers\.yaml"):
        labelled_answers(tmp_path / "answers.yaml")


def test_missing_answers_to_fit_to_are_named(tmp_path: Path) -> None:
    with pytest.raises(LabelsUnusable, match="no labelled answers"):
        fitted_answers(tmp_path)


def test_missing_small_talk_is_named(tmp_path: Path) -> None:
    with pytest.raises(LabelsUnusable, match=r"small_talk\.txt: missing"):
        small_talk(tmp_path / "small_talk.txt")
