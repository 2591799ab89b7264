"""One suite, every way to speak: each protocol, streamed and whole, each kind of structure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from interviews import dispatch
from interviews.llm.config import ModelEntry, ProviderEntry, RoleChoice
from interviews.llm.gateway import Gateway
from interviews.llm.providers.base import Structure
from interviews.models import Study
from interviews.turns.calls import CallLog, CallRecord
from tests.factories import StudyFactory
from tests.integration.llm.interviewing import Model
from tests.llm_protocol import kit
from tests.llm_protocol.server import ProviderServer, provider_server

MODEL = "model-under-test"


@dataclass(frozen=True, slots=True)
class Way:
    """How a provider is spoken to."""

    protocol: str
    structure: Structure
    stream: bool


EVERY_WAY = [
    Way(protocol, structure, stream)
    for protocol in ("anthropic", "openai")
    for structure in Structure
    for stream in (True, False)
]
MAIN_WAYS = [way for way in EVERY_WAY if way.structure is Structure.SCHEMA]


@dataclass(slots=True, kw_only=True)
class World:
    """A gateway and the provider that it talks to."""

    way: Way
    server: ProviderServer
    spare: ProviderServer
    clock: kit.SetClock
    gateway: Gateway
    log: CallLog

    def records(self) -> list[CallRecord]:
        return list(self.log.drain())


def _entry(way: Way, server: ProviderServer) -> ProviderEntry:
    base = server.origin if way.protocol == "anthropic" else f"{server.origin}/v1"
    return ProviderEntry.model_validate(
        {
            "protocol": way.protocol,
            "base_url": base,
            "key": "A_KEY",
            "structured": way.structure,
            "stream": way.stream,
            "models": {"generation": MODEL, "scoring": MODEL, "extraction": MODEL},
        }
    )


def _name(way: Way) -> str:
    return f"{way.protocol}-{way.structure}-{'sse' if way.stream else 'whole'}"


@pytest.fixture(params=MAIN_WAYS, ids=_name)
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """Each protocol, streamed and whole."""
    yield from _world(request.param)


@pytest.fixture(params=EVERY_WAY, ids=_name)
def every_world(request: pytest.FixtureRequest) -> Iterator[World]:
    """Each protocol and kind of structure, streamed and whole."""
    yield from _world(request.param)


def _world(way: Way) -> Iterator[World]:
    clock = kit.SetClock()
    with provider_server(key=kit.KEY) as server, provider_server(key=kit.KEY) as spare:
        settings = kit.config(
            {"generation": RoleChoice(provider="main"), "scoring": RoleChoice(provider="main")},
            providers={"main": _entry(way, server), "spare": _entry(way, spare)},
            models={
                MODEL: ModelEntry.model_validate(
                    {
                        "input": 3,
                        "output": 15,
                        "cached": "0.3",
                        "cache_write": "3.75",
                        "temperature": True,
                        "effort": {"generation": "low"},
                    }
                )
            },
        )
        gateway = kit.gateway(settings, clock)
        try:
            yield World(
                way=way, server=server, spare=spare, clock=clock, gateway=gateway, log=CallLog()
            )
        finally:
            gateway.close()


@pytest.fixture
def study(db: None) -> Iterator[Study]:
    """A live study whose turns are worked by the test itself."""
    with dispatch.held_back():
        yield StudyFactory.create(status=Study.Status.LIVE)


@pytest.fixture
def model() -> Model:
    """One for all servers of a test, so that no question is asked twice."""
    return Model()
