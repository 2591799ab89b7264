"""The card sort in the chat: over its socket, and on its page."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from interviews import dispatch, services
from interviews.invitations import invite, token_for
from interviews.models import Turn
from tests.integration.chat.conftest import Tab, in_thread
from tests.integration.modes.conftest import live_study, own_table

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def token(transactional_db: None, card_sort_installed: None) -> Iterator[str]:
    """The link of an interview that has begun; turns are processed as the test says."""
    with own_table(), dispatch.held_back():
        invitation = invite(live_study())
        services.begin(invitation)
        process()
        yield token_for(invitation)


def process() -> None:
    """Work on the turn that waits."""
    services.process_turn(Turn.objects.get(status=Turn.Status.QUEUED).pk)


async def test_a_question_comes_with_its_block_and_is_answered_like_any_other(token: str) -> None:
    tab = Tab(token)
    assert await tab.open()
    (opening,) = (await tab.hello())["utterances"]
    assert opening["block"] == {
        "kind": "choice", "card": "config.json", "options": ["keep", "change", "drop"],
    }  # fmt: skip
    await tab.send("answer", client_message_id=str(uuid4()), text="keep")
    await tab.until("accepted")
    await in_thread(process)
    answer = await tab.until("utterance", speaker="respondent")
    question = await tab.until("utterance", speaker="interviewer")
    assert (answer["text"], answer["block"]) == ("keep", None)
    assert question["text"] == "Sort this card: load_rows. On which pile does it belong?"
    assert question["block"]["card"] == "load_rows"
    await tab.leave()


def test_the_page_shows_the_question_of_a_block_that_it_does_not_know(
    token: str, client: Client
) -> None:
    page = client.get(reverse("chat:interview", args=[token])).content.decode()
    assert "Sort this card: config.json. On which pile does it belong?" in page
