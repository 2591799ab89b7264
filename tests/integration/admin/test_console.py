"""The console: each page opens, says what it is for, and edits nothing that must not be."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import connection
from django.db.models import Model
from django.forms import model_to_dict
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from console.accounts import GroupAdmin
from console.documents import changed_lines
from console.pages import ReadOnlyAdmin
from console.studies import next_step
from console.study_form import StudyForm
from graphs.models import KGNode
from interviews.models import Erasure, Invitation, Session, Study
from methodologies.models import Concept, ConceptVersion, MethodologyVersion, PersonaVersion
from tests import factories
from tests.factories import (
    CONCEPT,
    ConceptVersionFactory,
    InvitationFactory,
    PersonaVersionFactory,
    StudyFactory,
    UserFactory,
    small_interview,
)

pytestmark = pytest.mark.django_db
APPS = {"interviews", "methodologies", "graphs", "auth"}
OURS = [m for m in admin.site._registry if m._meta.app_label in APPS]


@pytest.fixture
def console(client: Client) -> Client:
    user = UserFactory.create(is_staff=True, is_superuser=True)
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def filled() -> Session:
    session = small_interview()
    InvitationFactory.create(study=session.study, session=session)
    PersonaVersionFactory.create()
    return session


def address(model: type[Model], page: str, *args: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


@pytest.mark.parametrize("model", OURS, ids=lambda m: m._meta.model_name)
def test_every_page_opens_full(console: Client, filled: Session, model: type[Model]) -> None:
    assert console.get(address(model, "changelist")).status_code == 200
    assert console.get(address(model, "changelist") + "?q=dry").status_code == 200
    row = model._default_manager.first()
    if row is not None:
        assert console.get(address(model, "change", row.pk)).status_code == 200


@pytest.mark.parametrize("model", OURS, ids=lambda m: m._meta.model_name)
def test_every_list_says_what_it_is_for(console: Client, model: type[Model]) -> None:
    page: Any = admin.site._registry[model]
    html = console.get(address(model, "changelist")).content.decode()
    assert page.purpose
    assert '<p class="console-purpose">' in html


@pytest.mark.parametrize(
    "model",
    [m for m in OURS if isinstance(admin.site._registry[m], ReadOnlyAdmin)],
    ids=lambda m: m._meta.model_name,
)
def test_what_the_software_writes_cannot_be_edited(
    console: Client, filled: Session, model: type[Model]
) -> None:
    row = model._default_manager.first()
    assert console.get(reverse("admin:index") + "").status_code == 200
    page = admin.site._registry[model]
    request: Any = console.get(address(model, "changelist")).wsgi_request
    assert not page.has_add_permission(request)
    assert not page.has_change_permission(request)
    if row is not None:
        assert console.post(address(model, "change", row.pk), {}).status_code == 403


def test_empty_lists_teach(console: Client) -> None:
    html = console.get(address(Study, "changelist")).content.decode()
    assert "There is nothing here yet." in html
    assert "choose a concept and a methodology, save, then work through its checklist" in html
    Group.objects.all().delete()
    assert GroupAdmin.when_empty in console.get("/admin/auth/group/").content.decode()


def test_a_studys_page_gives_its_link_and_the_next_step(console: Client) -> None:
    study = StudyFactory.create(slug="rain", status="live")
    html = console.get(address(Study, "change", study.pk)).content.decode()
    assert "/s/rain/" in html
    assert "make a personal link for each respondent" in html


@pytest.mark.parametrize(
    ("status", "held", "completed", "sentence"),
    [
        ("draft", 0, 0, "Work through the checklist, then let it go live."),
        ("paused", 1, 1, "No new interview can begin. Let it go live again, or close it."),
        ("archived", 1, 1, "It is put away. Open it again to do anything with it."),
        ("live", 5, 3, "3 complete, 2 not finished. Read them on the dashboard while others run."),
        ("live", 3, 3, "3 complete. Read them on the dashboard while others run."),
        (
            "closed",
            3,
            3,
            "No new interview can begin. Read the interviews on the dashboard, or export.",
        ),
    ],
)
def test_the_next_step_follows_the_studys_state(
    status: str, held: int, completed: int, sentence: str
) -> None:
    assert next_step(Study(status=status), held, completed) == sentence


def test_a_personal_link_is_one_press_away(console: Client) -> None:
    study = StudyFactory.create()
    response = console.get(
        reverse("admin:interviews_study_make_invitation", args=[study.pk]), follow=True
    )
    invitation = Invitation.objects.get(study=study)
    assert response.request["PATH_INFO"] == address(Invitation, "change", invitation.pk)
    assert "/i/" in response.content.decode()


def test_links_can_be_withdrawn(console: Client) -> None:
    invitation = InvitationFactory.create()
    data = {"action": "revoke", "_selected_action": [str(invitation.pk)]}
    assert console.post(address(Invitation, "changelist"), data).status_code == 302
    invitation.refresh_from_db()
    assert invitation.revoked_at is not None


def test_a_sessions_page_tells_focus_words_and_concepts(console: Client, filled: Session) -> None:
    html = console.get(address(Session, "change", filled.pk)).content.decode()
    assert "<strong>deepen</strong> → stay dry" in html
    assert "whole day &lt;b&gt;outside&lt;/b&gt;" in html
    assert "<q>taped seams</q>" in html
    assert f"/dashboard/sessions/{filled.pk}/" in html


def write_concept(console: Client, version: ConceptVersion, text: str, query: str = "") -> Any:
    return console.post(
        address(Concept, "change", version.document_id) + query,
        {
            "text": text,
            "note": "shorter",
            "versions-TOTAL_FORMS": "0",
            "versions-INITIAL_FORMS": "0",
        },
    )


def test_saving_a_document_stores_a_new_version_and_keeps_the_old(console: Client) -> None:
    old = ConceptVersionFactory.create()
    text = json.dumps({**CONCEPT, "name": "Rain coat"})
    assert write_concept(console, old, text).status_code == 302
    new = ConceptVersion.objects.get(document=old.document, number=old.number + 1)
    assert (new.text, new.note, new.shipped) == (text, "shorter", False)
    assert new.parsed["name"] == "Rain coat"
    assert new.author is not None
    old.refresh_from_db()
    assert old.text == ConceptVersionFactory.text


def test_saving_an_unchanged_document_stores_nothing(console: Client) -> None:
    old = ConceptVersionFactory.create()
    assert write_concept(console, old, old.text).status_code == 302
    assert ConceptVersion.objects.count() == 1


def test_errors_name_line_and_column(console: Client) -> None:
    old = ConceptVersionFactory.create()
    response = write_concept(
        console, old, "id: rain_jacket\nname: Rain\nmethodolgy: small_ladder\n"
    )
    assert response.status_code == 200
    assert "Line 3, column 1: unknown key" in response.content.decode()
    assert ConceptVersion.objects.count() == 1


def test_a_document_keeps_its_name(console: Client) -> None:
    old = ConceptVersionFactory.create()
    response = write_concept(console, old, json.dumps({**CONCEPT, "id": "other"}))
    assert "Keep the name, or add a new document" in response.content.decode()
    assert ConceptVersion.objects.count() == 1


def test_a_new_document_takes_its_name_from_the_text(console: Client) -> None:
    data = {
        "text": json.dumps({**CONCEPT, "id": "tent"}),
        "note": "",
        "versions-TOTAL_FORMS": "0",
        "versions-INITIAL_FORMS": "0",
    }
    assert console.post(address(Concept, "add"), data).status_code == 302
    assert ConceptVersion.objects.get().document.name == "tent"
    assert "There is a concept &#x27;tent&#x27; already" in (
        console.post(address(Concept, "add"), data).content.decode()
    )


def test_an_old_version_can_be_put_in_the_editor(console: Client) -> None:
    old = ConceptVersionFactory.create(text=json.dumps({**CONCEPT, "name": "First coat"}))
    ConceptVersionFactory.create()
    html = console.get(address(Concept, "change", old.document_id)).content.decode()
    assert "First coat" not in html
    html = console.get(
        address(Concept, "change", old.document_id) + f"?restore={old.number}"
    ).content.decode()
    assert "First coat" in html
    assert f"Restored from version {old.number}" in html


def test_a_versions_page_shows_what_changed() -> None:
    assert changed_lines("a\nb\n", "a\nc\n") == [
        ("at", "@@ -1,2 +1,2 @@"),
        ("same", " a"),
        ("del", "-b"),
        ("add", "+c"),
    ]
    assert changed_lines("a", "a") == []


@pytest.mark.parametrize("model", [Study, Session, Invitation], ids=lambda m: m.__name__)
def test_a_lists_queries_do_not_grow_with_it(
    console: Client, filled: Session, model: type[Model]
) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert console.get(address(model, "changelist")).status_code == 200
        return len(captured)

    count()
    few = count()
    for _ in range(4):
        InvitationFactory.create(study=filled.study, session=small_interview(study=filled.study))
        StudyFactory.create(
            methodology_version=filled.methodology_version, concept_version=filled.concept_version
        )
    assert count() == few
    assert few <= 15


def test_warnings_about_a_methodology_are_shown_when_it_is_saved(console: Client) -> None:
    old: MethodologyVersion = factories.MethodologyVersionFactory.create()
    changed = copy.deepcopy(factories.METHODOLOGY)
    changed["signals"]["graph"] = ["graph.node.recency_score"]
    changed["strategies"][0]["signal_weights"]["graph.node.recency_score"] = 0.2
    response = console.post(
        reverse("admin:methodologies_methodology_change", args=[old.document_id]),
        {
            "text": json.dumps(changed),
            "note": "",
            "versions-TOTAL_FORMS": "0",
            "versions-INITIAL_FORMS": "0",
        },
        follow=True,
    )
    assert "strategy explore has none (node_binding: none)" in response.content.decode()
    assert MethodologyVersion.objects.count() == 2


def test_personas_are_kept_as_versions_too(console: Client) -> None:
    version = PersonaVersionFactory.create()
    html = console.get(address(PersonaVersion, "change", version.pk)).content.decode()
    assert "This is the first version." in html


def test_a_choice_of_models_that_no_call_could_use_is_refused_by_its_field(
    console: Client,
) -> None:
    study = StudyFactory.create()
    form = StudyForm(
        {**model_to_dict(study), "llm_choice": '{"generation": {"temperature": "hot"}}'},
        instance=study,
    )
    assert not form.is_valid()
    assert "generation" in form.errors["llm_choice"][0]
    good = StudyForm(
        {**model_to_dict(study), "llm_choice": '{"generation": {"provider": "offline"}}'},
        instance=study,
    )
    good.is_valid()
    assert "llm_choice" not in good.errors


@pytest.mark.parametrize("many", [False, True])
def test_erasing_an_interview_in_the_console_says_that_it_was_there_and_ends_its_link(
    console: Client, filled: Session, many: bool
) -> None:
    if many:
        action = {"action": "delete_selected", "_selected_action": [str(filled.pk)]}
        console.post(address(Session, "changelist"), action | {"post": "yes"})
    else:
        asked = console.get(address(Session, "delete", filled.pk)).content.decode()
        assert str(filled) in asked
        label = KGNode.objects.values_list("label", flat=True)[0]
        assert label not in asked
        console.post(address(Session, "delete", filled.pk), {"post": "yes"})
    assert not Session.objects.exists()
    erasure = Erasure.objects.get()
    assert erasure.session_id == filled.pk
    assert erasure.erased_by == get_user_model().objects.get().get_username()
    assert Invitation.objects.get().revoked_at is not None
