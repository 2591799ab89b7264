"""A handover on the site as it is really run: files, backlog, interview, answers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import ROOT, NewPage, violations
from tests.browser.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("site")]

PROJECT = ROOT / "methodologies" / "library" / "handover" / "loss_forecast"
PASSWORD = "a long enough phrase"
SETUP = f"""
from django.contrib.auth.models import Group, User
from interviews.models import Study, Team
from methodologies.registry import METHODOLOGY, newest
user = User.objects.create_user("lead", password="{PASSWORD}", is_staff=True)
user.groups.add(Group.objects.get_or_create(name="researcher")[0])
Team.default().members.add(user)
Study.objects.create(
    slug="leaving", name="Leaving", mode="handover", status="live", max_turns=3,
    methodology_version=newest(METHODOLOGY, "knowledge_transfer"),
)
"""
SCREENSHOTS = os.environ.get("SCREENSHOTS")


def keep(page: Page, name: str) -> None:
    """Keep a picture where SCREENSHOTS names a folder."""
    if SCREENSHOTS:
        page.screenshot(path=str(Path(SCREENSHOTS) / f"{name}.png"), full_page=False)


def prepare(site: Site) -> None:
    environment = {**os.environ, "DATA_DIR": str(site.folder)}
    environment.pop("DATABASE_URL", None)
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-c", SETUP], cwd=ROOT, env=environment, check=True
    )


def test_from_files_to_answers(new_page: NewPage, site: Site) -> None:
    prepare(site)
    page = new_page()
    files = f"{site.address}/dashboard/studies/leaving/files/"
    page.goto(f"{site.address}/admin/login/?next=/dashboard/studies/leaving/files/")
    page.locator("input[name=username]").fill("lead")
    page.locator("input[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Files of Leaving")).to_be_visible()
    assert violations(page) == []

    page.get_by_label("Add files").set_input_files(sorted(PROJECT.iterdir()))
    page.get_by_role("button", name="Upload").click()
    expect(page.locator("tbody tr").first).to_be_visible()
    expect(page.get_by_role("heading", name="Backlog")).to_be_visible(timeout=90_000)
    expect(page.get_by_text("which one holds, and why do they differ?").first).to_be_visible()
    assert violations(page) == []
    keep(page, "handover-files")

    first = page.locator(".question").first
    first.get_by_text("Edit").click()
    first.get_by_label("Question").fill("Which history window holds, and who decided that?")
    first.get_by_role("button", name="Save").click()
    expect(page.locator(".question").first).to_contain_text("who decided that?")

    chat = new_page()
    chat.goto(f"{site.address}/s/leaving/")
    chat.get_by_role("button", name="I agree, begin").click()
    opening = chat.locator(".entry--interviewer").first
    expect(opening).to_contain_text("I have read", timeout=60_000)
    chat.locator("#answer").fill(
        "Four quarters hold since 2023, because the claims system was replaced in that year."
    )
    chat.keyboard.press("Enter")
    expect(chat.locator(".entry--interviewer")).to_have_count(2, timeout=60_000)
    assert violations(chat) == []
    keep(chat, "handover-chat")

    page.goto(files.replace("/files/", "/ask/"))
    page.get_by_label("Your question").fill("What is the loss threshold?")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    assert violations(page) == []
    keep(page, "handover-ask")
    page.locator(".sources a", has_text="loss_model.xlsx, Params!A4:B4").click()
    expect(page.get_by_label("Passage", exact=True)).to_contain_text("Loss threshold")
    assert violations(page) == []
