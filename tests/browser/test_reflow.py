"""The conversation at every size of window and of letters: the newest question and the box stay."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.browser.harness import ADDRESS, OPENING, PlayedServer
from tests.browser.pages import NewPage

pytestmark = pytest.mark.browser

SECOND = (
    "What was it about that afternoon at the lake that made the difference between carrying on "
    "and turning back for you?"
)

SIZES = [
    *[(320, 480, percent) for percent in (100, 200, 400)],
    *[(360, 668, percent) for percent in (100, 150, 400)],
    *[(390, 844, percent) for percent in (100, 200, 400)],
    *[(844, 390, percent) for percent in (100, 200, 400)],
    *[(768, 1024, percent) for percent in (100, 400)],
    *[(1280, 800, percent) for percent in (100, 200, 400)],
    (1600, 900, 100),
    # 1280 × 800 at a zoom of 200 and 400 per cent, and the same window upright
    (640, 400, 100),
    (320, 200, 100),
    (400, 640, 100),
    (200, 320, 100),
]

MEASURE = """() => {
  const box = query => document.querySelector(query).getBoundingClientRect();
  const words = [...document.querySelectorAll('.entry--interviewer .entry__text')].pop();
  const top = document.querySelector('.chat__top');
  const sticky = getComputedStyle(top).position === 'sticky';
  const scroller = box('#scroller'), answer = box('#answer'), send = box('.composer__send');
  return {
    question: words.getBoundingClientRect().top,
    line: parseFloat(getComputedStyle(words).lineHeight),
    seenFrom: sticky ? top.getBoundingClientRect().bottom : scroller.top,
    seenTo: scroller.bottom,
    answer: [answer.left, answer.top, answer.right, answer.bottom],
    send: [send.left, send.top, send.right, send.bottom],
    page: [document.documentElement.scrollWidth, document.documentElement.scrollHeight],
  };
}"""


def sized(new_page: NewPage, width: int, height: int, percent: int = 100) -> Page:
    """Return a page of this size whose browser shows letters at `percent` of 16 pixels."""
    page = new_page({"width": width, "height": height})
    session = page.context.new_cdp_session(page)
    session.send("Page.enable")
    session.send("Page.setFontSizes", {"fontSizes": {"standard": 16 * percent // 100}})
    return page


@pytest.fixture
def server() -> PlayedServer:
    played = PlayedServer()
    played.say("interviewer", OPENING)
    for _ in range(3):
        played.say("respondent", "It was the straps, honestly.", message_id=uuid4())
        played.say("interviewer", SECOND)
    return played


def assert_in_sight(page: Page, width: int, height: int) -> None:
    """The newest question is seen from its first line, box and Send whole, and nothing beyond."""
    seen: dict[str, Any] = page.evaluate(MEASURE)
    assert seen["seenFrom"] - 1 <= seen["question"]
    assert seen["question"] + min(seen["line"], seen["seenTo"] - seen["seenFrom"]) <= (
        seen["seenTo"] + 1
    )
    for left, top, right, bottom in (seen["answer"], seen["send"]):
        assert left >= 0
        assert top >= 0
        assert right <= width + 0.5
        assert bottom <= height + 0.5
    assert seen["page"] == [width, height]


@pytest.mark.parametrize(("width", "height", "percent"), SIZES)
def test_the_newest_question_box_and_send_are_in_sight(
    new_page: NewPage, server: PlayedServer, width: int, height: int, percent: int
) -> None:
    page = sized(new_page, width, height, percent)
    server.install(page)
    page.goto(ADDRESS)
    expect(page.locator(".entry")).to_have_count(7)
    assert_in_sight(page, width, height)

    page.locator("#answer").fill("because of the weather, mostly")
    page.keyboard.press("Enter")
    expect(page.locator(".entry")).to_have_count(8)
    server.say("interviewer", SECOND)
    server.standing.pending = None
    server.push()
    expect(page.locator(".entry")).to_have_count(9)
    expect(page.locator(".replies")).to_be_visible()
    assert_in_sight(page, width, height)


def test_a_first_question_stands_below_the_header(new_page: NewPage) -> None:
    server = PlayedServer()
    server.say("interviewer", OPENING)
    page = sized(new_page, 390, 844)
    server.install(page)
    page.goto(ADDRESS)
    assert_in_sight(page, 390, 844)
    header = page.locator(".chat__top").bounding_box()
    progress = page.locator(".chat__progress").bounding_box()
    assert header is not None
    assert progress is not None
    assert header["y"] + header["height"] - (progress["y"] + progress["height"]) >= 8


def test_a_keyboard_over_the_page_leaves_question_and_box_in_sight(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = sized(new_page, 360, 640)
    # A phone's keyboard makes what is seen smaller and leaves the window as it is.
    page.add_init_script(
        """const seen = new EventTarget();
        Object.assign(seen, {height: 640, width: 360, offsetTop: 0, scale: 1});
        Object.defineProperty(window, 'visualViewport', {value: seen});"""
    )
    server.install(page)
    page.goto(ADDRESS)
    page.locator("#answer").click()
    page.evaluate("visualViewport.height = 380; visualViewport.dispatchEvent(new Event('resize'))")
    page.wait_for_function("document.getElementById('chat').offsetHeight === 380")
    page.wait_for_timeout(50)
    seen = page.evaluate(MEASURE)
    assert seen["send"][3] <= 380
    assert seen["seenFrom"] - 1 <= seen["question"] < seen["seenTo"]
    assert page.evaluate("scrollY") == 0

    page.keyboard.type("because of the weather")
    page.keyboard.press("Enter")
    server.say("interviewer", "And then?")
    server.standing.pending = None
    server.push()
    expect(page.locator(".entry")).to_have_count(9)
    page.wait_for_timeout(50)
    seen = page.evaluate(MEASURE)
    assert seen["send"][3] <= 380
    assert seen["question"] + seen["line"] <= seen["seenTo"]


def test_a_draft_that_grows_leaves_the_question_in_sight(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = sized(new_page, 390, 844)
    server.install(page)
    page.goto(ADDRESS)
    page.locator("#answer").fill("a line\n" * 30)
    page.wait_for_timeout(50)
    assert_in_sight(page, 390, 844)


def test_everything_to_press_is_large_enough_for_a_finger(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = new_page({"width": 320, "height": 568}, has_touch=True, is_mobile=True)
    server.install(page)
    page.goto(ADDRESS)
    expect(page.locator(".replies")).to_be_visible()
    sizes = page.locator("button:visible").evaluate_all(
        "all => all.map(it => [it.offsetWidth, it.offsetHeight])"
    )
    assert len(sizes) >= 4
    assert all(min(size) >= 44 for size in sizes), sizes


def test_print_gives_the_whole_conversation_and_nothing_to_press(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = sized(new_page, 1280, 800)
    server.install(page)
    page.goto(ADDRESS)
    page.emulate_media(media="print")
    assert page.locator("button:visible").count() == 0
    assert page.locator("textarea:visible").count() == 0
    expect(page.locator(".chat__title")).to_be_visible()
    height = page.locator("#scroller").evaluate("box => box.scrollHeight - box.clientHeight")
    assert height <= 0


def test_a_ring_shows_the_focus_in_forced_colours(new_page: NewPage, server: PlayedServer) -> None:
    page = new_page(forced_colors="active")
    server.install(page)
    page.goto(ADDRESS)
    page.locator("#answer").focus()
    style = page.locator(".composer__box").evaluate("box => getComputedStyle(box).outlineStyle")
    assert style == "solid"
