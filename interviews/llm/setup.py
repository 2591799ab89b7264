"""Builds the process's gateway and its parts from Django's settings, which are read once."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from django.conf import settings
from pydantic import SecretStr

from interviews.llm.budget import Budget, Unlimited
from interviews.llm.call_store import StudyBudget
from interviews.llm.config import ROLES, Catalogue, Choice, LLMConfig, RoleChoice, read_catalogue
from interviews.llm.errors import LLMConfigurationError
from interviews.llm.gateway import Gateway
from interviews.llm.providers.base import ChatProvider, RuleProvider

OWN_CATALOGUE = "llm.yaml"
"""Name of the file in DATA_DIR that is laid over the shipped catalogue."""


@cache
def llm_config() -> LLMConfig:
    """Who may be asked in this process; raises LLMConfigurationError for an unusable catalogue."""
    own = Path(settings.DATA_DIR) / OWN_CATALOGUE
    catalogue = read_catalogue(*([own] if own.is_file() else []))
    return LLMConfig(
        roles={role: RoleChoice(**settings.LLM_ROLES[role]) for role in ROLES},
        catalogue=catalogue,
        keys=_keys(catalogue),
        base_urls=_base_urls(catalogue),
    )


def _base_urls(catalogue: Catalogue) -> dict[str, str]:
    """Addresses by provider out of <NAME>_BASE_URL, for providers of one's own too."""
    addresses: dict[str, str] = {}
    for provider in catalogue.providers:
        variable = f"{provider}_base_url".replace("-", "_").upper()
        address = settings.ENVIRONMENT.variable(variable)
        if address and not address.startswith(("http://", "https://")):
            raise LLMConfigurationError(f"{variable}: expected an http:// address")
        if address:
            addresses[provider] = address
    return addresses


def _keys(catalogue: Catalogue) -> dict[str, SecretStr]:
    """Keys by the variable that a catalogue entry names."""
    named = {entry.key for entry in catalogue.providers.values() if entry.key}
    found = {name: settings.ENVIRONMENT.variable(name) for name in named}
    return {name: SecretStr(key) for name, key in found.items() if key}


@cache
def build_gateway() -> Gateway:
    """The process's gateway, whose calls studies pay for; cheap, nothing is opened or loaded."""
    return gateway_of(llm_config, StudyBudget())


def free_gateway(config: LLMConfig) -> Gateway:
    """A gateway for a check of the settings: no study pays, and no failure is covered up."""
    return gateway_of(lambda: config, Unlimited(), rules_stand_in=False)


def gateway_of(
    config: Callable[[], LLMConfig], budget: Budget, *, rules_stand_in: bool = True
) -> Gateway:
    """A gateway on the machine's own clock and providers."""
    return Gateway(
        config=config,
        rules=offline_rules,
        connect=connect,
        budget=budget,
        clock=time.monotonic,
        sleep=time.sleep,
        random=random.random,
        rules_stand_in=rules_stand_in,
    )


# Providers are imported when the first of their calls is made: an SDK takes a second to load and
# the rules bring lexicons, which a process that only serves pages never needs.
def offline_rules() -> RuleProvider:
    """The rules that answer without a language model."""
    from interviews.llm.providers.offline import OfflineProvider

    return OfflineProvider()


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
