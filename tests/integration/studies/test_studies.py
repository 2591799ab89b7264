"""A study is refused what no interview could use: where it is typed, and when it goes live."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.forms.models import model_to_dict
from pytest_django import Settings

from console.study_form import StudyForm
from interviews import checklist, studies
from interviews.checklist import NUMBERS
from interviews.errors import ErrorCode, InterviewError
from interviews.models import Study
from interviews.models.study import TOLD_BEFORE_CONSENT
from interviews.wording.languages import LANGUAGES
from methodologies.schema import ConceptSchema
from tests.factories import CONCEPT, ConceptVersionFactory, MethodologyVersionFactory, StudyFactory
from tests.integration.llm.interviewing import use

pytestmark = pytest.mark.django_db

GPT = {"generation": {"provider": "gpt"}}
UNKNOWN = "generation: unknown provider 'gpt'; known are anthropic, deepseek, kimi, offline, openai"
UNPRICED = {"budget_usd": 5, "generation": {"provider": "openai", "model": "gpt-next"}}


def fields(**changes: Any) -> dict[str, Any]:
    return {
        "slug": "oat-milk",
        "name": "Oat milk",
        "concept_version": ConceptVersionFactory.create(),
        "methodology_version": MethodologyVersionFactory.create(),
        **dict.fromkeys(TOLD_BEFORE_CONSENT, "Told."),
    } | changes


def form(study: Study, **changes: Any) -> StudyForm:
    typed = {name: value for name, value in model_to_dict(study).items() if value is not None}
    return StudyForm(typed | changes, instance=study)


def test_a_study_is_made_as_a_draft_and_goes_live(settings: Settings) -> None:
    use(settings)
    study = studies.create_study(**fields())
    assert Study.objects.get(slug="oat-milk").status == Study.Status.DRAFT
    assert studies.go_live(study.pk).status == Study.Status.LIVE
    assert Study.objects.get(slug="oat-milk").status == Study.Status.LIVE
    assert studies.go_live(study.pk).status == Study.Status.LIVE


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"surface_similarity_threshold": 0.3},
            "surface_similarity_threshold: Ensure this value is greater than or equal to 0.5",
        ),
        (
            {"canonical_similarity_threshold": 1.2},
            "canonical_similarity_threshold: Ensure this value is less than or equal to 1",
        ),
        (
            {"canonical_min_support_nodes": 0},
            "canonical_min_support_nodes: Ensure this value is greater than or equal to 1",
        ),
        ({"llm_choice": GPT}, f"llm_choice: {UNKNOWN}"),
        ({"language": "tlh"}, "language: nobody speaks 'tlh' here; choose one of en (English), it"),
        ({"llm_choice": {"writing": {}}}, "llm_choice: the study's choice of models is not usable"),
        (
            {"llm_choice": UNPRICED},
            "llm_choice: generation: gpt-next has no price, so budget_usd could never act: add",
        ),
    ],
)
def test_a_new_study_that_no_interview_could_use_is_not_stored(
    settings: Settings, changes: dict[str, Any], said: str
) -> None:
    use(settings, OPENAI_API_KEY="sk-1")
    with pytest.raises(InterviewError) as caught:
        studies.create_study(**fields(**changes))
    assert caught.value.code is ErrorCode.STUDY_INVALID
    assert caught.value.message.startswith(f"This study cannot be saved. {said}")
    assert not Study.objects.exists()


@pytest.mark.parametrize("changes", [{"llm_choice": GPT}, {"language": "tlh"}])
def test_a_study_stored_with_such_settings_does_not_go_live(
    settings: Settings, changes: dict[str, Any]
) -> None:
    use(settings)
    study = StudyFactory.create(**dict.fromkeys(TOLD_BEFORE_CONSENT, "Told."), **changes)
    with pytest.raises(InterviewError) as caught:
        studies.go_live(study.pk)
    assert caught.value.code is ErrorCode.STUDY_INCOMPLETE
    study.refresh_from_db()
    assert study.status == Study.Status.DRAFT


def test_a_draft_waits_for_a_key_that_going_live_needs(settings: Settings) -> None:
    use(settings, LLM_SCORING_PROVIDER="kimi")
    study = studies.create_study(**fields())
    with pytest.raises(InterviewError, match="scoring: kimi has no key: set KIMI_API_KEY"):
        studies.go_live(study.pk)
    use(settings, LLM_SCORING_PROVIDER="kimi", KIMI_API_KEY="sk-1")
    assert studies.go_live(study.pk).status == Study.Status.LIVE


@pytest.mark.parametrize("language", ["it", "de", "fr", "es"])
def test_a_study_in_another_language_is_told_what_its_questions_lack_at_going_live(
    settings: Settings, language: str
) -> None:
    use(settings)
    study = studies.create_study(**fields(language=language))

    def warnings() -> dict[str, str]:
        found = {item.code: item.message for item in checklist.checklist(study) if not item.done}
        return {code: found.get(code, "") for code in ("texts", "adaptive")}

    name = LANGUAGES[language]
    assert f"questions in {name} are taken from a fixed list" in warnings()["adaptive"]
    assert f"has no text in {name}" in warnings()["texts"]
    assert f"add texts: {language}:" in warnings()["texts"]
    assert studies.go_live(study.pk).status == Study.Status.LIVE  # told, not kept from it

    use(settings, ANTHROPIC_API_KEY="sk-1")
    translated = CONCEPT | {"texts": {language: {"name": "X"}}}
    study.concept_version = ConceptVersionFactory.create(
        text=json.dumps(translated),
        parsed=ConceptSchema.model_validate(translated).model_dump(mode="json"),
    )
    assert warnings() == {"texts": "", "adaptive": ""}


def test_the_form_refuses_a_provider_that_nobody_knows_at_its_field(settings: Settings) -> None:
    use(settings)
    study = StudyFactory.create(status=Study.Status.DRAFT)
    typed = form(study, llm_choice='{"generation": {"provider": "gpt"}}')
    assert not typed.is_valid()
    assert typed.errors == {"llm_choice": [UNKNOWN]}


def test_the_form_offers_thresholds_with_their_defaults_and_refuses_what_is_out_of_range(
    settings: Settings,
) -> None:
    use(settings)
    study = StudyFactory.create(status=Study.Status.DRAFT)
    shown = form(study)
    assert shown.is_valid()
    assert [shown[name].value() for name in NUMBERS] == [15, 0.8, 0.6, 2]
    names = NUMBERS[1:]
    assert list(form(study, **dict.fromkeys(names, "9000")).errors) == list(names)


def test_the_form_offers_the_languages_and_takes_no_other(settings: Settings) -> None:
    use(settings)
    study = StudyFactory.create(status=Study.Status.DRAFT)
    typed = form(study, language="tlh")
    assert list(typed.errors) == ["language"]
    offered = re.findall(r'option value="(\w*)"', str(typed["language"]))
    assert offered == ["en", "it", "de", "fr", "es"]


def test_the_form_names_the_documents_that_a_mode_needs() -> None:
    study = StudyFactory.create(status=Study.Status.DRAFT)
    bare = form(study, methodology_version=None, concept_version=None)
    assert sorted(bare.errors) == ["concept_version", "methodology_version"]
    assert "methodology" in bare.errors["methodology_version"][0]


def test_a_live_study_can_be_edited_while_a_key_is_missing(settings: Settings) -> None:
    use(settings, LLM_SCORING_PROVIDER="kimi")
    study = StudyFactory.create(status=Study.Status.LIVE)
    assert form(study, reward="A cup of tea").is_valid()
    assert list(form(study, language="it").errors) == ["llm_choice"]
