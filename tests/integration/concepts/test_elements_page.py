"""Stimulus and elements in the console: proposed, corrected, connected, saved as a version."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from methodologies.concept_text import with_parts
from methodologies.registry import CONCEPT, concept_of, newest, publish
from tests.factories import somebody
from tests.integration.concepts.test_stimulus_images import picture

pytestmark = pytest.mark.django_db

TEXT = """\
# A lamp that we think about.
id: lamp
elements:
  - {id: old, label: Old}
name: Lamp  # not final
methodology: means_end_chain
"""
STIMULUS = "A desk lamp made of cork. It costs 39 euros."


def test_both_parts_are_written_and_every_other_line_stays() -> None:
    parts: dict[str, Any] = {"stimulus": {"text": "Cork."}, "elements": [{"id": "a", "label": "A"}]}
    written = with_parts(TEXT, parts)
    assert written.startswith("# A lamp that we think about.\nid: lamp\nname: Lamp  # not final\n")
    assert written.endswith("stimulus:\n  text: Cork.\nelements:\n- id: a\n  label: A\n")
    assert with_parts(written, parts) == written
    braces = '{"id": "lamp", "name": "Lamp", "methodology": "m"}'
    assert with_parts(braces, parts).startswith("id: lamp\nname: Lamp\nmethodology: m\nstimulus:")


def test_elements_are_proposed_corrected_connected_and_saved(client: Client) -> None:
    first = publish(CONCEPT, TEXT)
    client.force_login(somebody("researcher"))
    address = reverse("admin:elements", args=[first.document_id])
    proposed = client.post(address, {"do": "propose", "text": STIMULUS, "count": "0"})
    page = proposed.content.decode()
    assert proposed.status_code == 200
    assert 'value="made of cork"' in page or 'value="desk lamp made of cork"' in page
    assert newest(CONCEPT, "lamp") == first

    form = {
        "do": "save",
        "text": STIMULUS,
        "image_alt": "A lamp",
        "file": SimpleUploadedFile("lamp.png", picture()),
        "count": "4",
        "label-0": "made of cork",
        "kind-0": "feature",
        "priority-0": "1",
        "connects-0": "2",
        "label-1": "gone",
        "gone-1": "1",
        "label-2": "39 euros",
        "aliases-2": "price, cost",
        "kind-2": "price",
        "label-3": "",
    }
    assert client.post(address, form).status_code == 302
    saved = newest(CONCEPT, "lamp")
    concept = concept_of(saved)
    assert saved.number == 2
    assert saved.image is not None
    assert concept.stimulus is not None
    assert concept.stimulus.text == STIMULUS
    assert [(e.id, e.kind, e.priority, e.aliases, e.connects_to) for e in concept.elements] == [
        ("made_of_cork", "feature", 1, (), ("element_39_euros",)),
        ("element_39_euros", "price", 2, ("price", "cost"), ()),
    ]
    image = client.get(reverse("admin:concept_image", args=[first.document_id]))
    assert image["Content-Type"] == "image/webp"


def test_faults_are_told_and_what_was_typed_comes_back(client: Client) -> None:
    first = publish(CONCEPT, TEXT)
    client.force_login(somebody("researcher"))
    address = reverse("admin:elements", args=[first.document_id])
    twice = {"label-0": "Cork", "id-0": "cork", "label-1": "Bark", "id-1": "cork", "count": "2"}
    refused = client.post(address, {"do": "save", "text": STIMULUS, **twice})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "Element 2: element &quot;cork&quot; is there already" in page
    assert STIMULUS in page
    wrong = SimpleUploadedFile("lamp.png", b"no image")
    told = client.post(address, {"do": "save", "text": STIMULUS, "file": wrong, "count": "0"})
    assert "Image: no image that can be read" in told.content.decode()
    empty = client.post(address, {"do": "propose", "text": " ", "count": "0"})
    assert "Nothing is proposed: there is no text" in empty.content.decode()
    assert newest(CONCEPT, "lamp") == first
