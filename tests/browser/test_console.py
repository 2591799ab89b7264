"""The real console, as a newcomer meets it: from an empty page to an interview that is watched."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.browser.pages import NewPage, violations
from tests.browser.site import Site

pytestmark = pytest.mark.browser

METHODOLOGY = """\
method: {name: newcomer, goal: Learn why., opening_bias: Ask openly.}
ontology:
  nodes:
    - {name: attribute, level: 1, description: What a thing has.}
    - {name: value, level: 2, terminal: true, description: What matters.}
  edges:
    - name: leads_to
      description: One thing brings about the other.
      permitted_connections: [[attribute, value]]
signals: {llm: [llm.engagement]}
strategies:
  - name: explore
    description: Ask for more.
    node_binding: none
    signal_weights: {llm.engagement.low: 0.5}
  - name: deepen
    description: Ask why.
    signal_weights: {llm.engagement.high: 0.5}
  - name: close
    description: Say goodbye.
    node_binding: none
    generates_closing_question: true
    signal_weights: {llm.engagement.low: 0.1}
"""
EDITOR = "document.querySelector('.django-ace-widget').editor"
CONCEPT = "id: umbrella\nname: Umbrella\ntopic: your umbrella\nmethodology: newcomer\n"


def password(site: Site) -> str:
    """The administrator's, as the site says it once, when it first starts."""
    log = (site.folder.parent / "serve.log").read_text("utf-8")
    found = re.search(r"with the password (\S+)", log)
    assert found is not None
    return found[1]


@pytest.fixture
def desk(site: Site, new_page: NewPage) -> Page:
    page = new_page()
    sign_in(page, site)
    return page


def sign_in(page: Page, site: Site) -> None:
    page.goto(f"{site.address}/admin/login/?next=/admin/")
    page.fill("input[name=username]", "admin")
    page.fill("input[name=password]", password(site))
    page.press("input[name=password]", "Enter")
    page.wait_for_url(f"{site.address}/admin/")


def write(page: Page, text: str) -> None:
    """Put a text into the editor as somebody types it."""
    page.locator(".ace_text-input").focus()
    page.keyboard.press("Control+A")
    page.evaluate(
        "text => document.querySelector('.django-ace-widget').editor.setValue(text, 1)", text
    )


def saved(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("was added successfully").wait_for()


def test_from_an_empty_console_to_a_watched_interview_of_ones_own(
    desk: Page, site: Site, new_page: NewPage
) -> None:
    # A methodology with a mistake: the line is marked, and the mistake is mended.
    desk.goto(f"{site.address}/admin/methodologies/methodology/add/")
    desk.get_by_text("Valid: it can be saved as a version.").wait_for()
    write(desk, METHODOLOGY.replace("terminal: true", "terminall: true"))
    problem = desk.locator("[data-problems] button").first
    expect(problem).to_contain_text("Line 5")
    desk.locator(".ace_gutter-cell.ace_error, .ace_gutter-cell .ace_error").first.wait_for()
    problem.click()
    assert (
        desk.evaluate("document.querySelector('.django-ace-widget').editor.getCursorPosition().row")
        == 4
    )
    write(desk, METHODOLOGY)
    desk.get_by_text("Valid: it can be saved as a version.").wait_for()
    saved(desk)

    desk.goto(f"{site.address}/admin/methodologies/concept/add/")
    write(desk, CONCEPT)
    desk.get_by_text("Valid: it can be saved as a version.").wait_for()
    saved(desk)

    # A study: refused until its checklist is done.
    desk.goto(f"{site.address}/admin/interviews/study/add/")
    desk.locator("#id_name").press_sequentially("Umbrellas")
    expect(desk.locator("#id_slug")).to_have_value("umbrellas")
    desk.select_option("#id_team", label="Default")
    desk.select_option("#id_concept_version", label="umbrella v1")
    desk.select_option("#id_methodology_version", label="newcomer v1")
    desk.get_by_role("button", name="Save", exact=True).click()
    desk.wait_for_url("**/admin/studies/umbrellas/")
    desk.get_by_role("button", name="Go live").click()
    desk.get_by_text("This study cannot go live").wait_for()
    desk.get_by_role("link", name="Edit the study").click()
    for field in ("researcher", "contact", "research_purpose", "retention", "withdrawal"):
        desk.fill(f"#id_{field}", "Told.")
    desk.get_by_role("button", name="Save", exact=True).click()
    desk.goto(f"{site.address}/admin/studies/umbrellas/")

    # Tried before anybody sees it.
    desk.get_by_role("link", name="Try it").click()
    desk.get_by_role("button", name="Begin, and watch").click()
    desk.get_by_text("This is a trial.").wait_for()
    desk.goto(f"{site.address}/admin/studies/umbrellas/")
    desk.get_by_role("button", name="Go live").click()
    desk.get_by_text("Umbrellas is live now.").wait_for()

    # Somebody is invited, and watched while they answer on another device.
    desk.get_by_role("link", name="Recruiting").click()
    desk.fill("#list", "note\nAna")
    desk.get_by_role("button", name="Make the links").click()
    desk.get_by_text("1 personal link made").wait_for()
    address = desk.locator("tbody [data-copy]").first.get_attribute("data-copy")
    assert address is not None
    guest = new_page()
    guest.goto(address)
    guest.get_by_role("button", name="I agree, begin").click()
    guest.locator(".entry--interviewer").first.wait_for()
    desk.goto(f"{site.address}/admin/monitor/")
    desk.locator("tbody a").first.click()
    desk.get_by_role("heading", name="Transcript").wait_for()
    said = "It keeps me dry, so I feel safe on my way to work."
    guest.locator("#answer").fill(said)
    guest.keyboard.press("Enter")
    expect(desk.get_by_text(said)).to_be_visible()
    guest.locator(".entry--interviewer").nth(1).wait_for()
    question = guest.locator(".entry--interviewer").nth(1).inner_text().splitlines()[-1]
    expect(desk.locator(".console-transcript")).to_contain_text(question)

    # The version that held it would have asked the same.
    watching = desk.url
    desk.goto(f"{site.address}/admin/backtest/?study=umbrellas")
    desk.select_option("#version", label="newcomer v1")
    desk.get_by_role("button", name="Compare").click()
    desk.get_by_text("would have asked the same").wait_for()
    desk.goto(watching)
    desk.get_by_role("button", name="End the interview").click()
    desk.get_by_text("completed").first.wait_for()


def test_the_editor_is_left_by_keyboard_and_unsaved_work_is_warned_of(
    desk: Page, site: Site
) -> None:
    desk.goto(f"{site.address}/admin/methodologies/concept/add/")
    desk.get_by_text("Valid: it can be saved as a version.").wait_for()
    desk.locator(".ace_text-input").focus()
    desk.keyboard.press("Tab")
    assert "ace_text-input" in focused(desk)
    desk.keyboard.press("Escape")
    desk.keyboard.press("Tab")
    assert "ace_text-input" not in focused(desk)
    told: list[str] = []

    def leave(dialog: Dialog) -> None:
        told.append(dialog.type)
        dialog.accept()

    desk.on("dialog", leave)
    desk.goto(f"{site.address}/admin/")
    assert told == ["beforeunload"]


def focused(page: Page) -> str:
    found: str = page.evaluate("document.activeElement.className")
    return found


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (768, "light")], ids=str
)
def test_axe_finds_nothing_serious_and_nothing_is_cut(
    site: Site, new_page: NewPage, width: int, scheme: str
) -> None:
    page = new_page({"width": width, "height": 900}, color_scheme=scheme)
    sign_in(page, site)
    found: dict[str, list[str]] = {}
    for path in (
        "",
        "studies/demo/",
        "studies/demo/recruiting/",
        "studies/demo/try/",
        "monitor/",
        "costs/",
        "backtest/",
        "interviews/auditentry/",
        "interviews/team/",
    ):
        page.goto(f"{site.address}/admin/{path}")
        page.locator("h1").first.wait_for()
        wrong = violations(page, impacts=("serious", "critical"))
        wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth + 1")
        found[path] = [*wrong, *(["it is wider than the screen"] if wide else [])]
    assert {path: wrong for path, wrong in found.items() if wrong} == {}
