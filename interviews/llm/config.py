"""Who answers for a role: the settings, a study's own choice, and the catalogue of models.

Pure: built from plain values; `setup.py` reads them out of Django's settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from interviews.llm.errors import LLMConfigurationError, LLMUnpriced
from interviews.llm.providers.base import Structure, Usage
from interviews.llm.tasks.base import Role

OFFLINE = "offline"
OFFLINE_MODEL = "rules"
ROLES: tuple[Role, ...] = get_args(Role)
BUDGET_KEY = "budget_usd"
PER_TOKEN = Decimal(1_000_000)
SHIPPED = Path(__file__).with_name("pricing.yaml")

Price = Annotated[Decimal, Field(ge=0)]
Name = Annotated[str, Field(min_length=1, max_length=80)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelEntry(_Entry):
    """What a model costs (US dollars per million tokens) and what it takes."""

    input: Price = Decimal(0)
    output: Price = Decimal(0)
    cached: Price | None = None
    cache_write: Price | None = None
    structured: Structure | None = None
    temperature: bool = False
    effort: dict[Role, Literal["none", "low", "medium", "high", "xhigh", "max"]] = Field(
        default_factory=dict
    )
    thinking: Literal["disabled", "between_tools"] | None = None

    @property
    def priced(self) -> bool:
        """Whether the entry says what a token costs, be it nothing."""
        return {"input", "output"} <= self.model_fields_set

    def cost(self, usage: Usage) -> Decimal:
        """Price of `usage` in US dollars, to a millionth.

        Cached tokens cost `cached`, tokens written to the cache `cache_write`, both `input` where
        no price is given; the rest of the prompt costs `input`.
        """
        cached = self.input if self.cached is None else self.cached
        written = self.input if self.cache_write is None else self.cache_write
        plain = usage.tokens_in - usage.tokens_cached - usage.tokens_written
        total = (
            plain * self.input
            + usage.tokens_cached * cached
            + usage.tokens_written * written
            + usage.tokens_out * self.output
        )
        return (total / PER_TOKEN).quantize(Decimal("0.000001"))


class ProviderEntry(_Entry):
    """How to reach a provider; `key` names the environment variable of its key."""

    protocol: Literal["anthropic", "openai"]
    base_url: Annotated[str, Field(pattern=r"^https?://.+")]
    key: str | None = None
    structured: Structure = Structure.SCHEMA
    stream: bool = False
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    models: dict[Role, Name] = Field(default_factory=dict)


class Catalogue(_Entry):
    """Providers and models by name."""

    providers: dict[str, ProviderEntry]
    models: dict[str, ModelEntry] = Field(default_factory=dict)


class RoleChoice(_Entry):
    """Who answers for one role; None leaves the decision to what stands behind."""

    provider: Name | None = None
    model: Name | None = None
    fallback: Name | None = None


class StudyChoice(_Entry):
    """A study's own choice. It names providers, never addresses or keys: those are the machine's.

    `budget_usd` is what the study may spend on calls in all, in US dollars; `adjudicate_matches`
    has the model decide where a new label is nearly, but not surely, a known one.
    """

    extraction: RoleChoice = RoleChoice()
    scoring: RoleChoice = RoleChoice()
    generation: RoleChoice = RoleChoice()
    budget_usd: Price | None = None
    adjudicate_matches: bool = False

    def of(self, role: Role) -> RoleChoice:
        """What the study chose for this role."""
        choice: RoleChoice = getattr(self, role)
        return choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One provider with one model, ready to be called; `entry` is None for the offline rules."""

    provider: str
    model: str
    entry: ProviderEntry | None = None
    traits: ModelEntry = field(default_factory=ModelEntry)
    base_url: str = ""
    api_key: SecretStr | None = None

    @property
    def is_offline(self) -> bool:
        """Whether rules answer, without a network."""
        return self.provider == OFFLINE

    @property
    def priced(self) -> bool:
        """Whether it is known what a call costs; rules cost nothing."""
        return self.is_offline or self.traits.priced

    @property
    def structure(self) -> Structure:
        """How the model is held to a schema."""
        return self.traits.structured or (self.entry.structured if self.entry else Structure.SCHEMA)


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMConfig:
    """What this machine offers.

    `keys` holds keys by the name of their environment variable, `base_urls` addresses by
    provider that take precedence over the catalogue's.
    """

    roles: Mapping[Role, RoleChoice]
    catalogue: Catalogue
    keys: Mapping[str, SecretStr]
    base_urls: Mapping[str, str]

    def choices(self, role: Role, study: Mapping[str, Any]) -> tuple[Choice, ...]:
        """The provider for `role` and, where one is set, the one that takes over from it.

        A study's provider comes with its own model or that provider's default, never with the
        model that the settings name for another provider. Raises LLMConfigurationError for an
        unknown name or a study's choice of the wrong shape.
        """
        own, machine = read_study_choice(study).of(role), self.roles[role]
        provider = own.provider or machine.provider or OFFLINE
        same = provider == (machine.provider or OFFLINE)
        first = self._choice(role, provider, own.model or (machine.model if same else None))
        fallback = own.fallback or machine.fallback
        if fallback is None or fallback == provider:
            return (first,)
        return (first, self._choice(role, fallback, None))

    def _choice(self, role: Role, provider: str, model: str | None) -> Choice:
        if provider == OFFLINE:
            return Choice(provider=OFFLINE, model=OFFLINE_MODEL)
        entry = self.catalogue.providers.get(provider)
        if entry is None:
            known = ", ".join(sorted([*self.catalogue.providers, OFFLINE]))
            raise LLMConfigurationError(f"unknown provider {provider!r}; known are {known}")
        model = model or entry.models.get(role)
        if not model:
            raise LLMConfigurationError(
                f"{provider} has no default model for {role}: set LLM_{role.upper()}_MODEL"
            )
        return Choice(
            provider=provider,
            model=model,
            entry=entry,
            traits=self.catalogue.models.get(model, ModelEntry()),
            base_url=self.base_urls.get(provider, entry.base_url),
            api_key=self.keys.get(entry.key) if entry.key else None,
        )


def read_study_choice(value: Mapping[str, Any]) -> StudyChoice:
    """Check a study's `llm_choice`; raises LLMConfigurationError that names every wrong field."""
    try:
        return StudyChoice.model_validate(value)
    except ValidationError as error:
        fields = ", ".join(
            ".".join(map(str, item["loc"])) + ": " + item["msg"]
            for item in error.errors(include_url=False, include_input=False)
        )
    raise LLMConfigurationError(f"the study's choice of models is not usable ({fields})")


def check_price(choice: Choice, study: Mapping[str, Any]) -> None:
    """Raise LLMUnpriced where a study has a budget and nobody knows what the model costs.

    Its calls would cost nothing in the books, so that the budget would never be spent.
    """
    if not choice.priced and read_study_choice(study).budget_usd is not None:
        raise LLMUnpriced(
            f"{choice.model} has no price, so {BUDGET_KEY} could never act: "
            f"{how_to_price(choice.model)}"
        )


def how_to_price(model: str) -> str:
    """What to write where so that calls of `model` have a price."""
    return (
        f"add `models: {{{model}: {{input: …, output: …}}}}`, in US dollars per million tokens, "
        "to llm.yaml in DATA_DIR and start anew"
    )


def read_catalogue(*files: Path) -> Catalogue:
    """Read the shipped catalogue and lay `files` over it, entry by entry.

    Raises LLMConfigurationError with the file's name where one cannot be read or has another shape.
    """
    merged: dict[str, dict[str, Any]] = {"providers": {}, "models": {}}
    for file in (SHIPPED, *files):
        try:
            found = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
        except (OSError, yaml.YAMLError) as error:
            raise LLMConfigurationError(f"{file}: cannot be read") from error
        if not isinstance(found, dict):
            raise LLMConfigurationError(f"{file}: expected the keys providers and models")
        for part, entries in found.items():
            merged.setdefault(part, {}).update(entries or {})
    try:
        return Catalogue.model_validate(merged)
    except ValidationError as error:
        wrong = "; ".join(
            ".".join(map(str, item["loc"])) + ": " + item["msg"] for item in error.errors()
        )
        names = ", ".join(str(file) for file in files) or SHIPPED.name
        raise LLMConfigurationError(f"{names}: {wrong}") from error
