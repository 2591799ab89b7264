"""`manage.py match`: would two labels of one node type be merged, and on what grounds?"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from graphs.language.embeddings import shared_embedder
from graphs.matching import Label, Matcher, SharedReader


class Command(BaseCommand):
    help = "Compare two labels, or tab-separated pairs from stdin (one JSON line each)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--type", default="concept", help="The node type of both labels.")
        parser.add_argument("--stdin", action="store_true")
        parser.add_argument("--json", action="store_true", help="Accepted for symmetry.")
        parser.add_argument("labels", nargs="*", metavar="LABEL")

    def handle(self, *args: Any, **options: Any) -> None:
        pairs = self._pairs(options)
        matcher = Matcher(shared_embedder(settings.EMBEDDING_MODEL), reader=SharedReader())
        for a, b in pairs:
            comparison = matcher.compare(
                Label(text=a, node_type=options["type"]), Label(text=b, node_type=options["type"])
            )
            self.stdout.write(
                json.dumps(
                    {
                        "a": a,
                        "b": b,
                        "merge": comparison.merge,
                        "tier": comparison.tier,
                        "similarity": comparison.similarity,
                        "veto": comparison.veto,
                    },
                    ensure_ascii=False,
                )
            )

    def _pairs(self, options: dict[str, Any]) -> list[tuple[str, str]]:
        if not options["stdin"]:
            if len(options["labels"]) != 2:
                raise CommandError("Give two labels, or --stdin with pairs.", returncode=1)
            return [(options["labels"][0], options["labels"][1])]
        pairs = []
        for number, line in enumerate(sys.stdin, start=1):
            if not line.strip():
                continue
            parts = line.rstrip("\n").split("\t")
            if len(parts) != 2:
                raise CommandError(
                    f"line {number}: expected two labels with a tab between them", returncode=1
                )
            pairs.append((parts[0], parts[1]))
        return pairs
