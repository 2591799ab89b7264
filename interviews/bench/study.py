"""How long the page of a study takes where there are hundreds of interviews, and its drawing."""

from __future__ import annotations

import mimetypes
import random
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from graphs.models import CanonicalSlot, KGEdge, KGNode, Mention, SlotMapping
from interviews.bench.errors import BenchImpossible
from interviews.bench.turn import counted_queries, rolled_back, study_for_bench
from interviews.models import Session, SessionSummary, Study, Turn, Utterance
from methodologies.registry import methodology_of

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

SESSIONS, NODES, THEMES = 200, 40, 90
DRAWN, DRAWN_SESSIONS = 2000, 50
SAMPLES, WARM_UP = 20, 2
SITE = "http://bench.invalid"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
WAIT_MS = 120_000

WATCH = """() => {
  window.__long = [0];
  new PerformanceObserver(list => list.getEntries().forEach(e => window.__long.push(e.duration)))
    .observe({type: 'longtask', buffered: true});
}"""
CUT = """async cutoff => {
  const slider = document.querySelector('[data-slider]');
  const figure = document.querySelector('[data-canvas]');
  const before = performance.now();
  slider.value = String(cutoff);
  slider.dispatchEvent(new Event('input'));
  while (figure.dataset.cutoff !== String(cutoff)) await new Promise(requestAnimationFrame);
  return performance.now() - before;
}"""


def bench_study(sessions: int = SESSIONS, samples: int = SAMPLES) -> dict[str, Any]:
    """Return p95 milliseconds and statements of the page, and what its drawing takes in Chromium.

    The page is asked for through the site's own address, signed in; everything is rolled back.
    Raises BenchImpossible where Chromium is missing or the page does not answer.
    """
    binary = shutil.which("chromium") or shutil.which("chromium-browser")
    if binary is None:
        raise BenchImpossible("Chromium is not installed; the drawing is measured in it")
    with rolled_back():
        client = Client(SERVER_NAME="localhost")
        client.force_login(
            User.objects.create_superuser("bench-study"),
            "django.contrib.auth.backends.ModelBackend",
        )
        study = study_for_bench()
        fill(study, sessions, NODES, THEMES)
        taken, queries, page = _measured(client, _address(study), samples)
        large = study_for_bench()
        fill(large, DRAWN_SESSIONS, DRAWN // DRAWN_SESSIONS, None)
        _, _, large_page = _measured(client, f"{_address(large)}?cutoff=1", 1)
    taken.sort()
    with _browser(binary, {"/page": page, "/large": large_page}) as tab:
        tab.goto(f"{SITE}/page")
        tab.wait_for_selector("[data-canvas][data-drawn]", timeout=WAIT_MS)
        highest = int(tab.locator("[data-slider]").get_attribute("max") or 1)
        steps = sorted({max(1, round(highest * part / 10)) for part in range(11)})
        cuts = sorted(float(tab.evaluate(CUT, step)) for step in [*steps, *reversed(steps[:-1])])
        tab.goto(f"{SITE}/large")
        tab.wait_for_selector(f"[data-canvas][data-drawn='{DRAWN}']", timeout=WAIT_MS)
        longest = float(tab.evaluate("() => Math.max(...window.__long)"))
        drawn = int(tab.locator("[data-canvas]").get_attribute("data-drawn") or 0)
    return {
        "page_ms_p95": round(taken[int(0.95 * (len(taken) - 1))], 1),
        "queries": queries,
        "cutoff_ms": round(cuts[int(0.95 * (len(cuts) - 1))], 1),
        "nodes_drawn": drawn,
        "longest_task_ms": round(longest, 1),
        "conditions": {
            "sessions": sessions,
            "nodes_a_session": NODES,
            "themes": THEMES,
            "samples": samples,
            "page_ms_p50": round(taken[len(taken) // 2], 1),
            "cutoffs": len(cuts),
        },
    }


def fill(study: Study, sessions: int, nodes: int, themes: int | None) -> None:
    """Store so many interviews of so many concepts in chains; of `themes` themes, or none."""
    chance = random.Random(7)  # noqa: S311  material of a bench, no secret
    levels = [
        (one.name, one.level)
        for one in methodology_of(study.methodology_version).graph_ontology.node_types
        if one.level is not None
    ]
    now = timezone.now()
    versions = {
        "concept_version_id": study.concept_version_id,
        "methodology_version_id": study.methodology_version_id,
    }
    held = Session.objects.bulk_create(
        Session(
            study=study,
            status="completed",
            ended_at=now,
            turn_count=10,
            last_sequence=21,
            **versions,
        )
        for _ in range(sessions)
    )
    SessionSummary.objects.bulk_create(
        SessionSummary(session=one, nodes=nodes, strategy_counts={"deepen": 6, "explore": 4})
        for one in held
    )
    rows: dict[type[Any], list[Any]] = {
        kind: [] for kind in (Utterance, Turn, KGNode, CanonicalSlot, SlotMapping, KGEdge, Mention)
    }
    for session in held:
        _one(session, nodes, themes, levels, chance, rows)
    for kind, found in rows.items():
        kind.objects.bulk_create(found, batch_size=1000)


def _one(
    session: Session,
    nodes: int,
    themes: int | None,
    levels: list[tuple[str, int]],
    chance: random.Random,
    rows: dict[type[Any], list[Any]],
) -> None:
    answers = []
    for number in range(11):
        question = Utterance(
            session=session,
            turn_number=number,
            sequence=2 * number + 2,
            speaker="interviewer",
            text="Why does this matter to you?",
        )
        answer = None
        if number:
            answer = Utterance(
                session=session,
                turn_number=number,
                sequence=2 * number + 1,
                speaker="respondent",
                text="It keeps me dry " * 12,
            )
            answers.append(answer)
            rows[Utterance].append(answer)
        rows[Utterance].append(question)
        rows[Turn].append(
            Turn(
                session=session,
                number=number,
                status="done",
                answer=answer,
                question=question,
                strategy="deepen",
                active_seconds=60.0 * number,
                result={"ratings": {"response_depth": 3}, "heard": {"act": "answer"}},
            )
        )
    pool = range(themes) if themes else range(nodes)
    # The first themes are said by most, as in real interviews.
    chosen = sorted(pool, key=lambda n: chance.random() * (1 + n / 12))[:nodes]
    said = []
    for place, number in enumerate(chosen):
        node_type, level = levels[number % len(levels)]
        node = KGNode(
            pk=uuid4(),
            session=session,
            label=f"concept {number}",
            node_type=node_type,
            level=level,
            first_turn=1 + place % 10,
            position=place,
        )
        said.append((level, node))
        rows[KGNode].append(node)
        if themes:
            slot = CanonicalSlot(
                pk=uuid4(),
                session=session,
                slot_name=f"theme_{number}",
                node_type=node_type,
                first_seen_turn=1,
            )
            rows[CanonicalSlot].append(slot)
            rows[SlotMapping].append(
                SlotMapping(node=node, session=session, slot=slot, similarity=1, assigned_turn=1)
            )
        rows[Mention].append(_mention(session, answers[place % 10], node=node))
    by_level: dict[int, list[KGNode]] = {}
    for level, node in said:
        by_level.setdefault(level, []).append(node)
    for low, high in pairwise(sorted(by_level)):
        for place, node in enumerate(by_level[low]):
            target = by_level[high][place % len(by_level[high])]
            edge = KGEdge(
                pk=uuid4(),
                session=session,
                source=node,
                target=target,
                edge_type="leads_to",
                first_turn=1,
            )
            rows[KGEdge].append(edge)
            rows[Mention].append(
                _mention(session, answers[place % 10], edge=edge, provenance="stated")
            )


def _mention(session: Session, answer: Utterance, **what: Any) -> Mention:
    return Mention(
        session=session,
        utterance=answer,
        quote="It keeps me dry",
        start=0,
        end=15,
        turn=answer.turn_number,
        **what,
    )


def _address(study: Study) -> str:
    return reverse("analytics:study_map", args=[study.slug])


def _measured(client: Client, address: str, samples: int) -> tuple[list[float], int, bytes]:
    taken, queries, content = [], 0, b""
    for sample in range(WARM_UP + samples):
        with counted_queries() as count:
            started = time.perf_counter()
            response = client.get(address)
            elapsed = (time.perf_counter() - started) * 1000
        if response.status_code != 200:
            raise BenchImpossible(f"{address} answered {response.status_code}")
        content = response.content
        if sample >= WARM_UP:
            taken.append(elapsed)
            queries = max(queries, count())
    return taken, queries, content


@contextmanager
def _browser(binary: str, pages: dict[str, bytes]) -> Iterator[Page]:
    """A tab to which these pages and the site's files are all there is."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise BenchImpossible("playwright is missing: make setup installs it") from error

    def answer(route: Route) -> None:
        path = urlsplit(route.request.url).path
        if path in pages:
            route.fulfill(body=pages[path], content_type="text/html; charset=utf-8")
            return
        file = _static(path)
        if file is None:
            route.fulfill(status=404)
        else:
            kind = "text/javascript" if file.suffix in (".js", ".mjs") else None
            kind = kind or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            route.fulfill(body=file.read_bytes(), content_type=kind)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=binary, args=FLAGS)
        tab = browser.new_page(viewport={"width": 1440, "height": 900})
        tab.add_init_script(f"({WATCH})()")
        tab.route("**/*", answer)
        yield tab
        browser.close()


def _static(path: str) -> Path | None:
    """The file of the site's own that an address under /static/ means."""
    name = path.removeprefix(f"/{settings.STATIC_URL.strip('/')}/")
    found = finders.find(name)
    if isinstance(found, str):
        return Path(found)
    collected = Path(settings.STATIC_ROOT) / name
    return collected if collected.is_file() else None
