"""`manage.py search`: what was said in a study, by words and by meaning."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analytics.finding import command
from interviews.errors import FormRefused
from interviews.retrieval.search import DEFAULT_KINDS, SHOWN, search


class Command(BaseCommand):
    """Prints results, best first; exits 1 for an unknown study, kind or filter."""

    help = "Search the interviews of a study by words and by meaning."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Study, text, kinds, and which interviews count."""
        command.add_arguments(parser, "What to look for.")
        parser.add_argument("--kind", action="append", metavar="answer|question|concept")
        parser.add_argument("--most", type=int, default=SHOWN, help="Results (%(default)s).")

    def handle(self, *args: Any, **options: Any) -> None:
        """Search. Raises CommandError (exit 1) that names what is wrong."""
        try:
            _, scope = command.scope_named(options)
            kinds = options["kind"] or DEFAULT_KINDS
            hits = search(scope.sessions, options["text"], kinds=kinds, most=options["most"])
        except FormRefused as refused:
            raise CommandError(refused.message, returncode=1) from refused
        if options["json"]:
            found = {"results": [hit.as_json() for hit in hits]}
            self.stdout.write(json.dumps(found, ensure_ascii=False))
            return
        self.stdout.write(scope.told)
        for hit in hits:
            place = f"{str(hit.session)[:4]} turn {hit.turn}"
            self.stdout.write(f"  {hit.score:.4f}  {place:<12} {hit.kind:<8} {hit.text}")
