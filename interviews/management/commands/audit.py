"""`manage.py audit`: who did what, when."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.dateparse import parse_date, parse_datetime

from interviews.models import AuditEntry


class Command(BaseCommand):
    help = "Print the audit log, newest first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print one JSON document only.")
        parser.add_argument("--since", metavar="TIME", help="2026-11-24 or 2026-11-24T08:00.")
        parser.add_argument("--object", metavar="ID", help="Only what was done to this object.")

    def handle(self, *args: Any, **options: Any) -> None:
        entries = AuditEntry.objects.all()
        if options["since"]:
            entries = entries.filter(at__gte=_time(options["since"]))
        if options["object"]:
            entries = entries.filter(object_id=options["object"])
        rows: list[dict[str, Any]] = [
            {
                "at": entry.at.isoformat(),
                "by": entry.by,
                "action": entry.action,
                "object": {"kind": entry.kind, "id": entry.object_id},
                "fields": entry.fields,
            }
            for entry in entries.iterator()
        ]
        if options["json"]:
            self.stdout.write(json.dumps({"entries": rows}, ensure_ascii=False))
            return
        for row in rows:
            what = f"{row['object']['kind']} {row['object']['id']}"
            self.stdout.write(f"{row['at']}  {row['by']} {row['action']} {what}")


def _time(text: str) -> datetime:
    """Raises CommandError where it is no time."""
    try:
        day = parse_date(text)
        found = datetime(day.year, day.month, day.day) if day else parse_datetime(text)  # noqa: DTZ001
    except ValueError:
        found = None
    if found is None:
        raise CommandError(f"--since {text}: expected a time like 2026-11-24T08:00", returncode=1)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
