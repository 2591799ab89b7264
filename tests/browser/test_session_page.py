"""The page of a long interview in Chromium: 80 concepts that can be read, found and followed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import NewPage, violations
from tests.browser.site import ROOT, Site
from tests.browser.test_console import sign_in
from tests.browser.test_corrections import SAID
from tests.browser.test_interview import answer, begin

pytestmark = pytest.mark.browser
CODE = "from tests.browser.large_interview import make; print(make())"
SIZES = {"1440": {"width": 1440, "height": 900}, "768": {"width": 768, "height": 1024}}


@pytest.fixture(scope="module")
def address(site: Site) -> str:
    """The page of an interview of 80 concepts."""
    environment = {**os.environ, "DATA_DIR": str(site.folder), "LOG_LEVEL": "WARNING"}
    environment.pop("DATABASE_URL", None)
    made = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", CODE],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return f"{site.address}/dashboard/sessions/{made.stdout.split()[-1]}/"


def opened(new_page: NewPage, site: Site, address: str, size: str, scheme: str) -> Page:
    page = new_page(SIZES[size], color_scheme=scheme)
    sign_in(page, site)
    page.goto(address)
    expect(page.locator("[data-graph-count]")).to_have_text("80 concepts · 61 links")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", list(SIZES))
def test_labels_of_80_concepts_are_large_enough_to_read(
    new_page: NewPage, site: Site, address: str, size: str, scheme: str, tmp_path: Path
) -> None:
    page = opened(new_page, site, address, size, scheme)
    drawn = page.locator("[data-canvas=words]")
    assert float(drawn.get_attribute("data-zoom") or 0) * 13 >= 11
    assert violations(page) == []
    pictures = Path(os.environ.get("SCREENSHOTS", str(tmp_path)))
    page.screenshot(path=pictures / f"session-80-nodes-{size}-{scheme}.png", full_page=True)


def test_a_concept_is_found_its_chain_followed_and_what_has_no_link_hidden(
    new_page: NewPage, site: Site, address: str
) -> None:
    page = opened(new_page, site, address, "1440", "light")
    page.get_by_label("Find").fill("light c8")
    page.get_by_label("Find").press("Enter")
    about = page.locator("[data-about]")
    expect(about.get_by_text("light c8", exact=True)).to_be_visible()
    drawn = page.locator("[data-canvas=words]")
    follow = page.get_by_role("button", name="Follow the chosen one")
    follow.click()
    expect(drawn).to_have_attribute("data-drawn", "3")
    follow.click()
    expect(drawn).to_have_attribute("data-drawn", "80")
    page.get_by_role("button", name="Hide what has no link").click()
    shown = int(drawn.get_attribute("data-drawn") or 0)
    assert 70 < shown < 80
    page.get_by_role("button", name="Show all").click()
    assert float(drawn.get_attribute("data-zoom") or 1) * 13 < 11
    assert 3 <= int(drawn.get_attribute("data-named") or 0) < shown  # the others have no words
    page.get_by_role("button", name="Hide what has no link").click()
    fold = page.get_by_role("button", name="Fold finished chains")
    fold.click()
    folded = int(drawn.get_attribute("data-drawn") or 0)
    assert folded < 80 - 20
    assert float(drawn.get_attribute("data-zoom") or 0) * 13 >= 11
    fold.click()
    expect(drawn).to_have_attribute("data-drawn", "80")
    for name in ("Undo", "Redo"):
        button = page.get_by_role("button", name=name)
        expect(button).to_be_disabled()
        assert float(button.evaluate("one => getComputedStyle(one).opacity")) < 0.5


def test_charts_tables_and_the_graph_are_saved_as_files(
    new_page: NewPage, site: Site, address: str
) -> None:
    page = opened(new_page, site, address, "1440", "light")
    expect(page.locator("[data-over]")).to_have_attribute("data-drawn", "2")
    page.get_by_text("The same as a table").click()
    saved = {
        "CSV": ("over-turns.csv", b"\xef\xbb\xbfTurn,Strategy,Focus"),
        "Graph as SVG": ("graph.svg", b"<svg"),
        "Graph as PNG": ("graph.png", b"\x89PNG"),
        "saturation over turns as SVG": ("saturation-over-turns.svg", b"<svg"),
        "strategy over turns as PNG": ("strategy-over-turns.png", b"\x89PNG"),
    }
    for button, (name, begins) in saved.items():
        with page.expect_download() as caught:
            page.get_by_role("button", name=button, exact=True).click()
        assert caught.value.suggested_filename == name
        assert caught.value.path().read_bytes().startswith(begins), name


def test_the_page_grows_while_the_interview_runs(new_page: NewPage, site: Site) -> None:
    chat = new_page()
    begin(chat, site)
    answer(chat, SAID)
    expect(chat.locator(".entry")).to_have_count(3, timeout=30_000)
    page = new_page()
    sign_in(page, site)
    page.goto(f"{site.address}/dashboard/")
    page.locator("th[scope=row] a").first.click()
    expect(page.locator("[data-over]")).to_have_attribute("data-drawn", "1")
    page.evaluate("() => { window.same = true; }")
    answer(chat, "The hip belt is padded, so my back does not hurt and I enjoy the day.")
    expect(page.locator("[data-over]")).to_have_attribute("data-drawn", "2", timeout=30_000)
    expect(page.locator("#turn-slider")).to_have_value("2")
    expect(page.locator("[data-turns]")).to_contain_text("The hip belt is padded")
    assert page.evaluate("() => window.same") is True
