"""How long exports of a large study take, and how much memory."""

from __future__ import annotations

import gc
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import psutil
from django.core.management import call_command

from graphs.models import KGEdge, KGNode, Mention
from interviews.bench.sessions import AT_ONCE, fill
from interviews.bench.turn import rolled_back, study_for_bench
from interviews.models import Session, Study, Turn, Utterance

SESSIONS: Final = 1000
TURNS, NODES = 10, 20
FORMATS: Final = ("csv", "graphml", "json", "jsonl", "md", "qdpx", "sav", "xlsx")
SAID = "I like that it keeps me dry, because staying dry lets me enjoy the whole day outside."
SAMPLE_SECONDS = 0.01


def bench_export(sessions: int = SESSIONS) -> dict[str, Any]:
    """Return seconds, size and peak memory above what the process had, by format.

    The command itself writes to a file; the interviews are rolled back afterwards.
    """
    with rolled_back(), tempfile.TemporaryDirectory() as folder:
        study = study_for_bench()
        fill(study, sessions)
        fill_graphs(study)
        found = {name: _measured(study, name, Path(folder) / name) for name in FORMATS}
    return {
        "formats": found,
        "conditions": {
            "sessions": sessions,
            "turns": TURNS,
            "nodes": NODES,
            "peak_mb": "resident memory above what the process had before, at its highest",
        },
    }


def fill_graphs(study: Study) -> None:
    """Give each interview of the study answers, concepts, links and their quotes."""
    for first in range(0, Session.objects.filter(study=study).count(), 50):
        sessions = list(Session.objects.filter(study=study).order_by("pk")[first : first + 50])
        _fill(sessions)


def _fill(sessions: list[Session]) -> None:
    said = [
        Utterance(session=one, turn_number=n, sequence=n, speaker="respondent", text=f"{SAID} {n}")
        for one in sessions
        for n in range(1, TURNS + 1)
    ]
    Utterance.objects.bulk_create(said, batch_size=AT_ONCE)
    Turn.objects.bulk_create(
        (
            Turn(session=u.session, number=u.turn_number, status=Turn.Status.DONE, answer=u)
            for u in said
        ),
        batch_size=AT_ONCE,
    )
    nodes = [
        KGNode(session=one, label=f"concept {n}", node_type="attribute", first_turn=1, position=n)
        for one in sessions
        for n in range(NODES)
    ]
    KGNode.objects.bulk_create(nodes, batch_size=AT_ONCE)
    edges = [
        KGEdge(session=a.session, source=a, target=b, edge_type="leads_to", first_turn=1)
        for a, b in pairwise(nodes)
        if a.session is b.session
    ]
    KGEdge.objects.bulk_create(edges, batch_size=AT_ONCE)
    last = {u.session_id: u for u in said}
    span = {"quote": SAID[:12], "start": 0, "end": 12, "turn": 1}
    last = {u.session_id: u for u in said}
    of: list[dict[str, Any]] = [{"session": n.session, "node": n} for n in nodes]
    of += [{"session": e.session, "edge": e} for e in edges]
    span = {"quote": SAID[:12], "start": 0, "end": 12, "turn": 1}
    mentions = [Mention(utterance=last[one["session"].pk], **one, **span) for one in of]
    Mention.objects.bulk_create(mentions, batch_size=AT_ONCE)


def _measured(study: Study, name: str, path: Path) -> dict[str, Any]:
    gc.collect()
    with _highest() as peak:
        started = time.perf_counter()
        with path.with_suffix(".err").open("w") as err:
            call_command("export", study.slug, format_name=name, out=str(path), stderr=err)
        taken = time.perf_counter() - started
    return {
        "seconds": round(taken, 1),
        "peak_mb": round(peak[0] / 2**20, 1),
        "mb": round(path.stat().st_size / 2**20, 2),
    }


@contextmanager
def _highest() -> Iterator[list[int]]:
    """How far the process's memory rose above what it was, in bytes, once the block is left."""
    process, found, over = psutil.Process(), [0], threading.Event()
    before = process.memory_info().rss

    def watch() -> None:
        while not over.wait(SAMPLE_SECONDS):
            found[0] = max(found[0], process.memory_info().rss - before)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield found
    finally:
        over.set()
        watcher.join()
