"""A study's way from draft to archive: its checklist, its revisions, its file, its deletion."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.forms.models import model_to_dict
from django.test import Client
from django.urls import reverse

from console.study_form import StudyForm
from interviews import services, studies
from interviews.checklist import checklist, estimate, missing
from interviews.errors import ErrorCode, InterviewError
from interviews.models import AuditEntry, Erasure, Session, Study
from interviews.models.study import TOLD_BEFORE_CONSENT
from tests.factories import (
    ConceptVersionFactory,
    MethodologyFactory,
    MethodologyVersionFactory,
    StudyFactory,
    researcher,
    small_interview,
)

pytestmark = pytest.mark.django_db
SIGNED_IN = "django.contrib.auth.backends.ModelBackend"
TOLD = dict.fromkeys(TOLD_BEFORE_CONSENT, "Told.")


@pytest.fixture
def study() -> Study:
    """A draft that lacks nothing."""
    return StudyFactory.create(slug="rain", **TOLD)


@pytest.fixture
def user(client: Client) -> User:
    found = researcher()
    client.force_login(found, SIGNED_IN)
    return found


def called(*words: str) -> tuple[int, Any]:
    """A command's exit code and the JSON that it prints."""
    out, code = StringIO(), 0
    try:
        call_command(*words, stdout=out)
    except SystemExit as left:
        code = int(str(left.code))
    return code, json.loads(out.getvalue())


def test_a_study_that_lacks_nothing_is_ready_and_says_what_an_interview_takes(study: Study) -> None:
    assert called("study", "check", "rain", "--json") == (
        0,
        {
            "study": "rain",
            "ready": True,
            "missing": [],
            "estimate": {"minutes": 12, "cost": 0.0},
        },
    )
    study.time_budget_minutes = 30
    assert estimate(study).minutes == 30


def test_everything_that_is_missing_is_said_at_once_and_going_live_is_refused(
    study: Study,
) -> None:
    study.contact, study.consent_text, study.max_turns = "", " ", 200
    study.data_fields = [{"key": "e mail", "type": "email"}]
    study.concept_version = ConceptVersionFactory.create(parsed={"methodology": "other"})
    study.save()
    code, found = called("study", "check", "rain", "--json")
    assert (code, found["ready"]) == (1, False)
    assert [item["code"] for item in found["missing"]] == ["fit", "consent", "time", "data_fields"]
    with pytest.raises(InterviewError, match="not told yet: contact") as caught:
        studies.go_live(study.pk)
    assert caught.value.code is ErrorCode.STUDY_INCOMPLETE
    study.refresh_from_db()
    assert study.status == "draft"
    assert not study.revisions.exists()


def test_a_budget_is_advice_and_nothing_that_going_live_waits_for(
    study: Study, settings: Any
) -> None:
    from tests.integration.llm.interviewing import use

    use(settings, ANTHROPIC_API_KEY="sk-1")
    advice = [item for item in checklist(study) if not item.done]
    assert [(item.code, item.required) for item in advice] == [("budget", False)]
    assert missing(study) == []
    assert estimate(study).cost > 0


@pytest.mark.parametrize(
    ("way", "refused"),
    [
        (["live", "paused", "live", "closed", "archived", "closed", "live"], "draft"),
        (["live"], "archived"),
        (["archived"], "live"),
    ],
)
def test_states_follow_each_other_as_they_may(study: Study, way: list[str], refused: str) -> None:
    for status in way:
        assert studies.change_status(study.pk, status, by="ana").status == status
    with pytest.raises(InterviewError, match=f"cannot become {refused}"):
        studies.change_status(study.pk, refused, by="ana")


def test_only_a_live_study_takes_new_interviews(study: Study) -> None:
    studies.go_live(study.pk)
    assert services.open_study("rain") == study
    for status in ("paused", "closed"):
        studies.change_status(study.pk, status, by="ana")
        with pytest.raises(InterviewError) as caught:
            services.open_study("rain")
        assert caught.value.code is ErrorCode.STUDY_NOT_OPEN


def test_a_session_keeps_the_revision_and_the_consent_that_it_was_held_under(
    study: Study,
) -> None:
    studies.go_live(study.pk, by="ana")
    first = services.start_session(study)
    study.consent_text = "Another text."
    study.save()
    second, third = services.start_session(study), services.start_session(study)
    revisions = [session.revision for session in (first, second, third)]
    assert [r.number for r in revisions if r] == [1, 2, 2]
    assert [r.data["consent_text"] for r in revisions if r][1:] == ["Another text."] * 2
    assert revisions[0] is not None
    assert revisions[0].data["consent_text"].startswith("This is a research interview")


def form(study: Study, **changes: Any) -> StudyForm:
    typed = {name: value for name, value in model_to_dict(study).items() if value is not None}
    return StudyForm(typed | changes, instance=study)


def test_what_is_frozen_in_an_open_study_changes_only_when_confirmed(
    study: Study, client: Client, user: User
) -> None:
    assert form(study, slug="drizzle").is_valid()
    study.refresh_from_db()
    studies.go_live(study.pk)
    study.refresh_from_db()
    assert form(study, reward="Tea").is_valid()
    refused = form(study, consent_text="Other.")
    assert list(refused.errors) == ["confirm_revision"]
    assert "consent_text would change" in refused.errors["confirm_revision"][0]
    page = reverse("admin:interviews_study_change", args=[study.pk])
    typed = {k: v for k, v in model_to_dict(study).items() if v is not None}
    typed |= {"llm_choice": "{}", "data_fields": "[]", "consent_text": "Other."}
    assert "would change" in client.post(page, typed).content.decode()
    assert client.post(page, typed | {"confirm_revision": "on"}).status_code == 302
    assert study.revisions.order_by("number").last().data["consent_text"] == "Other."  # type: ignore[union-attr]
    entry = AuditEntry.objects.get(action="revised")
    assert (entry.by, entry.fields) == (user.username, ["consent_text"])


def test_a_studys_page_shows_the_checklist_and_refuses_to_go_live_until_it_is_done(
    study: Study, client: Client, user: User
) -> None:
    study.researcher = ""
    study.save()
    page = reverse("admin:study", args=["rain"])
    html = client.get(page).content.decode()
    assert "not told yet: researcher" in html
    refused = client.post(page, {"status": "live"})
    assert refused.status_code == 409
    assert "This study cannot go live" in refused.content.decode()
    study.researcher = "Ana"
    study.save()
    assert client.post(page, {"status": "live"}).status_code == 302
    study.refresh_from_db()
    assert study.status == "live"
    assert AuditEntry.objects.get(action="went live").by == user.username


def test_a_study_is_deleted_with_its_interviews_when_its_address_is_typed(
    client: Client, user: User
) -> None:
    session = small_interview()
    page = reverse("admin:study", args=[session.study.slug])
    client.post(page, {"delete": "yes"})
    assert Session.objects.count() == 1
    assert "This erases 1 interview " in client.get(page).content.decode()
    client.post(page, {"delete": session.study.slug})
    assert not Study.objects.exists()
    assert Erasure.objects.get().session_id == session.pk


def test_a_study_goes_out_as_a_file_and_comes_in_as_the_same_study(
    study: Study, tmp_path: Path
) -> None:
    study.data_fields = [{"key": "email", "type": "email"}]
    study.reward, study.dictation, study.quota = "Tea: a cup", True, 30
    study.save()
    before = {k: v for k, v in model_to_dict(study).items() if k != "created_at"}
    file = tmp_path / "rain.yaml"
    assert called("study", "export", "rain", "--to", str(file))[1] == {
        "study": "rain",
        "status": "draft",
    }
    Study.objects.all().delete()
    assert called("study", "import", str(file))[1] == {"study": "rain", "status": "draft"}
    again = model_to_dict(Study.objects.get())
    assert {k: v for k, v in again.items() if k != "created_at"} == before


def test_a_copy_is_a_draft_of_its_own(study: Study) -> None:
    studies.go_live(study.pk)
    services.start_session(study)
    assert called("study", "copy", "rain", "drizzle")[1] == {"study": "drizzle", "status": "draft"}
    copy = Study.objects.get(slug="drizzle")
    assert copy.sessions.count() == 0
    assert copy.methodology_version == study.methodology_version
    for taken in ("drizzle", "no slug!"):
        with pytest.raises(CommandError, match="slug: "):
            call_command("study", "copy", "rain", taken)


def test_a_study_that_is_not_there_is_named_with_those_that_are(study: Study) -> None:
    with pytest.raises(CommandError, match="no study 'snow'; there are: rain"):
        call_command("study", "check", "snow")


def test_the_audit_log_tells_who_did_what_by_ids_and_fields_and_is_never_changed(
    study: Study, client: Client, user: User
) -> None:
    page = reverse("admin:interviews_study_change", args=[study.pk])
    typed = {k: v for k, v in model_to_dict(study).items() if v is not None}
    typed |= {"llm_choice": "{}", "data_fields": "[]", "reward": "A secret reward"}
    assert client.post(page, typed).status_code == 302
    client.get(reverse("analytics:study_export", args=["rain", "json"])).getvalue()
    _, told = called("audit", "--json", "--object", str(study.pk))
    assert [(entry["by"], entry["action"], entry["fields"]) for entry in told["entries"]] == [
        (user.username, "exported", ["json"]),
        (user.username, "changed", told["entries"][1]["fields"]),
    ]
    assert "Reward" in told["entries"][1]["fields"]
    assert "secret" not in json.dumps(told)
    assert called("audit", "--json", "--since", "2999-01-01")[1] == {"entries": []}
    with pytest.raises(CommandError, match="expected a time"):
        call_command("audit", "--since", "yesterday")
    for change in (
        lambda: AuditEntry.objects.update(by="nobody"),
        lambda: AuditEntry.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            change()
    listed = client.get(reverse("admin:interviews_auditentry_changelist")).content.decode()
    assert "Reward" in listed
    choice = {"action": "as_csv", "_selected_action": [AuditEntry.objects.latest("at").pk]}
    csv = client.post(reverse("admin:interviews_auditentry_changelist"), choice).content.decode()
    assert csv.splitlines()[0] == "at,by,action,what,id,fields"
    assert "exported,study" in csv


def test_erasing_an_interview_is_recorded_once_whoever_does_it(client: Client, user: User) -> None:
    session = small_interview()
    client.post(reverse("admin:interviews_session_delete", args=[session.pk]), {"post": "yes"})
    entry = AuditEntry.objects.get(object_id=str(session.pk))
    assert (entry.action, entry.by, entry.study_id) == ("erased", user.username, session.study_id)


def test_an_analyst_changes_nothing_on_a_studys_page(study: Study, client: Client) -> None:
    from tests.factories import analyst

    client.force_login(analyst(), SIGNED_IN)
    page = reverse("admin:study", args=["rain"])
    html = client.get(page).content.decode()
    assert "Go live" not in html
    assert client.post(page, {"status": "live"}).status_code == 403


def test_a_concept_and_a_methodology_that_do_not_go_together_are_told_apart(study: Study) -> None:
    study.methodology_version = MethodologyVersionFactory.create(
        document=MethodologyFactory.create(name="other_ladder")
    )
    study.save()
    assert [item.code for item in missing(study)] == ["fit"]
    assert "written for small_ladder" in missing(study)[0].message


def test_a_study_is_made_on_one_page_and_leads_on_to_its_checklist(
    client: Client, user: User
) -> None:
    page = reverse("admin:interviews_study_add")
    form = client.get(page).context["adminform"].form
    typed = {name: value for name in form.fields if (value := form[name].value()) is not None}
    concept, methodology = ConceptVersionFactory.create(), MethodologyVersionFactory.create()
    typed |= {
        "name": "Umbrellas",
        "slug": "umbrellas",
        "team": user.teams.get().pk,
        "concept_version": concept.pk,
        "methodology_version": methodology.pk,
    }
    typed = {name: value for name, value in typed.items() if value is not False}
    answer = client.post(page, typed)
    if answer.status_code == 200:
        assert answer.context["adminform"].form.errors == {}
    assert answer["Location"] == reverse("admin:study", args=["umbrellas"])
    html = client.get(page).content.decode()
    for machine_talk in ("DatabaseDefault", "Llm choice", "Unknown", "object at 0x", "{}"):
        assert machine_talk not in html
