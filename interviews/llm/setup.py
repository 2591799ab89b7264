"""Builds the gateway's parts from Django's settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import SecretStr

from interviews.llm.config import ROLES, Catalogue, Choice, LLMConfig, RoleChoice, read_catalogue
from interviews.llm.errors import LLMConfigurationError
from interviews.llm.gateway import Budget, Interview
from interviews.llm.providers.base import ChatProvider, RuleProvider

OWN_CATALOGUE = "llm.yaml"
"""Name of the file in DATA_DIR that is laid over the shipped catalogue."""


def config_from_settings() -> LLMConfig:
    """Read roles, keys and addresses; raises LLMConfigurationError for an unusable catalogue."""
    from django.conf import settings

    own = Path(settings.DATA_DIR) / OWN_CATALOGUE
    catalogue = read_catalogue(*([own] if own.is_file() else []))
    known = settings.ENVIRONMENT
    return LLMConfig(
        roles={role: RoleChoice(**settings.LLM_ROLES[role]) for role in ROLES},
        catalogue=catalogue,
        keys=_keys(catalogue, known),
        base_urls=_base_urls(catalogue, known),
    )


def _base_urls(catalogue: Catalogue, known: object) -> Mapping[str, str]:
    """Addresses by provider out of <NAME>_BASE_URL, for providers of one's own too."""
    addresses: dict[str, str] = {}
    for provider in catalogue.providers:
        variable = f"{provider}_base_url".replace("-", "_")
        address = getattr(known, variable, None) or os.environ.get(variable.upper(), "").strip()
        if address and not address.startswith(("http://", "https://")):
            raise LLMConfigurationError(f"{variable.upper()}: expected an http:// address")
        if address:
            addresses[provider] = address
    return addresses


def _keys(catalogue: Catalogue, known: object) -> Mapping[str, SecretStr]:
    """Keys by variable: those that the settings know, and those that a catalogue entry names."""
    keys: dict[str, SecretStr] = {}
    for entry in catalogue.providers.values():
        if entry.key is None:
            continue
        key = getattr(known, entry.key.lower(), None) or os.environ.get(entry.key, "").strip()
        if key:
            keys[entry.key] = key if isinstance(key, SecretStr) else SecretStr(key)
    return keys


def offline_rules() -> RuleProvider:
    """The rules; imported here because they bring lexicons with them."""
    from interviews.llm.providers.offline import OfflineProvider

    return OfflineProvider()


def study_budget() -> Budget:
    """The guard of studies' budgets, which reads the rows of their calls."""
    from interviews.llm.call_store import StudyBudget

    return StudyBudget()


class _NoBudget:
    def check(self, session: Interview) -> None:
        """Nobody's budget is touched."""


def free_of_budget() -> Budget:
    """For calls that belong to no study, such as the check of the settings."""
    return _NoBudget()


def connect(choice: Choice) -> ChatProvider:
    """A client for the choice's provider; raises LLMConfigurationError where its key is missing."""
    entry = choice.entry
    if entry is None:
        raise LLMConfigurationError(f"{choice.provider} is not reached over a network")
    if entry.key is not None and choice.api_key is None:
        raise LLMConfigurationError(f"{choice.provider} has no key: set {entry.key}")
    key = choice.api_key.get_secret_value() if choice.api_key else None
    if entry.protocol == "anthropic":
        from interviews.llm.providers.anthropic import AnthropicProvider

        return AnthropicProvider(
            name=choice.provider,
            api_key=key or "",
            base_url=choice.base_url,
            stream=entry.stream,
        )
    from interviews.llm.providers.openai_compatible import OpenAICompatibleProvider

    return OpenAICompatibleProvider(
        name=choice.provider,
        api_key=key,
        base_url=choice.base_url,
        stream=entry.stream,
        max_tokens_field=entry.max_tokens_field,
    )
