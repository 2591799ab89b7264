"""`manage.py retention`: what a study has kept for longer than it said, and erasing it."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from interviews.models import Study
from interviews.retention import due, erase_due

BY = "manage.py retention"
MOST_DAYS = 36_500


class Command(BaseCommand):
    help = "List a study's interviews that ended longer ago than so many days; --erase erases them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="The study's slug.")
        parser.add_argument("--days", type=int, required=True, help="How long they are kept.")
        parser.add_argument("--erase", action="store_true", help="Erase; without it nothing goes.")
        parser.add_argument("--json", action="store_true", help="Print one JSON document only.")

    def handle(self, *args: Any, **options: Any) -> None:
        days = options["days"]
        if not 1 <= days <= MOST_DAYS:
            raise CommandError(f"--days {days}: from 1 to {MOST_DAYS} are possible", returncode=1)
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"there is no study {options['study']!r}", returncode=1)
        found = due(study, days=days)
        erased = erase_due(study, days=days, by=BY) if options["erase"] else 0
        if options["json"]:
            rows = [{"session": str(one.session), "since": one.since.isoformat()} for one in found]
            said = {"study": study.slug, "days": days, "due": rows, "erased": erased}
            self.stdout.write(json.dumps(said))
            return
        for one in found:
            self.stdout.write(f"{one.since:%Y-%m-%d}  {one.session}")
        told = f"{erased} erased" if options["erase"] else "nothing erased: --erase does it"
        self.stdout.write(f"{len(found)} kept for more than {days} days; {told}.")
