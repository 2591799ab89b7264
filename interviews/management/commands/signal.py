"""`manage.py signal`: how much an answer gives, as guided interviews score it."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from interviews.modes.guided.signal import LanguageUnknown, signal_of


class Command(BaseCommand):
    help = "Score one text, or each line of standard input, and print a JSON line each."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--language", default="en", metavar="CODE")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--text", metavar="T")
        source.add_argument("--stdin", action="store_true", help="One text a line.")

    def handle(self, *args: Any, **options: Any) -> None:
        texts: Iterable[str] = sys.stdin if options["stdin"] else [options["text"]]
        try:
            for text in texts:
                signal = signal_of(text, options["language"])
                self.stdout.write(json.dumps(signal.to_dict(), ensure_ascii=False))
        except LanguageUnknown as error:
            raise CommandError(str(error), returncode=1) from error
