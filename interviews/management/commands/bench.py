"""`manage.py bench WHAT`: measure, and say under which conditions."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand

from interviews.bench.scoring import bench_scoring
from interviews.bench.turn import bench_turn

BENCHES: dict[str, Callable[[], dict[str, Any]]] = {"scoring": bench_scoring, "turn": bench_turn}


class Command(BaseCommand):
    help = "Measure the product on this machine; nothing that is measured is kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=sorted(BENCHES))
        parser.add_argument("--json", action="store_true", help="Print one JSON document only.")

    def handle(self, *args: Any, **options: Any) -> None:
        result = BENCHES[options["what"]]()
        indent = None if options["json"] else 2
        self.stdout.write(json.dumps(result, indent=indent))
