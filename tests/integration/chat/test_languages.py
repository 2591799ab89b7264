"""A study in several languages: asked at the start, kept to the end, consented to in its words."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from interviews import checklist, services
from interviews.invitations import invite, token_for
from interviews.models import Session, Study
from tests.factories import StudyFactory

pytestmark = pytest.mark.django_db(transaction=True)

ITALIAN = {
    "name": "Zaini",
    "consent_text": "Sono d'accordo di partecipare.",
    "reward": "Un buono per lei.",
    "next_steps": "Leggiamo le risposte a maggio.",
}


def live(**fields: Any) -> Study:
    return StudyFactory.create(
        name="Backpacks", status="live", translations={"it": ITALIAN}, **fields
    )


@pytest.mark.parametrize("personal", [False, True], ids=["public", "personal"])
def test_the_language_is_asked_for_at_the_start_and_kept_to_the_end(
    client: Client, personal: bool
) -> None:
    study = live(consent_text="I agree.", reward="A voucher.", contact="jo@example.org")
    door = (
        reverse("chat:interview", args=[token_for(invite(study))])
        if personal
        else reverse("chat:study", args=[study.slug])
    )
    asked = client.get(f"{door}?ref=7").content.decode()
    assert 'href="?ref=7&amp;language=it" lang="it" hreflang="it">Italiano</a>' in asked
    assert 'hreflang="en">English</a>' in asked
    assert "Backpacks" in asked
    assert "Zaini" in asked
    assert "<form" not in asked
    assert Session.objects.count() == 0

    chosen = client.get(f"{door}?language=it").content.decode()
    assert '<html lang="it">' in chosen
    assert "Sono d&#x27;accordo di partecipare." in chosen
    assert "I agree." not in chosen
    assert "jo@example.org" in chosen  # what is not there in the language is shown as it is
    action = chosen.split('<form method="post" action="')[1].split('"')[0]
    assert action.endswith("?language=it")
    page = client.post(action.replace("&amp;", "&"), follow=True)
    session = Session.objects.get()
    assert session.language == "it"
    assert '<html lang="it">' in page.content.decode()
    assert "Zaini" in page.content.decode()

    services.end_session(session.pk)
    over = client.get(page.redirect_chain[-1][0]).content.decode()
    for text in ("Un buono per lei.", "Leggiamo le risposte a maggio.", "Zaini"):
        assert text in over
    assert "A voucher." not in over
    session.study.refresh_from_db()
    assert (session.study.name, session.study.reward) == ("Backpacks", "A voucher.")


@pytest.mark.parametrize("query", ["", "?language=tlh", "?language=de"])
def test_nobody_agrees_before_having_chosen_a_language_of_the_study(
    client: Client, query: str
) -> None:
    door = reverse("chat:study", args=[live().slug])
    assert 'hreflang="it"' in client.post(f"{door}{query}").content.decode()
    assert Session.objects.count() == 0


def test_a_study_in_one_language_asks_for_none(client: Client) -> None:
    study = StudyFactory.create(status="live")
    door = reverse("chat:study", args=[study.slug])
    assert "hreflang" not in client.get(door).content.decode()
    client.post(f"{door}?language=it")
    assert Session.objects.get().language == "en"


@pytest.mark.parametrize(
    ("translations", "said"),
    [
        ({"tlh": ITALIAN}, "'tlh' is no other language of an interview; choose among it, de, fr"),
        ({"en": ITALIAN}, "'en' is no other language of an interview"),
        ({"it": {"name": "Zaini"}}, "it: consent_text missing"),
        ({"it": ITALIAN | {"title": "x"}}, "it: unknown text 'title'; expected one of name"),
        ({"it": ITALIAN | {"reward": " "}}, "it: reward: write a text, or leave it out"),
        ({"it": "Zaini"}, "it: write its texts by name"),
        (["it"], "write the texts of each language by its code"),
    ],
)
def test_what_is_wrong_with_the_texts_of_a_language_is_told_by_language(
    translations: Any, said: str
) -> None:
    study = StudyFactory.create(translations=translations)
    (problem,) = checklist.problems_of(study)
    assert problem.field == "translations"
    assert said in problem.message


def test_the_checklist_names_every_language_that_the_concept_lacks() -> None:
    (texts,) = [item for item in checklist.checklist(live()) if item.code == "texts"]
    assert not texts.required
    assert "has no text in Italian" in texts.message
    assert "English" not in texts.message
