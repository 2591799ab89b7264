"""`manage.py llm check` against providers that answer, fail, or are not there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.color import color_style
from pydantic import SecretStr
from pytest_django import Settings

from interviews.llm import setup
from interviews.llm.tasks import load_tasks
from interviews.llm.tasks.questions import OPENING_QUESTION
from interviews.turns.calls import CallLog
from tests.integration.llm.interviewing import use
from tests.llm_protocol import kit
from tests.llm_protocol.server import ProviderServer, provider_server
from tests.llm_protocol.steps import Answer, Failed

ANSWERS = [
    Answer(
        data={
            "extractable": False,
            "reason": "",
            "concepts": [],
            "relationships": [],
        }
    ),
    Answer(data=kit.RATING),
    Answer(data=kit.QUESTION),
]


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with provider_server(key=kit.KEY) as running:
        yield running


def check(*arguments: str) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("llm", "check", *arguments, stdout=out)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue()
    return 0, out.getvalue()


def test_offline_says_in_one_sentence_what_is_missing(settings: Settings) -> None:
    use(settings)
    code, text = check()
    assert code == 0
    assert [line.split()[:3] for line in text.splitlines()[:3]] == [
        ["ok", "extraction", "provider"],
        ["ok", "scoring", "provider"],
        ["ok", "generation", "provider"],
    ]
    last = text.splitlines()[-1]
    assert last.startswith(
        "No key is set and interviews still work, held offline by rules and small fitted "
        "networks: for a language model set "
        "ANTHROPIC_API_KEY"
    )
    assert last.count(".") == 1


def test_it_says_which_tasks_are_long_enough_to_be_cached(settings: Settings) -> None:
    use(settings)
    _, text = check()
    (line,) = [line for line in text.splitlines() if line.startswith("What providers cache")]
    assert "extraction (about " in line
    assert "response_rating (about " in line
    assert "follow_up_question (" not in line
    _, document = check("--json")
    prefixes = {row["task"]: row for row in json.loads(document)["prefixes"]}
    assert set(prefixes) == set(load_tasks())
    assert {name for name, row in prefixes.items() if row["cached"]} == {
        name for name, row in prefixes.items() if row["tokens"] >= 1_024
    }


def test_a_key_is_enough(settings: Settings, server: ProviderServer) -> None:
    use(settings, ANTHROPIC_API_KEY=kit.KEY, ANTHROPIC_BASE_URL=server.origin)
    server.script(*ANSWERS)
    code, text = check("--json")
    document = json.loads(text)
    assert code == 0
    assert document["ok"] is True
    assert document["verdict"] == "Ready: every role has somebody who answers."
    assert [(r["role"], r["model"], r["cost_usd"]) for r in document["roles"]] == [
        # 100 tokens in and 20 out, at 3 and 15, 1 and 5, 3 and 15 dollars per million
        ("extraction", "claude-sonnet-4-6", "0.000600"),
        ("scoring", "claude-haiku-4-5", "0.000200"),
        ("generation", "claude-sonnet-4-6", "0.000600"),
    ]
    assert len(server.received) == 3
    assert kit.KEY not in text


def test_three_lines_are_green_where_every_role_answers(
    settings: Settings, server: ProviderServer
) -> None:
    use(settings, ANTHROPIC_API_KEY=kit.KEY, ANTHROPIC_BASE_URL=server.origin)
    server.script(*ANSWERS)
    out = StringIO()
    call_command("llm", "check", stdout=out, force_color=True)
    *lines, _, verdict = out.getvalue().splitlines()
    assert len(lines) == 3
    green = color_style(force_color=True).SUCCESS("x").partition("x")[0]
    assert all(line.startswith(f"{green}ok") for line in lines)
    assert verdict == "Ready: every role has somebody who answers."


def test_a_role_that_fails_is_named_and_the_exit_says_so(
    settings: Settings, server: ProviderServer
) -> None:
    use(settings, OPENAI_API_KEY=kit.KEY, OPENAI_BASE_URL=f"{server.origin}/v1")
    server.script(ANSWERS[0], Failed(status=404, kind="not_found_error"), ANSWERS[2])
    code, text = check()
    assert code == 1
    assert "FAIL scoring" in text
    assert "the model or the address is unknown" in text
    assert text.splitlines()[-1] == "Not ready: nobody answers for scoring."


def test_a_wrong_key_is_told_without_showing_it(settings: Settings, server: ProviderServer) -> None:
    use(settings, ANTHROPIC_API_KEY="sk-wrong-1234", ANTHROPIC_BASE_URL=server.origin)
    code, text = check()
    assert code == 1
    assert text.count("the key is not accepted") == 3
    assert "sk-wrong-1234" not in text


def test_a_fallback_does_not_hide_a_provider_that_is_down(
    settings: Settings, server: ProviderServer
) -> None:
    use(
        settings,
        ANTHROPIC_API_KEY=kit.KEY,
        ANTHROPIC_BASE_URL=server.origin,
        LLM_GENERATION_FALLBACK="offline",
    )
    server.script(*ANSWERS[:2], Failed(status=400, kind="invalid_request_error"))
    code, text = check("--json")
    roles = json.loads(text)["roles"]
    assert code == 1
    assert [(r["role"], r["part"], r["ok"]) for r in roles] == [
        ("extraction", "provider", True),
        ("scoring", "provider", True),
        ("generation", "provider", False),
        ("generation", "fallback", True),
    ]


def test_a_missing_key_and_an_unknown_provider_are_told(settings: Settings) -> None:
    use(settings, LLM_EXTRACTION_PROVIDER="kimi", LLM_SCORING_PROVIDER="kimmi")
    code, text = check()
    assert code == 1
    assert "kimi has no key: set KIMI_API_KEY" in text
    assert "unknown provider 'kimmi'; known are anthropic, deepseek, kimi, offline, openai" in text


def test_a_provider_of_ones_own_needs_a_file_and_a_name(
    settings: Settings,
    server: ProviderServer,
    tmp_path: Path,
) -> None:
    (tmp_path / "llm.yaml").write_text(
        "providers:\n"
        f"  house: {{protocol: openai, base_url: '{server.origin}/v1', key: HOUSE_KEY,\n"
        "          structured: json, models: {generation: our-model}}\n"
    )
    settings.DATA_DIR = tmp_path
    use(settings, LLM_GENERATION_PROVIDER="house", HOUSE_KEY=kit.KEY)
    server.script(ANSWERS[2])
    code, text = check("--json")
    generation: dict[str, Any] = json.loads(text)["roles"][2]
    assert code == 0
    assert (generation["model"], generation["cost_usd"]) == ("our-model", None)
    assert generation["detail"] == (
        "answers; without a price no study with a budget may use it: add `models: {our-model: "
        "{input: …, output: …}}`, in US dollars per million tokens, to llm.yaml in DATA_DIR and "
        "start anew"
    )


def test_a_broken_file_of_ones_own_is_told(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "llm.yaml").write_text("providers: {house: {protocol: gopher}}")
    settings.DATA_DIR = tmp_path
    code, _ = check()
    assert code == 1
    assert "llm.yaml: providers.house.protocol" in capsys.readouterr().err


def test_the_processs_gateway_reads_the_settings(
    settings: Settings, server: ProviderServer
) -> None:
    use(settings, ANTHROPIC_API_KEY=kit.KEY, ANTHROPIC_BASE_URL=server.origin)
    gateway = setup.build_gateway()
    server.script(Answer(data=kit.QUESTION))
    reply = gateway.run(OPENING_QUESTION, kit.OPENING, payer=kit.payer(), log=CallLog())
    gateway.close()
    assert reply.question == kit.QUESTION["question"]


def test_a_key_shows_in_no_representation(settings: Settings) -> None:
    use(settings, ANTHROPIC_API_KEY=kit.KEY)
    config = setup.llm_config()
    assert config.keys["ANTHROPIC_API_KEY"] == SecretStr(kit.KEY)
    assert kit.KEY not in repr(config)
    assert kit.KEY not in repr(config.choices("generation", {}))
