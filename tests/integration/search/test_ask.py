"""Questions to a study: quotes that stand where they are said to, or nothing."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from interviews.llm.tasks.study_answer import CitedQuote, StudyAnswerOutput
from interviews.models import LLMCall, SearchCollection, SearchEntry, Session, Study, Team
from interviews.retrieval import index
from interviews.retrieval.asking import NOT_FOUND, ask_study, checked
from interviews.retrieval.search import Hit
from tests.factories import analyst, somebody
from tests.integration.search.conftest import interview

pytestmark = pytest.mark.django_db
SIGNED_IN = "django.contrib.auth.backends.ModelBackend"


def hit(text: str, session: UUID) -> Hit:
    return Hit(
        entry=uuid4(),
        kind="answer",
        source=uuid4(),
        study=uuid4(),
        session=session,
        turn=3,
        text=text,
        score=0.03,
        similarity=0.7,
    )


SOURCES = [hit("It keeps me dry. I like that.", uuid4()), hit("I am not sure it does.", uuid4())]


def reply(answer: str, *quotes: tuple[int, str, str], found: bool = True) -> StudyAnswerOutput:
    cited = tuple(CitedQuote(ref=ref, quote=q, role=role) for ref, q, role in quotes)
    return StudyAnswerOutput(found=found, answer=answer, quotes=cited)


def test_a_quote_that_stands_nowhere_and_a_sentence_that_rests_on_it_are_left_out() -> None:
    made = reply(
        "It keeps people dry [1]. Some doubt it [2]. Everybody loves it. All say so [9].",
        (2, "not  sure", "uncertain"),
        (1, "it keeps me DRY", "supporting"),
        (1, "it keeps me warm", "supporting"),
        (9, "It keeps me dry", "supporting"),
    )
    answer = checked(made, SOURCES)
    assert [(q.quote, q.role) for q in answer.quotes] == [
        ("It keeps me dry", "supporting"),
        ("not sure", "uncertain"),
    ]
    assert answer.answer == "It keeps people dry. [1] Some doubt it. [2]"
    assert all(q.quote in source.text for q, source in zip(answer.quotes, SOURCES, strict=True))


@pytest.mark.parametrize(
    "made",
    [
        reply("All is well [1].", (1, "all is well", "supporting")),
        reply("", (1, "It keeps me dry", "supporting"), found=False),
        reply("It is so [1]."),
    ],
)
def test_what_rests_on_no_quote_is_not_in_the_material(made: StudyAnswerOutput) -> None:
    answer = checked(made, SOURCES)
    assert answer.as_json() == {"found": False, "answer": NOT_FOUND, "quotes": []}


def test_offline_the_best_quotes_come_without_prose_and_with_their_role(study: Study) -> None:
    interview(study, "Rain is a problem. The hood keeps the rain out.", "I eat an apple.")
    interview(study, "The hood does not keep the rain out.")
    interview(study, "Maybe the hood keeps the rain out.")
    index.refresh(Session.objects.all())
    answer = ask_study(study, Session.objects.all(), "Does the hood keep the rain out?")
    assert answer.answer == ""
    assert {(q.quote, q.role) for q in answer.quotes} == {
        ("The hood keeps the rain out.", "supporting"),
        ("The hood does not keep the rain out.", "contradicting"),
        ("Maybe the hood keeps the rain out.", "uncertain"),
    }
    assert LLMCall.objects.filter(study=study, task="study_answer").count() == 1


def test_what_nobody_said_asks_no_model(two: tuple[Session, Session]) -> None:
    study = two[0].study
    answer = ask_study(study, Session.objects.all(), "Which football club won the championship?")
    assert answer.as_json() == {"found": False, "answer": NOT_FOUND, "quotes": []}
    assert not LLMCall.objects.exists()


def told(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*arguments, "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_commands_read_what_is_due_and_leave_simulated_interviews_out(study: Study) -> None:
    real = interview(study, "The seams keep me dry.")
    interview(study, "The seams keep me dry, says a persona.", simulated=True)
    found = told("search", "jackets", "seams dry")
    assert [(r["session"], r["turn"], r["text"]) for r in found["results"]] == [
        (str(real.pk), 1, "The seams keep me dry.")
    ]
    assert len(told("search", "jackets", "seams", "--include", "simulated")["results"]) == 2
    answer = told("ask", "jackets", "What keeps people dry?")
    assert set(answer) == {"found", "answer", "quotes"}
    assert answer["quotes"] == [
        {
            "session": str(real.pk),
            "turn": 1,
            "quote": "The seams keep me dry.",
            "role": "supporting",
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("search", "nobody", "x"), "study"),
        (("search", "jackets", ""), "text"),
        (("search", "jackets", "x", "--kind", "memo"), "kind"),
        (("search", "jackets", "x", "--status", "asleep"), "status"),
        (("ask", "jackets", "x" * 401), "text"),
    ],
)
def test_wrong_arguments_are_named(study: Study, arguments: tuple[str, ...], field: str) -> None:
    with pytest.raises(CommandError, match=f"^{field}: ") as error:
        call_command(*arguments)
    assert error.value.returncode == 1


def test_the_page_finds_marks_and_leads_to_the_place(
    client: Client, two: tuple[Session, Session]
) -> None:
    client.force_login(analyst(), SIGNED_IN)
    address = reverse("analytics:search", args=["jackets"])
    html = client.get(address, {"q": "heavy rain"}).content.decode()
    assert "<mark>heavy</mark>" in html
    place = reverse("analytics:session", args=[two[0].pk])
    assert f"{place}?turn=1#turn-1" in html
    refused = client.get(address, {"q": "x", "kind": "memo"})
    assert refused.status_code == 400
    assert "kind: " in refused.content.decode()
    asked = client.get(reverse("analytics:ask_study", args=["jackets"]), {"q": "price"})
    assert "<q>I only look at the price of a jacket.</q>" in asked.content.decode()


def test_all_that_one_may_see_is_searched_and_no_more(
    client: Client, two: tuple[Session, Session]
) -> None:
    address = reverse("analytics:search_all")
    client.force_login(analyst(), SIGNED_IN)
    assert "price of a jacket" in strip(client.get(address, {"q": "price"}))
    client.force_login(somebody("analyst", Team.objects.create(name="Other")), SIGNED_IN)
    assert "Nothing was found" in strip(client.get(address, {"q": "price"}))


def strip(response: Any) -> str:
    text: str = response.content.decode()
    return text.replace("<mark>", "").replace("</mark>", "")


def test_results_are_kept_as_a_collection_that_forgets_what_is_erased(
    client: Client, two: tuple[Session, Session]
) -> None:
    client.force_login(analyst(), SIGNED_IN)
    entries = [str(e.pk) for e in SearchEntry.objects.filter(kind="answer").order_by("text")]
    sent = {"entry": [*entries, str(uuid4()), "no id"], "name": "Dry and cheap", "text": "rain"}
    kept = client.post(reverse("analytics:collect", args=["jackets"]), sent, follow=True)
    assert "Dry and cheap" in kept.content.decode()
    made = SearchCollection.objects.get()
    assert [str(row.entry_id) for row in made.entries.all()] == entries
    two[0].delete()
    page = reverse("analytics:collection", args=[made.pk])
    assert "taped seams" not in client.get(page).content.decode()
    client.post(page)
    assert not SearchCollection.objects.exists()


def test_a_collection_holds_nothing_of_other_teams_and_wants_a_name(
    client: Client, two: tuple[Session, Session]
) -> None:
    stranger = somebody("analyst", Team.objects.create(name="Other"))
    client.force_login(stranger, SIGNED_IN)
    entry = str(SearchEntry.objects.values_list("pk", flat=True)[0])
    sent = {"entry": entry, "name": "Mine", "text": "rain"}
    refused = client.post(reverse("analytics:collect_all"), sent, follow=True)
    assert "entry: choose results to keep." in refused.content.decode()
    client.force_login(analyst(), SIGNED_IN)
    refused = client.post(
        reverse("analytics:collect", args=["jackets"]), sent | {"name": " "}, follow=True
    )
    assert "name: between 1 and 120 characters." in refused.content.decode()
    assert not SearchCollection.objects.exists()
