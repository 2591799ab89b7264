"""A guided interview in Italian on the site as it is really run, by keyboard on a narrow screen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import NewPage, violations
from tests.browser.site import ROOT, Site

# One worker for all of them: they share a site that takes long to start.
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("site")]

NARROW = {"width": 320, "height": 568}
STUDY = """\
kind: study
slug: uscita
name: Colloquio di uscita
mode: guided
language: it
consent_text: Una conversazione sulla sua esperienza, condotta da un programma.
researcher: Il gruppo di ricerca
contact: ricerca@example.org
research_purpose: Capire perché le persone se ne vanno.
retention: Un anno.
withdrawal: Dalla pagina dell'intervista, in ogni momento.
data_collection: form
data_fields:
  - {key: nome, type: name, label: Il suo nome}
  - {key: email, type: email, label: Il suo indirizzo e-mail}
reward: Il suo codice è GRAZIE-2026.
guide:
  kind: guide
  id: uscita
  title: Colloquio di uscita
  language: it
  research_goal: Capire perché le persone se ne vanno
  max_duration_minutes: 3
  topics:
    - {id: decisione, label: la decisione, sub_goals: [il primo pensiero]}
    - {id: responsabile, label: il responsabile, sub_goals: [il sostegno ricevuto]}
"""
OPEN = """
import sys
from pathlib import Path
from interviews import plans, studies
from interviews.study_files import study_of_file
study = study_of_file(Path({path!r}))
plan = plans.make(study).data
plan["meta"]["total_time_sec"] = 0
plans.edit(study, plan)
studies.go_live(study.pk)
"""
"""Takes the study in; its time is used up when it begins, so that the offer comes at once."""


@pytest.fixture(scope="module")
def address(site: Site, tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("guided") / "uscita.yaml"
    path.write_text(STUDY, encoding="utf-8")
    environment = {**os.environ, "DATA_DIR": str(site.folder), "LOG_LEVEL": "WARNING"}
    environment.pop("DATABASE_URL", None)
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-c", OPEN.format(path=str(path))],
        cwd=ROOT,
        env=environment,
        check=True,
    )
    return f"{site.address}/s/uscita/"


def reach(page: Page, label: str) -> None:
    """Tab to what is called so."""
    for _ in range(30):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "(document.activeElement.labels?.[0] ?? document.activeElement).innerText?.trim()"
        )
        if name and name.startswith(label):
            return
    raise AssertionError(f"{label} was not reached")


def asked(page: Page, number: int) -> str:
    """The text of the interviewer's entry of this number, once it is there."""
    entry = page.locator(".entry--interviewer .entry__text").nth(number)
    entry.wait_for(timeout=60_000)
    return entry.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_italian_interview_to_the_reward_by_keyboard(
    new_page: NewPage, address: str, scheme: str
) -> None:
    page = new_page(NARROW, color_scheme=scheme)
    page.goto(address)
    assert page.locator("html").get_attribute("lang") == "it"
    assert violations(page) == []
    reach(page, page.locator("main button[type=submit]").inner_text())
    page.keyboard.press("Enter")

    assert "la decisione" in asked(page, 0)
    expect(page.locator("#answer")).to_be_focused()
    page.keyboard.type("La decisione è nata a marzo, dopo una riunione che non è andata bene.")
    page.keyboard.press("Enter")

    assert asked(page, 1).startswith("Il tempo previsto è finito")
    assert "il responsabile" in asked(page, 1)
    assert violations(page) == []
    reach(page, "Sì, continuiamo")
    page.keyboard.press("Enter")

    assert "il sostegno ricevuto" in asked(page, 2)
    page.locator("#answer").wait_for()
    page.locator("#answer").focus()
    page.keyboard.type("Il responsabile ascoltava, ma non cambiava mai niente per noi.")
    page.keyboard.press("Enter")

    assert "Il suo nome" in asked(page, 3)
    assert violations(page) == []
    reach(page, "Sì, va bene")
    page.keyboard.press("Enter")

    page.locator(".block--form").wait_for()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    reach(page, "Il suo nome")
    page.keyboard.type("Ada Bianchi")
    reach(page, "Il suo indirizzo e-mail")
    page.keyboard.type("ada@example.org")
    page.keyboard.press("Enter")

    expect(page.get_by_text("GRAZIE-2026")).to_be_visible(timeout=60_000)
    assert violations(page) == []
    assert "ada@example.org" not in page.content()
