"""The editor: checks while one writes, drafts that nothing can use, two people on one document."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from methodologies.models import ConceptVersion, DocumentDraft
from methodologies.registry import LIBRARY
from tests.factories import CONCEPT, ConceptVersionFactory, researcher

pytestmark = pytest.mark.django_db
INLINES = {"versions-TOTAL_FORMS": "0", "versions-INITIAL_FORMS": "0"}
WRONG = "id: rain_jacket\nname: Rain\nmethodolgy: small_ladder\n"


@pytest.fixture
def console(client: Client) -> Client:
    client.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    return client


def checked(console: Client, kind: str, text: str) -> list[dict[str, Any]]:
    answer = console.post(reverse("admin:check", args=[kind]), {"text": text})
    found: list[dict[str, Any]] = answer.json()["problems"]
    return found


def test_a_text_is_checked_as_publishing_would_with_line_and_column(console: Client) -> None:
    found = checked(console, "concept", WRONG)
    unknown = next(problem for problem in found if "unknown key" in problem["message"])
    assert (unknown["line"], unknown["column"], unknown["severity"]) == (3, 1, "error")
    assert checked(console, "concept", json.dumps(CONCEPT)) == []
    assert checked(console, "concept", "a: [") != []
    assert console.post(reverse("admin:check", args=["novel"]), {"text": ""}).status_code == 404


@pytest.mark.parametrize(
    "text",
    ["x: " + "a" * 300 * 1024, "a: &a [1]\nb: *a\n", "a: " + "[" * 21 + "]" * 21, "\0", ""],
)
def test_a_text_that_no_loader_takes_is_told_and_nothing_breaks(console: Client, text: str) -> None:
    assert checked(console, "methodology", text)


@pytest.mark.parametrize("kind", ["methodology", "concept", "persona", "guide"])
def test_a_new_document_begins_with_a_template_that_is_valid(console: Client, kind: str) -> None:
    page = console.get(reverse(f"admin:methodologies_{kind}_add"))
    text = page.context["adminform"].form["text"].value()
    assert checked(console, kind, text) == []
    assert page.status_code == 200


def test_words_are_those_of_registry_and_schema_with_what_they_mean(console: Client) -> None:
    words = {
        word["value"]: word
        for word in console.get(reverse("admin:words", args=["methodology"])).json()["words"]
    }
    assert words["llm.engagement"]["meta"] == "signal"
    assert words["llm.engagement.high"]["meta"] == "weight key"
    assert words["llm.engagement"]["doc"]
    assert words["signal_weights"]["meta"] == "key"
    assert "llm.engagement" not in {
        word["value"]
        for word in console.get(reverse("admin:words", args=["concept"])).json()["words"]
    }


def test_an_invalid_text_is_kept_as_a_draft_that_is_no_version(console: Client) -> None:
    version = ConceptVersionFactory.create()
    page = reverse("admin:methodologies_concept_change", args=[version.document_id])
    keep = reverse("admin:draft", args=["concept"])
    kept = console.post(keep, {"text": WRONG, "document": str(version.document_id)}, follow=True)
    assert "things to mend before it can be published" in kept.content.decode()
    assert "methodolgy: small_ladder" in kept.content.decode()
    assert ConceptVersion.objects.count() == 1
    console.post(keep, {"text": "second", "document": str(version.document_id)})
    assert DocumentDraft.objects.get().text == "second"
    text = json.dumps({**CONCEPT, "name": "Coat"})
    assert console.post(page, {"text": text, "note": "", **INLINES}).status_code == 302
    assert not DocumentDraft.objects.exists()
    console.post(keep, {"text": "third", "document": ""})
    add = reverse("admin:methodologies_concept_add")
    assert console.get(add).context["adminform"].form["text"].value() == "third"
    console.post(keep, {"discard": "1", "document": ""})
    assert not DocumentDraft.objects.exists()


def test_a_draft_is_its_authors_alone(console: Client) -> None:
    version = ConceptVersionFactory.create()
    where = {"document": str(version.document_id)}
    console.post(reverse("admin:draft", args=["concept"]), {"text": "mine alone", **where})
    console.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    page = reverse("admin:methodologies_concept_change", args=[version.document_id])
    assert "mine alone" not in console.get(page).content.decode()


def test_the_second_of_two_people_is_told_who_saved_and_keeps_what_they_typed(
    console: Client,
) -> None:
    first = ConceptVersionFactory.create()
    page = reverse("admin:methodologies_concept_change", args=[first.document_id])
    base = console.get(page).context["adminform"].form["base"].value()
    other = Client()
    colleague = researcher()
    other.force_login(colleague, "django.contrib.auth.backends.ModelBackend")
    theirs = {"text": json.dumps({**CONCEPT, "name": "Theirs"}), "note": "", "base": base}
    assert other.post(page, theirs | INLINES).status_code == 302
    mine = {"text": json.dumps({**CONCEPT, "name": "Mine"}), "note": "", "base": base}
    refused = console.post(page, mine | INLINES)
    said = refused.content.decode()
    assert f"{colleague.username} saved version {first.number + 1} while you were writing" in said
    form = refused.context["adminform"].form
    assert "Mine" in form["text"].value()
    assert ConceptVersion.objects.count() == 2
    again = mine | {"base": form["base"].value()}
    assert console.post(page, again | INLINES).status_code == 302
    assert ConceptVersion.objects.count() == 3


def test_any_two_versions_are_compared_by_plain_links(console: Client) -> None:
    first = ConceptVersionFactory.create(text="name: a\n")
    ConceptVersionFactory.create(text="name: b\n")
    third = ConceptVersionFactory.create(text="name: c\n")
    page = reverse("admin:methodologies_conceptversion_change", args=[third.pk])
    address = reverse("admin:difference", args=["concept", first.pk, third.pk])
    assert address in console.get(page).content.decode()
    shown = console.get(address).content.decode()
    assert "-name: a" in shown
    assert "+name: c" in shown
    missing = reverse("admin:difference", args=["concept", first.pk, 10**6])
    assert console.get(missing).status_code == 404


def test_a_document_is_copied_into_a_new_one(console: Client) -> None:
    ConceptVersionFactory.create(text="id: copied\n")
    page = console.get(reverse("admin:methodologies_concept_add") + "?from=rain_jacket")
    assert page.context["adminform"].form["text"].value() == "id: copied\n"


def test_the_longest_methodology_that_ships_is_valid_in_the_editor(console: Client) -> None:
    texts = [p.read_text("utf-8") for p in (LIBRARY / "methodologies").glob("*.yaml")]
    longest = max(texts, key=len)
    assert [p for p in checked(console, "methodology", longest) if p["severity"] == "error"] == []
