"""What the environment may say, and how a wrong value is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from interview_project.env import BASE_DIR, database_settings, read_environment
from interview_project.errors import ConfigurationError


def test_an_empty_environment_gives_a_site_that_runs_on_this_machine_alone() -> None:
    environment = read_environment({})
    assert environment.database_url is None
    assert environment.redis_url is None
    assert environment.port == 8000
    assert environment.data_dir == BASE_DIR / ".data"
    assert environment.enable_srl
    assert environment.enable_canonical_slots
    assert not environment.enable_question_self_selection
    assert not environment.debug
    assert environment.failpoint == ""


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("PORT", "abc", "PORT: found 'abc', expected a whole number from 1 to 65535"),
        ("PORT", "70000", "PORT: found '70000', expected a whole number from 1 to 65535"),
        ("DEBUG", "maybe", "DEBUG: found 'maybe', expected true or false"),
        ("LOG_FORMAT", "xml", "LOG_FORMAT: found 'xml', expected one of console, json"),
        (
            "LLM_SCORING_PROVIDER",
            "Open AI",
            (
                "LLM_SCORING_PROVIDER: found 'Open AI', expected anthropic, openai, kimi, "
                "deepseek, offline, or a name from the providers file"
            ),
        ),
        (
            "CSRF_TRUSTED_ORIGINS",
            "example.org",
            "CSRF_TRUSTED_ORIGINS: found 'example.org', expected a comma-separated list",
        ),
    ],
)
def test_a_wrong_value_names_the_variable_what_was_found_and_what_is_expected(
    name: str, value: str, message: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_environment({name: value})
    assert str(caught.value) == message


def test_all_wrong_values_are_told_at_once() -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_environment({"PORT": "x", "DEBUG": "maybe"})
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == ["PORT", "DEBUG"]


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("DATABASE_URL", "mysql://me:hunter2@host/name"),
        ("REDIS_URL", "http://:hunter2@host"),
        ("SECRET_KEY", "hunter2"),
    ],
)
def test_a_wrong_secret_is_never_repeated(name: str, secret: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_environment({name: secret})
    assert "hunter2" not in str(caught.value)
    assert str(caught.value).startswith(f"{name}: found a value that is not shown, expected ")


def test_secrets_do_not_show_when_the_environment_is_printed() -> None:
    environment = read_environment({"OPENAI_API_KEY": "sk-hunter2", "SECRET_KEY": "hunter2" * 6})
    assert "hunter2" not in repr(environment)


def test_an_empty_value_counts_as_unset() -> None:
    assert read_environment({"PORT": " ", "REDIS_URL": ""}) == read_environment({})


def test_a_relative_data_folder_is_meant_from_the_project(tmp_path: Path) -> None:
    assert read_environment({"DATA_DIR": "here"}).data_dir == BASE_DIR / "here"
    assert read_environment({"DATA_DIR": str(tmp_path)}).data_dir == tmp_path


def test_lists_are_split_at_commas() -> None:
    environment = read_environment({"ALLOWED_HOSTS": "a.example, b.example,"})
    assert environment.allowed_hosts == ("a.example", "b.example")


def test_provider_is_the_named_one_then_one_with_a_key_then_offline() -> None:
    assert read_environment({}).llm_provider("scoring") == "offline"
    with_key = read_environment({"KIMI_API_KEY": "k"})
    assert with_key.llm_provider("scoring") == "kimi"
    both = {"KIMI_API_KEY": "k", "LLM_SCORING_PROVIDER": "offline"}
    assert read_environment(both).llm_provider("scoring") == "offline"
    assert read_environment(both).llm_provider("extraction") == "kimi"


def test_a_database_address_is_taken_apart_with_its_escapes_and_options() -> None:
    found = database_settings(
        "postgresql://me:p%40ss@db.example:6543/in%2Fterviews?sslmode=require"
    )
    assert found == {
        "NAME": "in/terviews",
        "USER": "me",
        "PASSWORD": "p@ss",
        "HOST": "db.example",
        "PORT": "6543",
        "OPTIONS": {"sslmode": "require"},
    }


def test_a_socket_folder_may_be_the_host_of_a_database_address() -> None:
    found = database_settings("postgresql:///name?host=/run/postgresql")
    assert (found["HOST"], found["NAME"], found["OPTIONS"]) == ("/run/postgresql", "name", {})


@pytest.mark.parametrize("url", ["postgresql://host", "postgresql://host:port/name"])
def test_a_database_address_without_a_name_or_with_a_wrong_port_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^DATABASE_URL: .*expected postgresql://"):
        database_settings(url)
