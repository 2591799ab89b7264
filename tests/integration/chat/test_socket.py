"""The respondent's socket through the site's own application, on a real database."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from channels.layers import InMemoryChannelLayer
from django.core import signing
from django.utils import timezone
from pytest_django import Settings

from interviews import services
from interviews.chat import consumers, reading
from interviews.invitations import SALT, invite, token_for
from interviews.models import Invitation, Session, Study, Turn, Utterance
from tests.integration.chat.conftest import ORIGIN, Interview, OpenTab, Tab, begun, in_thread

pytestmark = pytest.mark.django_db(transaction=True)


def said(frame: dict[str, Any]) -> list[tuple[int, str]]:
    return [(one["seq"], one["text"]) for one in frame["utterances"]]


# --- who may come in ----------------------------------------------------------------------------
async def test_a_token_that_we_did_not_sign_is_refused(interview: Interview) -> None:
    pk = await in_thread(lambda: Invitation.objects.get(session_id=interview.id).pk)
    for token in (
        "nonsense",
        pk.hex,
        interview.token[:-1] + ("a" if interview.token[-1] != "a" else "b"),
        signing.Signer(salt=SALT, sep=".", key="another").sign(pk.hex),
        signing.Signer(salt="another", sep=".").sign(pk.hex),
    ):
        assert await Tab(token).open() is False


async def test_an_invitation_without_consent_opens_no_socket(interview: Interview) -> None:
    def unbegun() -> str:
        return token_for(invite(Study.objects.get()))

    assert await Tab(await in_thread(unbegun)).open() is False


@pytest.mark.parametrize("field", ["revoked_at", "expires_at"])
async def test_a_link_that_no_longer_counts_is_refused(interview: Interview, field: str) -> None:
    past = timezone.now() - timedelta(seconds=1)
    await in_thread(Invitation.objects.filter(session_id=interview.id).update, **{field: past})
    assert await Tab(interview.token).open() is False


@pytest.mark.parametrize(
    "origin", [None, b"http://evil.example", b"null", b"http://localhost.evil.example"]
)
async def test_a_missing_or_foreign_origin_is_refused(
    interview: Interview, origin: bytes | None
) -> None:
    headers = [ORIGIN[1]] + ([(b"origin", origin)] if origin else [])
    assert await Tab(interview.token, headers).open() is False


async def test_one_token_reaches_its_own_interview_only(
    interview: Interview, open_tab: OpenTab
) -> None:
    other = await in_thread(begun, slug="other")
    mine, theirs = await open_tab(), await open_tab(other.token)
    await mine.hello()
    await theirs.hello()
    await mine.send("answer", client_message_id=str(uuid4()), text="only mine")
    await mine.until("accepted")
    assert await theirs.rest() == []
    assert "only mine" not in await in_thread(other.texts)


async def test_a_link_withdrawn_meanwhile_closes_the_socket_and_stores_nothing(
    interview: Interview, open_tab: OpenTab
) -> None:
    tab = await open_tab()
    await tab.hello()
    await in_thread(
        Invitation.objects.filter(session_id=interview.id).update, revoked_at=timezone.now()
    )
    message_id = str(uuid4())
    await tab.send("answer", client_message_id=message_id, text="too late")
    refused = await tab.until("error")
    assert (refused["code"], refused["client_message_id"]) == ("link_revoked", message_id)
    assert await tab.closed() == 4410
    assert await in_thread(interview.texts) == ["What comes to mind?"]


async def test_a_link_withdrawn_meanwhile_hears_no_more(
    interview: Interview, open_tab: OpenTab
) -> None:
    tab = await open_tab()
    await tab.hello()
    await in_thread(services.accept_answer, interview.id, "one", client_message_id=uuid4())
    await tab.until("state", pending="queued")
    await in_thread(
        Invitation.objects.filter(session_id=interview.id).update, revoked_at=timezone.now()
    )
    await in_thread(interview.question, "And then?")
    assert (await tab.until("error"))["code"] == "link_revoked"
    assert await tab.closed() == 4410


async def test_a_fourth_socket_is_told_and_closed_until_one_leaves(
    interview: Interview, open_tab: OpenTab
) -> None:
    first, *_others = [await open_tab() for _ in range(3)]
    fourth = Tab(interview.token)
    assert await fourth.open() is True
    assert (await fourth.frame())["code"] == "too_many_tabs"
    assert await fourth.closed() == 4429
    await fourth.leave()

    await first.leave()
    again = await open_tab()
    assert said(await again.hello()) == [(1, "What comes to mind?")]


# --- answering ----------------------------------------------------------------------------------
async def test_an_answer_is_accepted_then_shown_then_followed_by_its_question(
    interview: Interview, open_tab: OpenTab
) -> None:
    tab = await open_tab()
    await tab.hello()
    message_id = str(uuid4())
    await tab.send("answer", client_message_id=message_id, text="the weight")
    assert await tab.until("accepted") == {
        "v": 1,
        "type": "accepted",
        "client_message_id": message_id,
        "seq": 2,
        "turn": 1,
        "duplicate": False,
    }
    shown = await tab.until("utterance")
    assert (shown["seq"], shown["speaker"], shown["text"], shown["client_message_id"]) == (
        2,
        "respondent",
        "the weight",
        message_id,
    )
    assert (await tab.until("state"))["pending"] == "queued"

    await in_thread(interview.question, "Why the weight?")
    asked = await tab.until("utterance")
    assert (asked["seq"], asked["speaker"], asked["turn"]) == (3, "interviewer", 1)
    assert (await tab.until("state"))["pending"] is None


async def test_the_same_message_ten_times_is_one_turn(
    interview: Interview, open_tab: OpenTab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers.rate, "_burst", 100.0)
    tab = await open_tab()
    await tab.hello()
    message_id = str(uuid4())
    for _ in range(10):
        await tab.send("answer", client_message_id=message_id, text="the weight")
    frames = [await tab.until("accepted") for _ in range(10)]
    assert [frame["duplicate"] for frame in frames] == [False] + [True] * 9
    assert {(frame["seq"], frame["turn"]) for frame in frames} == {(2, 1)}
    assert await in_thread(interview.texts) == ["What comes to mind?", "the weight"]
    assert await in_thread(Turn.objects.filter(session_id=interview.id).count) == 2


async def test_a_burst_of_five_becomes_one_answer_in_order(
    interview: Interview, open_tab: OpenTab
) -> None:
    tab = await open_tab()
    await tab.hello()
    for number in range(5):
        await tab.send("answer", client_message_id=str(uuid4()), text=f"answer {number}")
    accepted = [await tab.until("accepted") for _ in range(5)]
    assert [(frame["turn"], frame["seq"]) for frame in accepted] == [
        (1, 2),
        (1, 3),
        (1, 4),
        (1, 5),
        (1, 6),
    ]
    joined = "\n\n".join(f"answer {n}" for n in range(5))
    assert (await in_thread(interview.texts))[1:] == [joined]
    snapshot = await tab.hello()
    assert said(snapshot)[1:] == [(6, joined)]
    assert snapshot["state"]["withdrawn"] == [2, 3, 4, 5]


async def test_an_answer_is_changed_and_taken_back_in_every_tab(
    interview: Interview, open_tab: OpenTab
) -> None:
    mine, other = await open_tab(), await open_tab()
    await mine.hello()
    await other.hello()
    first, changed = str(uuid4()), str(uuid4())
    await mine.send("answer", client_message_id=first, text="the wait")
    await mine.until("accepted")
    await mine.send("answer", client_message_id=changed, text="the weight", replaces=first)
    assert (await mine.until("accepted"))["seq"] == 3
    for tab in (mine, other):
        assert (await tab.until("state", withdrawn=[2]))["pending"] == "queued"
    await mine.send("withdraw", client_message_id=changed)
    for tab in (mine, other):
        assert (await tab.until("state", withdrawn=[2, 3]))["pending"] is None
    assert await in_thread(interview.texts) == ["What comes to mind?"]


async def test_nobody_changes_or_takes_back_the_answer_of_another(
    interview: Interview, open_tab: OpenTab
) -> None:
    other = await in_thread(begun, slug="other")
    theirs = uuid4()
    await in_thread(services.accept_answer, other.id, "theirs", client_message_id=theirs)
    tab, mine = await open_tab(), str(uuid4())
    await tab.hello()
    await tab.send("withdraw", client_message_id=str(theirs))
    assert (await tab.until("error"))["code"] == "answer_unknown"
    await tab.send("answer", client_message_id=mine, text="mine", replaces=str(theirs))
    refused = await tab.until("error")
    assert (refused["code"], refused["client_message_id"]) == ("answer_unknown", mine)
    assert await in_thread(other.texts) == ["What comes to mind?", "theirs"]
    assert await in_thread(interview.texts) == ["What comes to mind?"]


async def test_more_than_one_a_second_is_slowed_before_anything_is_stored(
    interview: Interview, open_tab: OpenTab
) -> None:
    first, second = await open_tab(), await open_tab()  # the limit is the interview's, not a tab's
    for number in range(10):
        tab = (first, second)[number % 2]
        await tab.send("answer", client_message_id=str(uuid4()), text=f"answer {number}")
    frames = await first.rest(1) + await second.rest(0.1)
    accepted = [frame for frame in frames if frame["type"] == "accepted"]
    refused = [frame for frame in frames if frame["type"] == "error"]
    assert len(accepted) + len(refused) == 10
    assert {frame["code"] for frame in refused} == {"too_fast"}
    assert 4 <= len(refused) <= 5
    stored = (await in_thread(interview.texts))[1].split("\n\n")
    assert len(stored) == len(accepted)


async def test_retrying_is_slowed_like_answering(interview: Interview, open_tab: OpenTab) -> None:
    tab = await open_tab()
    for _ in range(8):
        await tab.send("retry")
    codes = [frame["code"] for frame in await tab.rest(0.6)]
    assert codes[:5] == ["turn_not_failed"] * 5
    assert "too_fast" in codes[5:]


@pytest.mark.parametrize(
    ("text", "code"), [("   \n", "empty_answer"), ("a" * 8001, "answer_too_long")]
)
async def test_what_cannot_be_taken_is_refused_under_its_id(
    interview: Interview, open_tab: OpenTab, text: str, code: str
) -> None:
    tab = await open_tab()
    message_id = str(uuid4())
    await tab.send("answer", client_message_id=message_id, text=text)
    refused = await tab.until("error")
    assert (refused["code"], refused["client_message_id"]) == (code, message_id)
    assert await in_thread(interview.texts) == ["What comes to mind?"]


async def test_eight_thousand_characters_are_taken(interview: Interview, open_tab: OpenTab) -> None:
    tab = await open_tab()
    await tab.send("answer", client_message_id=str(uuid4()), text="é" * 8000)
    # 8,000 two-byte characters travel as \u escapes here and would be too large: sent as UTF-8
    assert (await tab.until("error"))["code"] == "frame_too_large"
    assert await tab.closed() == 1009

    again = await open_tab()
    await again.send("answer", client_message_id=str(uuid4()), text="a" * 8000)
    assert (await again.until("accepted"))["seq"] == 2


@pytest.mark.parametrize("size", [16_385, 1_000_000])
async def test_an_oversized_frame_closes_the_socket_and_the_page_can_come_back(
    interview: Interview, open_tab: OpenTab, size: int
) -> None:
    tab = await open_tab()
    await tab.wire.send_to(text_data="x" * size)
    assert (await tab.frame())["code"] == "frame_too_large"
    assert await tab.closed() == 1009
    assert await in_thread(interview.texts) == ["What comes to mind?"]
    assert said(await (await open_tab()).hello()) == [(1, "What comes to mind?")]


async def test_nonsense_is_answered_and_the_socket_lives_on(
    interview: Interview, open_tab: OpenTab
) -> None:
    tab = await open_tab()
    for nonsense in ("nonsense", "{}", '{"v": 9, "type": "hello", "last_seq": 0}'):
        await tab.wire.send_to(text_data=nonsense)
        assert (await tab.frame())["code"] == "bad_frame"
    await tab.wire.send_to(bytes_data=b"\x00\x01")
    assert (await tab.frame())["code"] == "bad_frame"
    assert said(await tab.hello()) == [(1, "What comes to mind?")]


async def test_nul_in_an_answer_does_not_end_the_socket(
    interview: Interview, open_tab: OpenTab
) -> None:
    tab = await open_tab()
    await tab.send("answer", client_message_id=str(uuid4()), text="a\0b")
    await tab.until("accepted")
    assert (await in_thread(interview.texts))[1] == "ab"


# --- coming back --------------------------------------------------------------------------------
async def test_a_return_brings_exactly_what_was_missed(
    interview: Interview, open_tab: OpenTab
) -> None:
    tab = await open_tab()
    assert said(await tab.hello()) == [(1, "What comes to mind?")]
    await tab.send("answer", client_message_id=str(uuid4()), text="one")
    await tab.until("utterance", seq=2)
    await tab.leave()
    await in_thread(interview.question, "two")
    await in_thread(services.accept_answer, interview.id, "three", client_message_id=uuid4())

    again = await open_tab()
    assert said(await again.hello(last_seq=2)) == [(3, "two"), (4, "three")]
    await in_thread(interview.question, "four")
    assert (await again.until("utterance"))["seq"] == 5
    assert [frame for frame in await again.rest() if frame["type"] == "utterance"] == []


async def test_every_place_to_cut_gives_no_gap_and_no_double(
    interview: Interview, open_tab: OpenTab
) -> None:
    for number in range(3):
        await in_thread(
            services.accept_answer, interview.id, f"answer {number}", client_message_id=uuid4()
        )
        await in_thread(interview.question, f"question {number}")
    everything = [(n, text) for n, text in enumerate(await in_thread(interview.texts), start=1)]
    for cut in range(len(everything) + 1):
        tab = await open_tab()
        assert said(await tab.hello(last_seq=cut)) == everything[cut:]
        await tab.leave()


async def test_hello_again_on_an_open_socket_repeats_only_what_is_asked(
    interview: Interview, open_tab: OpenTab
) -> None:
    tab = await open_tab()
    await tab.hello()
    assert said(await tab.hello(last_seq=1)) == []
    assert said(await tab.hello(last_seq=0)) == [(1, "What comes to mind?")]


async def test_both_tabs_show_what_the_other_sent(interview: Interview, open_tab: OpenTab) -> None:
    one, two = await open_tab(), await open_tab()
    await one.hello()
    await two.hello()
    await one.send("answer", client_message_id=str(uuid4()), text="from one")
    assert (await two.until("utterance"))["text"] == "from one"
    assert (await two.until("state"))["pending"] == "queued"
    await two.send("answer", client_message_id=str(uuid4()), text="from two")
    assert (await one.until("utterance", text="from one\n\nfrom two"))["seq"] == 3
    assert (await one.until("state"))["withdrawn"] == [2]


async def test_a_dropped_push_is_caught_up_within_five_seconds(
    interview: Interview, open_tab: OpenTab
) -> None:
    tab = await open_tab()
    await tab.hello()
    await tab.send("answer", client_message_id=str(uuid4()), text="one")
    await tab.until("state", pending="queued")
    await in_thread(interview.question, "never announced", announce=False)
    assert (await tab.until("utterance", timeout=5))["text"] == "never announced"


async def test_a_socket_where_nothing_is_pending_leaves_the_database_alone(
    interview: Interview, open_tab: OpenTab, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []

    def counted(token: str, after: int) -> Any:
        looks.append(after)
        return reading.read(token, after)

    monkeypatch.setattr(consumers, "read", counted)
    monkeypatch.setattr(consumers, "LOOK_EVERY", 0.05)
    tab = await open_tab()
    await tab.hello()
    await tab.rest(0.2)
    before = len(looks)
    await asyncio.sleep(0.5)
    assert len(looks) == before

    await tab.send("answer", client_message_id=str(uuid4()), text="one")
    await tab.until("state", pending="queued")
    before = len(looks)
    await asyncio.sleep(0.5)
    assert len(looks) > before


class LayerThatFails(InMemoryChannelLayer):
    """A broker that is away."""

    async def group_add(self, group: str, channel: str) -> None:
        raise ConnectionError("away")

    async def receive(self, channel: str) -> dict[str, Any]:
        raise ConnectionError("away")


async def test_answers_are_taken_and_questions_arrive_while_the_broker_is_away(
    interview: Interview,
    open_tab: OpenTab,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = f"{LayerThatFails.__module__}.{LayerThatFails.__qualname__}"
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": path}}
    monkeypatch.setattr(consumers, "LOOK_EVERY", 0.2)
    tab = await open_tab()
    await tab.hello()
    await tab.send("answer", client_message_id=str(uuid4()), text="one")
    assert (await tab.until("accepted"))["seq"] == 2
    await in_thread(interview.question, "still here")
    assert (await tab.until("utterance", seq=3))["text"] == "still here"


# --- leaving and going on -----------------------------------------------------------------------
async def test_pause_and_resume_are_told_to_every_tab(
    interview: Interview, open_tab: OpenTab
) -> None:
    one, two = await open_tab(), await open_tab()
    await one.hello()
    await two.hello()
    await one.send("pause")
    assert (await one.until("state"))["status"] == "paused"
    assert (await two.until("state"))["status"] == "paused"
    message_id = str(uuid4())
    await two.send("answer", client_message_id=message_id, text="too late")
    assert (await two.until("error"))["code"] == "session_paused"
    await two.send("resume")
    assert (await one.until("state"))["status"] == "active"


async def test_the_end_is_told_to_every_tab(interview: Interview, open_tab: OpenTab) -> None:
    one, two = await open_tab(), await open_tab()
    await one.hello()
    await two.hello()
    await one.send("end")
    ended = await two.until("state")
    assert ended["status"] in ("completed", "abandoned")
    assert ended["progress"] == 1.0
    session = await in_thread(Session.objects.get, pk=interview.id)
    assert session.termination_reason == "respondent_ended"


async def test_a_failed_turn_is_shown_and_retried(interview: Interview, open_tab: OpenTab) -> None:
    tab = await open_tab()
    await tab.hello()
    await tab.send("answer", client_message_id=str(uuid4()), text="one")
    await tab.until("state", pending="queued")
    await in_thread(interview.fail)
    await tab.until("state", pending="failed")
    await tab.send("retry")
    await tab.until("state", pending="queued")
    await in_thread(interview.question, "here it is")
    assert (await tab.until("utterance"))["text"] == "here it is"


async def test_a_socket_that_ends_leaves_no_task_and_no_count(
    interview: Interview, open_tab: OpenTab
) -> None:
    tab = await open_tab()
    await tab.hello()
    assert consumers.sockets.count(interview.id) == 1
    await tab.leave()
    assert consumers.sockets.count(interview.id) == 0
    names = {task.get_name() for task in asyncio.all_tasks()}
    assert not names & {"chat-listener", "chat-keeper"}


# --- choosing -----------------------------------------------------------------------------------
OFFER = {"kind": "choice", "options": ["Yes, go on", "No, finish"]}


def offer(interview: Interview) -> None:
    """Put two options beside the newest question."""
    newest = Utterance.objects.filter(session_id=interview.id).latest("sequence")
    Utterance.objects.filter(pk=newest.pk).update(block=OFFER)


async def test_an_option_is_taken_once_however_often_and_however_it_is_spelt(
    interview: Interview, open_tab: OpenTab
) -> None:
    await in_thread(offer, interview)
    tab = await open_tab()
    assert (await tab.hello())["utterances"][0]["block"] == OFFER
    message_id = str(uuid4())
    for _ in range(3):
        await tab.send("choose", client_message_id=message_id, option="yes,  go on")
    frames = [await tab.until("accepted") for _ in range(3)]
    assert [frame["duplicate"] for frame in frames] == [False, True, True]
    assert await in_thread(interview.texts) == ["What comes to mind?", "Yes, go on"]


@pytest.mark.parametrize("option", ["Perhaps", "", "x" * 9000])
async def test_what_was_not_offered_is_refused_and_not_stored(
    interview: Interview, open_tab: OpenTab, option: str
) -> None:
    await in_thread(offer, interview)
    tab = await open_tab()
    await tab.hello()
    message_id = str(uuid4())
    await tab.send("choose", client_message_id=message_id, option=option)
    refused = await tab.until("error")
    assert (refused["code"], refused["client_message_id"]) == ("not_offered", message_id)
    assert await in_thread(interview.texts) == ["What comes to mind?"]


async def test_a_choice_that_is_made_already_is_not_made_again(
    interview: Interview, open_tab: OpenTab
) -> None:
    await in_thread(offer, interview)
    one, another = await open_tab(), await open_tab()
    for tab, option in ((one, "Yes, go on"), (another, "No, finish")):
        await tab.hello()
        await tab.send("choose", client_message_id=str(uuid4()), option=option)
        await tab.until("error" if tab is another else "accepted")
    assert await in_thread(interview.texts) == ["What comes to mind?", "Yes, go on"]


async def test_nothing_can_be_chosen_where_nothing_is_offered(
    interview: Interview, open_tab: OpenTab
) -> None:
    tab = await open_tab()
    await tab.hello()
    await tab.send("choose", client_message_id=str(uuid4()), option="Yes, go on")
    assert (await tab.until("error"))["code"] == "not_offered"
