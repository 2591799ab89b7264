"""From consent to the closing page in each language beside English, on the site as it is run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from interview_project.translations import catalogue
from tests.browser.pages import PHONE, NewPage, violations
from tests.browser.site import ROOT, Site

# One worker for all of them: they share a site that takes long to start.
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("site")]

STUDY = """\
kind: study
slug: in-{language}
name: {name}
mode: guided
language: {language}
consent_text: {consent}
researcher: A. B.
contact: ab@example.org
research_purpose: {name}
retention: {name}
withdrawal: {name}
guide:
  kind: guide
  id: in_{language}
  title: {name}
  language: {language}
  research_goal: {name}
  max_duration_minutes: 12
  topics:
    - {{id: one, label: {one}, sub_goals: [{two}]}}
    - {{id: two, label: {two}, sub_goals: [{one}]}}
"""
TEXTS = {
    "it": ("Uscita", "Una conversazione scritta.", "la decisione", "il sostegno ricevuto"),
    "de": ("Abschied", "Ein Gespräch zum Schreiben.", "die Entscheidung", "die Unterstützung"),
    "fr": ("Départ", "Une conversation par écrit.", "la décision", "le soutien reçu"),
    "es": ("Salida", "Una conversación por escrito.", "la decisión", "el apoyo recibido"),
}
ANSWERS = {
    "it": "È nata a marzo, dopo una riunione che non è andata bene.",
    "de": "Sie fiel im März, nach einer Besprechung, die nicht gut lief.",
    "fr": "Elle est venue en mars, après une réunion difficile.",
    "es": "Llegó en marzo, después de una reunión que no fue bien.",
}
OPEN = """
from pathlib import Path
from interviews import plans, studies
from interviews.study_files import study_of_file
for path in {paths!r}:
    study = study_of_file(Path(path))
    plans.make(study)
    studies.go_live(study.pk)
"""
ENGLISH = re.compile(
    r"\b(the|you|your|this|with|and|answer|question|interview|saved)\b", re.IGNORECASE
)
CHROME = """() => [document.title, document.body.innerText,
    ...[...document.querySelectorAll('[aria-label], [placeholder], [alt]')].flatMap(it =>
      ['aria-label', 'placeholder', 'alt'].map(name => it.getAttribute(name) ?? ''))].join('\\n')"""


@pytest.fixture(scope="module")
def address(site: Site, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the studies are, one a language."""
    folder = tmp_path_factory.mktemp("languages")
    paths = []
    for language, (name, consent, one, two) in TEXTS.items():
        path: Path = folder / f"{language}.yaml"
        text = STUDY.format(language=language, name=name, consent=consent, one=one, two=two)
        path.write_text(text, encoding="utf-8")
        paths.append(str(path))
    environment = {**os.environ, "DATA_DIR": str(site.folder), "LOG_LEVEL": "WARNING"}
    environment.pop("DATABASE_URL", None)
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-c", OPEN.format(paths=paths)],
        cwd=ROOT,
        env=environment,
        check=True,
    )
    return f"{site.address}/s"


def assert_in_its_language(page: Page, language: str) -> None:
    """Nothing that the page says is English, and axe finds nothing."""
    assert page.locator("html").get_attribute("lang") == language
    said: str = page.evaluate(CHROME)
    assert said.strip()
    # Words that its language has, too.
    own = {"de": {"interview"}, "fr": {"interview", "question"}}.get(language, set())
    assert {word.lower() for word in ENGLISH.findall(said)} - own == set()
    assert violations(page) == []


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_from_consent_to_thanks(new_page: NewPage, address: str, language: str) -> None:
    page = new_page(PHONE)
    page.goto(f"{address}/in-{language}/")
    assert_in_its_language(page, language)
    page.locator("main button[type=submit]").click()
    questions = page.locator(".entry--interviewer")
    questions.first.wait_for(timeout=60_000)
    expect(page.locator("#skip")).to_be_visible()
    page.locator("#answer").fill(ANSWERS[language])
    page.keyboard.press("Enter")
    questions.nth(1).wait_for(timeout=60_000)
    expect(page.locator("#skip")).to_be_visible()
    assert_in_its_language(page, language)
    page.locator("#end").click()
    assert_in_its_language(page, language)
    page.locator("#end-dialog button[value=end]").click()
    expect(page.locator("#done")).to_be_visible()
    assert_in_its_language(page, language)


def test_what_is_looked_for_is_there_in_english() -> None:
    """The English texts themselves are found: else nothing would ever be."""
    untranslated = re.findall(r'^msgid "(.+)"$', catalogue("it").read_text("utf-8"), re.MULTILINE)
    seen = sum(ENGLISH.search(text) is not None for text in untranslated)
    assert seen > len(untranslated) / 2
