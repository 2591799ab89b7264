"""`manage.py bench WHAT`: measure, and say under which conditions."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from interviews.bench.acts import bench_acts
from interviews.bench.api import bench_api
from interviews.bench.chat import bench_chat
from interviews.bench.console import bench_console
from interviews.bench.errors import BenchImpossible
from interviews.bench.evaluative import bench_evaluative
from interviews.bench.export import bench_export
from interviews.bench.extraction import bench_extraction
from interviews.bench.guided import bench_guided
from interviews.bench.handover import bench_handover
from interviews.bench.interviews import bench_interviews
from interviews.bench.latency import LATENCY, bench_latency
from interviews.bench.listening import bench_listening
from interviews.bench.listening_material import SPLITS
from interviews.bench.load import Load, bench_load
from interviews.bench.matching import bench_matching
from interviews.bench.parser import bench_parser
from interviews.bench.scoring import bench_scoring
from interviews.bench.search import bench_search
from interviews.bench.sessions import bench_sessions
from interviews.bench.study import bench_study
from interviews.bench.turn import bench_turn
from interviews.training.errors import LabelsUnusable

BENCHES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "acts": lambda options: bench_acts(),
    "api": lambda options: bench_api(),
    "chat": lambda options: bench_chat(),
    "console": lambda options: bench_console(),
    "evaluative": lambda options: bench_evaluative(),
    "export": lambda options: bench_export(),
    "extraction": lambda options: bench_extraction(),
    "guided": lambda options: bench_guided(),
    "handover": lambda options: bench_handover(),
    "interviews": lambda options: bench_interviews(),
    "latency": lambda options: bench_latency(latency=options["llm_seconds"]),
    "listening": lambda options: bench_listening(options["split"]),
    "load": lambda options: bench_load(_load(options)),
    "matching": lambda options: bench_matching(),
    "parser": lambda options: bench_parser(),
    "scoring": lambda options: bench_scoring(),
    "search": lambda options: bench_search(),
    "sessions": lambda options: bench_sessions(),
    "study": lambda options: bench_study(),
    "turn": lambda options: bench_turn(),
}


class Command(BaseCommand):
    help = "Measure the product on this machine; nothing that is measured is kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=sorted(BENCHES))
        parser.add_argument("--json", action="store_true", help="Print one JSON document only.")
        parser.add_argument(
            "--llm-seconds",
            type=float,
            default=LATENCY,
            help="What every call of a model takes in latency and load (default: %(default)s).",
        )
        parser.add_argument(
            "--split",
            choices=SPLITS,
            default="held_out",
            help="Which half of listening's interviews; of the default only sums are printed.",
        )
        load, plain = parser.add_argument_group("load"), Load()
        load.add_argument("--chats", type=int, default=plain.chats, help="Chats at once.")
        load.add_argument(
            "--think", type=_seconds, default=plain.think, help="Seconds to think, as 10-20."
        )
        load.add_argument("--minutes", type=float, default=plain.minutes, help="How long.")
        load.add_argument(
            "--url", help="Public link of a study on a running site; without, one is started."
        )
        load.add_argument(
            "--offline", action="store_true", help="The site that is started asks no model."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        what = options["what"]
        try:
            result = BENCHES[what](options)
        except (BenchImpossible, LabelsUnusable) as error:
            raise CommandError(str(error)) from error
        indent = None if options["json"] else 2
        self.stdout.write(json.dumps(result, indent=indent))


def _seconds(text: str) -> tuple[float, float]:
    """Read "10-20", or "10" for both. Raises ValueError otherwise."""
    first, _, last = text.partition("-")
    least, most = float(first), float(last or first)
    if not 0 <= least <= most:
        raise ValueError(text)
    return least, most


def _load(options: dict[str, Any]) -> Load:
    return Load(
        chats=options["chats"],
        think=options["think"],
        llm_seconds=None if options["offline"] else options["llm_seconds"],
        minutes=options["minutes"],
        url=options["url"],
    )
