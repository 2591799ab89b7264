"""What helps one read and write: letters and colours, voices both ways, time for the rest."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.harness import ADDRESS, OPENING, PlayedServer
from tests.browser.pages import PHONE, NewPage, violations
from tests.browser.test_chat_page import SECOND, answer, eventually, opened, question
from tests.browser.test_reflow import assert_in_sight, sized

pytestmark = pytest.mark.browser

RECOGNITION = """
window.heard = [];
window.SpeechRecognition = class extends EventTarget {
  start() { window.heard.push(this); }
  stop() { this.stopped = true; }
  say(transcript, isFinal = true) {
    const result = Object.assign([{transcript}], {isFinal});
    this.dispatchEvent(Object.assign(new Event("result"), {results: [result], resultIndex: 0}));
  }
  fail(error) { this.dispatchEvent(Object.assign(new Event("error"), {error})); }
};
"""
VOICE = """
window.spoken = [];
Object.defineProperty(window, "speechSynthesis", {value: {
  speak(words) { spoken.push(words); },
  cancel() { spoken.cancelled = (spoken.cancelled ?? 0) + 1; },
}});
"""


@pytest.fixture
def server() -> PlayedServer:
    played = PlayedServer()
    played.say("interviewer", OPENING)
    return played


def letters(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.documentElement).fontSize"))


def test_letters_and_colours_are_chosen_by_keyboard_and_kept_on_the_device(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = opened(new_page(color_scheme="light"), server)
    page.get_by_role("button", name="Display").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Display")
    expect(dialog).to_be_visible()
    assert violations(page) == []
    dialog.get_by_role("radio", name="Normal").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert letters(page) == "24px"
    dialog.get_by_role("radio", name="Dark").check()
    assert violations(page) == []
    page.keyboard.press("Escape")
    dark = page.evaluate("getComputedStyle(document.body).color")

    page.reload()
    assert letters(page) == "24px"
    assert page.evaluate("getComputedStyle(document.body).color") == dark
    server.standing.status = "paused"
    page.goto(ADDRESS)
    expect(page.get_by_role("heading", name="Your interview is paused")).to_be_visible()
    assert letters(page) == "24px"

    server.standing.status = "active"
    page.goto(ADDRESS)
    page.get_by_role("button", name="Display").click()
    page.get_by_role("radio", name="Normal").check()
    page.get_by_role("radio", name="As on this device").check()
    assert letters(page) == "16px"
    assert page.evaluate("Object.keys(localStorage)") == []


@pytest.mark.parametrize(
    ("width", "height"), [(320, 480), (320, 568), (390, 844), (844, 390), (1440, 900)]
)
def test_very_large_letters_and_a_microphone_leave_question_and_box_in_sight(
    new_page: NewPage, server: PlayedServer, width: int, height: int
) -> None:
    server.dictation = True
    page = sized(new_page, width, height)
    page.add_init_script(RECOGNITION)
    page.add_init_script(
        "localStorage.setItem('interview.display', JSON.stringify({text: 'largest'}))"
    )
    opened(page, server)
    expect(page.locator("#dictate")).to_be_visible()
    assert_in_sight(page, width, height)
    question(server, SECOND)
    expect(page.locator(".entry")).to_have_count(2)
    assert_in_sight(page, width, height)


def test_questions_are_read_aloud_on_demand_or_always(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = new_page()
    page.add_init_script(VOICE)
    opened(page, server)
    aloud = page.locator("#aloud")
    aloud.click()
    assert page.evaluate("[spoken.length, spoken[0].text, spoken[0].lang]") == [1, OPENING, "en"]
    expect(aloud).to_have_text("Stop reading")
    aloud.click()
    expect(aloud).to_have_text("Read it aloud")
    aloud.click()
    page.evaluate("spoken.at(-1).dispatchEvent(new Event('end'))")
    expect(aloud).to_have_text("Read it aloud")
    question(server, SECOND)
    expect(page.locator(".entry")).to_have_count(2)
    assert page.evaluate("spoken.length") == 2  # nothing is read that nobody asked for

    page.get_by_role("button", name="Display").click()
    page.get_by_role("checkbox", name="Read every question aloud").check()
    page.get_by_role("button", name="Done").click()
    question(server, "And then?")
    eventually(page, lambda: page.evaluate("spoken.at(-1).text") == "And then?")
    answer(page, "we turned back")
    assert page.evaluate("spoken.cancelled") == 2  # who answers has heard enough


def test_without_a_voice_or_a_permission_nothing_is_offered(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = new_page()
    page.add_init_script(RECOGNITION)
    page.add_init_script(
        "Object.defineProperty(window, 'speechSynthesis', {value: undefined})",
    )
    opened(page, server)
    expect(page.locator("#aloud")).to_be_hidden()
    assert page.locator("#dictate").count() == 0  # the study does not allow it
    server.dictation = True
    mute = new_page()
    mute.add_init_script(
        "for (const name of ['SpeechRecognition', 'webkitSpeechRecognition'])"
        " Object.defineProperty(window, name, {value: undefined});"
    )
    opened(mute, server)
    expect(mute.locator("#dictate")).to_be_hidden()


def test_an_answer_is_dictated_after_being_told_who_processes_the_sound(
    new_page: NewPage, server: PlayedServer
) -> None:
    server.dictation = True
    page = new_page(PHONE, has_touch=True)
    page.add_init_script(RECOGNITION)
    opened(page, server)
    microphone = page.get_by_role("button", name="Dictate", exact=True)
    microphone.tap()
    expect(page.locator("#dictation-note")).to_contain_text("send the sound to their maker")
    assert page.evaluate("heard.length") == 0
    assert violations(page) == []
    page.get_by_role("button", name="Rather write").tap()
    expect(page.locator("#dictation-note")).to_be_hidden()
    microphone.tap()
    page.get_by_role("button", name="Begin to dictate").tap()
    assert page.evaluate("[heard.length, heard[0].lang]") == [1, "en"]
    expect(microphone).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#listening")).to_contain_text("Listening")
    assert violations(page) == []

    page.locator("#answer").fill("Honestly,")
    page.evaluate("heard[0].say('it was', false)")
    expect(page.locator("#listening")).to_have_text("it was")
    page.evaluate("heard[0].say('it was the straps')")
    expect(page.locator("#answer")).to_have_value("Honestly, it was the straps")
    microphone.tap()
    assert page.evaluate("heard[0].stopped")
    expect(page.locator("#listening")).to_be_hidden()
    page.evaluate("heard[0].say('and what came too late')")
    page.get_by_role("button", name="Send").tap()
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    assert server.of_type("answer")[0]["text"] == "Honestly, it was the straps"

    question(server, SECOND)
    microphone.tap()  # agreed to once, it begins at once
    page.evaluate("heard[1].fail('not-allowed')")
    expect(page.locator("#listening")).to_contain_text("The microphone cannot be used here")
    expect(microphone).to_have_attribute("aria-pressed", "false")


def test_who_is_not_finished_holds_the_question_back(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = opened(new_page(PHONE), server)
    answer(page, "the weight")
    more = page.get_by_role("button", name="I'm not finished")
    more.click()
    eventually(page, lambda: len(server.of_type("hold")) == 1)
    expect(page.locator("#answer")).to_be_focused()
    server.standing.pending = "held"
    server.push()
    expect(page.locator("#waiting-text")).to_contain_text("The next question waits")
    expect(more).to_be_hidden()
    assert violations(page) == []
    answer(page, "and the straps")
    eventually(page, lambda: len(server.of_type("answer")) == 2)
    expect(more).to_be_visible()

    server.standing.pending = "held"
    server.push()
    page.get_by_role("button", name="That was all").click()
    eventually(page, lambda: len(server.of_type("release")) == 1)
    question(server, SECOND)
    expect(page.get_by_role("button", name="That was all")).to_be_hidden()
    expect(page.locator("#waiting-text")).to_have_text("")
