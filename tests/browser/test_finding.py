"""From a search to its place, a question in quotes, and a report that is passed on by a link."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.browser.pages import NewPage, violations
from tests.browser.site import ROOT, Site
from tests.browser.test_console import sign_in
from tests.browser.test_interview import answer, begin

pytestmark = pytest.mark.browser

SAID = "The straps are soft, so I can walk further, and that matters because I feel free."


def test_what_was_said_is_found_asked_reported_and_passed_on(new_page: NewPage, site: Site) -> None:
    chat = new_page()
    begin(chat, site)
    answer(chat, SAID)
    expect(chat.locator(".entry")).to_have_count(3, timeout=30_000)
    environment = {**os.environ, "DATA_DIR": str(site.folder)}
    command = [sys.executable, "manage.py", "search", "demo", "straps"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    page = new_page()
    sign_in(page, site)
    study = f"{site.address}/dashboard/studies/demo"

    page.goto(f"{study}/search/")
    page.get_by_role("searchbox").fill("soft straps")
    page.keyboard.press("Enter")
    expect(page.locator("mark").first).to_be_visible()
    assert violations(page) == []
    page.get_by_role("link", name=re.compile("^Session .*, turn 1$")).first.click()
    expect(page.locator("[data-turn='1'].turn--chosen")).to_be_visible()

    page.goto(f"{study}/questions/")
    page.get_by_role("textbox", name="Your question").fill("Are the straps soft?")
    page.keyboard.press("Enter")
    expect(page.locator("q").first).to_contain_text("straps")
    assert violations(page) == []

    page.goto(f"{study}/report/")
    page.get_by_role("textbox", name="Days that a new link counts").fill("2")
    page.keyboard.press("Enter")
    link = page.locator(".report__links a").first
    expect(link).to_be_visible()
    assert violations(page) == []
    shared = link.get_attribute("href") or ""
    reader = new_page()
    reader.goto(shared)
    expect(reader.get_by_role("heading", name="Saturation")).to_be_visible()
    assert violations(reader) == []
    reader.emulate_media(media="print")
    expect(reader.get_by_role("link", name="PDF")).to_be_hidden()
    assert reader.pdf().startswith(b"%PDF")
    page.get_by_role("button", name=re.compile("^Revoke")).first.click()
    expect(page.get_by_text(re.compile("revoked"))).to_be_visible()
    gone = reader.goto(shared)
    assert gone is not None
    assert gone.status == 404
