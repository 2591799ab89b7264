"""The interview page's own behaviour, against a socket that the test plays."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from playwright.sync_api import Page, expect

from interviews.chat import words
from tests.browser.harness import ADDRESS, OPENING, PlayedServer
from tests.browser.pages import DESK, PHONE, NewPage, violations

pytestmark = pytest.mark.browser

SECOND = "On a day without that, what does the walk give you?"


@pytest.fixture
def server() -> PlayedServer:
    played = PlayedServer()
    played.say("interviewer", OPENING)
    return played


@pytest.fixture
def page(new_page: NewPage, server: PlayedServer) -> Page:
    return opened(new_page(), server)


def opened(page: Page, server: PlayedServer) -> Page:
    server.install(page)
    page.goto(ADDRESS)
    wait_until_ready(page, server)
    return page


def wait_until_ready(page: Page, server: PlayedServer, hellos: int = 1) -> None:
    eventually(page, lambda: len(server.of_type("hello")) >= hellos)
    page.wait_for_timeout(50)


def eventually(page: Page, condition: Any, timeout_ms: int = 5000) -> None:
    for _ in range(timeout_ms // 25):
        if condition():
            return
        page.wait_for_timeout(25)
    raise AssertionError("the condition did not come true in time")


def answer(page: Page, text: str) -> None:
    page.locator("#answer").fill(text)
    page.keyboard.press("Enter")


def texts(page: Page) -> list[str]:
    return page.locator(".entry__text").all_inner_texts()


def question(server: PlayedServer, text: str) -> None:
    server.say("interviewer", text)
    server.standing.pending = None
    server.push()


# --- answering ----------------------------------------------------------------------------------
def test_enter_sends_and_shift_enter_makes_a_line(page: Page, server: PlayedServer) -> None:
    page.locator("#answer").click()
    page.keyboard.type("the weight")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("and the straps")
    page.keyboard.press("Enter")

    expect(page.locator(".entry__state:visible")).to_have_text("Saved ✓")
    assert [frame["text"] for frame in server.of_type("answer")] == ["the weight\nand the straps"]
    assert texts(page) == [OPENING, "the weight\nand the straps"]
    expect(page.locator("#answer")).to_have_value("")


def test_an_answer_is_not_called_saved_before_the_server_says_so(
    page: Page, server: PlayedServer
) -> None:
    server.answering = False
    answer(page, "the weight")
    expect(page.locator(".entry__state:visible")).to_have_text("Sending…")

    server.accept(server.of_type("answer")[0])
    expect(page.locator(".entry__state:visible")).to_have_text("Saved ✓")


def test_only_the_newest_answer_says_that_it_is_saved(page: Page, server: PlayedServer) -> None:
    answer(page, "one")
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    question(server, SECOND)
    answer(page, "two")
    expect(page.locator(".entry__state:visible")).to_have_count(1)
    expect(page.locator(".entry--respondent").last.locator(".entry__state")).to_be_visible()


def test_an_empty_answer_is_refused_in_words_and_not_sent(page: Page, server: PlayedServer) -> None:
    answer(page, "   ")
    expect(page.locator("#problem")).to_have_text(words.for_page()["empty_answer"])
    assert server.of_type("answer") == []
    page.keyboard.type("x")
    expect(page.locator("#problem")).to_have_text("")


def test_an_answer_over_the_limit_stays_in_the_box(page: Page, server: PlayedServer) -> None:
    answer(page, "a" * 8012)
    expect(page.locator("#problem")).to_contain_text("12 characters over the limit of 8,000")
    expect(page.locator("#count")).to_have_text("12 over the limit")
    expect(page.locator("#answer")).to_have_value("a" * 8012)
    assert server.of_type("answer") == []


def test_what_is_too_long_is_sent_in_parts_on_confirmation(
    page: Page, server: PlayedServer
) -> None:
    sentence = "I walked for a whole day and the straps were soft. "
    text = (sentence * 180)[:9000].strip()
    answer(page, text)
    split = page.get_by_role("button", name="Send it in 2 parts")
    expect(split).to_be_visible()
    expect(page.locator("#answer")).to_have_value(text)
    assert violations(page) == []
    split.press("Enter")
    eventually(page, lambda: len(server.of_type("answer")) == 2)
    parts = [frame["text"] for frame in server.of_type("answer")]
    assert " ".join(parts) == text
    assert all(len(part) <= 8000 for part in parts)
    assert parts[0].endswith("soft.")
    expect(page.locator("#answer")).to_have_value("")
    expect(split).to_be_hidden()


@pytest.mark.parametrize("script", ["山", "é", "👣"])
def test_parts_fit_in_any_script_and_cut_no_character(
    script: str, page: Page, server: PlayedServer
) -> None:
    text = script * 9001
    answer(page, text)
    page.locator("#split").click()
    eventually(page, lambda: "".join(f["text"] for f in server.of_type("answer")) == text, 15000)
    assert len(server.sockets) == 1


def test_the_counter_shows_only_near_the_limit(page: Page, server: PlayedServer) -> None:
    page.locator("#answer").fill("a" * 6999)
    expect(page.locator("#count")).to_be_hidden()
    page.locator("#answer").fill("a" * 7000)
    expect(page.locator("#count")).to_have_text("1,000 characters left")


def test_an_answer_whose_bytes_would_close_the_socket_is_refused_before(
    page: Page, server: PlayedServer
) -> None:
    answer(page, "山" * 6000)
    expect(page.locator("#problem")).to_have_text(words.for_page()["too_large_to_send"])
    expect(page.locator("#answer")).to_have_value("山" * 6000)
    assert server.of_type("answer") == []
    assert len(server.sockets) == 1


def test_half_a_character_and_nul_are_not_sent(page: Page, server: PlayedServer) -> None:
    page.evaluate("document.getElementById('answer').value = 'walk \\ud83d then \\0rest'")
    page.locator("#answer").press("Enter")
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    assert server.of_type("answer")[0]["text"] == "walk \ufffd then rest"


def test_what_the_server_refuses_comes_back_into_the_box(page: Page, server: PlayedServer) -> None:
    server.answering = False
    answer(page, "too late")
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    page.locator("#answer").fill("begun since")
    server.send(
        {
            "type": "error",
            "code": "session_over",
            "message": "This interview has ended.",
            "client_message_id": server.of_type("answer")[0]["client_message_id"],
        }
    )
    expect(page.locator("#answer")).to_have_value("too late\nbegun since")
    expect(page.locator("#problem")).to_have_text("This interview has ended.")
    assert texts(page) == [OPENING]


def test_an_answer_that_came_too_fast_is_sent_again_by_itself(
    page: Page, server: PlayedServer
) -> None:
    server.answering = False
    answer(page, "quick")
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    first = server.of_type("answer")[0]
    server.answering = True
    server.send(
        {
            "type": "error",
            "code": "too_fast",
            "message": "",
            "client_message_id": first["client_message_id"],
        }
    )
    expect(page.locator(".entry__state:visible")).to_have_text("Saved ✓")
    assert server.of_type("answer") == [first, first]


def test_declining_takes_one_press_and_is_away_while_no_question_waits(
    page: Page, server: PlayedServer
) -> None:
    page.locator("#answer").fill("a draft")
    page.locator("#skip").click()
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    expect(page.locator("#skip")).to_be_hidden()
    assert [frame["text"] for frame in server.of_type("answer")] == ["I'd rather not answer this"]
    expect(page.locator("#answer")).to_have_value("a draft")

    question(server, SECOND)
    expect(page.locator("#skip")).to_be_visible()


@pytest.mark.parametrize(
    "said", ["I don't understand the question", "Please ask me something else"]
)
def test_what_one_may_say_instead_of_an_answer_is_a_press_away(
    said: str, page: Page, server: PlayedServer
) -> None:
    page.locator("#answer").fill("a draft")
    page.get_by_role("button", name=said).press("Enter")
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    assert [frame["text"] for frame in server.of_type("answer")] == [said]
    expect(page.locator("#answer")).to_have_value("a draft")


def test_a_question_in_a_tab_that_is_not_looked_at_shows_in_its_title(
    page: Page, server: PlayedServer
) -> None:
    before = page.title()
    see = "hidden => Object.defineProperty(document, 'hidden', {value: hidden, configurable: true})"
    page.evaluate(see, True)
    question(server, SECOND)
    expect(page).to_have_title(f"New question · {before}")
    page.evaluate(see, False)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page).to_have_title(before)


def test_what_is_written_is_shown_as_text(page: Page, server: PlayedServer) -> None:
    hostile = "<img src=x onerror=\"document.title='owned'\"><script>1</script>"
    answer(page, hostile)
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    question(server, hostile)
    expect(page.locator(".entry__text").last).to_have_text(hostile)
    page.reload()
    wait_until_ready(page, server, 2)
    assert texts(page) == [OPENING, hostile, hostile]
    assert page.locator("main img, main script").count() == 0
    assert page.title() == "How people choose a hiking backpack"


# --- while the question is made -----------------------------------------------------------------
def test_waiting_says_what_happens_and_after_six_seconds_that_it_still_does(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = new_page()
    page.clock.install(time=0)
    opened(page, server)
    page.clock.pause_at(600_000)
    answer(page, "the weight")
    thinking = page.locator('#waiting[data-state="thinking"]')
    expect(thinking).to_be_visible()
    expect(page.locator("#waiting-text")).to_have_text("")
    page.clock.run_for(450)
    expect(page.locator("#waiting-text")).to_have_text("thinking about what you said")
    page.clock.run_for(5450)
    expect(page.locator("#waiting-text")).to_have_text("thinking about what you said")
    page.clock.run_for(200)
    expect(page.locator("#waiting-text")).to_contain_text("still with you")
    page.clock.run_for(14_000)
    expect(page.locator("#waiting-text")).to_contain_text("Your answer is safe")

    question(server, SECOND)
    expect(page.locator("#waiting-text")).to_have_text("")


def test_an_answer_that_nobody_has_begun_with_waits_because_many_answer_and_that_is_said(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = new_page()
    page.clock.install(time=0)
    opened(page, server)
    page.clock.pause_at(600_000)
    server.standing.pending = "queued"
    server.push(after=len(server.said))
    expect(page.locator('#waiting[data-state="thinking"]')).to_be_visible()
    page.clock.run_for(6100)
    expect(page.locator("#waiting-text")).to_contain_text("Many people are answering just now")


def test_what_is_not_on_the_server_is_said_to_be_on_this_device_only(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = new_page()
    page.clock.install()
    opened(page, server)
    server.reachable = False
    server.cut()
    answer(page, "the weight")
    page.clock.run_for(1500)
    expect(page.locator("#notice")).to_be_visible()
    state = page.locator(".entry__state:visible")
    expect(state).to_have_text("Not sent yet: on this device only")
    page.clock.run_for(30_000)
    expect(state).to_have_text("Not sent yet: on this device only")
    expect(page.locator("#waiting-text")).to_have_text("")  # nobody thinks about what nobody has

    server.reachable = True
    page.clock.run_for(12_000)
    expect(state).to_have_text("Saved ✓")


def test_the_waiting_line_stops_with_the_connection(page: Page, server: PlayedServer) -> None:
    answer(page, "the weight")
    expect(page.locator("#waiting-text")).to_have_text("thinking about what you said")
    server.reachable = False
    server.cut()
    expect(page.locator("#waiting-text")).to_have_text("")


@pytest.mark.parametrize("how", ["keyboard", "pointer"])
def test_a_second_press_does_nothing(page: Page, server: PlayedServer, how: str) -> None:
    page.locator("#answer").fill("the weight")
    if how == "keyboard":
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
    else:
        page.locator(".composer__send").dblclick()
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    expect(page.locator(".entry__state:visible")).to_have_text("Saved ✓")
    expect(page.locator("#problem")).to_have_text("")
    assert len(server.of_type("answer")) == 1


def test_a_failed_turn_says_that_the_answer_is_safe_and_can_be_retried(
    page: Page, server: PlayedServer
) -> None:
    answer(page, "the weight")
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    server.standing.pending = "failed"
    server.push()
    expect(page.locator("#waiting-text")).to_have_text("That took too long. Your answer is safe.")
    page.get_by_role("button", name="Retry").click()
    eventually(page, lambda: len(server.of_type("retry")) == 1)
    server.standing.pending = "queued"
    server.push()
    expect(page.get_by_role("button", name="Retry")).to_be_hidden()
    expect(page.locator("#waiting-text")).to_have_text("thinking about what you said")


def test_progress_never_goes_backwards(page: Page, server: PlayedServer) -> None:
    for share in (0.5, 0.3):
        server.standing.progress = share
        server.push()
    page.wait_for_timeout(100)
    assert page.locator("#progress").evaluate("bar => bar.value") == 0.5


# --- reading ------------------------------------------------------------------------------------
def test_each_new_question_is_announced_once_and_the_focus_goes_to_the_box(
    page: Page, server: PlayedServer
) -> None:
    page.evaluate(
        """() => {
            window.heard = [];
            new MutationObserver(() => window.heard.push(announcer.textContent))
              .observe(announcer, {childList: true, characterData: true, subtree: true});
        }"""
    )
    answer(page, "the weight")
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    page.evaluate("document.activeElement.blur()")
    question(server, SECOND)
    server.push()  # the same again
    expect(page.locator("#answer")).to_be_focused()
    page.wait_for_timeout(100)
    assert page.evaluate("window.heard") == [f"Interviewer: {SECOND}"]
    assert page.locator("#thread").get_attribute("aria-live") is None


def test_a_new_question_does_not_scroll_away_from_where_one_reads(
    new_page: NewPage, server: PlayedServer
) -> None:
    for _ in range(12):
        server.say("respondent", "A longer answer. " * 12, message_id=uuid4())
        server.say("interviewer", SECOND)
    page = opened(new_page(PHONE), server)
    scroller = page.locator("#scroller")
    assert scroller.evaluate("box => box.scrollTop") == 0  # opens at the newest words
    scroller.evaluate("box => box.scrollTo(0, -900)")
    marked = page.locator(".entry").nth(14)
    before = marked.bounding_box()
    question(server, "And then?")
    expect(page.locator("#newer")).to_be_visible()
    assert marked.bounding_box() == before

    page.locator("#newer").click()
    expect(page.locator(".entry").last).to_be_in_viewport()
    expect(page.locator("#newer")).to_be_hidden()


def test_the_conversation_does_not_move_when_the_waiting_line_begins_and_ends(
    page: Page, server: PlayedServer
) -> None:
    before = page.locator(".entry").first.bounding_box()
    server.standing.pending = "running"
    server.push(after=len(server.said))
    expect(page.locator("#waiting-text")).not_to_be_empty()
    assert page.locator(".entry").first.bounding_box() == before


# --- connections --------------------------------------------------------------------------------
def test_a_cut_connection_resumes_after_the_last_number_without_gap_or_double(
    page: Page, server: PlayedServer
) -> None:
    answer(page, "one")
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    page.wait_for_timeout(50)
    server.cut()
    server.say("interviewer", SECOND)
    server.say("respondent", "said elsewhere", message_id=uuid4())
    server.say("interviewer", "And then?")
    server.standing.pending = None
    wait_until_ready(page, server, 2)
    expect(page.locator(".entry__text")).to_have_count(5)
    assert texts(page) == [OPENING, "one", SECOND, "said elsewhere", "And then?"]
    assert [frame["last_seq"] for frame in server.of_type("hello")] == [1, 2]


def test_an_unconfirmed_answer_survives_a_reload_and_is_sent_again_under_its_id(
    page: Page, server: PlayedServer
) -> None:
    server.answering = False
    answer(page, "kept here")
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    server.answering = True
    page.reload()
    expect(page.locator(".entry__state:visible")).to_have_text("Saved ✓")
    sent = server.of_type("answer")
    assert sent[0] == sent[1]
    assert texts(page) == [OPENING, "kept here"]
    assert page.evaluate("localStorage.getItem(`interview.${chat.dataset.session}.unsent`)") is None


def test_an_answer_saved_just_before_the_cut_is_shown_once(
    page: Page, server: PlayedServer
) -> None:
    server.answering = False
    answer(page, "arrived")
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    server.say(
        "respondent", "arrived", message_id=UUID(server.of_type("answer")[0]["client_message_id"])
    )
    server.answering = True
    server.cut()
    wait_until_ready(page, server, 2)
    expect(page.locator(".entry__state:visible")).to_have_text("Saved ✓")
    assert texts(page) == [OPENING, "arrived"]


def test_answers_written_offline_are_sent_in_order_when_the_connection_is_back(
    page: Page, server: PlayedServer
) -> None:
    server.reachable = False
    server.cut()
    expect(page.locator("#notice")).to_be_visible()
    expect(page.locator("#notice")).to_contain_text("stays on this device")
    for text in ("first", "second", "third"):
        answer(page, text)
    server.reachable = True
    expect(page.locator("#notice")).to_be_hidden(timeout=15_000)
    eventually(page, lambda: len(server.said) == 4)
    assert [said.text for said in server.said[1:]] == ["first", "second", "third"]
    assert texts(page) == [OPENING, "first", "second", "third"]


def test_a_draft_survives_a_reload(page: Page, server: PlayedServer) -> None:
    page.locator("#answer").fill("half a thought")
    page.reload()
    expect(page.locator("#answer")).to_have_value("half a thought")


def test_an_answer_from_another_tab_appears_before_what_is_unsent_here(
    page: Page, server: PlayedServer
) -> None:
    server.answering = False
    answer(page, "mine")
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    server.say("respondent", "from the other tab", message_id=uuid4())
    server.push()
    expect(page.locator(".entry__text")).to_have_count(3)
    assert texts(page) == [OPENING, "from the other tab", "mine"]


def test_a_withdrawn_link_shows_its_page_instead_of_reconnecting(
    page: Page, server: PlayedServer
) -> None:
    server.http_status = 410
    server.sockets[-1].close(code=4410)
    expect(page.get_by_role("heading")).to_have_text("This link has been withdrawn")


def test_a_refused_handshake_leads_to_the_page_that_says_why(
    page: Page, server: PlayedServer
) -> None:
    server.reachable = False
    server.http_status = 404
    server.cut()
    expect(page.get_by_role("heading")).to_have_text("This link has been withdrawn")


def test_too_many_tabs_are_told_so(page: Page, server: PlayedServer) -> None:
    server.sockets[-1].close(code=4429)
    expect(page.locator("#notice")).to_contain_text("open in too many places")


# --- leaving ------------------------------------------------------------------------------------
def test_pause_leads_to_the_page_that_says_how_to_come_back(
    page: Page, server: PlayedServer
) -> None:
    page.get_by_role("button", name="Pause").click()
    eventually(page, lambda: len(server.of_type("pause")) == 1)
    server.standing.status = "paused"
    server.push()
    expect(page.get_by_role("heading", name="Your interview is paused")).to_be_visible()
    expect(page.locator("#link")).to_have_value(f"{ADDRESS}a-long-token-that-is-signed")


def test_the_link_can_be_copied(new_page: NewPage, server: PlayedServer) -> None:
    server.standing.status = "paused"
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    server.install(page)
    page.goto(ADDRESS)
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#copied")).to_have_text("Copied ✓")
    assert (
        page.evaluate("navigator.clipboard.readText()") == f"{ADDRESS}a-long-token-that-is-signed"
    )


def test_ending_asks_first_and_escape_keeps_the_interview(page: Page, server: PlayedServer) -> None:
    page.get_by_role("button", name="End", exact=True).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert server.of_type("end") == []

    page.get_by_role("button", name="End", exact=True).click()
    page.get_by_role("button", name="End the interview").click()
    eventually(page, lambda: len(server.of_type("end")) == 1)


def test_ending_waits_for_the_answer_that_is_on_its_way(page: Page, server: PlayedServer) -> None:
    server.answering = False
    answer(page, "the last word")
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    page.get_by_role("button", name="End", exact=True).click()
    page.get_by_role("button", name="End the interview").click()
    page.wait_for_timeout(150)
    assert server.of_type("end") == []
    server.accept(server.of_type("answer")[0])
    eventually(page, lambda: len(server.of_type("end")) == 1)


def test_a_wish_to_end_is_kept_until_the_page_is_connected_again(
    page: Page, server: PlayedServer
) -> None:
    server.reachable = False
    server.cut()
    expect(page.locator("#notice")).to_be_visible()
    page.get_by_role("button", name="End", exact=True).click()
    page.get_by_role("button", name="End the interview").click()
    expect(page.locator("#notice")).to_contain_text("ends as soon as it is back")
    assert server.of_type("end") == []
    server.reachable = True
    eventually(page, lambda: len(server.of_type("end")) == 1)


def test_ending_with_a_draft_offers_to_send_it(page: Page, server: PlayedServer) -> None:
    page.get_by_role("button", name="End", exact=True).click()
    expect(page.get_by_role("button", name="Send it, then end")).to_be_hidden()
    page.get_by_role("button", name="Keep going").click()

    page.locator("#answer").fill("one thing more")
    page.get_by_role("button", name="End", exact=True).click()
    expect(page.get_by_text("is not sent yet")).to_be_visible()
    page.get_by_role("button", name="Send it, then end").click()
    eventually(page, lambda: len(server.of_type("end")) == 1)
    assert [frame["type"] for frame in server.received if frame["type"] != "hello"] == [
        "answer",
        "end",
    ]
    assert server.of_type("answer")[0]["text"] == "one thing more"


def test_a_draft_that_cannot_be_sent_keeps_the_interview_open(
    page: Page, server: PlayedServer
) -> None:
    page.locator("#answer").fill("a" * 8012)
    page.get_by_role("button", name="End", exact=True).click()
    page.get_by_role("button", name="Send it, then end").click()
    expect(page.locator("#problem")).to_contain_text("over the limit")
    expect(page.locator("#answer")).to_have_value("a" * 8012)
    assert server.of_type("end") == []


def test_who_goes_on_writing_has_not_left(page: Page, server: PlayedServer) -> None:
    server.reachable = False
    server.cut()
    expect(page.locator("#notice")).to_be_visible()
    page.get_by_role("button", name="End", exact=True).click()
    page.get_by_role("button", name="End the interview").click()
    answer(page, "no, one thing more")
    server.reachable = True
    eventually(page, lambda: len(server.of_type("answer")) == 1)
    page.wait_for_timeout(150)
    assert server.of_type("end") == []


def test_the_end_thanks_and_leaves_nothing_on_the_device(page: Page, server: PlayedServer) -> None:
    page.locator("#answer").fill("half a thought")
    server.standing.status = "completed"
    server.push()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(page.get_by_text("A voucher over 10 euros")).to_be_visible()
    expect(page.get_by_role("link", name="Download a copy")).to_be_visible()
    page.wait_for_timeout(100)
    assert page.evaluate("Object.keys(localStorage)") == []


def test_every_control_is_reached_by_the_tab_key(page: Page, server: PlayedServer) -> None:
    page.locator(".skip-link").focus()
    reached: list[str] = []
    while "submit" not in reached and len(reached) < 20:
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "(({id, dataset, type}) => id || dataset.say || type)(document.activeElement)"
            )
        )
    order = ["scroller", "display", "pause", "end", "skip", "not_understood", "ask_else", "answer"]
    assert [name for name in reached if name in order] == order
    assert reached[-1] == "submit"


# --- everyone -----------------------------------------------------------------------------------
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("state", ["asked", "thinking", "failed", "refused", "ending", "offline"])
def test_axe_finds_nothing(
    new_page: NewPage, server: PlayedServer, scheme: str, size: dict[str, int], state: str
) -> None:
    page = opened(new_page(size, color_scheme=scheme, reduced_motion="reduce"), server)
    if state in ("thinking", "failed"):
        answer(page, "the weight")
        eventually(page, lambda: len(server.of_type("answer")) == 1)
    if state == "failed":
        server.standing.pending = "failed"
        server.push()
        expect(page.get_by_role("button", name="Retry")).to_be_visible()
    if state == "refused":
        answer(page, "a" * 8012)
    if state == "ending":
        page.get_by_role("button", name="End", exact=True).click()
    if state == "offline":
        server.reachable = False
        server.cut()
        expect(page.locator("#notice")).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize("status", ["paused", "completed"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_quiet_pages(
    new_page: NewPage, server: PlayedServer, scheme: str, status: str
) -> None:
    server.standing.status = status
    page = new_page(PHONE, color_scheme=scheme)
    server.install(page)
    page.goto(ADDRESS)
    assert violations(page) == []


@pytest.mark.parametrize("width", [320, 390, 768, 1280, 1600])
def test_nothing_is_wider_than_the_window(
    new_page: NewPage, server: PlayedServer, width: int
) -> None:
    server.say("respondent", "w" * 400, message_id=uuid4())
    page = opened(new_page({"width": width, "height": 700}), server)
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_nothing_moves_under_reduced_motion(new_page: NewPage, server: PlayedServer) -> None:
    page = opened(new_page(reduced_motion="reduce"), server)
    answer(page, "the weight")
    expect(page.locator("#waiting-text")).not_to_be_empty()
    page.wait_for_timeout(50)
    assert page.evaluate("document.getAnimations().length") == 0


def test_without_scripts_the_page_says_what_it_needs(
    new_page: NewPage, server: PlayedServer
) -> None:
    page = new_page(java_script_enabled=False)
    server.install(page)
    page.goto(ADDRESS)
    note = page.locator("noscript p")  # get_by_text looks past noscript
    expect(note).to_be_visible()
    expect(note).to_contain_text("This conversation needs JavaScript")
    expect(page.locator("#answer")).to_be_hidden()
