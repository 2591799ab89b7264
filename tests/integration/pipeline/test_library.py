"""Loading the shipped documents: again and again, after an edit, after a text was taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from methodologies.registry import LIBRARY, PERSONA, load_library, newest, publish

pytestmark = pytest.mark.django_db

TEXT = (LIBRARY / "personas/brief.yaml").read_text(encoding="utf-8")
OTHER = TEXT + "# another wording\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "personas").mkdir()
    return tmp_path


def load(folder: Path, text: str) -> str:
    (folder / "personas/brief.yaml").write_text(text, encoding="utf-8")
    (loaded,) = load_library(folder)
    return loaded.outcome


def test_loading_the_same_text_again_changes_nothing(folder: Path) -> None:
    assert [load(folder, TEXT), load(folder, TEXT)] == ["stored as version 1", "unchanged"]


def test_a_text_that_returns_to_an_earlier_wording_becomes_the_newest(folder: Path) -> None:
    for text in (TEXT, OTHER, TEXT):
        load(folder, text)
    assert newest(PERSONA, "brief").number == 3
    assert newest(PERSONA, "brief").text == TEXT


def test_a_persons_edit_stays_the_newest(folder: Path) -> None:
    load(folder, TEXT)
    edited = publish(PERSONA, TEXT + "# mine\n")
    assert load(folder, OTHER) == "kept: a person has edited it"
    assert load(folder, TEXT) == "unchanged"
    assert newest(PERSONA, "brief") == edited
