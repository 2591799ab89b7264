"""Everything the environment may say, read once, typed, and refused loudly when it is wrong.

Pydantic does the reading because its errors name the field and because it is a dependency anyway;
the table in `docs/reference/settings.md` is generated from the descriptions below.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    SecretStr,
    ValidationError,
)
from pydantic.fields import FieldInfo

from interview_project.errors import ConfigurationError

BASE_DIR = Path(__file__).resolve().parent.parent

Role = Literal["extraction", "scoring", "generation"]
ROLES: tuple[Role, ...] = get_args(Role)

# Looked at in this order when a key is set and no provider is named.
PROVIDER_KEYS = {
    "anthropic": "anthropic_api_key",
    "openai": "openai_api_key",
    "kimi": "kimi_api_key",
    "deepseek": "deepseek_api_key",
}

# The embedding model that comes with the dependencies.
BUNDLED_MODEL = "all-MiniLM-L6-v2"

EXPECTED_BY_KIND = {
    "bool": "true or false",
    "list": "a comma-separated list",
    "provider": "anthropic, openai, kimi, deepseek, offline, or a name from the providers file",
    "url": "an address that starts with http:// or https://",
    "postgres": "postgresql://user:password@host:port/database",
    "smtp": "smtp://user:password@host:port (smtp+tls:// for STARTTLS, smtps:// for TLS)",
    "redis": "redis://host:port/number (or rediss://, unix://)",
}


def _split(value: object) -> object:
    """Turn "a, b" into ["a", "b"]; leave what is already a list alone."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def _starting_with(*schemes: str) -> AfterValidator:
    """Refuse an address of another scheme, or one without anything after the scheme."""

    def check(value: SecretStr | str) -> SecretStr | str:
        text = value.get_secret_value() if isinstance(value, SecretStr) else value
        if not any(text.startswith(scheme) and len(text) > len(scheme) for scheme in schemes):
            raise ValueError("not such an address")
        return value

    return AfterValidator(check)


def _absolute(value: Path) -> Path:
    """A relative folder is meant from the project's root, wherever the command was started."""
    return (BASE_DIR / value.expanduser()).absolute()


Names = Annotated[tuple[str, ...], BeforeValidator(_split)]
HttpUrl = Annotated[str, _starting_with("http://", "https://")]
Provider = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")]


def _is(kind: str) -> dict[str, Any]:
    return {"kind": kind}


class Environment(BaseModel):
    """What a machine may choose; each field is the variable of its name in capitals."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", str_strip_whitespace=True, validate_default=True
    )

    _variables: Mapping[str, str] = PrivateAttr(default_factory=dict)

    # Where things are
    database_url: Annotated[SecretStr, _starting_with("postgresql://", "postgres://")] | None = (
        Field(
            default=None,
            description="A PostgreSQL server that has pgvector. "
            "Unset: the embedded PostgreSQL, started when it is first needed.",
            json_schema_extra=_is("postgres"),
        )
    )
    redis_url: Annotated[SecretStr, _starting_with("redis://", "rediss://", "unix://")] | None = (
        Field(
            default=None,
            description="Redis as broker and channel layer. Unset: both inside the one process.",
            json_schema_extra=_is("redis"),
        )
    )
    data_dir: Annotated[Path, AfterValidator(_absolute)] = Field(
        default=Path(".data"),
        description="Folder of the embedded database, uploads and the generated secret key.",
    )
    port: int = Field(default=8000, ge=1, le=65535, description="Where `make run` listens.")
    db_pool_size: int = Field(
        default=20, ge=0, le=1000, description="Database connections a process; 0: no pool."
    )
    db_prepare: bool = Field(
        default=True,
        description="Have the server bind parameters and keep the plans of repeated statements. "
        "False behind a pooler that gives every transaction another connection.",
        json_schema_extra=_is("bool"),
    )

    turns_at_once: int = Field(
        default=128,
        ge=1,
        le=1000,
        description="Turns under way in a process that works turns. One that waits for a language "
        "model costs a thread's memory; only as many compute at a time as there are cores.",
    )

    # Web
    secret_key: SecretStr | None = Field(
        default=None,
        min_length=32,
        description="Signs sessions and invitations. Unset: made once and kept in DATA_DIR.",
    )
    personal_data_key: SecretStr | None = Field(
        default=None,
        description="Encrypts what respondents give of themselves. Several, separated by commas: "
        "the first encrypts, all decrypt. Unset: made once and kept in DATA_DIR.",
    )
    debug: bool = Field(
        default=False,
        description="Django's debug pages. Never in production.",
        json_schema_extra=_is("bool"),
    )
    https: bool = Field(
        default=False,
        description="Served behind a proxy that ends TLS and overwrites X-Forwarded-Proto and "
        "X-Forwarded-For: secure cookies, HSTS, redirect to https.",
        json_schema_extra=_is("bool"),
    )
    allowed_hosts: Names = Field(
        default=("localhost", "127.0.0.1", "[::1]"),
        description="Host names that this site answers to.",
        json_schema_extra=_is("list"),
    )
    csrf_trusted_origins: Annotated[tuple[HttpUrl, ...], BeforeValidator(_split)] = Field(
        default=(),
        description="Origins that may post forms, scheme included.",
        json_schema_extra=_is("list"),
    )
    public_url: HttpUrl | None = Field(
        default=None,
        description="How respondents reach this site, for links that are printed or mailed.",
        json_schema_extra=_is("url"),
    )

    webhooks_to_loopback: bool = Field(
        default=False,
        description="Send webhooks to this machine itself, too; for trying receivers out.",
        json_schema_extra=_is("bool"),
    )

    # Mail
    email_url: Annotated[SecretStr, _starting_with("smtp://", "smtp+tls://", "smtps://")] | None = (
        Field(
            default=None,
            description="The server that mail goes out by: new passwords, invitations, a "
            "reminder, respondents' links. "
            "Unset: nobody is sent mail.",
            json_schema_extra=_is("smtp"),
        )
    )
    email_from: str = Field(
        default="interviews@localhost", description="Whose name stands under that mail."
    )

    # Language models
    llm_extraction_provider: Provider | None = Field(
        default=None,
        description="Who reads answers into graph elements.",
        json_schema_extra=_is("provider"),
    )
    llm_extraction_model: str | None = Field(
        default=None, description="Model for extraction; unset: the provider's default."
    )
    llm_extraction_fallback: Provider | None = Field(
        default=None,
        description="Who takes over when extraction's provider fails.",
        json_schema_extra=_is("provider"),
    )
    llm_scoring_provider: Provider | None = Field(
        default=None,
        description="Who rates answers.",
        json_schema_extra=_is("provider"),
    )
    llm_scoring_model: str | None = Field(
        default=None, description="Model for scoring; unset: the provider's default."
    )
    llm_scoring_fallback: Provider | None = Field(
        default=None,
        description="Who takes over when scoring's provider fails.",
        json_schema_extra=_is("provider"),
    )
    llm_generation_provider: Provider | None = Field(
        default=None,
        description="Who phrases questions.",
        json_schema_extra=_is("provider"),
    )
    llm_generation_model: str | None = Field(
        default=None, description="Model for generation; unset: the provider's default."
    )
    llm_generation_fallback: Provider | None = Field(
        default=None,
        description="Who takes over when generation's provider fails.",
        json_schema_extra=_is("provider"),
    )
    anthropic_api_key: SecretStr | None = Field(default=None, description="Key for Anthropic.")
    anthropic_base_url: HttpUrl | None = Field(
        default=None, description="Another address for Anthropic.", json_schema_extra=_is("url")
    )
    openai_api_key: SecretStr | None = Field(default=None, description="Key for OpenAI.")
    openai_base_url: HttpUrl | None = Field(
        default=None,
        description="Another address for OpenAI, or any server that speaks its protocol.",
        json_schema_extra=_is("url"),
    )
    kimi_api_key: SecretStr | None = Field(default=None, description="Key for Kimi.")
    deepseek_api_key: SecretStr | None = Field(default=None, description="Key for DeepSeek.")

    # Language without language models
    embedding_model: str = Field(
        default=BUNDLED_MODEL,
        description="The bundled model's name, or the folder of a sentence-transformers model "
        "with 384 dimensions.",
    )
    spacy_model: str = Field(
        default="en_core_web_md",
        description="spaCy model with a parser; where it is not installed, rules take its place.",
    )
    enable_srl: bool = Field(
        default=True,
        description="Stage 2.5: discourse relations and predicate frames.",
        json_schema_extra=_is("bool"),
    )
    enable_canonical_slots: bool = Field(
        default=True,
        description="Stage 4.5: canonical slots beside the surface graph.",
        json_schema_extra=_is("bool"),
    )

    enable_question_self_selection: bool = Field(
        default=False,
        description="Stage 8: a language model words three questions and picks one, in one call.",
        json_schema_extra=_is("bool"),
    )

    # Operation
    failpoint: str = Field(
        default="",
        description="For the torture tests: the named place at which this process kills itself.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] = Field(
        default="INFO", description="Least severe message that is logged."
    )
    log_format: Literal["console", "json"] = Field(
        default="console", description="Lines for people, or JSON for a collector."
    )

    def llm_provider(self, role: Role) -> str:
        """The provider for `role`: the one named, else the first that has a key, else offline."""
        named: str | None = getattr(self, f"llm_{role}_provider")
        if named:
            return named
        for provider, key in PROVIDER_KEYS.items():
            if getattr(self, key) is not None:
                return provider
        return "offline"

    def variable(self, name: str) -> str:
        """The variable of this name as it was at the start, "" where it was not set.

        For names that no field has: a catalogue of providers says in which variable a key is.
        """
        return self._variables.get(name, "")


def read_environment(source: Mapping[str, str] | None = None) -> Environment:
    """Read the variables from `source` (`os.environ`); an empty one counts as unset.

    Raises ConfigurationError that names every wrong variable, what was found and what is expected.
    """
    values = os.environ if source is None else source
    found = {
        name: values[name.upper()]
        for name in Environment.model_fields
        if values.get(name.upper(), "").strip()
    }
    try:
        environment = Environment.model_validate(found)
    except ValidationError as error:
        lines = dict.fromkeys(_complaint(str(item["loc"][0]), found) for item in error.errors())
        raise ConfigurationError("\n".join(lines)) from error
    environment._variables = {name: text.strip() for name, text in values.items() if text.strip()}
    return environment


def _complaint(name: str, found: Mapping[str, str]) -> str:
    field = Environment.model_fields[name]
    secret = "SecretStr" in str(field.annotation)
    shown = "a value that is not shown" if secret else repr(found.get(name, ""))
    return f"{name.upper()}: found {shown}, expected {expected(field)}"


def expected(field: FieldInfo) -> str:
    """What a person should write into the variable of `field`, in words."""
    extra: Any = field.json_schema_extra
    if isinstance(extra, dict) and "kind" in extra:
        return EXPECTED_BY_KIND[str(extra["kind"])]
    if get_args(field.annotation) and all(isinstance(a, str) for a in get_args(field.annotation)):
        return "one of " + ", ".join(get_args(field.annotation))
    limits = {type(m).__name__: m for m in field.metadata}
    if field.annotation is int:
        return f"a whole number from {limits['Ge'].ge} to {limits['Le'].le}"
    if "MinLen" in limits:
        return f"at least {limits['MinLen'].min_length} characters"
    return "text"


def database_settings(url: str) -> dict[str, Any]:
    """Django's keys for a PostgreSQL address; its query becomes connection OPTIONS.

    Raises ConfigurationError when the address names no database.
    """
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError as error:
        raise ConfigurationError(
            "DATABASE_URL: the port is not a number; expected " + EXPECTED_BY_KIND["postgres"]
        ) from error
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise ConfigurationError(
            "DATABASE_URL: no database is named; expected " + EXPECTED_BY_KIND["postgres"]
        )
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    return {
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(options.pop("host", parts.hostname or "")),
        "PORT": str(port or ""),
        "OPTIONS": options,
    }


def mail_settings(url: str) -> dict[str, Any]:
    """Django's settings for the address of a mail server.

    Raises ConfigurationError when its port is not a number.
    """
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError as error:
        raise ConfigurationError(
            "EMAIL_URL: the port is not a number; expected " + EXPECTED_BY_KIND["smtp"]
        ) from error
    usual = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
    return {
        "EMAIL_HOST": parts.hostname or "",
        "EMAIL_PORT": port or usual[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_TIMEOUT": 10,
    }


def broker_url(redis_url: str) -> str:
    """Celery's spelling of a Redis address; for a socket in the file system it has its own."""
    parts = urlsplit(redis_url)
    if parts.scheme != "unix":
        return redis_url
    database = dict(parse_qsl(parts.query)).get("db", "0")
    return f"redis+socket://{parts.netloc}{parts.path}?virtual_host={database}"
