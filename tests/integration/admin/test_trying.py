"""Trying a study out, and looking at a methodology."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from console.methodology_page import drawn
from interviews import trials
from interviews.errors import InterviewError
from interviews.models import Invitation, Session, Study, Trial
from methodologies.models import PersonaVersion
from methodologies.registry import CONCEPT, LIBRARY, METHODOLOGY, PERSONA, methodology_of, publish
from tests.factories import PersonaVersionFactory, StudyFactory, researcher, small_interview

pytestmark = pytest.mark.django_db


@pytest.fixture
def console(client: Client) -> Client:
    client.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def study() -> Study:
    def shipped(folder: str) -> str:
        return (LIBRARY / folder).read_text(encoding="utf-8")

    return Study.objects.create(
        slug="oat",
        name="Oat milk",
        methodology_version=publish(METHODOLOGY, shipped("methodologies/means_end_chain.yaml")),
        concept_version=publish(CONCEPT, shipped("concepts/oat_milk.yaml")),
    )


@pytest.fixture
def persona() -> PersonaVersion:
    found: PersonaVersion = publish(
        PERSONA, (LIBRARY / "personas/cooperative.yaml").read_text(encoding="utf-8")
    )
    return found


def test_a_persona_answers_as_often_as_it_was_asked_to(
    study: Study, persona: PersonaVersion
) -> None:
    trial = trials.simulate(study, persona, 2, by=researcher().pk)
    trials.play(trial.pk)
    trials.play(trial.pk)
    trial.refresh_from_db()
    assert trial.error == ""
    assert trial.session is not None
    assert (trial.session.turn_count, trial.session.simulated) == (2, True)
    assert Session.objects.count() == 1
    assert not study.revisions.exists()


@pytest.mark.parametrize("turns", [0, 31])
def test_a_persona_answers_one_to_thirty_times(
    study: Study, persona: PersonaVersion, turns: int
) -> None:
    with pytest.raises(InterviewError, match="choose from 1 to 30"):
        trials.simulate(study, persona, turns, by=researcher().pk)


def test_a_concept_that_no_persona_knows_is_named_with_those_that_are_known() -> None:
    study, persona = StudyFactory.create(), PersonaVersionFactory.create()
    with pytest.raises(InterviewError, match="No persona knows this concept"):
        trials.simulate(study, persona, 3, by=researcher().pk)
    assert not Trial.objects.exists()


def test_a_trial_in_the_browser_is_watched_with_its_chat_beside_it_and_counts_nowhere(
    console: Client,
) -> None:
    study = StudyFactory.create(slug="rain", status="live", quota=1)
    page = reverse("admin:try", args=["rain"])
    answer = console.post(page, {"do": "hold"})
    session = Session.objects.get()
    assert session.simulated
    assert answer["Location"] == reverse("admin:watch", args=[session.pk])
    html = console.get(answer["Location"]).content.decode()
    assert "This is a trial." in html
    chat = html[html.index("/i/") :].split('"')[0]
    assert Client().get(chat).status_code == 200
    listed = console.get(reverse("admin:interviews_study_changelist")).content.decode()
    assert "0 (0 complete)" in listed
    other = Client()
    other.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    assert "/i/" not in other.get(answer["Location"]).content.decode()
    assert study.sessions.count() == 1


def test_trials_go_with_one_press_and_others_stay(console: Client) -> None:
    held = small_interview()
    study = held.study
    page = reverse("admin:try", args=[study.slug])
    console.post(page, {"do": "hold"})
    assert (
        "1 trials are gone." in console.post(page, {"do": "forget"}, follow=True).content.decode()
    )
    assert list(Session.objects.all()) == [held]
    assert not Trial.objects.exists()
    assert not Invitation.objects.exists()


def test_trials_go_after_thirty_days() -> None:
    now = timezone.now()
    for days, simulated in ((29, True), (31, True), (31, False)):
        small_interview(simulated=simulated, started_at=now - timedelta(days=days))
    assert trials.forget_old() == 1
    assert Session.objects.count() == 2


def test_another_version_is_tried_without_a_trace_in_the_study(console: Client) -> None:
    study = StudyFactory.create(slug="rain")
    older = study.methodology_version
    assert older is not None
    newer = type(older).objects.create(
        document=older.document, number=99, text=older.text, parsed=older.parsed, checksum="x" * 64
    )
    page = reverse("admin:try", args=["rain"])
    console.post(page, {"do": "hold", "version": str(newer.pk)})
    assert Session.objects.get().methodology_version == newer
    study.refresh_from_db()
    assert study.methodology_version == older


def test_a_methodology_is_drawn_with_levels_weights_and_phases(
    console: Client, study: Study
) -> None:
    version = study.methodology_version
    assert version is not None
    found = drawn(methodology_of(version))
    assert [level.number for level in found.levels] == sorted(
        (level.number for level in found.levels), reverse=True
    )
    assert all(len(row.weights) == len(found.strategies) for row in found.rows)
    html = console.get(reverse("admin:methodology", args=[version.pk])).content.decode()
    assert "◆ ends a chain" in html
    assert "console-weight--minus" in html
    assert "late phase" in html
    assert console.get(reverse("admin:methodology", args=[10**6])).status_code == 404
