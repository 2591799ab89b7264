"""The page of a study in Chromium: one errand from the slider to the file that is taken along."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.pages import NewPage, violations
from tests.browser.site import ROOT, Site
from tests.browser.test_console import sign_in

pytestmark = pytest.mark.browser
CODE = """
from interviews.models import Team
from tests.study_material import study_of
links = ["a1>c1 c1>v1 a2>c1", "a1>c1 c1>v1", "a1>c1 c1>v2 a2>c2", "a2>c2 c2>v1", "a1>c1 a3>c2",
         "a1>c1 c1>v1 a2>c2"]
own = {f"{kind}_version__document__name": "errand" for kind in ("concept", "methodology")}
print(study_of(links, slug="errand", name="Rain jackets", **own).slug)
"""


@pytest.fixture(scope="module")
def address(site: Site) -> str:
    """The page of six small interviews."""
    environment = {**os.environ, "DATA_DIR": str(site.folder), "LOG_LEVEL": "WARNING"}
    environment.pop("DATABASE_URL", None)
    made = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", CODE],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return f"{site.address}/dashboard/studies/{made.stdout.split()[-1]}/map/"


def test_cutoff_cell_sentences_merge_undo_and_files(
    new_page: NewPage, site: Site, address: str, tmp_path: Path
) -> None:
    page = new_page({"width": 1440, "height": 900}, accept_downloads=True)
    sign_in(page, site)
    page.goto(f"{address}?cutoff=1")
    drawn = page.locator("[data-canvas]")
    expect(drawn).to_have_attribute("data-drawn", "7")
    slider = page.get_by_label("Cut-off")
    slider.focus()
    for _ in range(3):
        slider.press("ArrowRight")
    expect(drawn).to_have_attribute("data-cutoff", "4")
    expect(page).to_have_url(re.compile(r"cutoff=4"))
    expect(page.locator("[data-kept]")).to_contain_text("of 7 themes")
    assert int(drawn.get_attribute("data-drawn") or 9) < 7
    slider.press("Home")
    expect(drawn).to_have_attribute("data-drawn", "7")

    cell = page.get_by_role("link", name=re.compile("theme a1 to theme c1: 5 direct"))
    cell.focus()
    page.keyboard.press("Enter")
    panel = page.locator("[data-panel]")
    expect(panel).to_contain_text("theme a1 → theme c1")
    expect(panel).to_contain_text("5 sentences of 5 interviews")
    expect(panel).to_contain_text("Why does this matter to you?")
    assert violations(page) == []

    with page.expect_download() as saved:
        page.get_by_role("button", name="Value map as SVG").click()
    saved.value.save_as(tmp_path / "map.svg")
    assert "theme c1 · 5" in (tmp_path / "map.svg").read_text("utf-8")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Themes by interview as PNG").click()
    saved.value.save_as(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    relations = page.get_by_role("region", name="Relations", exact=True)
    with page.expect_download() as saved:
        relations.get_by_role("button", name="CSV").click()
    saved.value.save_as(tmp_path / "relations.csv")
    assert "theme a1,theme c1,5,0,0" in (tmp_path / "relations.csv").read_text("utf-8")

    page.get_by_role("checkbox", name="theme a1").check()
    page.get_by_role("checkbox", name="theme a2").check()
    page.get_by_role("button", name="Merge the ticked").click()
    expect(drawn).to_have_attribute("data-drawn", "6")
    expect(page.get_by_role("checkbox", name="theme a2")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("checkbox", name="theme a2")).to_have_count(1)
    page.get_by_role("link", name="theme v2", exact=True).click()
    panel.get_by_label("Name", exact=True).fill("Freedom")
    panel.get_by_role("button", name="Name it").click()
    expect(page.get_by_role("checkbox", name="Freedom")).to_have_count(1)
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Undo")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wrong_for_those_who_see_or_hear_it_otherwise(
    new_page: NewPage, site: Site, address: str, scheme: str, tmp_path: Path
) -> None:
    page = new_page({"width": 768, "height": 1024}, color_scheme=scheme)
    sign_in(page, site)
    page.goto(address)
    expect(page.locator("[data-canvas][data-drawn]")).to_be_visible()
    assert violations(page) == []
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 768
    pictures = Path(os.environ.get("SCREENSHOTS", str(tmp_path)))
    page.screenshot(path=pictures / f"study-map-768-{scheme}.png", full_page=True)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.reload()
    expect(page.locator("[data-canvas][data-drawn]")).to_be_visible()
    page.screenshot(path=pictures / f"study-map-1440-{scheme}.png", full_page=True)
