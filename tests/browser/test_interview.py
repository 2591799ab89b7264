"""Whole interviews on the site as it is really run, with the offline provider."""

from __future__ import annotations

import signal
from itertools import cycle
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import DESK, PHONE, NewPage, violations
from tests.browser.site import Site
from tests.browser.test_chat_page import eventually

# One worker for all of them: they share a site that takes long to start.
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("site")]

ANSWERS = [
    "I mostly look at the weight. My old pack was heavy, so my shoulders were aching.",
    "A light pack means I can walk further without getting tired.",
    "The best views are always a long way up, and I go there because I feel free.",
    "The rain cover matters too. I once got soaked and my sleeping bag was wet.",
    "If my things stay dry I do not have to worry, so I can relax in the evening.",
    "Being able to rely on myself is important to me.",
    "The hip belt takes the load, which means my back does not hurt.",
    "I bought it in a shop because I wanted to try it on with weight in it.",
]
MOST_TURNS = 20


def begin(page: Page, site: Site) -> None:
    page.goto(f"{site.address}/s/demo/")
    page.get_by_role("button", name="I agree, begin").click()
    expect(page.locator(".entry--interviewer")).to_have_count(1, timeout=30_000)
    expect(page.locator("#skip")).to_be_visible()  # now Enter sends what is written


def answer(page: Page, text: str) -> None:
    page.locator("#answer").fill(text)
    page.keyboard.press("Enter")


def texts(page: Page) -> list[str]:
    return page.locator(".entry__text").all_inner_texts()


def question_or_end(page: Page, questions: int) -> bool:
    """Wait for what follows an answer; False where that is the end."""
    end = page.get_by_role("heading", name="Thank you")
    page.locator(f".entry--interviewer >> nth={questions - 1}").or_(end).first.wait_for(
        timeout=60_000
    )
    return not end.is_visible()


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "light"), (DESK, "dark")], ids=["phone-light", "desk-dark"]
)
def test_an_interview_from_consent_to_thanks(
    new_page: NewPage, site: Site, size: dict[str, int], scheme: str
) -> None:
    page = new_page(size, color_scheme=scheme)
    page.goto(f"{site.address}/s/demo/")
    assert violations(page) == []
    begin(page, site)
    assert violations(page) == []

    shares = []
    asked = set()
    for turn, said in enumerate(cycle(ANSWERS), start=1):
        assert turn <= MOST_TURNS
        asked.add(texts(page)[-1])
        answer(page, said)
        if not question_or_end(page, turn + 1):
            break
        shares.append(page.locator("#progress").evaluate("bar => bar.value"))
        expect(page.locator("#answer")).to_be_focused()
    assert len(asked) == turn  # no question twice
    assert shares == sorted(shares)
    assert shares[-1] > shares[0]

    expect(page.get_by_text("This was a demo")).to_be_visible()
    assert violations(page) == []
    with page.expect_download() as download:
        page.get_by_role("link", name="Download a copy").click()
    copy = Path(download.value.path()).read_text("utf-8")
    assert copy.count("You:") == turn
    assert ANSWERS[0] in copy


def test_an_interview_by_keyboard_alone(new_page: NewPage, site: Site) -> None:
    page = new_page()
    page.goto(f"{site.address}/s/demo/")
    press_until(page, "I agree, begin")
    page.keyboard.press("Enter")
    expect(page.locator(".entry--interviewer")).to_have_count(1, timeout=30_000)
    expect(page.locator("#answer")).to_be_focused()
    page.keyboard.type(ANSWERS[0])
    page.keyboard.press("Enter")
    assert question_or_end(page, 2)
    expect(page.locator("#answer")).to_be_focused()
    press_until(page, "I'd rather not answer this")
    page.keyboard.press("Enter")
    assert question_or_end(page, 3)
    assert texts(page)[-2] == "I'd rather not answer this"
    expect(page.locator("#answer")).to_be_focused()

    press_until(page, "Pause", backwards=True)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your interview is paused")).to_be_visible()
    press_until(page, "Continue the interview")
    page.keyboard.press("Enter")
    expect(page.locator(".entry")).to_have_count(5)

    press_until(page, "End", backwards=True)
    page.keyboard.press("Enter")
    press_until(page, "End the interview")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()


def press_until(page: Page, label: str, *, backwards: bool = False) -> None:
    for _ in range(15):
        if page.evaluate("document.activeElement.innerText?.trim()") == label:
            return
        page.keyboard.press("Shift+Tab" if backwards else "Tab")
    raise AssertionError(f"{label} was not reached")


def test_another_device_shows_the_same_and_both_stay_in_step(new_page: NewPage, site: Site) -> None:
    desk = new_page()
    begin(desk, site)
    phone = new_page(PHONE)
    phone.goto(desk.url)
    assert texts(phone) == texts(desk)

    answer(phone, ANSWERS[0])
    expect(desk.locator(".entry")).to_have_count(3, timeout=30_000)
    expect(phone.locator(".entry")).to_have_count(3, timeout=30_000)
    assert texts(phone) == texts(desk)
    answer(desk, ANSWERS[1])
    expect(phone.locator(".entry")).to_have_count(5, timeout=30_000)
    expect(desk.locator(".entry")).to_have_count(5, timeout=30_000)
    assert texts(phone) == texts(desk)

    desk.get_by_role("button", name="Pause").click()
    for page in (desk, phone):
        expect(page.get_by_role("heading", name="Your interview is paused")).to_be_visible()


def test_the_server_is_killed_while_it_thinks_and_nothing_is_lost_or_repeated(
    new_page: NewPage, tmp_path: Path
) -> None:
    site = Site(tmp_path / "data")
    site.start()
    try:
        page = new_page()
        begin(page, site)
        answer(page, ANSWERS[0])
        saved = page.locator(".entry--respondent:is([data-accepted], :not([data-seq='']))")
        saved.wait_for(state="attached")
        site.stop(signal.SIGKILL)
        answer(page, ANSWERS[1])  # written while nobody listens
        expect(page.locator("#notice")).to_be_visible()
        site.start()
        # An answer whose turn had not begun is joined by the next one; else each has its question.
        said = page.locator(".entry--respondent .entry__text")
        asked = page.locator(".entry--interviewer:last-child")

        def both_are_answered() -> bool:
            lines = "\n".join(said.all_inner_texts()).splitlines()
            return [line for line in lines if line] == ANSWERS[:2] and asked.count() == 1

        eventually(page, both_are_answered, timeout_ms=90_000)
        shown = texts(page)
        page.reload()
        expect(page.locator(".entry")).to_have_count(len(shown))
        assert texts(page) == shown
    finally:
        site.stop()
