"""Who answers is a matter of one variable or one field; what opens the door is shown to nobody."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.core import serializers
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from interviews.models import LLMCall, Study, Turn
from tests.integration.llm.interviewing import Model, anthropic_at, interviewing, openai_at, use
from tests.llm_protocol import kit
from tests.llm_protocol.server import ProviderServer, Received, provider_server
from tests.llm_protocol.steps import Failed, Step

ANSWER = "It has taped seams, so I stay dry."


@pytest.fixture
def one(model: Model) -> Iterator[ProviderServer]:
    with provider_server(key=kit.KEY, respond=model) as running:
        yield running


@pytest.fixture
def other(model: Model) -> Iterator[ProviderServer]:
    with provider_server(key=kit.KEY, respond=model) as running:
        yield running


def asked(server: ProviderServer) -> set[tuple[str, str]]:
    """(task, model) of what a server was asked since the last time."""
    received, server.received = server.received, []
    return {(request.task, request.body["model"]) for request in received}


def test_one_variable_changes_the_model_of_a_role(
    study: Study, settings: Settings, one: ProviderServer
) -> None:
    use(settings, **anthropic_at(one), LLM_GENERATION_MODEL="claude-haiku-4-5")
    with interviewing(study) as interview:
        interview.answer(ANSWER)
    assert asked(one) == {
        ("opening_question", "claude-haiku-4-5"),
        ("extraction", "claude-sonnet-4-6"),
        ("response_rating", "claude-haiku-4-5"),
        ("slot_proposal", "claude-haiku-4-5"),
        ("follow_up_question", "claude-haiku-4-5"),
    }


def test_one_variable_changes_the_provider_of_a_role(
    study: Study, settings: Settings, one: ProviderServer, other: ProviderServer
) -> None:
    use(settings, **anthropic_at(one), **openai_at(other), LLM_SCORING_PROVIDER="openai")
    with interviewing(study) as interview:
        interview.answer(ANSWER)
    assert {task for task, _ in asked(one)} == {
        "opening_question",
        "extraction",
        "follow_up_question",
    }
    assert asked(other) == {("response_rating", "gpt-6-luna"), ("slot_proposal", "gpt-6-luna")}


def test_one_field_of_the_study_changes_it_in_the_midst_of_an_interview(
    study: Study, settings: Settings, one: ProviderServer, other: ProviderServer
) -> None:
    use(settings, **anthropic_at(one), **openai_at(other))
    with interviewing(study) as interview:
        interview.answer(ANSWER)
        assert ("follow_up_question", "claude-sonnet-4-6") in asked(one)
        study.llm_choice = {"generation": {"provider": "openai", "model": "gpt-4.1-mini"}}
        study.save()
        interview.answer("The hood keeps the wind off.")
        assert asked(other) == {("follow_up_question", "gpt-4.1-mini")}
        study.llm_choice = {"generation": {"model": "claude-haiku-4-5"}}
        study.save()
        interview.answer("My brother laughs about it.")
        assert ("follow_up_question", "claude-haiku-4-5") in asked(one)
        assert asked(other) == set()


def test_an_address_in_the_environment_is_enough_for_any_provider(
    study: Study, settings: Settings, one: ProviderServer
) -> None:
    use(settings, DEEPSEEK_API_KEY=kit.KEY, DEEPSEEK_BASE_URL=f"{one.origin}/v1")
    with interviewing(study) as interview:
        interview.answer(ANSWER)
    assert {name for _, name in asked(one)} == {"deepseek-flash"}


def test_the_key_is_shown_nowhere(
    study: Study,
    settings: Settings,
    client: Client,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The provider echoes it in every error, and whatever is shown is read."""

    def echo(request: Received) -> Step:
        if request.task == "opening_question":
            return Model()(request)
        words = f"invalid header x-api-key: {kit.KEY}; prompt: {kit.SECRET_WORDS}"
        return Failed(status=400, kind="invalid_request_error", message=words)

    caplog.set_level(logging.DEBUG)
    with provider_server(key=kit.KEY, respond=echo) as server:
        use(settings, **anthropic_at(server))
        with interviewing(study) as interview:
            turn = interview.answer(kit.SECRET_WORDS)
            assert turn.status == Turn.Status.DONE
    client.force_login(User.objects.create(username="root", is_superuser=True, is_staff=True))
    call = LLMCall.objects.exclude(outcome="ok").first()
    assert call is not None
    pages = [
        "/healthz",
        reverse("analytics:session", args=[interview.session.pk]),
        reverse("admin:index"),
        reverse("admin:interviews_llmcall_changelist"),
        reverse("admin:interviews_llmcall_change", args=[call.pk]),
        reverse("admin:interviews_session_change", args=[interview.session.pk]),
        reverse("admin:interviews_study_change", args=[study.pk]),
    ]
    shown = {page: client.get(page) for page in pages}
    assert {response.status_code for response in shown.values()} == {200}
    rows = serializers.serialize("json", [*LLMCall.objects.all(), turn])
    captured = capsys.readouterr()
    logged = caplog.text + captured.out + captured.err
    assert turn.result["degraded"][0] == {
        "task": "extraction",
        "by": "offline",
        "after": "rejected",
    }
    assert "llm_call_failed" in logged
    for text in (logged, rows, *(response.content.decode() for response in shown.values())):
        assert kit.KEY not in text
    assert kit.SECRET_WORDS not in logged + rows
