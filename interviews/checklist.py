"""What a study lacks before respondents can begin, and what an interview of it will take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from django.core.exceptions import ValidationError

from interviews import plans
from interviews.llm.config import ROLES
from interviews.llm.errors import LLMConfigurationError
from interviews.llm.providers.base import Usage
from interviews.llm.setup import llm_config
from interviews.llm.tasks.base import Role
from interviews.models import Study
from interviews.modes.registry import modes
from interviews.study_checks import Problem, Said, adapts, problems
from interviews.wording.languages import LANGUAGES
from methodologies.models import ConceptVersion
from methodologies.registry import concept_of
from methodologies.schema import ConceptSchema

NUMBERS = (
    "max_turns",
    "surface_similarity_threshold",
    "canonical_similarity_threshold",
    "canonical_min_support_nodes",
)
MINUTES_PER_TURN = 0.8
TOKENS_PER_TURN: dict[Role, Usage] = {
    "extraction": Usage(tokens_in=3500, tokens_out=500),
    "scoring": Usage(tokens_in=1500, tokens_out=80),
    "generation": Usage(tokens_in=2500, tokens_out=120),
}
"""What a turn sends and receives for each role, roughly: enough for the size of a bill."""

LABELS = {
    "documents": "The documents that the mode needs",
    "fit": "A concept and a methodology that fit each other",
    "consent": "What respondents are told before they agree",
    "language": "A language that is supported",
    "time": "Time or a number of questions",
    "data_fields": "The data that is asked for at the end",
    "plan": "The plan of the guide",
    "provider": "Somebody who answers for every role, with a price",
    "budget": "A budget, where a language model costs",
    "texts": "Texts in every language of the study",
    "adaptive": "A language model, where questions are to follow what was answered",
}
OPTIONAL = frozenset({"budget", "texts", "adaptive"})
_CODE_OF_FIELD = {
    "translations": "language",
    "mode": "documents",
    "concept_version": "documents",
    "methodology_version": "documents",
    "guide_version": "documents",
    "language": "language",
    "max_turns": "time",
    "data_fields": "data_fields",
    "recruiting": "data_fields",
    "llm_choice": "provider",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line of the checklist; `message` says what to do where it is not done."""

    code: str
    label: str
    message: str = ""

    @property
    def done(self) -> bool:
        return not self.message

    @property
    def required(self) -> bool:
        """Whether going live waits for it."""
        return self.code not in OPTIONAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What one interview takes: minutes, and US dollars for language models."""

    minutes: int
    cost: Decimal


def problems_of(study: Study, *, live: bool | None = None) -> list[Problem]:
    """Return what is wrong with a study as it is, or would be if it were `live`."""
    said = Said(
        mode=study.mode,
        methodology=study.methodology_version_id is not None,
        concept=study.concept_version_id is not None,
        guide=study.guide_version_id is not None,
        shown=shown_in(study.mode, study.concept_version),
        max_turns=study.max_turns,
        language=study.language,
        llm_choice=study.llm_choice,
        data_fields=study.data_fields,
        translations=study.translations,
        recruiting=study.recruiting,
    )
    return [
        *_out_of_range(study),
        *problems(
            said,
            config=llm_config,
            live=study.status == Study.Status.LIVE if live is None else live,
        ),
    ]


def shown_in(mode: str, concept: ConceptVersion | None) -> ConceptSchema | None:
    """The concept of a study whose mode shows one to respondents; else None."""
    found = modes().get(mode)
    shows = found is not None and found.needs.stimulus
    return concept_of(concept) if shows and concept is not None else None


def checklist(study: Study) -> list[Item]:
    """Every line, done or not, in the order in which a study is made."""
    found: dict[str, list[str]] = {code: [] for code in LABELS}
    for problem in problems_of(study, live=True):
        code = _CODE_OF_FIELD.get(problem.field, "documents")
        found[code].append(f"{problem.field}: {problem.message}")
    for code, message in _of_content(study):
        found[code].append(message)
    return [
        Item(code=code, label=LABELS[code], message="; ".join(messages))
        for code, messages in found.items()
    ]


def missing(study: Study) -> list[Item]:
    """The lines that going live waits for."""
    return [item for item in checklist(study) if item.required and not item.done]


def estimate(study: Study) -> Estimate:
    """Minutes and cost of one interview at most, by the study's length and its models' prices."""
    minutes = study.time_budget_minutes or round(study.max_turns * MINUTES_PER_TURN)
    return Estimate(minutes=minutes, cost=sum(_costs(study), Decimal(0)))


def _costs(study: Study) -> Iterator[Decimal]:
    try:
        config = llm_config()
        for role in ROLES:
            choice = config.choices(role, study.llm_choice)[0]
            if not choice.is_offline:
                yield choice.traits.cost(TOKENS_PER_TURN[role]) * study.max_turns
    except LLMConfigurationError:
        return


def _of_content(study: Study) -> Iterator[tuple[str, str]]:
    concept, methodology = study.concept_version, study.methodology_version
    if concept is not None and methodology is not None:
        meant = concept.parsed.get("methodology")
        if meant and meant != methodology.document.name:
            said = f"the concept {concept.document.name} is written for {meant}, the study"
            said += f" interviews by {methodology.document.name}: choose one that goes with it"
            yield "fit", said
    yield from _of_languages(study)
    if not study.consent_text.strip():
        yield "consent", "consent_text: write what respondents agree to"
    if study.untold:
        yield "consent", f"not told yet: {', '.join(study.untold)}; fill in these fields"
    mode = modes().get(study.mode)
    if mode is not None and study.guide_version_id is not None and plans.current(study) is None:
        yield "plan", "the plan is not made yet: save the study and wait for a worker"
    if study.llm_choice.get("budget_usd") is None and any(_costs(study)):
        yield "budget", "no budget is set: language models may cost without an end"


def _of_languages(study: Study) -> Iterator[tuple[str, str]]:
    """What a study in other languages than English ought to know before it goes live."""
    for language in study.languages:
        yield from _of_one_language(study, language)


def _of_one_language(study: Study, language: str) -> Iterator[tuple[str, str]]:
    name, concept = LANGUAGES.get(language, language), study.concept_version
    if concept is not None and not concept_of(concept).speaks(language):
        said = f"the concept {concept.document.name} has no text in {name}: questions by rules name"
        said += f" no subject, and a model translates it; add texts: {language}: to it"
        yield "texts", said
    try:
        follow = adapts(llm_config(), language, study.llm_choice)
    except LLMConfigurationError:
        return  # said already, of the provider
    if not follow:
        said = f"questions in {name} are taken from a fixed list, and answers are stored unread:"
        yield "adaptive", f"{said} connect a language model for questions that follow the answers"


def _out_of_range(study: Study) -> list[Problem]:
    """What is wrong with the numbers of a study, as its form would say it."""
    others = {field.name for field in study._meta.fields} - set(NUMBERS)
    try:
        study.clean_fields(exclude=others)
    except ValidationError as error:
        return [
            Problem(field=field, message=" ".join(messages))
            for field, messages in error.message_dict.items()
        ]
    return []
