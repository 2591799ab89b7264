"""What is wrong with a study's own settings: pure, so that forms, services and commands agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from interviews.epilogue.fields import FieldsInvalid, read_fields
from interviews.llm.config import (
    ROLES,
    Choice,
    LLMConfig,
    RoleChoice,
    check_price,
    read_study_choice,
)
from interviews.llm.errors import LLMConfigurationError
from interviews.llm.tasks.base import Role
from interviews.models.study import TRANSLATED
from interviews.modes.registry import ModeMissing, missing_documents, mode_named, unshown
from interviews.recruiting import RecruitingInvalid, read_recruiting
from interviews.wording.languages import DEFAULT, LANGUAGES, RULES_READ
from methodologies.schema import ConceptSchema, StudySchema


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong with a field of a study, and how to mend it."""

    field: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a study says of itself; `methodology`, `concept` and `guide`: whether it has one.

    `shown` is its concept, where the mode shows one to respondents.
    """

    mode: str
    methodology: bool
    concept: bool
    language: str
    llm_choice: Mapping[str, Any]
    guide: bool = False
    shown: ConceptSchema | None = None
    max_turns: int | None = None
    data_fields: object = ()
    translations: object = None
    recruiting: object = None


def problems(said: Said, *, config: Callable[[], LLMConfig], live: bool) -> list[Problem]:
    """Return what no interview could use, and for a `live` study what would leave it to nobody.

    A study is answerable for what it names itself. Once it is live, everybody who is to answer in
    it has to be there. `config` says who may be asked on this machine; it may raise
    LLMConfigurationError.
    """
    found = [
        *_of_mode(said),
        *_of_language(said.language),
        *_of_translations(said),
        *_of_fields(said.data_fields),
        *_of_recruiting(said),
    ]
    try:
        study, machine = read_study_choice(said.llm_choice), config()
    except LLMConfigurationError as error:
        return [*found, Problem(field="llm_choice", message=str(error))]
    for role in ROLES:
        named = study.of(role) != RoleChoice()
        if named or live or study.budget_usd is not None:
            found += _of_role(machine, role, said.llm_choice, strict=named or live)
    return found


def problems_of_file(
    written: StudySchema,
    *,
    config: Callable[[], LLMConfig],
    concept: ConceptSchema | None = None,
) -> list[Problem]:
    """What no interview could use of a study as it is written, by the names of its file's keys.

    `concept` is the study's, where it is known. Documents that are named are not opened here.
    `config` may raise LLMConfigurationError.
    """
    said = Said(
        mode=written.mode,
        methodology=written.methodology is not None,
        concept=written.concept is not None,
        guide=written.guide is not None,
        shown=concept,
        language=written.language or DEFAULT,
        llm_choice=written.llm_choice,
        max_turns=written.max_turns,
        data_fields=written.data_fields,
    )
    found = problems(said, config=config, live=False)
    return [replace(one, field=one.field.removesuffix("_version")) for one in found]


def _of_mode(said: Said) -> Iterator[Problem]:
    try:
        missing = missing_documents(
            said.mode, methodology=said.methodology, concept=said.concept, guide=said.guide
        )
        most = mode_named(said.mode).defaults.most_turns
        lacks = unshown(said.mode, said.shown) if said.shown is not None else ""
    except ModeMissing as error:
        yield Problem(field="mode", message=str(error))
        return
    if said.max_turns is not None and said.max_turns > most:
        yield Problem(field="max_turns", message=f"{most} answers at most in this mode")
    for kind, message in missing.items():
        yield Problem(field=f"{kind}_version", message=message)
    if lacks:
        yield Problem(field="concept_version", message=lacks)


def _of_language(language: str) -> Iterator[Problem]:
    if language not in LANGUAGES:
        known = ", ".join(f"{code} ({name})" for code, name in LANGUAGES.items())
        message = f"nobody speaks {language!r} here; choose one of {known}"
        yield Problem(field="language", message=message)


def _of_translations(said: Said) -> Iterator[Problem]:
    """A study in several languages asks for consent in each of them, in that language's words."""
    if not said.translations:
        return

    def problem(message: str) -> Problem:
        return Problem(field="translations", message=message)

    if not isinstance(said.translations, Mapping):
        yield problem("write the texts of each language by its code: {it: {name: …}}")
        return
    for code, texts in said.translations.items():
        if code not in LANGUAGES or code == said.language:
            others = ", ".join(one for one in LANGUAGES if one != said.language)
            yield problem(f"{code!r} is no other language of an interview; choose among {others}")
        elif not isinstance(texts, Mapping):
            yield problem(f"{code}: write its texts by name: name, consent_text")
        else:
            yield from (problem(f"{code}: {wrong}") for wrong in _wrong_in(texts))


def _wrong_in(texts: Mapping[str, object]) -> Iterator[str]:
    for name, text in texts.items():
        if name not in TRANSLATED:
            yield f"unknown text {name!r}; expected one of {', '.join(TRANSLATED)}"
        elif not isinstance(text, str) or not text.strip():
            yield f"{name}: write a text, or leave it out"
    missing = [name for name in ("name", "consent_text") if name not in texts]
    if missing:
        yield f"{' and '.join(missing)} missing: respondents agree in their own language"


def _of_fields(data_fields: object) -> Iterator[Problem]:
    try:
        read_fields(list(data_fields) if isinstance(data_fields, tuple) else data_fields)
    except FieldsInvalid as error:
        yield Problem(field="data_fields", message=str(error))


def _of_recruiting(said: Said) -> Iterator[Problem]:
    fields = said.data_fields if isinstance(said.data_fields, (list, tuple)) else ()
    taken = [str(one.get("key")) for one in fields if isinstance(one, Mapping)]
    try:
        read_recruiting(said.recruiting, taken=taken)
    except RecruitingInvalid as error:
        yield Problem(field="recruiting", message=str(error))


def _of_role(
    config: LLMConfig, role: Role, llm_choice: Mapping[str, Any], *, strict: bool
) -> Iterator[Problem]:
    try:
        choices = config.choices(role, llm_choice)
    except LLMConfigurationError as error:
        if strict:
            yield _problem(role, str(error))
        return
    for choice in choices:
        key = _missing_key(choice)
        if strict and key:
            yield _problem(role, f"{choice.provider} has no key: set {key} and start anew")
        try:
            check_price(choice, llm_choice)
        except LLMConfigurationError as error:
            yield _problem(role, str(error))


def adapts(config: LLMConfig, language: str, llm_choice: Mapping[str, Any]) -> bool:
    """Whether questions in this language fit themselves to the answers: a model, or English rules.

    Raises LLMConfigurationError where a study's choice cannot be read.
    """
    choices = config.choices("generation", llm_choice)
    return language in RULES_READ or not all(choice.is_offline for choice in choices)


def _missing_key(choice: Choice) -> str:
    """The variable in which the key of a provider ought to be, "" where none is missing."""
    key = choice.entry.key if choice.entry else None
    return key if key and choice.api_key is None else ""


def _problem(role: Role, message: str) -> Problem:
    return Problem(field="llm_choice", message=f"{role}: {message}")
