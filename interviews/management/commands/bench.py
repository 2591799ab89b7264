"""`manage.py bench WHAT`: measure, and say under which conditions."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from interviews.bench.errors import BenchImpossible
from interviews.bench.extraction import bench_extraction
from interviews.bench.interviews import bench_interviews
from interviews.bench.latency import LATENCY, bench_latency
from interviews.bench.matching import bench_matching
from interviews.bench.scoring import bench_scoring
from interviews.bench.turn import bench_turn

BENCHES: dict[str, Callable[..., dict[str, Any]]] = {
    "extraction": bench_extraction,
    "interviews": bench_interviews,
    "latency": bench_latency,
    "matching": bench_matching,
    "scoring": bench_scoring,
    "turn": bench_turn,
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
            help="What every call of a model takes in the bench latency (default: %(default)s).",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        what = options["what"]
        given = {"latency": options["llm_seconds"]} if what == "latency" else {}
        try:
            result = BENCHES[what](**given)
        except BenchImpossible as error:
            raise CommandError(str(error)) from error
        indent = None if options["json"] else 2
        self.stdout.write(json.dumps(result, indent=indent))
