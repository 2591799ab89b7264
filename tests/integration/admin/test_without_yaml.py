"""Concepts as a form and weights as a grid: the text that they write is the one that is edited."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from django.test import Client
from django.urls import reverse

from methodologies.models import Concept, ConceptVersion, MethodologyVersion
from methodologies.registry import CONCEPT, METHODOLOGY, concept_of, methodology_of, publish
from tests.factories import researcher
from tests.unit.methodologies.test_round_trip import LADDER

pytestmark = pytest.mark.django_db

TEXT = """\
# Written by hand.
id: umbrella
name: Umbrella  # the folding kind
methodology: means_end_chain
elements:
  - {id: handle, label: Handle, connects_to: [cloth]}
  - {id: cloth, label: Cloth, priority: 2}
"""


@pytest.fixture
def desk(client: Client) -> Client:
    client.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    return client


def form_of(**changed: Any) -> dict[str, Any]:
    return {
        "id": "umbrella",
        "name": "Umbrella",
        "topic": "",
        "methodology": "means_end_chain",
        "objective": "",
        "domain": "",
        "synonyms": "",
        "note": "",
        **changed,
    }


def elements(*rows: tuple[str, str, str, str, str]) -> dict[str, list[str]]:
    names = ("id", "label", "aliases", "kind", "priority")
    return {f"element_{name}": [row[i] for row in rows] for i, name in enumerate(names)}


def test_a_concept_is_written_without_yaml(desk: Client) -> None:
    sent = form_of(
        topic="your umbrella",
        objective="Why people carry one.",
        synonyms="umbrella, brolly\nrain",
        **elements(("", "The handle", "grip, knob", "feature", "1"), ("", "", "", "other", "2")),
    )
    answer = desk.post(reverse("admin:concept_new"), sent)
    version = ConceptVersion.objects.get(document__name="umbrella")
    assert answer["Location"] == reverse("admin:concept_form", args=[version.document_id])
    schema = concept_of(version)
    assert (schema.topic, schema.synonyms) == ("your umbrella", (("umbrella", "brolly"), ("rain",)))
    (part,) = schema.elements
    assert (part.id, part.aliases, part.kind, part.priority) == (
        "the_handle",
        ("grip", "knob"),
        "feature",
        1,
    )
    again = desk.post(reverse("admin:concept_new"), sent)
    assert again.status_code == 422
    assert "There is a concept &#x27;umbrella&#x27; already" in again.content.decode()
    assert "your umbrella" in again.content.decode()


def test_a_concept_keeps_its_comments_and_what_the_form_does_not_show(desk: Client) -> None:
    version = publish(CONCEPT, TEXT)
    address = reverse("admin:concept_form", args=[version.document_id])
    assert 'value="Handle"' in desk.get(address).content.decode()
    same = elements(("handle", "Handle", "", "other", "2"), ("cloth", "Cloth", "", "other", "2"))
    desk.post(address, form_of(base="1", **same))
    assert ConceptVersion.objects.count() == 1
    changed = elements(("handle", "Grip", "", "other", "2"), ("cloth", "Cloth", "", "other", "2"))
    desk.post(address, form_of(base="1", name="Brolly", note="shorter", **changed))
    newest = ConceptVersion.objects.get(number=2)
    assert newest.text == TEXT.replace("Umbrella  #", "Brolly    #").replace("Handle", "Grip")
    assert newest.note == "shorter"
    late = desk.post(address, form_of(base="1", **same))
    assert late.status_code == 422
    assert "Version 2 was saved while you were writing" in late.content.decode()


def test_a_concept_that_is_wrong_says_where_and_stores_nothing(desk: Client) -> None:
    answer = desk.post(reverse("admin:concept_new"), form_of(id="Not A Name: [", name=""))
    assert answer.status_code == 422
    assert "Nothing was stored" in answer.content.decode()
    assert not Concept.objects.exists()


def grid_of(version: MethodologyVersion) -> dict[str, str]:
    schema = methodology_of(version)
    sent = {"base": str(version.number), "note": "heavier"}
    for strategy in schema.strategies:
        for key, weight in strategy.signal_weights.items():
            sent[f"w:{strategy.name}:{key}"] = f"{weight:g}"
        for phase, spec in schema.phases.items():
            sent[f"f:{phase}:{strategy.name}"] = f"{spec.signal_weights.get(strategy.name, 1):g}"
            sent[f"b:{phase}:{strategy.name}"] = f"{spec.phase_bonuses.get(strategy.name, 0):g}"
    return sent


def test_weights_are_chosen_on_a_grid_and_the_text_keeps_everything_else(desk: Client) -> None:
    version = publish(METHODOLOGY, LADDER)
    address = reverse("admin:weights", args=[version.document_id])
    page = desk.get(address + "?add=meta.conversation.saturation").content.decode()
    assert 'name="w:ladder_up:meta.conversation.saturation"' in page
    sent = grid_of(version)
    assert desk.post(address, sent).status_code == 302
    assert MethodologyVersion.objects.count() == 1  # nothing was moved
    sent["w:clarify:llm.certainty.low"] = "0,9"
    sent["w:clarify:meta.conversation.saturation"] = "-0.4"
    sent["row"] = "meta.conversation.saturation"
    sent["f:late:explore"] = "0.5"
    assert desk.post(address, sent).status_code == 302
    newest = MethodologyVersion.objects.get(number=2)
    late = "      explore: {}\n      ladder_up: 0.8"
    expected = LADDER.replace(late.format(0.6), late.format(0.5))
    start = expected.index("  - name: clarify")
    part = expected[start:].replace("llm.certainty.low: 0.6", "llm.certainty.low: 0.9", 1)
    part = part.replace(
        "      temporal.strategy_share: -0.6\n",
        "      temporal.strategy_share: -0.6\n      meta.conversation.saturation: -0.4\n",
        1,
    )
    assert yaml.safe_load(newest.text) == yaml.safe_load(expected[:start] + part)
    assert [line for line in newest.text.splitlines() if "#" in line] == [
        line for line in LADDER.splitlines() if "#" in line
    ]


def test_a_weight_that_is_none_is_named_and_nothing_is_stored(desk: Client) -> None:
    version = publish(METHODOLOGY, LADDER)
    address = reverse("admin:weights", args=[version.document_id])
    sent = grid_of(version) | {"w:clarify:llm.certainty.low": "much", "f:mid:explore": "-1"}
    answer = desk.post(address, sent)
    html = answer.content.decode()
    assert answer.status_code == 422
    assert "clarify, llm.certainty.low: &#x27;much&#x27; is no number" in html
    assert "mid, explore: a factor is 0 or more" in html
    assert 'value="much"' in html
    assert MethodologyVersion.objects.count() == 1
    assert (
        "was saved while you were weighing"
        in desk.post(address, grid_of(version) | {"base": "7"}).content.decode()
    )
