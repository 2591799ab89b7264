"""The command `manage.py import`; its own module has a keyword for a name and hands this on."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analytics.imports import MOST_BYTES, Imported, import_file, told
from analytics.interchange import ImportRefused
from analytics.transcript_imports import import_transcripts
from analytics.transcripts import read_transcripts
from interviews import audit


class ImportCommand(BaseCommand):
    """Takes an export in again; exits 1 where the file cannot be taken, having stored nothing."""

    help = "Store the interviews of an export (JSON, JSON Lines) or of transcripts (.csv, .md)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which file, and under which slug."""
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--json", action="store_true", help="Print one JSON document only.")
        parser.add_argument("--slug", default="", help="Another slug for the study.")
        parser.add_argument(
            "--methodology",
            default="means_end_chain",
            metavar="NAME",
            help="What reads the answers of transcripts (default: %(default)s).",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError (exit 1) with every fault and its field."""
        try:
            with Path(options["file"]).open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            message = f"file: {options['file']} cannot be read: {error.strerror or error}"
            raise CommandError(message, returncode=1) from error
        try:
            done = self._taken(data, options)
        except ImportRefused as refused:
            if options["json"]:
                self.stdout.write(told(refused))
            raise CommandError(str(refused), returncode=1) from refused
        if options["json"]:
            self.stdout.write(json.dumps(done.as_json()))
        else:
            self.stdout.write(
                f"Stored {done.sessions} interviews of the study {done.study.slug}: "
                f"{done.nodes} concepts, {done.edges} links"
            )

    def _taken(self, data: bytes, options: dict[str, Any]) -> Imported:
        kind = Path(options["file"]).suffix.lower()
        if kind not in {".csv", ".md"}:
            return import_file(data, by=audit.COMMAND, slug=options["slug"])
        return import_transcripts(
            read_transcripts(data, markdown=kind == ".md"),
            methodology=options["methodology"],
            slug=options["slug"],
            by=audit.COMMAND,
        )
