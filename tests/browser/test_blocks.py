"""What stands beside a question, on the page: by keyboard, by touch, after a reload, read aloud."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.harness import OPENING, PlayedServer
from tests.browser.pages import PHONE, NewPage, violations
from tests.browser.test_chat_page import eventually, opened

pytestmark = pytest.mark.browser

OFFER: dict[str, Any] = {"kind": "choice", "options": ["Yes, go on", "No, finish"]}
CARD: dict[str, Any] = {
    "kind": "stimulus",
    "text": "A pack that weighs itself.",
    "image": "data:image/gif;base64,R0lGODlhAQABAAAAACw=",
    "alt": "A grey backpack with a display",
}


@pytest.fixture
def server() -> PlayedServer:
    played = PlayedServer()
    played.say("interviewer", OPENING)
    return played


def ask(server: PlayedServer, text: str, block: dict[str, Any]) -> None:
    server.say("interviewer", text, block=block)
    server.push()


@pytest.mark.parametrize("size", [PHONE, {"width": 320, "height": 568}], ids=["phone", "small"])
def test_a_choice_is_answered_by_one_touch(
    new_page: NewPage, server: PlayedServer, size: dict[str, int]
) -> None:
    page = opened(new_page(size, has_touch=True), server)
    ask(server, "May we go on for five minutes?", OFFER)
    option = page.get_by_role("button", name="Yes, go on")
    box = option.bounding_box()
    assert box is not None
    assert box["height"] >= 44
    assert violations(page) == []
    option.tap()
    expect(page.locator(".entry--respondent .entry__text")).to_have_text("Yes, go on")
    expect(page.locator(".block--choice")).to_be_hidden()
    (sent,) = server.of_type("choose")
    assert sent["option"] == "Yes, go on"


def test_a_choice_is_reached_and_made_by_keyboard(new_page: NewPage, server: PlayedServer) -> None:
    page = opened(new_page(), server)
    ask(server, "May we go on for five minutes?", OFFER)
    group = page.get_by_role("group", name="Choose one")
    expect(group).to_be_visible()
    group.get_by_role("button").nth(1).focus()
    page.keyboard.press("Enter")
    eventually(page, lambda: server.of_type("choose"))
    assert server.of_type("choose")[0]["option"] == "No, finish"


def test_a_choice_can_be_answered_in_words(new_page: NewPage, server: PlayedServer) -> None:
    page = opened(new_page(), server)
    ask(server, "May we go on for five minutes?", OFFER)
    page.locator("#answer").fill("yes but quickly")
    page.keyboard.press("Enter")
    eventually(page, lambda: server.of_type("answer"))
    expect(page.locator(".block--choice")).to_be_hidden()


def test_a_choice_that_was_there_before_the_page_works_and_is_sent_once(
    new_page: NewPage, server: PlayedServer
) -> None:
    server.say("interviewer", "May we go on for five minutes?", block=OFFER)
    page = opened(new_page(), server)
    expect(page.locator(".block--choice")).to_have_count(1)
    page.get_by_role("button", name="Yes, go on").dblclick()
    eventually(page, lambda: server.of_type("choose"))
    page.wait_for_timeout(100)
    assert len(server.of_type("choose")) == 1


def test_a_choice_made_without_a_connection_is_sent_later_under_the_same_id(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = opened(new_page(), server)
    ask(server, "May we go on for five minutes?", OFFER)
    server.answering = False
    page.get_by_role("button", name="Yes, go on").click()
    eventually(page, lambda: server.of_type("choose"))
    page.reload()
    server.answering = True
    page.reload()
    eventually(page, lambda: len(server.of_type("choose")) >= 2)
    assert len({frame["client_message_id"] for frame in server.of_type("choose")}) == 1
    expect(page.locator(".entry--respondent")).to_have_count(1)


def test_a_screen_reader_hears_the_question_then_its_options(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = opened(new_page(), server)
    ask(server, "May we go on?", OFFER)
    expect(page.locator("#announcer")).to_have_text(
        "Interviewer: May we go on? Choose one: Yes, go on, No, finish"
    )


def test_a_stimulus_stands_above_its_question_and_stays_one_press_away(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = opened(new_page(PHONE), server)
    again = page.get_by_role("button", name="Look at it again")
    expect(again).to_be_hidden()
    ask(server, "Here is the idea. What comes to mind?", CARD)
    card = page.get_by_role("figure", name="What this is about")
    expect(card).to_contain_text("A pack that weighs itself.")
    assert card.locator("img").get_attribute("alt") == "A grey backpack with a display"
    question = page.locator(".entry__text", has_text="Here is the idea")
    above, below = card.bounding_box(), question.bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] <= below["y"]
    assert violations(page) == []
    for number in range(6):
        server.say("interviewer", f"And then, {number}? " + "word " * 60)
        server.push()
    server.say("respondent", "I think")
    server.push()
    expect(card).not_to_be_in_viewport()
    page.locator("#answer").fill("half a tho")
    again.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="What this is about")
    expect(dialog).to_contain_text("A pack that weighs itself.")
    expect(dialog.locator("img")).to_be_in_viewport()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(again).to_be_focused()
    expect(page.locator("#answer")).to_have_value("half a tho")


def test_a_block_of_an_unknown_kind_leaves_the_question_to_be_answered_in_words(
    new_page: NewPage, server: PlayedServer
) -> None:
    page: Page = opened(new_page(), server)
    ask(server, "Rate it from 1 to 9.", {"kind": "slider", "from": 1, "to": 9})
    expect(page.locator(".entry__text").last).to_have_text("Rate it from 1 to 9.")
    expect(page.locator(".block")).to_have_count(0)
    page.locator("#answer").fill("7")
    page.keyboard.press("Enter")
    eventually(page, lambda: server.of_type("answer"))


# -- forms ---------------------------------------------------------------------------------------
FORM: dict[str, Any] = {
    "kind": "form",
    "fields": [
        {"key": "email", "type": "email", "label": "Your e-mail address", "help": "",
         "required": True, "options": []},
        {"key": "role", "type": "choice", "label": "Your role", "help": "At work.",
         "required": False, "options": ["Buyer", "User"]},
    ],
    "options": ["I'd rather not give these"],
}  # fmt: skip


@pytest.mark.parametrize("rendered", ["by the server", "by the page"])
@pytest.mark.parametrize("size", [PHONE, {"width": 320, "height": 568}], ids=["phone", "small"])
def test_a_form_is_filled_in_and_sent_once_and_no_value_is_left_on_the_page(
    new_page: NewPage, server: PlayedServer, size: dict[str, int], rendered: str
) -> None:
    if rendered == "by the server":
        server.say("interviewer", "Please fill in.", block=FORM)
    page = opened(new_page(size, has_touch=True), server)
    if rendered == "by the page":
        ask(server, "Please fill in.", FORM)
    assert violations(page) == []
    page.get_by_label("Your e-mail address").fill("jo@example.org")
    page.get_by_label("Your role").select_option("User")
    page.locator(".block--form .button--primary").tap()
    expect(page.locator(".entry--respondent .entry__text")).to_have_text("[stored apart]")
    expect(page.locator(".block--form")).to_be_hidden()
    (sent,) = server.of_type("fields")
    assert sent["values"] == {"email": "jo@example.org", "role": "User"}
    assert "jo@example.org" not in page.evaluate("JSON.stringify(localStorage)")


def test_what_is_wrong_is_said_at_its_field_and_what_was_typed_stays(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = opened(new_page(), server)
    ask(server, "Please fill in.", FORM)
    server.answering = False
    page.get_by_label("Your e-mail address").fill("jo")
    page.keyboard.press("Enter")
    eventually(page, lambda: server.of_type("fields"))
    server.send(
        {
            "type": "error",
            "code": "form_refused",
            "message": "Some of it could not be taken.",
            "client_message_id": server.of_type("fields")[0]["client_message_id"],
            "fields": {"email": "It should look like name@example.org."},
        }
    )
    box = page.get_by_label("Your e-mail address")
    expect(box).to_have_value("jo")
    expect(box).to_be_focused()
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(box).to_have_accessible_description("It should look like name@example.org.")
    expect(page.locator(".entry--respondent")).to_have_count(0)
    assert violations(page) == []


def test_a_form_is_declined_by_its_button(new_page: NewPage, server: PlayedServer) -> None:
    page = opened(new_page(), server)
    ask(server, "Please fill in.", FORM)
    page.get_by_role("button", name="I'd rather not give these").click()
    eventually(page, lambda: server.of_type("choose"))
    assert server.of_type("choose")[0]["option"] == "I'd rather not give these"
    assert server.of_type("fields") == []
