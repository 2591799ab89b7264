"""The page of a session in Chromium: a link opens its sentences, and what is wrong is corrected."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import NewPage, violations
from tests.browser.site import Site
from tests.browser.test_console import sign_in
from tests.browser.test_interview import answer, begin

pytestmark = pytest.mark.browser

SAID = "The straps are soft, so I can walk further, and that matters because I feel free."


@pytest.fixture
def held(new_page: NewPage, site: Site) -> Page:
    """The page of an interview in which something was said."""
    chat = new_page()
    begin(chat, site)
    answer(chat, SAID)
    expect(chat.locator(".entry")).to_have_count(3, timeout=30_000)
    page = new_page()
    sign_in(page, site)
    page.goto(f"{site.address}/dashboard/")
    page.locator("th[scope=row] a").first.click()
    expect(page.locator("[data-graph-count]")).to_contain_text("concepts")
    return page


def test_a_concept_is_renamed_and_that_is_undone_by_keyboard(held: Page) -> None:
    page = held
    first = page.locator("[data-node-row] th a").first
    was = first.inner_text()
    first.focus()
    page.keyboard.press("Enter")
    page.get_by_text("Correct", exact=True).focus()
    page.keyboard.press("Enter")
    name = page.get_by_role("textbox", name="Name", exact=True)
    name.fill("named by hand")
    assert violations(page) == []
    name.press("Enter")
    expect(page.get_by_text(f"renamed “{was}” to “named by hand”")).to_be_visible()
    expect(page.locator("[data-node-row] th a", has_text="named by hand")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("undone by")).to_be_visible()
    expect(page.locator("[data-node-row] th a", has_text="named by hand")).to_have_count(0)


def test_a_link_opens_its_sentences(held: Page) -> None:
    page = held
    page.locator("[data-node-row] th a").first.click()
    words = page.get_by_role("button", name=re.compile("^its words: the link")).first
    words.click()
    about = page.locator("[data-about]")
    expect(about.get_by_text("link · first said in turn 1")).to_be_visible()
    expect(about.locator(".about__list li").first).to_contain_text("“")


def test_two_concepts_are_made_one(held: Page) -> None:
    page = held
    rows = page.locator("[data-node-row]")
    before = rows.count()
    rows.nth(0).locator("th a").click()
    page.get_by_text("Correct", exact=True).click()
    same = rows.nth(1).locator("th a").inner_text()
    page.get_by_role("combobox", name="Merge into").select_option(label=same)
    page.get_by_role("button", name="Save: Merge into").click()
    stored = page.get_by_text(re.compile("^merged “"))
    refused = page.locator("[data-refusal]:not([hidden])")
    expect(stored.or_(refused).first).to_be_visible()
    if stored.count():
        expect(rows).to_have_count(before - 1)
    else:
        expect(refused).to_contain_text("may not join")
        expect(rows).to_have_count(before)


def test_selected_words_are_added_as_a_concept(held: Page) -> None:
    page = held
    page.wait_for_load_state("networkidle")  # the script that hears the selection is there
    spoken = page.locator("[data-utterance]").first
    page.evaluate(
        """() => {
          const answer = document.querySelector("[data-utterance]");
          const walker = document.createTreeWalker(answer, NodeFilter.SHOW_TEXT);
          const text = walker.nextNode();
          getSelection().setBaseAndExtent(text, 0, text, Math.min(10, text.length));
        }"""
    )
    spoken.dispatch_event("pointerup")
    page.get_by_role("textbox", name="Add a concept").fill("added by hand")
    page.get_by_role("button", name="Save: Add a concept").click()
    expect(page.get_by_text(re.compile("^added “added by hand”"))).to_be_visible()
    expect(page.locator("[data-node-row] th a", has_text="added by hand")).to_be_visible()


def test_a_selection_across_two_answers_is_linked(new_page: NewPage, site: Site) -> None:
    chat = new_page()
    begin(chat, site)
    answer(chat, SAID)
    expect(chat.locator(".entry")).to_have_count(3, timeout=30_000)
    answer(chat, "The pack is light, so I sleep better.")
    expect(chat.locator(".entry")).to_have_count(5, timeout=30_000)
    page = new_page()
    sign_in(page, site)
    page.goto(f"{site.address}/dashboard/")
    page.locator("th[scope=row] a").first.click()
    page.wait_for_load_state("networkidle")
    expect(page.locator("[data-utterance]")).to_have_count(2)
    page.evaluate(
        """() => {
          const place = (one) => document.createTreeWalker(one, NodeFilter.SHOW_TEXT).nextNode();
          const [first, second] = [...document.querySelectorAll("[data-utterance]")].map(place);
          getSelection().setBaseAndExtent(first, 0, second, 3);
        }"""
    )
    page.locator("[data-utterance]").last.dispatch_event("pointerup")
    expect(page.locator("[data-about] strong").first).to_have_text("“The”")
    page.get_by_role("combobox", name="Add a link to").select_option(index=1)
    with page.expect_request(re.compile("corrections")) as sent:
        page.get_by_role("button", name="Save: Add a link to").click()
    told = sent.value.post_data or ""
    assert "add_link" in told
    stored = page.get_by_text(re.compile("^added the link from"))
    refused = page.locator("[data-refusal]:not([hidden])")
    expect(stored.or_(refused).first).to_be_visible()
    if not stored.count():
        expect(refused).to_contain_text("may not")
