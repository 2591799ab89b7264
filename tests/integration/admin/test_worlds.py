"""A researcher writes a world, and a persona answers about a concept of their own."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from interviews import trials
from interviews.models import AuditEntry, Study, WrittenWorld
from methodologies.registry import CONCEPT, LIBRARY, METHODOLOGY, PERSONA, publish
from tests.factories import researcher
from tests.unit.simulation.test_ladders import LADDERS

pytestmark = pytest.mark.django_db

CUP = """
id: travel_cup
name: Travel cup
topic: a travel cup
methodology: means_end_chain
objective: Find out why people carry a travel cup.
"""


@pytest.fixture
def console(client: Client) -> Client:
    client.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    return client


def test_a_concept_of_ones_own_is_tried_once_a_world_is_written_for_it(console: Client) -> None:
    methodology = (LIBRARY / "methodologies/means_end_chain.yaml").read_text(encoding="utf-8")
    persona = publish(PERSONA, (LIBRARY / "personas/cooperative.yaml").read_text(encoding="utf-8"))
    study = Study.objects.create(
        slug="cup",
        name="Cup",
        concept_version=publish(CONCEPT, CUP),
        methodology_version=publish(METHODOLOGY, methodology),
    )
    assert study.concept_version is not None
    page = reverse("admin:concept_world", args=[study.concept_version.document_id])
    trying = reverse("admin:try", args=["cup"])
    assert page in console.get(trying).content.decode()
    assert 'name="persona"' not in console.get(trying).content.decode()
    wrong = console.post(page, {"text": "a <b> cup\nit is warm", "base": "0"})
    assert wrong.status_code == 422
    assert "a &lt;b&gt; cup" in wrong.content.decode()
    assert "Line 2" in wrong.content.decode()
    assert not WrittenWorld.objects.exists()
    assert console.post(page, {"text": LADDERS, "base": "0"}).status_code == 302
    late = console.post(page, {"text": "mine" + LADDERS.strip(), "base": "0"})
    assert late.status_code == 409
    written = WrittenWorld.objects.get()
    assert written.text.replace("\r", "") == LADDERS
    assert f"{written.written_by} saved it meanwhile" in late.content.decode()
    assert AuditEntry.objects.filter(fields=["world"]).count() == 1
    assert 'name="persona"' in console.get(trying).content.decode()
    trial = trials.simulate(study, persona, 3, by=None)
    trials.play(trial.pk)
    trial.refresh_from_db()
    assert trial.error == ""
    assert trial.session is not None
    assert trial.session.turn_count == 3
