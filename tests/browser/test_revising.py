"""Changing and taking back what one has said, on the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from interviews.chat import words
from tests.browser.harness import OPENING, PlayedServer
from tests.browser.pages import PHONE, NewPage, violations
from tests.browser.test_chat_page import (
    SECOND,
    answer,
    eventually,
    opened,
    question,
    texts,
    wait_until_ready,
)

pytestmark = pytest.mark.browser


@pytest.fixture
def server() -> PlayedServer:
    played = PlayedServer()
    played.say("interviewer", OPENING)
    return played


@pytest.fixture(params=["desk", "phone"])
def page(new_page: NewPage, server: PlayedServer, request: pytest.FixtureRequest) -> Page:
    options = {"has_touch": True, "is_mobile": True} if request.param == "phone" else {}
    page = opened(new_page(PHONE if options else None, **options), server)
    answer(page, "the wait")
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    question(server, SECOND)
    expect(page.locator(".entry__text")).to_have_count(3)
    return page


def tool(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).press("Enter")


def test_the_last_answer_is_changed_and_asked_about_anew(page: Page, server: PlayedServer) -> None:
    page.locator("#answer").fill("begun already")
    tool(page, "Change")
    expect(page.locator("#answer")).to_have_value("the wait")
    expect(page.locator("#answer")).to_be_focused()
    expect(page.locator("#changing")).to_be_visible()
    assert violations(page) == []
    answer(page, "the weight")
    expect(page.locator(".entry__text")).to_have_text([OPENING, "the weight"])
    first, changed = server.of_type("answer")
    assert changed["replaces"] == first["client_message_id"]
    assert changed["client_message_id"] != first["client_message_id"]
    expect(page.locator("#changing")).to_be_hidden()
    expect(page.locator("#answer")).to_have_value("begun already")
    question(server, "What else?")
    assert texts(page) == [OPENING, "the weight", "What else?"]


def test_a_change_that_is_left_changes_nothing(page: Page, server: PlayedServer) -> None:
    page.locator("#answer").fill("begun already")
    tool(page, "Change")
    page.locator("#answer").fill("something else")
    page.keyboard.press("Escape")
    expect(page.locator("#changing")).to_be_hidden()
    expect(page.locator("#answer")).to_have_value("begun already")
    answer(page, "an answer")
    eventually(page, lambda: len(server.of_type("answer")) == 2)
    assert "replaces" not in server.of_type("answer")[1]


def test_the_last_answer_is_taken_back_into_the_box(page: Page, server: PlayedServer) -> None:
    assert violations(page) == []
    tool(page, "Take back")
    expect(page.locator(".entry__text")).to_have_text([OPENING])
    expect(page.locator("#answer")).to_have_value("the wait")
    expect(page.locator("#announcer")).to_have_text(words.for_page()["taken_back"])
    expect(page.locator("#replies")).to_be_visible()
    page.reload()
    wait_until_ready(page, server, 2)
    assert texts(page) == [OPENING]
    expect(page.locator("#answer")).to_have_value("the wait")  # kept on this device


def test_a_mistaken_refusal_is_one_press_away_from_an_answer(
    page: Page, server: PlayedServer
) -> None:
    page.locator("#skip").click()
    eventually(page, lambda: len(server.of_type("answer")) == 2)
    tool(page, "Answer it after all")
    expect(page.locator(".entry__text")).to_have_text([OPENING, "the wait", SECOND])
    expect(page.locator("#answer")).to_have_value("")
    expect(page.locator("#answer")).to_be_focused()


def test_another_tab_sees_what_was_taken_back(page: Page, server: PlayedServer) -> None:
    server.withdraw(server.of_type("answer")[0]["client_message_id"])
    server.send({"type": "state", **server.standing.__dict__})
    expect(page.locator(".entry__text")).to_have_text([OPENING])
    expect(page.locator("#answer")).to_have_value("")


def test_a_change_that_comes_too_late_is_said_and_goes_back_into_the_box(
    page: Page, server: PlayedServer
) -> None:
    server.answering = False
    tool(page, "Take back")
    eventually(page, lambda: len(server.of_type("withdraw")) == 1)
    refusal = {
        "type": "error",
        "code": "answer_settled",
        "message": "This answer can no longer be changed.",
    }
    asked = server.of_type("withdraw")[0]["client_message_id"]
    server.send({**refusal, "client_message_id": asked})
    expect(page.locator("#notice")).to_contain_text("This answer can no longer be changed")
    assert texts(page) == [OPENING, "the wait", SECOND]
    tool(page, "Change")
    answer(page, "the weight")
    eventually(page, lambda: len(server.of_type("answer")) == 2)
    sent = server.of_type("answer")[1]["client_message_id"]
    server.send({**refusal, "client_message_id": sent})
    expect(page.locator("#answer")).to_have_value("the weight")
    assert texts(page) == [OPENING, "the wait", SECOND]


def test_an_older_answer_can_be_changed_for_half_a_minute(page: Page, server: PlayedServer) -> None:
    answer(page, "the straps")
    eventually(page, lambda: len(server.of_type("answer")) == 2)
    expect(page.get_by_role("button", name="Change", exact=True)).to_have_count(2)
    page.clock.install()
    page.reload()
    wait_until_ready(page, server, 2)
    expect(page.get_by_role("button", name="Change", exact=True)).to_have_count(1)
