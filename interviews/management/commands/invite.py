"""`manage.py invite`: make personal links from a list."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from interviews import audit
from interviews.invitations import invite_all
from interviews.models import Study


class Command(BaseCommand):
    help = "Make the invitations of a CSV (note,expires_at): all of them, or none."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument("--csv", metavar="FILE", type=Path, required=True)
        parser.add_argument("--json", action="store_true", help="Print one JSON document only.")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["slug"]).first()
        if study is None:
            raise CommandError(f"no study {options['slug']!r}", returncode=1)
        try:
            data = options["csv"].read_bytes()
        except OSError as error:
            raise CommandError(str(error), returncode=1) from error
        made, faults = invite_all(study, data, by=audit.COMMAND)
        if options["json"]:
            rows = [
                {"row": fault.row, "column": fault.column, "message": fault.message}
                for fault in faults
            ]
            self.stdout.write(json.dumps({"made": len(made), "faults": rows}, ensure_ascii=False))
        else:
            for fault in faults:
                self.stdout.write(f"row {fault.row} {fault.column}: {fault.message}")
            self.stdout.write(f"{len(made)} invitations made.")
        if faults:
            raise SystemExit(1)
