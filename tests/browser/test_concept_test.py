"""A concept test on the site as it is really run: the card, the interview, the matrix."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import PHONE, ROOT, NewPage, violations
from tests.browser.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("site")]

PASSWORD = "a long enough phrase"
SETUP = f"""
from pathlib import Path
from django.contrib.auth.models import Group, User
from interviews import studies
from interviews.models import Team
from interviews.study_files import study_of_file
user = User.objects.create_user("tester", password="{PASSWORD}", is_staff=True)
user.groups.add(Group.objects.get_or_create(name="researcher")[0])
Team.default().members.add(user)
study = study_of_file(Path("methodologies/library/studies/sparkling_tea_test.yaml"))
study.slug, study.max_turns = "tea", 3
study.save()
studies.go_live(study.pk)
"""
ANSWERS = (
    "I like that there is no alcohol in it, because then I wake up with a clear head.",
    "A clear head means that the weekend belongs to me, and I feel free.",
    "The bottle looks handsome, but almost five euros is quite expensive for tea.",
)
SCREENSHOTS = os.environ.get("SCREENSHOTS")


def keep(page: Page, name: str) -> None:
    """Keep a picture where SCREENSHOTS names a folder."""
    if SCREENSHOTS:
        page.screenshot(path=str(Path(SCREENSHOTS) / f"{name}.png"), full_page=False)


def test_from_the_card_to_the_quotes_of_a_cell(new_page: NewPage, site: Site) -> None:
    environment = {**os.environ, "DATA_DIR": str(site.folder)}
    environment.pop("DATABASE_URL", None)
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-c", SETUP], cwd=ROOT, env=environment, check=True
    )
    chat = new_page(PHONE)
    chat.goto(f"{site.address}/s/tea/")
    chat.get_by_role("button", name="I agree, begin").click()
    card = chat.locator("#thread .block--stimulus")
    expect(card).to_contain_text("sparkling tea without alcohol", timeout=60_000)
    picture = card.get_by_role("img", name="A tall green glass bottle")
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("image => image.naturalWidth") > 0
    expect(card).to_be_in_viewport()
    assert violations(chat) == []
    keep(chat, "concept-card")

    for number, text in enumerate(ANSWERS, start=1):
        if number == 2:
            again = chat.get_by_role("button", name="Look at it again")
            again.focus()
            chat.keyboard.press("Enter")
            dialog = chat.get_by_role("dialog", name="What this is about")
            expect(dialog).to_contain_text("4.90 euros a bottle")
            assert violations(chat) == []
            chat.keyboard.press("Escape")
            expect(dialog).to_be_hidden()
            expect(again).to_be_focused()
        chat.locator("#answer").fill(text)
        chat.locator("#answer").press("Enter")
        if number < len(ANSWERS):
            expect(chat.locator(".entry--interviewer")).to_have_count(number + 1, timeout=60_000)
    expect(chat.get_by_role("heading", name="Thank you")).to_be_visible(timeout=60_000)

    page = new_page()
    page.goto(f"{site.address}/admin/login/?next=/dashboard/studies/tea/")
    page.locator("input[name=username]").fill("tester")
    page.locator("input[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="What was made of it").click()
    expect(page.get_by_role("heading", name="Elements by respondents")).to_be_visible()
    assert violations(page) == []
    row = page.get_by_role("row", name="without alcohol")
    row.first.get_by_role("button").focus()
    page.keyboard.press("Enter")
    quotes = page.get_by_role("dialog", name="without alcohol")
    expect(quotes).to_contain_text("no alcohol in it")
    assert violations(page) == []
    keep(page, "coverage-matrix")
    page.keyboard.press("Escape")
    expect(quotes).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []
