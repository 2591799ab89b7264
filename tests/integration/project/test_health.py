"""GET /healthz tells what works, what works in a lesser way, and what does not."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from interview_project import health
from interview_project.env import read_environment
from interview_project.worker import EmbeddedWorker
from interviews.models import LLMCall
from tests.factories import LLMCallFactory

pytestmark = pytest.mark.django_db


def test_a_fresh_machine_is_usable_and_says_what_is_degraded_and_why(client: Client) -> None:
    response = client.get("/healthz")
    body = response.json()
    assert response.status_code == 200
    assert body["status"] == "degraded"
    assert body["database"]["status"] == body["vector"]["status"] == "ok"
    assert body["llm"]["scoring"] == {
        "status": "degraded",
        "detail": "offline rules: no provider is named and no key is set",
    }
    assert body["embedding"]["status"] == "ok"


def test_a_missing_language_model_names_the_path_taken_instead(
    client: Client, settings: Settings
) -> None:
    settings.SPACY_MODEL = "no_such_model"
    assert client.get("/healthz").json()["language"] == {
        "status": "degraded",
        "detail": "spaCy model no_such_model is not installed: relations by rules, "
        "predicate frames approximate",
    }


def test_without_wordnet_matching_goes_on_and_says_so(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/healthz").json()["lexicon"] == {"status": "ok", "detail": "WordNet 3.1"}
    monkeypatch.setattr(health, "shared_wordnet", lambda: None)
    found = client.get("/healthz").json()["lexicon"]
    assert found["status"] == "degraded"
    assert "npm ci" in found["detail"]


def test_a_provider_without_its_key_is_down_but_the_site_is_usable(
    client: Client, settings: Settings
) -> None:
    settings.LLM_ROLES = {
        **settings.LLM_ROLES,
        "generation": {"provider": "openai", "model": None, "fallback": "offline"},
    }
    response = client.get("/healthz")
    assert response.status_code == 200
    assert response.json()["llm"]["generation"] == {
        "status": "down",
        "detail": "openai has no key: set OPENAI_API_KEY, then offline",
    }


def test_a_provider_of_ones_own_is_known_by_its_catalogue(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "llm.yaml").write_text(
        "providers:\n"
        "  house: {protocol: openai, base_url: 'http://127.0.0.1:1/v1', key: HOUSE_KEY,\n"
        "          models: {generation: our-model, scoring: our-model}}\n"
    )
    settings.DATA_DIR = tmp_path
    house = {"provider": "house", "model": None, "fallback": None}
    settings.LLM_ROLES = dict.fromkeys(settings.LLM_ROLES, house)
    told = client.get("/healthz").json()["llm"]
    assert told["generation"] == {
        "status": "down",
        "detail": "house has no key: set HOUSE_KEY",
    }
    settings.ENVIRONMENT = read_environment({"HOUSE_KEY": "sk-of-the-house"})
    response = client.get("/healthz")
    told = response.json()["llm"]
    assert told["generation"] == {
        "status": "degraded",
        "detail": "house, our-model: no study with a budget may use it: add `models: {our-model: "
        "{input: …, output: …}}`, in US dollars per million tokens, to llm.yaml in DATA_DIR and "
        "start anew",
    }
    assert told["extraction"] == {
        "status": "down",
        "detail": "house has no default model for extraction: set LLM_EXTRACTION_MODEL",
    }
    assert "sk-of-the-house" not in response.content.decode()


def test_an_unknown_provider_and_a_broken_catalogue_are_told(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    unknown = {"provider": "antropic", "model": None, "fallback": None}
    settings.LLM_ROLES = dict.fromkeys(settings.LLM_ROLES, unknown)
    assert client.get("/healthz").json()["llm"]["scoring"] == {
        "status": "down",
        "detail": "unknown provider 'antropic'; "
        "known are anthropic, deepseek, kimi, offline, openai",
    }
    (tmp_path / "llm.yaml").write_text("providers: {house: {protocol: gopher}}")
    settings.DATA_DIR = tmp_path
    response = client.get("/healthz")
    assert response.status_code == 200
    assert "providers.house.protocol" in response.json()["llm"]["scoring"]["detail"]


def test_no_redis_at_the_address_is_503_and_the_password_is_not_told(
    client: Client, settings: Settings
) -> None:
    settings.REDIS_URL = "redis://:hunter2@127.0.0.1:1/0"
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json()["broker"]["status"] == "down"
    assert "hunter2" not in response.content.decode()


def test_no_database_is_503(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> health.Health:
        raise ConnectionError("password=hunter2")

    monkeypatch.setattr(health, "_database", fail)
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json()["status"] == "down"
    assert response.json()["database"]["detail"] == "does not answer (ConnectionError)"


def test_the_worker_of_the_process_starts_and_stops_and_the_page_says_so(client: Client) -> None:
    assert client.get("/healthz").json()["broker"]["status"] == "degraded"
    worker = EmbeddedWorker(threads=2)
    worker.start()
    try:
        assert client.get("/healthz").json()["broker"]["status"] == "ok"
    finally:
        assert worker.stop()
    assert client.get("/healthz").json()["broker"]["status"] == "degraded"


def test_only_reading_is_allowed(client: Client) -> None:
    assert client.post("/healthz").status_code == 405


def _called(role: str, outcome: str, minutes_ago: int = 1) -> None:
    call = LLMCallFactory.create(role=role, outcome=outcome, provider="anthropic")
    then = timezone.now() - timedelta(minutes=minutes_ago)
    LLMCall.objects.filter(pk=call.pk).update(created_at=then)


def test_calls_that_failed_lately_are_told_by_their_role(
    client: Client, settings: Settings
) -> None:
    settings.ENVIRONMENT = read_environment({"ANTHROPIC_API_KEY": "sk-1"})
    anthropic = {"provider": "anthropic", "model": None, "fallback": None}
    settings.LLM_ROLES = dict.fromkeys(settings.LLM_ROLES, anthropic)
    _called("generation", "timeout")
    _called("generation", "timeout", minutes_ago=9)
    _called("generation", "refused")
    _called("scoring", "timeout", minutes_ago=11)
    _called("scoring", "ok")
    body = client.get("/healthz").json()
    assert body["status"] == "degraded"
    assert body["llm"] == {
        "extraction": {"status": "ok", "detail": "anthropic, claude-sonnet-4-6"},
        "scoring": {"status": "ok", "detail": "anthropic, claude-haiku-4-5"},
        "generation": {
            "status": "degraded",
            "detail": "anthropic, claude-sonnet-4-6: others stood in for calls of the last "
            "10 minutes: 1 × refused, 2 × timeout",
        },
    }
