from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from interviews.llm.config import LLMConfig, RoleChoice
from interviews.llm.errors import LLMConfigurationError
from interviews.modes import registry
from interviews.modes.base import Needs
from interviews.modes.registry import mode_named
from interviews.study_checks import Problem, Said, problems
from interviews.wording.languages import LANGUAGES
from methodologies.schema import ConceptElement, ConceptSchema, Stimulus
from tests.llm_protocol import kit


def said(
    llm_choice: dict[str, Any] | None = None, *, mode: str = "exploratory", language: str = "en"
) -> Said:
    return Said(
        mode=mode, methodology=True, concept=True, language=language, llm_choice=llm_choice or {}
    )


def found(
    llm_choice: dict[str, Any] | None = None,
    *,
    language: str = "en",
    live: bool = False,
    config: LLMConfig | None = None,
) -> list[Problem]:
    machine = config or kit.config()
    return problems(said(llm_choice, language=language), config=lambda: machine, live=live)


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize(
    "llm_choice",
    [
        {},
        {"budget_usd": 5},
        {"generation": {"provider": "openai"}, "budget_usd": 5},
        {"generation": {"provider": "openai", "model": "gpt-next"}},
        {"scoring": {"provider": "kimi", "fallback": "deepseek"}},
    ],
)
def test_what_interviews_can_use_is_no_problem(llm_choice: dict[str, Any], live: bool) -> None:
    assert found(llm_choice, live=live) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_writes_every_language_of_interviews(language: str) -> None:
    config = kit.config({"generation": RoleChoice(provider="anthropic")})
    assert found(language=language, live=True, config=config) == []


@pytest.mark.parametrize(
    ("llm_choice", "message"),
    [
        ({"generation": {"fallback": "gpt"}}, "generation: unknown provider 'gpt'"),
        ({"scoring": {"provider": "kimi"}}, "scoring: kimi has no key: set KIMI_API_KEY"),
        (
            {"scoring": {"fallback": "kimi"}},
            "scoring: kimi has no key: set KIMI_API_KEY",
        ),
        ({"budget_usd": "much"}, "the study's choice of models is not usable (budget_usd"),
    ],
)
def test_a_study_is_answerable_for_whom_it_names(llm_choice: dict[str, Any], message: str) -> None:
    (problem,) = found(llm_choice, config=kit.config(key=None))
    assert problem.field == "llm_choice"
    assert problem.message.startswith(message)


def test_whom_the_machine_names_is_asked_for_when_a_study_goes_live() -> None:
    config = kit.config({"scoring": RoleChoice(provider="kimi")}, key=None)
    assert found(config=config) == []
    (problem,) = found(config=config, live=True)
    assert problem.message == "scoring: kimi has no key: set KIMI_API_KEY and start anew"


def test_a_budget_needs_a_price_of_every_model_that_may_answer() -> None:
    config = kit.config({"extraction": RoleChoice(provider="openai", model="gpt-next")})
    assert found(config=config, live=True) == []
    (problem,) = found({"budget_usd": 1}, config=config)
    assert problem == Problem(
        field="llm_choice",
        message="extraction: gpt-next has no price, so budget_usd could never act: add `models: "
        "{gpt-next: {input: …, output: …}}`, in US dollars per million tokens, to llm.yaml in "
        "DATA_DIR and start anew",
    )


def test_a_catalogue_that_cannot_be_read_is_told() -> None:
    def broken() -> LLMConfig:
        raise LLMConfigurationError("llm.yaml: cannot be read")

    assert problems(said(), config=broken, live=True) == [
        Problem(field="llm_choice", message="llm.yaml: cannot be read")
    ]


def test_a_document_that_the_mode_needs_is_missed_at_its_field() -> None:
    bare = Said(mode="exploratory", methodology=False, concept=True, language="en", llm_choice={})
    (problem,) = problems(bare, config=kit.config, live=False)
    assert problem.field == "methodology_version"
    assert problem.message.endswith("needs a methodology: choose one.")


def test_a_concept_with_nothing_to_show_is_refused_by_name_where_the_mode_shows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mode = mode_named("exploratory")
    showing = replace(mode, needs=Needs(stimulus=True))
    concept = ConceptSchema(id="oat_drink", name="Oat drink", methodology="means_end_chain")
    assert problems(replace(said(), shown=concept), config=kit.config, live=False) == []

    monkeypatch.setattr(registry, "modes", lambda: {"exploratory": showing})
    (problem,) = problems(replace(said(), shown=concept), config=kit.config, live=False)
    assert problem.field == "concept_version"
    assert problem.message == (
        "The mode Exploratory needs a concept with a stimulus and elements; "
        '"oat_drink" has no stimulus and no elements: add them, or choose another.'
    )
    shown = concept.model_copy(
        update={
            "stimulus": Stimulus(text="Creamy."),
            "elements": (ConceptElement(id="creamy", label="Creamy"),),
        }
    )
    assert problems(replace(said(), shown=shown), config=kit.config, live=False) == []


def test_a_mode_that_is_not_there_is_told() -> None:
    (problem,) = problems(said(mode="seance"), config=kit.config, live=False)
    assert problem.field == "mode"
    assert problem.message.startswith("there is no mode 'seance'")


def test_fields_that_nobody_could_fill_in_are_told_where_they_are_typed() -> None:
    wrong = replace(said(), data_fields=[{"key": "mail", "type": "mail"}])
    (problem,) = problems(wrong, config=kit.config, live=False)
    assert problem.field == "data_fields"
    assert problem.message.startswith("field 1: type:")
