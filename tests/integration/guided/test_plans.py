"""Plans of a study: made beside, edited and made anew in the console, kept where nobody answers."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from interviews import plans, services, studies
from interviews.models import GuidePlan, LLMCall, Study
from interviews.tasks import make_plan
from methodologies.registry import GUIDE, METHODOLOGY, load_library, newest

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    list(load_library())
    return studies.create_study(
        slug="leaving",
        name="Leaving",
        mode="guided",
        methodology_version=newest(METHODOLOGY, "topic_guide"),
        guide_version=newest(GUIDE, "exit_interview"),
    )


@pytest.fixture
def console() -> Client:
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("root", "r@example.org", "pw"))
    return client


def test_interview_that_begins_before_a_model_was_asked_has_a_plan_all_the_same(
    study: Study,
) -> None:
    services.start_session(study, seed=1)
    (waiting,) = study.plans.all()
    assert waiting.data["intelligence"]["status"] == "waiting"
    make_plan(str(study.pk))
    make_plan(str(study.pk))
    assert [plan.data["intelligence"]["status"] for plan in study.plans.order_by("number")] == [
        "waiting",
        "ready",
    ]
    assert LLMCall.objects.filter(study=study, task="guided_plan").count() == 1


def test_plan_page_shows_topics_and_an_edit_makes_the_next_number(
    study: Study, console: Client
) -> None:
    first = plans.make(study)
    page = reverse("admin:interviews_guideplan_change", args=[first.pk])
    assert "the decision to leave" in console.get(page).content.decode()
    data = deepcopy(first.data)
    data["explore"]["topics"][0]["base_turns"] = 6
    console.post(page, {"data": json.dumps(data)})
    second = study.plans.get(number=2)
    assert second.data["explore"]["topics"][0]["base_turns"] == 6
    assert second.data["intelligence"]["status"] == "edited"
    assert second.signature == first.signature
    first.refresh_from_db()
    assert first.data["explore"]["topics"][0]["base_turns"] == 5
    assert plans.current(study) == second


def test_edit_that_is_no_plan_is_refused_with_its_place(study: Study, console: Client) -> None:
    first = plans.make(study)
    data = deepcopy(first.data)
    data["explore"]["topics"][0]["max_turns"] = 1
    page = reverse("admin:interviews_guideplan_change", args=[first.pk])
    shown = console.post(page, {"data": json.dumps(data)}).content.decode()
    assert "explore → topics → 0" in shown
    assert GuidePlan.objects.count() == 1


def test_plan_can_be_made_anew(study: Study, console: Client) -> None:
    first = plans.make(study)
    console.get(reverse("admin:interviews_guideplan_make_anew", args=[first.pk]))
    assert [plan.number for plan in study.plans.order_by("number")] == [1, 2]


def test_study_page_leads_to_its_plan(study: Study, console: Client) -> None:
    page = reverse("admin:interviews_study_change", args=[study.pk])
    assert "before the first interview" in console.get(page).content.decode()
    plan = plans.make(study)
    address = reverse("admin:interviews_guideplan_change", args=[plan.pk])
    assert address in console.get(page).content.decode()
