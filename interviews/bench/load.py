"""How long respondents wait where many chats are held at once, and whether anything gets lost."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import numpy as np
import psutil
from django.conf import settings

from interviews.bench.chats import PATIENCE, Answers, Respondent, Schedule, Site, Tally
from interviews.bench.errors import BenchImpossible
from interviews.bench.latency import rounds
from interviews.bench.standin import PROVIDER, StandIn
from interviews.bench.turn import ANSWER
from interviews.llm.config import ROLES
from interviews.simulation.respondent import SimulatedRespondent
from interviews.simulation.world import load_world
from methodologies.registry import LIBRARY
from methodologies.schema import PersonaSchema
from methodologies.yaml_loader import load_persona

STUDY = "demo"
CONCEPT = "hiking_backpacks"
BEGIN_AT_ONCE = 8
ALONE_TURNS = 3
"""Turns of one chat alone, by which the calls that a turn makes one after the other are counted."""
STOP_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What to hold: `chats` at once for `minutes`, each thinking `think` (from, to) seconds.

    Without `url`, the public link of a study, the bench serves a site of its own, whose models
    take `llm_seconds` a call; None has the offline interviewer lead.
    """

    chats: int = 200
    think: tuple[float, float] = (10.0, 20.0)
    llm_seconds: float | None = 1.0
    minutes: float = 3.0
    url: str | None = None


def bench_load(load: Load) -> dict[str, Any]:
    """Hold chats over WebSockets and return what their respondents saw; times in milliseconds.

    Counted are the answers sent in the given minutes; their questions are waited for.
    `llm_path_ms` is what the calls that a turn makes one after the other take by themselves.
    Raises BenchImpossible where no site answers or the link is not that of an open study.
    """
    return asyncio.run(_bench(load))


async def _bench(load: Load) -> dict[str, Any]:
    if load.url is not None:
        return await _hold(load, Site(link=load.url), None, None)
    async with _stand_in(load.llm_seconds) as stand_in:
        with (
            tempfile.TemporaryDirectory() as folder,
            serving(Path(folder), stand_in) as (process, base),
        ):
            await until_it_answers(process, base)
            return await _hold(load, Site(link=f"{base}/s/{STUDY}/"), process, stand_in)


@asynccontextmanager
async def _stand_in(seconds: float | None) -> AsyncIterator[StandIn | None]:
    if seconds is None:
        yield None
        return
    async with StandIn(seconds).serving() as stand_in:
        yield stand_in


async def _hold(
    load: Load, site: Site, process: psutil.Process | None, stand_in: StandIn | None
) -> dict[str, Any]:
    await site.check()
    path = None if stand_in is None else await _calls_in_a_row(load, site, stand_in)
    tally, schedule = Tally(), Schedule()
    respondents = [_respondent(load, site, tally, seed) for seed in range(load.chats)]
    async with asyncio.TaskGroup() as chats:
        begun, door = asyncio.Semaphore(0), asyncio.Semaphore(BEGIN_AT_ONCE)

        def has_begun() -> None:
            door.release()
            begun.release()

        for respondent in respondents:
            await door.acquire()
            chats.create_task(respondent.hold(schedule, has_begun))
        for _ in respondents:
            await begun.acquire()
        before = _use(process)
        schedule.start(load.minutes * 60)
        await asyncio.sleep(load.minutes * 60)
        after = _use(process)
    return _figures(load, tally, schedule.until, path, before, after)


async def _calls_in_a_row(load: Load, site: Site, stand_in: StandIn) -> int:
    """The most calls of a turn that wait for each other, by one chat that is alone."""
    most = 0
    ends = count()

    def answers() -> Answers:
        def answer(question: str, number: int) -> str:
            nonlocal most
            most = max(most, len(rounds(stand_in.calls)))
            stand_in.calls.clear()
            if next(ends) == ALONE_TURNS:
                schedule.until = 0.0
            return _answer_for_model(number)

        return answer

    schedule = Schedule()
    schedule.start(PATIENCE)
    alone = Respondent(
        site=site,
        answers=answers,
        think=(0.0, 0.0),
        random=Random(0),  # noqa: S311 - reproducible on purpose
        tally=Tally(),
    )
    await alone.hold(schedule, lambda: None)
    return most


def _respondent(load: Load, site: Site, tally: Tally, seed: int) -> Respondent:
    world, personas = load_world(CONCEPT), _personas()
    numbers = count(seed, load.chats)

    def simulated() -> Answers:
        number = next(numbers)
        return SimulatedRespondent(world, personas[number % len(personas)], number).answer

    with_model = load.url is None and load.llm_seconds is not None
    return Respondent(
        site=site,
        answers=(lambda: lambda question, number: _answer_for_model(number))
        if with_model
        else simulated,
        think=load.think,
        random=Random(seed),  # noqa: S311 - reproducible on purpose
        tally=tally,
    )


@cache
def _personas() -> tuple[PersonaSchema, ...]:
    """Those that ship."""
    files = sorted((LIBRARY / "personas").glob("*.yaml"))
    return tuple(load_persona(file.read_text(encoding="utf-8"), file.name) for file in files)


def _answer_for_model(number: int) -> str:
    """An answer in which the stand-in finds the words that it quotes."""
    return f"{ANSWER} That was on walk {number}."


# -- the site ------------------------------------------------------------------------------------
@contextmanager
def serving(folder: Path, stand_in: StandIn | None) -> Iterator[tuple[psutil.Process, str]]:
    """`manage.py serve` on a data folder of its own, ended by its process id."""
    if stand_in is not None:
        (folder / "llm.yaml").write_text(stand_in.catalogue())
    port = _free_port()
    ours = {"DATA_DIR": str(folder), "PORT": str(port), "LOG_LEVEL": "ERROR"}
    ours |= {f"LLM_{role.upper()}_PROVIDER": PROVIDER for role in ROLES if stand_in is not None}
    with (folder / "serve.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, str(settings.BASE_DIR / "manage.py"), "serve"],
            env=_environment() | ours,
            stdout=log,
            stderr=log,
        )
    try:
        yield psutil.Process(process.pid), f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _environment() -> dict[str, str]:
    """Ours, without what would lead elsewhere: other models, databases and brokers."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("LLM_")
        and not name.endswith(("_API_KEY", "_BASE_URL"))
        and name not in ("DATABASE_URL", "REDIS_URL", "FAILPOINT", "HTTPS", "PUBLIC_URL")
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def until_it_answers(process: psutil.Process, base: str) -> None:
    """Wait until the site answers and its language tools are loaded."""
    deadline = time.monotonic() + PATIENCE
    async with httpx2.AsyncClient(timeout=10) as client:
        while time.monotonic() < deadline and process.is_running():
            try:
                told = (await client.get(f"{base}/healthz")).json()
            except (httpx2.HTTPError, ValueError):
                told = {}
            if "lexicon" in told and "loaded when" not in told["embedding"]["detail"]:
                return
            await asyncio.sleep(0.5)
    raise BenchImpossible("the site that the bench started does not answer")


# -- the figures ---------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class _Use:
    """What a site's process has used: memory in MB, processor seconds."""

    rss_mb: int
    seconds: float


def _use(process: psutil.Process | None) -> _Use | None:
    if process is None:
        return None
    times = process.cpu_times()
    return _Use(rss_mb=round(process.memory_info().rss / 2**20), seconds=times.user + times.system)


def _figures(
    load: Load,
    tally: Tally,
    until: float,
    path: int | None,
    before: _Use | None,
    after: _Use | None,
) -> dict[str, Any]:
    seconds = load.minutes * 60
    in_time = sum(asked <= until for asked in tally.asked_at)
    own = load.url is None
    model = load.llm_seconds if own else None
    return {
        "chats": load.chats,
        "turns": len(tally.questions),
        "lost": tally.faults.lost,
        "doubled": tally.faults.doubled,
        "out_of_order": tally.faults.out_of_order,
        "accept_p50_ms": _percentile(tally.accepts, 50),
        "accept_p99_ms": _percentile(tally.accepts, 99),
        "question_p50_ms": _percentile(tally.questions, 50),
        "question_p95_ms": _percentile(tally.questions, 95),
        "llm_path_ms": None if path is None or model is None else round(path * model * 1000),
        "turns_per_s": round(in_time / seconds, 2),
        "rss_mb_start": before and before.rss_mb,
        "rss_mb_end": after and after.rss_mb,
        "errors": dict(tally.errors),
        "conditions": {
            "site": "manage.py serve, one process" if own else load.url,
            "models": f"a stand-in on loopback, {model:g} s a call"
            if model is not None
            else "offline"
            if own
            else "the site's",
            "think_seconds": list(load.think),
            "minutes": load.minutes,
            "cores": psutil.cpu_count(),
            "site_cores_used": round((after.seconds - before.seconds) / seconds, 2)
            if before and after
            else None,
            "generator": "on the same machine",
        },
    }


def _percentile(seconds: list[float], share: float) -> int | None:
    """In milliseconds; None of nothing."""
    return round(float(np.percentile(seconds, share)) * 1000) if seconds else None
