"""The respondent's pages: consent, the interview, pause, thanks, and links that lead nowhere."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from interviews import services
from interviews.completion import completion_code, onward_address
from interviews.invitations import invite, token_for
from interviews.models import Erasure, Invitation, Session, Study
from tests.factories import StudyFactory
from tests.integration.chat.conftest import Interview, begun

pytestmark = pytest.mark.django_db(transaction=True)


def live(**fields: Any) -> Study:
    return StudyFactory.create(status="live", **fields)


def page(client: Client, interview: Interview) -> Any:
    return client.get(reverse("chat:interview", args=[interview.token]))


def _revoked() -> str:
    invitation = invite(live())
    Invitation.objects.filter(pk=invitation.pk).update(revoked_at=timezone.now())
    return token_for(invitation)


# --- consent ------------------------------------------------------------------------------------
def test_the_public_link_asks_for_consent_and_creates_nothing(client: Client) -> None:
    study = live(name="Rain & shine", max_turns=10, consent_text="First.\n\nSecond <b>part</b>.")
    response = client.get(reverse("chat:study", args=[study.slug]))
    assert response.status_code == 200
    text = response.content.decode()
    assert "Rain &amp; shine" in text
    assert "about 8 minutes" in text
    assert "<p>Second &lt;b&gt;part&lt;/b&gt;.</p>" in text
    assert "Software leads the interview" in text
    assert Invitation.objects.count() == 0
    assert Session.objects.count() == 0


def test_consent_makes_a_personal_link_and_leads_there(client: Client) -> None:
    study = live()
    response = client.post(reverse("chat:study", args=[study.slug]))
    invitation = Invitation.objects.get()
    assert response.status_code == 302
    assert response["Location"] == reverse("chat:interview", args=[token_for(invitation)])
    assert invitation.session is not None
    assert invitation.session.consented_at is not None


def test_a_form_from_elsewhere_gives_no_consent() -> None:
    study = live()
    response = Client(enforce_csrf_checks=True).post(reverse("chat:study", args=[study.slug]))
    assert response.status_code == 403
    assert "Please send that once more" in response.content.decode()
    assert Session.objects.count() == 0


def test_the_public_link_offers_to_continue_on_the_device_that_began(client: Client) -> None:
    study = live()
    address = reverse("chat:study", args=[study.slug])
    personal = client.post(address)["Location"]
    again = client.get(address).content.decode()
    assert f'href="{personal}"' in again
    assert personal not in Client().get(address).content.decode()

    services.end_session(Session.objects.get().pk)
    assert personal not in client.get(address).content.decode()


def test_the_remembered_link_is_kept_from_scripts_and_other_pages(client: Client) -> None:
    study = live()
    response = client.post(reverse("chat:study", args=[study.slug]))
    (cookie,) = [value for key, value in response.cookies.items() if key.startswith("interview_")]
    assert cookie["httponly"] is True
    assert cookie["samesite"] == "Lax"
    assert cookie["path"] == reverse("chat:study", args=[study.slug])


def test_a_personal_link_asks_for_consent_first_and_begins_once(client: Client) -> None:
    invitation = invite(live())
    token = token_for(invitation)
    asked = client.get(reverse("chat:interview", args=[token]))
    assert "What you agree to" in asked.content.decode()
    assert Session.objects.count() == 0
    for _ in range(2):
        begun_now = client.post(reverse("chat:consent", args=[token]))
        assert begun_now["Location"] == reverse("chat:interview", args=[token])
    assert Session.objects.count() == 1


@pytest.mark.parametrize("name", ["chat:consent", "chat:resume"])
def test_what_changes_something_is_not_done_by_following_a_link(client: Client, name: str) -> None:
    assert client.get(reverse(name, args=[token_for(invite(live()))])).status_code == 405


# --- the interview ------------------------------------------------------------------------------
def test_the_page_holds_the_conversation_so_far_as_text(client: Client) -> None:
    interview = begun()
    hostile = "<script>alert(1)</script>"
    services.accept_answer(interview.id, hostile, client_message_id=uuid4())
    response = page(client, interview)
    text = response.content.decode()
    assert response.status_code == 200
    assert "What comes to mind?" in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert hostile not in text
    assert 'data-pending="queued"' in text


def test_the_page_has_no_inline_script_and_no_inline_style(client: Client) -> None:
    response = page(client, begun())
    text = response.content.decode()
    policy = response["Content-Security-Policy"]
    assert "unsafe-inline" not in policy
    assert "script-src 'self'" in policy
    # What sets letters and colours before the page is drawn, the module, and the words as data.
    assert text.count("<script") == 3
    assert text.count("<script src=") == text.count('<script type="module" src=') == 1
    assert '<script id="words" type="application/json">' in text
    assert " style=" not in text
    assert "onclick" not in text


def test_personal_pages_are_neither_stored_nor_indexed(client: Client) -> None:
    response = page(client, begun())
    assert "no-store" in response["Cache-Control"]
    assert response["X-Robots-Tag"] == "noindex"


def test_a_paused_interview_says_how_to_come_back_and_goes_on(client: Client) -> None:
    interview = begun()
    services.pause_session(interview.id)
    text = page(client, interview).content.decode()
    assert "Your interview is paused" in text
    assert f"http://testserver{reverse('chat:interview', args=[interview.token])}" in text
    response = client.post(reverse("chat:resume", args=[interview.token]))
    assert response["Location"] == reverse("chat:interview", args=[interview.token])
    assert Session.objects.get(pk=interview.id).status == Session.Status.ACTIVE


def test_the_end_thanks_shows_the_reward_and_offers_a_copy(client: Client) -> None:
    interview = begun(reward="A voucher & a card.", slug="jackets")
    services.accept_answer(interview.id, "the <seams>", client_message_id=uuid4())
    interview.question("Why?")
    services.end_session(interview.id)
    text = page(client, interview).content.decode()
    assert "Thank you" in text
    assert "A voucher &amp; a card." in text
    address = reverse("chat:transcript", args=[interview.token])
    assert f'href="{address}"' in text

    copy = client.get(address)
    assert copy["Content-Disposition"] == 'attachment; filename="jackets.txt"'
    assert copy["Content-Type"] == "text/plain; charset=utf-8"
    lines = copy.content.decode().splitlines()
    assert lines[0] == "Rain jackets"
    assert lines[3:] == [
        "Interviewer:",
        "What comes to mind?",
        "",
        "You:",
        "the <seams>",
        "",
        "Interviewer:",
        "Why?",
    ]


def test_an_interview_ended_without_an_answer_promises_nothing(client: Client) -> None:
    interview = begun()
    services.end_session(interview.id)
    text = page(client, interview).content.decode()
    assert "You gave no answers" in text
    assert "Download" not in text


def test_the_page_speaks_the_language_of_the_study(client: Client) -> None:
    interview = begun(language="it")
    response = client.get(
        reverse("chat:interview", args=[interview.token]), headers={"accept-language": "en"}
    )
    assert '<html lang="it">' in response.content.decode()


# --- links that lead nowhere --------------------------------------------------------------------
@pytest.mark.parametrize(
    ("make", "status", "title"),
    [
        (lambda: "nonsense", 404, "This link does not lead to an interview"),
        (
            lambda: token_for(invite(live(), expires_at=timezone.now() - timedelta(seconds=1))),
            410,
            "This link has expired",
        ),
        (_revoked, 410, "This link has been withdrawn"),
        (lambda: token_for(invite(StudyFactory.create(status="closed"))), 410, "closed"),
        (lambda: token_for(invite(live(quota=0))), 410, "This study is complete"),
    ],
    ids=["wrong", "expired", "withdrawn", "closed", "quota"],
)
def test_a_link_that_does_not_count_has_a_page_of_its_own(
    client: Client, make: Any, status: int, title: str
) -> None:
    token = make()
    response = client.get(reverse("chat:interview", args=[token]))
    assert response.status_code == status
    assert title in response.content.decode()
    for name in ("chat:consent", "chat:resume"):
        assert client.post(reverse(name, args=[token])).status_code in (404, 410)
    assert client.get(reverse("chat:transcript", args=[token])).status_code in (404, 410)
    assert Session.objects.count() == 0


@pytest.mark.parametrize(
    ("fields", "status", "title"),
    [
        ({"status": "closed"}, 410, "This study is closed"),
        ({"status": "draft"}, 404, "This study is not open yet"),
        ({"status": "live", "quota": 0}, 410, "This study is complete"),
    ],
)
def test_a_study_that_takes_no_interviews_says_so(
    client: Client, fields: dict[str, Any], status: int, title: str
) -> None:
    study = StudyFactory.create(**fields)
    for response in (
        client.get(reverse("chat:study", args=[study.slug])),
        client.post(reverse("chat:study", args=[study.slug])),
    ):
        assert response.status_code == status
        assert title in response.content.decode()
    assert Invitation.objects.count() == 0


def test_an_unknown_study_says_so(client: Client) -> None:
    response = client.get(reverse("chat:study", args=["nowhere"]))
    assert response.status_code == 404
    assert "There is no study at this address" in response.content.decode()


def test_who_has_begun_may_finish_although_the_study_has_closed(client: Client) -> None:
    study = live()
    address = reverse("chat:study", args=[study.slug])
    personal = client.post(address)["Location"]
    Study.objects.filter(pk=study.pk).update(status="closed")
    assert client.get(address)["Location"] == personal
    assert client.get(personal).status_code == 200


def test_an_address_without_a_page_is_answered_in_the_same_look(client: Client) -> None:
    response = client.get("/nowhere/")
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


def test_the_number_of_queries_does_not_grow_with_the_conversation(
    client: Client, django_assert_num_queries: Any
) -> None:
    interview = begun()
    for number in range(6):
        services.accept_answer(interview.id, f"answer {number}", client_message_id=uuid4())
        interview.question(f"question {number}")
    with django_assert_num_queries(4):  # link, session and study, its turns, its utterances
        page(client, interview)


# --- the form, before the script is there -------------------------------------------------------
def send(client: Client, interview: Interview, **fields: str) -> Any:
    return client.post(reverse("chat:answer", args=[interview.token]), fields)


def test_the_form_sends_an_answer_once_however_often_it_is_posted(client: Client) -> None:
    interview = begun()
    fields = {"client_message_id": str(uuid4()), "text": "the weight"}
    for _ in range(2):
        response = send(client, interview, **fields)
        assert response.status_code == 302
        assert response["Location"] == reverse("chat:interview", args=[interview.token])
    said = Session.objects.get().utterances.filter(speaker="respondent")
    assert [utterance.text for utterance in said] == ["the weight"]


@pytest.mark.parametrize("text", ["   ", "a" * 8001])
def test_what_the_form_cannot_take_comes_back_in_its_box_with_the_reason(
    client: Client, text: str
) -> None:
    interview = begun()
    response = send(client, interview, client_message_id=str(uuid4()), text=text)
    assert response.status_code == 200
    assert response.context["draft"] == text
    assert response.context["problem"]
    assert response.context["problem"] in response.content.decode().replace("&#x27;", "'")
    assert not Session.objects.get().utterances.filter(speaker="respondent").exists()


def test_an_answer_after_the_end_leads_to_the_last_page(client: Client) -> None:
    interview = begun()
    services.end_session(interview.id)
    response = send(client, interview, client_message_id="no id", text="too late")
    assert response.status_code == 302


# --- who asks, and how to stop ------------------------------------------------------------------
TOLD = {
    "greeting": "Welcome, and thank you.",
    "researcher": "Anna Berg, University of Example",
    "contact": "anna@example.org",
    "research_purpose": "To learn how packs are chosen.",
    "retention": "Two years, then erased.",
    "withdrawal": "Write to Anna until the end of May.",
}


def test_respondents_are_told_who_asks_before_they_agree(client: Client) -> None:
    study = live(**TOLD)
    text = client.get(reverse("chat:study", args=[study.slug])).content.decode()
    assert all(words in text for words in TOLD.values())
    assert study.untold == []
    assert text.index("needs JavaScript") < text.index("I agree, begin")


def test_what_respondents_are_not_told_is_named_and_leaves_no_empty_line(client: Client) -> None:
    study = live(**{**TOLD, "contact": " ", "retention": ""})
    assert study.untold == ["contact", "retention"]
    text = client.get(reverse("chat:study", args=[study.slug])).content.decode()
    assert "How to reach them" not in text
    assert "Who asks" in text


def test_a_page_that_is_sent_twice_begins_one_interview(client: Client) -> None:
    address = reverse("chat:study", args=[live().slug])
    first = client.post(address)["Location"]
    assert client.post(address)["Location"] == first
    assert Session.objects.count() == 1
    assert client.post(address, {"anew": "1"})["Location"] != first
    assert Session.objects.count() == 2


def test_whose_link_is_withdrawn_is_told_before_beginning_another_interview(
    client: Client,
) -> None:
    address = reverse("chat:study", args=[live().slug])
    client.post(address)
    Invitation.objects.update(revoked_at=timezone.now())
    text = client.get(address).content.decode()
    assert "This link has been withdrawn" in text
    assert "Begin a new interview" in text
    assert Session.objects.count() == 1


def test_the_conversation_page_holds_the_own_link_that_was_promised(client: Client) -> None:
    interview = begun()
    text = page(client, interview).content.decode()
    assert f'value="http://testserver{reverse("chat:interview", args=[interview.token])}"' in text


def ended(**study: Any) -> Interview:
    interview = begun(**study)
    services.accept_answer(interview.id, "My last words", client_message_id=uuid4())
    interview.question("And now?")
    services.end_session(interview.id)
    return interview


def test_the_last_page_shows_the_conversation_and_what_happens_next(client: Client) -> None:
    text = page(client, ended(next_steps="We write in May.")).content.decode()
    assert "My last words" in text
    assert "We write in May." in text
    assert "One more step" not in text


def test_the_way_back_carries_session_and_code_and_only_over_https(client: Client) -> None:
    interview = ended(redirect_url="https://panel.example/end?src=a&code=forged#top")
    code = completion_code(interview.id)
    address = f"https://panel.example/end?src=a&session={interview.id}&code={code}#top"
    text = page(client, interview).content.decode()
    assert address.replace("&", "&amp;") in text
    for unsafe in ("http://panel.example/", "javascript:alert(1)", "//panel.example", "https:"):
        assert onward_address(unsafe, interview.id) == ""
        with pytest.raises(ValidationError) as refused:
            live(slug=f"s-{uuid4()}", redirect_url=unsafe).full_clean()
        assert "redirect_url" in refused.value.error_dict
    assert completion_code(uuid4()) != code


def test_an_interview_is_erased_by_its_respondent_after_a_second_question(client: Client) -> None:
    interview = ended()
    address = reverse("chat:erase", args=[interview.token])
    assert address in page(client, interview).content.decode()
    assert "Withdraw your interview?" in client.get(address).content.decode()
    assert Session.objects.filter(pk=interview.id).exists()
    assert "Your interview is erased" in client.post(address).content.decode()
    assert not Session.objects.filter(pk=interview.id).exists()
    assert Erasure.objects.get(session_id=interview.id).erased_by == "the respondent"
    assert page(client, interview).status_code == 410
    assert client.post(address).status_code == 410


def test_a_form_from_elsewhere_erases_nothing() -> None:
    interview = ended()
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(reverse("chat:erase", args=[interview.token])).status_code == 403
    assert Session.objects.filter(pk=interview.id).exists()
