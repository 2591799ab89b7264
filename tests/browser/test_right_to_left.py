"""The pages where text runs from right to left: each side stands where it is looked for."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.browser.harness import ADDRESS, PlayedServer
from tests.browser.pages import DESK, PHONE, NewPage, violations

pytestmark = pytest.mark.browser

QUESTION = "ما الذي أحدث فرقًا في ذلك اليوم؟"
ANSWER = "كانت الحقيبة خفيفة."
IN_ENGLISH = "It was the straps, honestly."

SIDES = """() => Object.fromEntries(Object.entries({
    asked: '.entry--interviewer:last-child .entry__text',
    said: '.entry--respondent .entry__text',
    latin: '[data-latin] .entry__text',
    title: '.chat__title', leave: '.chat__leave',
    answer: '#answer', send: '.composer__send', skip: '#skip', aside: '[data-say]',
    option: '.block__option', other: '.block__option + .block__option',
  }).map(([name, query]) => {
    const box = document.querySelector(query).getBoundingClientRect();
    return [name, {from: box.left, to: box.right, middle: (box.left + box.right) / 2}];
  }))"""


@pytest.fixture
def server() -> PlayedServer:
    played = PlayedServer(language="ar")  # none of ours: its direction is what is looked at
    played.say("interviewer", QUESTION)
    played.say("respondent", ANSWER, message_id=uuid4())
    played.say("interviewer", QUESTION)
    played.say("respondent", IN_ENGLISH, message_id=uuid4())
    options = {"kind": "choice", "options": ["نعم", "لا"]}
    played.say("interviewer", QUESTION, block=options)
    return played


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_a_conversation_runs_from_right_to_left(
    new_page: NewPage, server: PlayedServer, size: dict[str, int]
) -> None:
    page = new_page(size)
    server.install(page)
    page.goto(ADDRESS)
    expect(page.locator("#skip")).to_be_visible()
    assert page.locator("html").get_attribute("dir") == "rtl"
    page.locator(".entry--respondent").nth(1).evaluate("it => it.dataset.latin = 'yes'")
    at: dict[str, dict[str, float]] = page.evaluate(SIDES)
    column = page.locator(".chat").bounding_box()
    assert column is not None
    middle = column["x"] + column["width"] / 2

    assert at["asked"]["to"] > middle  # the interviewer begins at the right …
    assert at["said"]["from"] - column["x"] < 40  # … and one's own words end at the left,
    assert at["latin"]["from"] == pytest.approx(at["said"]["from"])  # whichever way they run
    assert at["title"]["middle"] > at["leave"]["middle"]
    assert at["answer"]["middle"] > at["send"]["middle"]
    assert at["skip"]["middle"] > at["aside"]["middle"]
    assert at["option"]["middle"] > at["other"]["middle"]
    assert in_the_window(page)
    assert violations(page) == []
    page.get_by_role("button", name="Display").click()
    assert in_the_window(page)


def test_the_quiet_pages_run_from_right_to_left(new_page: NewPage, server: PlayedServer) -> None:
    page = new_page({"width": 320, "height": 568})
    server.install(page)
    for status in ("paused", "completed"):
        server.standing.status = status
        page.goto(ADDRESS)
        edges: dict[str, Any] = page.evaluate(
            """() => {
              const title = document.querySelector('.sheet__title');
              const words = document.createRange();
              words.selectNodeContents(title);
              return {words: words.getBoundingClientRect().right,
                      title: title.getBoundingClientRect().right};
            }"""
        )
        assert edges["words"] == pytest.approx(edges["title"], abs=1)
        assert in_the_window(page)
        assert violations(page) == []


def in_the_window(page: Page) -> bool:
    """Is nothing to be had by scrolling sideways?"""
    wide: bool = page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    return wide
