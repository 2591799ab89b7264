from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.llm.config import (
    ROLES,
    Choice,
    ModelEntry,
    RoleChoice,
    read_catalogue,
    read_study_choice,
)
from interviews.llm.errors import LLMConfigurationError
from interviews.llm.providers.base import Structure, Usage
from tests.llm_protocol import kit


def names(choices: tuple[Choice, ...]) -> list[tuple[str, str]]:
    return [(choice.provider, choice.model) for choice in choices]


def test_without_any_choice_rules_answer() -> None:
    for role in ROLES:
        assert names(kit.config().choices(role, {})) == [("offline", "rules")]


def test_a_named_provider_comes_with_its_default_model() -> None:
    config = kit.config({"scoring": RoleChoice(provider="kimi", fallback="deepseek")})
    assert names(config.choices("scoring", {})) == [
        ("kimi", "kimi-k2.6"),
        ("deepseek", "deepseek-flash"),
    ]


def test_the_settings_model_belongs_to_the_settings_provider() -> None:
    config = kit.config({"generation": RoleChoice(provider="openai", model="gpt-x")})
    assert names(config.choices("generation", {})) == [("openai", "gpt-x")]
    study = {"generation": {"provider": "anthropic"}}
    assert names(config.choices("generation", study)) == [("anthropic", "claude-sonnet-4-6")]
    assert names(config.choices("generation", {"generation": {"model": "gpt-y"}})) == [
        ("openai", "gpt-y")
    ]


def test_a_study_may_turn_to_the_rules_and_back_again() -> None:
    config = kit.config({"generation": RoleChoice(provider="anthropic", fallback="offline")})
    study = {"generation": {"provider": "offline"}}
    assert names(config.choices("generation", study)) == [("offline", "rules")]
    assert names(config.choices("generation", {})) == [
        ("anthropic", "claude-sonnet-4-6"),
        ("offline", "rules"),
    ]


def test_an_unknown_provider_is_told_with_the_known_ones() -> None:
    config = kit.config({"scoring": RoleChoice(provider="antropic")})
    with pytest.raises(
        LLMConfigurationError,
        match="unknown provider 'antropic'; known are anthropic, deepseek, kimi, offline, openai",
    ):
        config.choices("scoring", {})


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"generation": {"api_key": "sk-1"}}, "generation.api_key"),
        ({"generation": {"base_url": "http://elsewhere"}}, "generation.base_url"),
        ({"writing": {}}, "writing"),
        ({"generation": "offline"}, "generation"),
        ({"budget_usd": -1}, "budget_usd"),
    ],
)
def test_a_study_names_providers_and_neither_keys_nor_addresses(
    value: dict[str, object], field: str
) -> None:
    with pytest.raises(LLMConfigurationError, match=field) as caught:
        read_study_choice(value)
    assert "sk-1" not in str(caught.value)


def test_the_shipped_catalogue_prices_every_default_model() -> None:
    catalogue = read_catalogue()
    assert sorted(catalogue.providers) == ["anthropic", "deepseek", "kimi", "openai"]
    for provider in catalogue.providers.values():
        assert set(provider.models) == set(ROLES)
        for model in provider.models.values():
            assert catalogue.models[model].input > 0
            assert catalogue.models[model].output > 0


def test_a_file_of_ones_own_is_laid_over_the_shipped_one(tmp_path: Path) -> None:
    own = tmp_path / "llm.yaml"
    own.write_text(
        "providers:\n"
        "  local: {protocol: openai, base_url: 'http://127.0.0.1:1/v1', structured: json,\n"
        "          models: {extraction: small, scoring: small, generation: small}}\n"
        "models:\n"
        "  gpt-4.1: {input: 1, output: 2}\n"
    )
    catalogue = read_catalogue(own)
    assert catalogue.providers["local"].structured is Structure.JSON
    assert catalogue.providers["local"].key is None
    assert catalogue.models["gpt-4.1"].output == 2
    assert catalogue.models["deepseek-flash"].output == Decimal("1.20")


@pytest.mark.parametrize(
    "text",
    [
        "providers: {x: {protocol: gopher, base_url: 'http://x'}}",
        "models: {x: {input: -1}}",
        "- a list",
        "{",
        "surprises: {}",
    ],
)
def test_a_wrong_catalogue_is_refused_with_its_files_name(tmp_path: Path, text: str) -> None:
    own = tmp_path / "llm.yaml"
    own.write_text(text)
    with pytest.raises(LLMConfigurationError, match=r"llm\.yaml"):
        read_catalogue(own)


def test_a_cost_is_what_the_tokens_cost() -> None:
    entry = ModelEntry(
        input=Decimal(3), output=Decimal(15), cached=Decimal("0.3"), cache_write=Decimal("3.75")
    )
    usage = Usage(tokens_in=10_000, tokens_out=500, tokens_cached=8_000, tokens_written=1_000)
    # 1,000 × 3 + 8,000 × 0.3 + 1,000 × 3.75 + 500 × 15 = 3,000 + 2,400 + 3,750 + 7,500 = 16,650
    # per million
    assert entry.cost(usage) == Decimal("0.016650")


def test_cached_tokens_cost_as_much_as_others_where_no_price_is_given() -> None:
    entry = ModelEntry(input=Decimal(2), output=Decimal(8))
    cached = Usage(tokens_in=1_000, tokens_cached=900, tokens_written=100)
    assert entry.cost(cached) == entry.cost(Usage(tokens_in=1_000)) == Decimal("0.002000")


@given(
    plain=st.integers(0, 10**6),
    cached=st.integers(0, 10**6),
    written=st.integers(0, 10**6),
    out=st.integers(0, 10**6),
)
def test_a_cost_is_never_negative_and_caching_never_raises_it_above_writing(
    plain: int, cached: int, written: int, out: int
) -> None:
    entry = read_catalogue().models["claude-sonnet-4-6"]
    total = plain + cached + written
    usage = Usage(tokens_in=total, tokens_out=out, tokens_cached=cached, tokens_written=written)
    all_written = Usage(tokens_in=total, tokens_out=out, tokens_written=total)
    assert 0 <= entry.cost(usage) <= entry.cost(all_written)
