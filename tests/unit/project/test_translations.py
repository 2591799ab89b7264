"""What respondents' pages say is there in every language, found and compiled by this code alone."""

from __future__ import annotations

import re
from pathlib import Path

import polib
import pytest

from interview_project import translations
from interview_project.translations import compile_all, messages, problems
from interviews.wording.languages import DEFAULT, LANGUAGES

OTHERS = [language for language in LANGUAGES if language != DEFAULT]


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The catalogues, where a test may change them."""
    real = translations.catalogue
    for language in OTHERS:
        path = tmp_path / language / "django.po"
        path.parent.mkdir()
        path.write_bytes(real(language).read_bytes())
    monkeypatch.setattr(translations, "catalogue", lambda name: tmp_path / name / "django.po")
    return tmp_path


def test_no_language_lacks_a_text() -> None:
    assert list(problems()) == []


def test_texts_of_templates_and_modules_are_found_with_their_plurals() -> None:
    found = messages()
    assert ("I agree, begin", "") in found
    assert ("I'd rather not answer this", "") in found
    assert (
        "Your %(answers)s answer is saved. Come back whenever it suits you.",
        "Your %(answers)s answers are saved. Come back whenever it suits you.",
    ) in found


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda entry: setattr(entry, "msgstr", ""), "it: not translated: '{left} characters"),
        (lambda entry: setattr(entry, "msgstr", "caratteri"), "it: other places to fill than"),
        (lambda entry: setattr(entry, "msgid", "gone"), "it: said nowhere any more: 'gone'"),
    ],
)
def test_a_text_that_is_missing_wrong_or_gone_is_told(
    copied: Path, change: object, told: str
) -> None:
    path = copied / "it" / "django.po"
    file = polib.pofile(str(path))
    assert callable(change)
    change(file.find("{left} characters left"))
    file.save()
    assert any(problem.startswith(told) for problem in problems())


def test_what_is_compiled_speaks_the_language(copied: Path) -> None:
    assert [path.parent.name for path in compile_all()] == OTHERS
    german = polib.mofile(str(copied / "de" / "django.mo"))
    entry = german.find("I agree, begin")
    assert entry is not None
    assert entry.msgstr == "Ich stimme zu, beginnen"


@pytest.mark.parametrize("language", OTHERS)
def test_no_english_word_stands_in_another_language(language: str) -> None:
    english = re.compile(r"\b(the|your|you|this|answer|answers|with|is|are|and|link's)\b")
    texts = [
        re.sub(r"%\(\w+\)s|{\w+}", "", text)
        for entry in polib.pofile(str(translations.catalogue(language)))
        for text in (entry.msgstr, *entry.msgstr_plural.values())
    ]
    assert [text for text in texts if english.search(text.casefold())] == []
